//! An honest report on traces: trajectory proper scores, diagnostics, intervals, and what was left
//! out.

use std::collections::{BTreeMap, BTreeSet};

use censoring::{Stopped, TerminationAudit, Weight, simple_score};
use serde::Serialize;
use trajectory_metrics::{
    Bootstrap, Diagnostics, Error, ExactMean, Level, LogScore, Probability, Ranking, Summary,
    TiedBlocks, Tps, TpsFamily, Traces, WeightSchedule,
};

use crate::{
    sample::{Sample, constant, prepare},
    trace_file::Run,
};

/// The metrics of a report, in its order, and whether a higher value is better.
pub const METRICS: [(&str, bool); 9] = [
    ("tps_log", true),
    ("tps_brier", true),
    ("tps_beta_2_4", true),
    ("tps_log_censored_simple", true),
    ("auroc", true),
    ("average_precision", true),
    ("aurc", false),
    ("t_ece", false),
    ("t_brier", false),
];

/// Share of resampled values inside an interval.
const LEVEL: f64 = 0.95;

/// How forecasts are calibrated before they are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Calibration {
    /// As given.
    None,
    /// Cross-fitted Platt scaling.
    Platt,
    /// Cross-fitted isotonic regression.
    Isotonic,
}

/// What the caller may choose.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Weights of the steps.
    pub schedule: WeightSchedule,
    /// Calibration before scoring.
    pub calibration: Calibration,
    /// Bootstrap replicates; 0 for no intervals.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Whether whole tasks are resampled in place of single runs.
    pub cluster_by_task: bool,
}

/// A value and its bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The value on all rows.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub ci_high: Option<f64>,
}

/// Estimates by metric name; `None` where a metric is undefined.
pub type Estimates = BTreeMap<&'static str, Option<Estimate>>;

/// The whole report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Complete traces: all metrics but the censored one are over these.
    pub n: u64,
    /// Traces that a budget cut off, which the censored score takes in.
    pub n_censored: u64,
    /// Traces without an outcome that cannot be scored.
    pub n_excluded: u64,
    /// Those by reason.
    pub excluded: BTreeMap<String, u64>,
    /// Different tasks among complete and censored traces.
    pub n_tasks: usize,
    /// Share of successes among complete traces.
    pub base_rate: Option<f64>,
    /// Name of the weight schedule.
    pub schedule: &'static str,
    /// Calibration before scoring.
    pub calibration: Calibration,
    /// Bootstrap replicates behind each interval.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Whether whole tasks were resampled.
    pub clustered_by_task: bool,
    /// The metrics.
    #[serde(flatten)]
    pub metrics: Estimates,
    /// The same metrics of a constant forecast of the base rate on the same traces.
    pub base_rate_reference: Estimates,
    /// What is undefined and why, and what to know before the figures are quoted.
    pub notes: Vec<String>,
}

/// Evaluates the runs of one or more files, each a stream of its own: calibration is fitted file by
/// file. Runs of one id are resampled together, whatever file they stand in.
///
/// # Errors
///
/// An error of the library where a setting cannot be met on these runs; an
/// [`InputError`](crate::json_lines::InputError) for a run without a task where tasks are needed.
pub fn evaluate(
    files: &[&[Run]],
    settings: &Settings,
) -> Result<Report, Box<dyn std::error::Error>> {
    let mut audit = TerminationAudit::default();
    let mut notes = Vec::new();
    let mut sample = Sample::default();
    for &runs in files {
        sample.append(prepare(runs, settings, &mut audit, &mut notes)?)?;
    }
    let scored: Vec<&Run> = sample.runs().collect();
    let distinct = |name: fn(&Run) -> Option<&str>| -> usize {
        scored.iter().filter_map(|&run| name(run)).collect::<BTreeSet<_>>().len()
    };
    let n_tasks = distinct(|run| run.task.as_deref());
    let bootstrap = bootstrap(&scored, settings)?;
    if !settings.cluster_by_task && n_tasks > 0 && n_tasks < scored.len() {
        notes.push(format!(
            "{} traces share {n_tasks} tasks and are not independent; --cluster-by-task gives honest intervals",
            scored.len(),
        ));
    }
    if settings.calibration != Calibration::None && n_tasks > 0 && n_tasks < scored.len() {
        notes.push("calibration: traces of one task may be in different halves".to_owned());
    }
    let ids = distinct(|run| Some(&run.id));
    if ids < scored.len() {
        notes.push(format!(
            "{} traces have {ids} different ids; those of one id are resampled together",
            scored.len(),
        ));
    }
    if settings.resamples == 0 {
        notes.push("no intervals: no resamples were asked for".to_owned());
    } else {
        notes.push("t_ece is biased upwards; its interval tends to lie above its value".to_owned());
    }
    let base_rate = base_rate(&sample.complete);
    let metrics = estimates(&sample, settings, bootstrap.as_ref(), "", &mut notes)?;
    let base_rate_reference = match base_rate {
        Some(rate) => {
            let constant = constant(&sample, Probability::new(rate)?);
            estimates(&constant, settings, bootstrap.as_ref(), "base_rate_reference.", &mut notes)?
        }
        None => {
            notes.push("base_rate: undefined without a complete trace".to_owned());
            METRICS.iter().map(|&(name, _)| (name, None)).collect()
        }
    };
    let excluded =
        audit.exclusions().iter().map(|(reason, &count)| (reason.to_string(), count)).collect();
    Ok(Report {
        n: audit.complete(),
        n_censored: audit.censored(),
        n_excluded: audit.excluded(),
        excluded,
        n_tasks,
        base_rate,
        schedule: settings.schedule.name(),
        calibration: settings.calibration,
        resamples: settings.resamples,
        seed: settings.seed,
        clustered_by_task: settings.cluster_by_task,
        metrics,
        base_rate_reference,
        notes,
    })
}

