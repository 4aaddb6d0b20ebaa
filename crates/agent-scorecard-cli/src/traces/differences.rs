//! The differences between two columns, of the same runs, of the same tasks or of neither.

use std::collections::{BTreeMap, BTreeSet};

use censoring::{Seed, TerminationAudit};
use serde::Serialize;
use trajectory_metrics::{
    Bootstrap, EvaluationOptions, ExactMean, Level, NamedEstimate, Resampling, evaluate_difference,
};

use crate::{
    traces::{
        evaluation::{ASSUMPTIONS, CENSORED, LEVEL, METRICS, simple_scores},
        sample::{Sample, prepare},
        settings::Settings,
        trace_file::Run,
        units::{Unit, few, single},
    },
    values::ClusterBy,
};

/// Why there are no differences without resamples.
pub(crate) const NO_RESAMPLES: &str = "it needs at least 2 resamples";

/// What of two columns is resampled together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Pairing {
    /// Both columns hold the same complete runs with the same outcomes.
    Runs,
    /// The runs of a task that both columns have are resampled together, those of other tasks apart.
    Tasks,
    /// The columns have no task in common.
    None,
}

/// One metric of the second column minus that of the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Difference {
    /// The difference of the two values.
    pub value: f64,
    /// Lower end of the 95 % interval; `None` if there is none.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub ci_high: Option<f64>,
    /// Standard error; `None` if no resample varies.
    pub standard_error: Option<f64>,
}

impl Difference {
    /// Whether the interval says that one column is better.
    pub(crate) fn excludes_zero(self) -> bool {
        self.ci_low.is_some_and(|low| low > 0.0) || self.ci_high.is_some_and(|high| high < 0.0)
    }
}

/// The differences between two columns.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Differences {
    /// What is resampled together.
    pub pairing: Pairing,
    /// Tasks that both columns have; of runs without a task, or where runs are resampled, the runs.
    pub n_shared_tasks: usize,
    /// What must hold for a metric to mean what its name says, as in a column.
    pub assumptions: BTreeMap<&'static str, &'static str>,
    /// By metric; `None` for a metric that is undefined.
    #[serde(flatten)]
    pub metrics: BTreeMap<&'static str, Option<Difference>>,
    /// What is undefined and why, and what to know before the figures are quoted.
    #[serde(skip)]
    pub notes: Vec<String>,
}