fn base_rate(traces: &Traces) -> Option<f64> {
    let successes = traces.outcomes().iter().filter(|&&outcome| outcome).count();
    (!traces.is_empty()).then(|| successes as f64 / traces.len() as f64)
}

/// Resamples all traces that can be scored, complete ones first; `None` where there is nothing to
/// resample.
fn bootstrap(
    scored: &[&Run],
    settings: &Settings,
) -> Result<Option<Bootstrap>, Box<dyn std::error::Error>> {
    if scored.is_empty() || settings.resamples == 0 {
        return Ok(None);
    }
    if !settings.cluster_by_task {
        // By id and not by row, so that the order of the rows does not matter.
        let ids: Vec<&str> = scored.iter().map(|run| run.id.as_str()).collect();
        return Ok(Some(Bootstrap::clusters(&ids, settings.seed)?));
    }
    let task = |run: &&Run| match &run.task {
        Some(task) => Ok(task.clone()),
        None => Err(run.error("task", "missing; --cluster-by-task needs one".to_owned())),
    };
    let tasks: Vec<String> = scored.iter().map(task).collect::<Result<_, _>>()?;
    Ok(Some(Bootstrap::clusters(&tasks, settings.seed)?))
}

/// Scores that do not change from replicate to replicate.
struct Scores {
    complete: TpsFamily<Vec<f64>>,
    /// Over complete and censored traces.
    censored: Vec<f64>,
    ranking: Option<Ranking>,
}

fn scores(
    sample: &Sample,
    schedule: &WeightSchedule,
) -> Result<Scores, Box<dyn std::error::Error>> {
    let log = Tps::new(LogScore::clipped(TpsFamily::CLIP)?, schedule.clone());
    let complete = TpsFamily::scores(&sample.complete, schedule)?;
    let mut censored = complete.log.clone();
    for run in &sample.censored {
        let reason = Some(censoring::StopReason::MaxSteps);
        let stopped = Stopped::new(&run.forecasts, None, reason)?.with_horizon(run.horizon)?;
        censored.push(simple_score(&log, &stopped)?);
    }
    let summary = Summary::Weighted(schedule.clone()).of_each(&sample.complete)?;
    Ok(Scores {
        complete,
        censored,
        ranking: Ranking::new(&summary, sample.complete.outcomes()).ok(),
    })
}

/// All metrics where row i stands `counts[i]` times.
fn metrics(scores: &Scores, counts: &[u32], blocks: &mut TiedBlocks) -> [Result<f64, Error>; 9] {
    let complete = &counts[..scores.complete.log.len()];
    let mean = |values: &[f64]| {
        let mut mean = ExactMean::default();
        for (&value, &count) in values.iter().zip(counts) {
            mean.update_weighted(value, count.into());
        }
        Ok(mean.finish()?)
    };
    // Without rows there are no blocks, and the diagnostics say so.
    *blocks = match &scores.ranking {
        Some(ranking) if ranking.resample(complete, blocks).is_ok() => std::mem::take(blocks),
        _ => TiedBlocks::default(),
    };
    let [auroc, average_precision, aurc, t_ece, t_brier] =
        Diagnostics::new(blocks).by_name().map(|(_, value)| value);
    let TpsFamily { log, brier, beta_2_4, .. } = &scores.complete;
    [
        mean(log),
        mean(brier),
        mean(beta_2_4),
        mean(&scores.censored),
        auroc,
        average_precision,
        aurc,
        t_ece,
        t_brier,
    ]
}

fn estimates(
    sample: &Sample<'_>,
    settings: &Settings,
    bootstrap: Option<&Bootstrap>,
    prefix: &str,
    notes: &mut Vec<String>,
) -> Result<Estimates, Box<dyn std::error::Error>> {
    let scores = scores(sample, &settings.schedule)?;
    let mut blocks = TiedBlocks::default();
    let all = vec![1; scores.censored.len()];
    let values = metrics(&scores, &all, &mut blocks);
    let mut intervals = [const { None }; METRICS.len()];
    if let Some(bootstrap) = bootstrap {
        let level = Level::new(LEVEL)?;
        let replicates = bootstrap
            .replicates(settings.resamples, |counts| metrics(&scores, counts, &mut blocks));
        intervals = replicates.map(|of| Some(of.map(|of| of.percentile(level))));
    }
    let mut estimates = Estimates::new();
    for (((name, _), value), interval) in METRICS.into_iter().zip(values).zip(intervals) {
        let value = match value {
            // What is not finite cannot be written as a number.
            Ok(value) if value.is_finite() => value,
            Ok(value) => {
                notes.push(format!("{prefix}{name}: {value}"));
                estimates.insert(name, None);
                continue;
            }
            Err(error) => {
                notes.push(format!("{prefix}{name}: {error}"));
                estimates.insert(name, None);
                continue;
            }
        };
        let interval = match interval {
            Some(Err(error)) => {
                notes.push(format!("{prefix}{name}: no interval: {error}"));
                None
            }
            Some(Ok(interval)) => {
                if interval.undefined > 0 {
                    let (undefined, all) = (interval.undefined, settings.resamples);
                    notes.push(format!(
                        "{prefix}{name}: undefined in {undefined} of {all} resamples"
                    ));
                }
                Some(interval)
            }
            None => None,
        };
        let estimate = Some(Estimate {
            value,
            ci_low: interval.map(|interval| interval.interval.low()),
            ci_high: interval.map(|interval| interval.interval.high()),
        });
        estimates.insert(name, estimate);
    }
    Ok(estimates)
}