/// The differences between two columns, or why there are none. Tasks are resampled, each with all its runs in
/// both columns; where each column is of a single task, runs are.
///
/// Calibration maps are fitted once to the runs of each column and not in the resamples, as in the report of
/// a column.
///
/// # Errors
///
/// Those of reading and calibrating the runs.
pub(crate) fn differences(
    first: &[Run],
    second: &[Run],
    settings: &Settings,
) -> Result<Result<Differences, String>, Box<dyn std::error::Error>> {
    if settings.resamples < 2 {
        return Ok(Err(NO_RESAMPLES.to_owned()));
    }
    let (mut audit, mut ignored) = (TerminationAudit::default(), Vec::new());
    let first = prepare(first, settings, &mut audit, &mut ignored)?;
    let second = prepare(second, settings, &mut audit, &mut ignored)?;
    if first.complete.is_empty() || second.complete.is_empty() {
        return Ok(Err("a column has no complete run".to_owned()));
    }
    let is_same_runs = outcomes(&first).is_some_and(|runs| Some(runs) == outcomes(&second));
    let both = [&first, &second];
    // Of the same runs, one column may know the tasks and the other not.
    let mut tasks: BTreeMap<&str, &str> = BTreeMap::new();
    if is_same_runs && settings.cluster_by != ClusterBy::Run {
        let runs = first.runs().chain(second.runs());
        for (id, task) in runs.filter_map(|run| Some((run.id.as_str(), run.task.as_deref()?))) {
            tasks.entry(id).or_insert(task);
        }
    }
    let by_task = both.map(|sample| {
        sample.runs().map(|run| unit(run, &tasks, settings.cluster_by)).collect::<Vec<_>>()
    });
    let singles = by_task.each_ref().map(|units| single(units).is_some());
    let mut notes = Vec::new();
    let units = match singles {
        [false, false] => by_task,
        [true, true] if settings.cluster_by == ClusterBy::Task => {
            notes.push(
                "each column is of one task: runs are resampled, and the intervals say nothing about other tasks"
                    .to_owned(),
            );
            both.map(|sample| sample.runs().map(|run| Unit::of(run, ClusterBy::Run)).collect())
        }
        _ => return Ok(Err("a column is of a single task; at least 2 are needed".to_owned())),
    };
    let [of_first, of_second] = units.each_ref().map(|units| BTreeSet::from_iter(units.iter()));
    let n_shared = of_first.intersection(&of_second).count();
    // Runs of one name with different outcomes are other runs: trials of one task are not paired by their ids.
    let is_apart = singles == [true, true] && !is_same_runs;
    let pairing = match n_shared {
        _ if is_same_runs => Pairing::Runs,
        0 => Pairing::None,
        _ if is_apart => Pairing::None,
        _ => Pairing::Tasks,
    };
    // Complete runs of both columns come first, those that were cut off follow.
    let complete = both.map(|sample| sample.complete.len());
    let rows = |side: usize, range: std::ops::Range<usize>| {
        let units = units[side][range].to_vec();
        units.into_iter().map(move |unit| (if is_apart { side } else { 0 }, unit))
    };
    let clusters = rows(0, 0..complete[0])
        .chain(rows(1, 0..complete[1]))
        .chain(rows(0, complete[0]..units[0].len()))
        .chain(rows(1, complete[1]..units[1].len()));
    let clusters: Vec<(usize, Unit<'_>)> = clusters.collect();
    let all: Vec<Unit<'_>> = clusters.iter().map(|(_, unit)| *unit).collect();
    notes.extend(few(&all));
    let bootstrap = match Bootstrap::clusters(&clusters, Seed::new(settings.seed)) {
        Ok(bootstrap) => bootstrap,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let resampling = Resampling {
        bootstrap: &bootstrap,
        resamples: settings.resamples,
        level: Level::new(LEVEL)?,
    };
    let options = EvaluationOptions {
        schedule: settings.schedule.clone(),
        summary: settings.summary.clone(),
        resampling: Some(resampling),
        ..EvaluationOptions::default()
    };
    let mut found = evaluate_difference(&first.complete, &second.complete, &options)?;
    let n_units = [of_first.len(), of_second.len()];
    found.push(censored(both, complete, n_units, settings, resampling)?);
    if units.iter().zip(complete).any(|(units, complete)| units.len() > complete) {
        notes.extend(ASSUMPTIONS.map(|(metric, assumption)| format!("{metric}: {assumption}")));
    }
    notes.extend(found.iter().flat_map(NamedEstimate::notes));
    let metrics = METRICS.into_iter().map(|(metric, _)| {
        let estimate = found.iter().find(|estimate| estimate.metric == metric);
        (metric, estimate.and_then(difference))
    });
    let metrics = metrics.collect();
    Ok(Ok(Differences {
        pairing,
        n_shared_tasks: n_shared,
        assumptions: ASSUMPTIONS.into(),
        metrics,
        notes,
    }))
}

/// What a report says of an estimate; `None` if its value is undefined.
fn difference(estimate: &NamedEstimate) -> Option<Difference> {
    let value = *estimate.value.as_ref().ok().filter(|value| value.is_finite())?;
    let interval = estimate.interval.as_ref().and_then(|interval| interval.as_ref().ok());
    Some(Difference {
        value,
        ci_low: interval.map(|interval| interval.interval.low()),
        ci_high: interval.map(|interval| interval.interval.high()),
        standard_error: interval.and_then(|interval| interval.standard_error),
    })
}

/// The difference of the log scores with censored runs. The rows of the bootstrap are the complete runs of
/// both columns, then the censored ones of both.
fn censored(
    samples: [&Sample<'_>; 2],
    complete: [usize; 2],
    n_units: [usize; 2],
    settings: &Settings,
    Resampling { bootstrap, resamples, level }: Resampling<'_>,
) -> Result<NamedEstimate, Box<dyn std::error::Error>> {
    let [first, second] = samples.map(|sample| simple_scores(sample, settings));
    let (first, second) = (first?, second?);
    let middle = complete[0] + complete[1];
    let last = middle + first.len() - complete[0];
    let mean = |scores: &[f64], counts: [&[u32]; 2]| {
        let mut mean = ExactMean::default();
        for (&score, &count) in scores.iter().zip(counts.into_iter().flatten()) {
            mean.update_weighted(score, count.into())?;
        }
        Ok(mean.finish()?)
    };
    let means = |counts: &[u32]| {
        [
            mean(&first, [&counts[..complete[0]], &counts[middle..last]]),
            mean(&second, [&counts[complete[0]..middle], &counts[last..]]),
        ]
    };
    let [of_first, of_second] = bootstrap.replicates(resamples, means);
    // Each column varies over its own tasks.
    let minus = of_second.and_then(|second| {
        second.with_clusters(n_units[1]).minus(&of_first?.with_clusters(n_units[0]))
    });
    let [first, second] = means(&vec![1; bootstrap.row_count()]);
    let value = second.and_then(|second| Ok(second - first?));
    Ok(NamedEstimate::new(CENSORED, value, Some(minus), level))
}

/// What a run is resampled with: the task that one of the columns knows of it, or what it says itself.
fn unit<'a>(run: &'a Run, tasks: &BTreeMap<&'a str, &'a str>, by: ClusterBy) -> Unit<'a> {
    tasks.get(run.id.as_str()).map_or_else(|| Unit::of(run, by), |task| Unit::Task(task))
}

/// The outcomes of the complete runs by id; `None` if an id stands twice.
fn outcomes<'a>(sample: &Sample<'a>) -> Option<BTreeMap<&'a str, bool>> {
    let ids = sample.complete_runs.iter().map(|run| run.id.as_str());
    let outcomes: BTreeMap<&str, bool> =
        ids.zip(sample.complete.outcomes().iter().copied()).collect();
    (outcomes.len() == sample.complete.len()).then_some(outcomes)
}
