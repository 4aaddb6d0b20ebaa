//! Compares each metric of a stream of forecasts before and after calibration, with the standard error of the change.

use std::collections::BTreeSet;

use censoring::{Observation, Seed, StopClass, TerminationAudit, Weight};
use run_logs::TraceRuns;
use serde::Deserialize;
use trajectory_metrics::{
    Bootstrap, CrossFit, Figure, FixedRankSensitivity, Folds, Measure, MetricChange, Platt,
    Replicates, Summary, Traces, Undefined, WeightSchedule,
};

use crate::{
    clusters::ClusterBy,
    error::{Error, with_causes},
    options,
    report::{
        block::{Block, Field, Position},
        key,
        sentence::{counted, left_out},
        tables::shown,
    },
    traces::{
        calibrated::note_maps,
        figures::TPS_LOG,
        pictures::before_and_after,
        sureness::ADD,
        units::{Names, Unit, few},
    },
};

/// The keys of a row: the figures before and after calibration, and their difference.
const RAW: &str = "raw";
const CALIBRATED: &str = "calibrated";
const CHANGE: &str = "change";

const FIXED_RANKS: &str = "log scores of the forecasts after transformations that keep all ranks";

/// The unit that is never split between the two halves when calibration maps are cross-fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Halves {
    /// Tasks; runs, if all of them belong to one task.
    #[default]
    Tasks,
    /// Runs, in the order of their ids, as in the paper.
    Runs,
}

options::named! {
    Halves: "tasks" = Self::Tasks, "runs" = Self::Runs;
}

/// The options for comparing forecasts before and after calibration. The defaults are those of the command.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CalibrationOptions {
    /// Weights of the steps of a run: linear-front, uniform, exponential-front or linear-back
    #[serde(deserialize_with = "options::read::parsed")]
    pub schedule: WeightSchedule,
    /// Units that are split into halves: tasks, or runs as in the TPS paper. With tasks, a run without a task is a
    /// separate unit, and so is each run of an only task. With runs, a map may be fitted to other runs of the tasks
    /// that it calibrates
    #[serde(deserialize_with = "options::read::name")]
    pub halves: Halves,
    /// Number of bootstrap resamples of whole tasks, at least 2
    #[serde(alias = "n_resamples", deserialize_with = "options::read::several_resamples")]
    pub resamples: usize,
    /// Seed of the bootstrap
    #[serde(alias = "random_state", deserialize_with = "options::read::seed")]
    pub seed: u64,
    /// Whether pictures are wanted too.
    #[serde(skip)]
    pub with_pictures: bool,
}

impl Default for CalibrationOptions {
    fn default() -> Self {
        let schedule = WeightSchedule::default();
        Self {
            schedule,
            resamples: Bootstrap::RESAMPLES,
            seed: 1,
            halves: Halves::Tasks,
            with_pictures: false,
        }
    }
}

/// Returns the conclusion on the effect of calibration on the log score, by the rule of the table: changes of less than
/// two standard errors may be noise.
fn conclusion(log: &Block, n: u64) -> Option<String> {
    let [raw, calibrated, change] = [RAW, CALIBRATED, CHANGE].map(|key| log.number(key));
    let runs = counted(n, "complete run");
    let from_to = format!("from {} to {}", shown(raw?), shown(calibrated?));
    let raises_or_lowers = if change? > 0.0 { "raises" } else { "lowers" };
    let Some(ratio) = log.number(key::change_in_standard_errors) else {
        return Some(format!(
            "over {runs}, calibration {raises_or_lowers} the log score {from_to}; without a standard error, it is not known whether this is noise"
        ));
    };
    let verdict = match ratio {
        ratio if ratio >= 2.0 => "these forecasts are not calibrated",
        ratio if ratio <= -2.0 => "these forecasts are better without calibration",
        _ => "this may be noise",
    };
    Some(format!(
        "over {runs}, calibration {raises_or_lowers} the log score {from_to}, by {change:.1} standard errors: {verdict}",
        change = ratio.abs(),
    ))
}

/// Compares the complete runs of one column before and after cross-fitted Platt scaling. Both versions use the same
/// resamples of whole tasks. A run without a task counts as a task of its own.
///
/// # Errors
///
/// [`run_logs::Error::Undefined`] where no run has an outcome, and [`Error::CrossFit`] where there are not enough.
pub fn compare(runs: &TraceRuns, options: &CalibrationOptions) -> Result<Block, Error> {
    let mut audit = TerminationAudit::default();
    let mut notes = Vec::new();
    let (mut raw, mut names) = (Traces::default(), Names::default());
    for run in 0..runs.len() {
        let stopped = runs.stopped(run)?;
        audit.update(&stopped, Weight::ONE);
        if let Observation::Complete(trace) = stopped.observation() {
            raw.push(trace.forecasts(), trace.outcome())?;
            let (id, task) = runs.names(run);
            names.push(id, task);
        }
    }
    if raw.is_empty() {
        let reason = format!("no run has an outcome, so no calibration can be learnt: {ADD}");
        return Err(run_logs::Error::Undefined { name: "calibration", reason }.into());
    }
    let tasks: Vec<Unit<'_>> = names.iter().map(|run| Unit::of(run, ClusterBy::Task)).collect();
    let n_tasks = tasks.iter().collect::<BTreeSet<_>>().len();
    notes.extend(few(&tasks));
    let is_repeated = n_tasks < tasks.len();
    let folds = if is_repeated && n_tasks > 1 && options.halves == Halves::Tasks {
        Folds::clustered(raw.outcomes(), &tasks, 2)?
    } else {
        if is_repeated {
            let what = "runs of one task may be in different halves, so a run may be calibrated by a map that was fitted to other runs of its task";
            notes.push(format!("calibration: {what}"));
        }
        let ids: Vec<&str> = names.iter().map(|(id, _)| id).collect();
        Folds::new(raw.outcomes(), &ids, 2)?
    };
    let fit = CrossFit::new(&Platt::default(), &raw, &folds, &options.schedule)
        .map_err(|source| Error::CrossFit { runs: raw.len(), source })?;
    note_maps(fit.maps.iter().zip(["B", "A"]), &mut notes);
    let slopes: Vec<f64> = fit.maps.iter().map(|map| map.slope()).collect();
    let one_task = n_tasks == 1;
    let bootstrap = if one_task {
        notes.push(
            "standard errors: undefined, because whole tasks are resampled and all complete runs are of one task"
                .to_owned(),
        );
        // Resamples of runs, of which only the figures of the runs as they are are reported.
        Bootstrap::rows(raw.len(), Seed(options.seed))?
    } else {
        Bootstrap::clusters(&tasks, Seed(options.seed))?
    };
    let schedule = &options.schedule;
    let changes = fit.raw_against_calibrated(&raw, schedule, &bootstrap, options.resamples)?;
    let mut metrics = Block {
        title: "effect of calibration; changes of less than two standard errors may be noise"
            .to_owned(),
        is_table: true,
        ..Block::default()
    }
    .saying(
        Position::Explanation,
        [
            "SE: standard error over tasks, with the fitted maps held fixed. auroc, average_precision and aurc are computed for each half, because each half has its own map, and then averaged."
                .to_owned(),
        ],
    );
    for MetricChange { measure, raw, calibrated, difference, .. } in changes {
        let name = measure.key;
        let label = format!("{name} ({})", measure.better);
        let (undefined, all) =
            (difference.as_ref().map_or(0, Replicates::undefined), options.resamples);
        if undefined > 0 && !one_task {
            notes.push(format!("{name}: undefined in {undefined} of {all} resamples"));
        }
        let own = difference.as_ref().ok().filter(|_| !one_task);
        let ratio = own.and_then(Replicates::in_standard_errors);
        let standard_error = own.and_then(Replicates::standard_error);
        let change = difference
            .as_ref()
            .map(|difference| Figure { standard_error, ..Figure::from(difference.estimate()) });
        let error = [raw.as_ref().err(), calibrated.as_ref().err(), change.as_ref().err().copied()];
        if let Some(error) = error.into_iter().flatten().next() {
            notes.push(format!("{name}: {}", with_causes(error)));
        }
        let figure = |key: &'static str, found: Result<Figure, &trajectory_metrics::Error>| {
            let found = found.map_err(|error| Undefined::new(with_causes(error)));
            // A change has either sign, whatever the ends of what changes are.
            let ends = [f64::NEG_INFINITY, f64::INFINITY];
            let range = if key == CHANGE { ends } else { measure.range };
            Field::figure(Measure { key, label: key, range, ..measure }, found)
        };
        let row = Block::of([
            figure(RAW, raw.as_ref().map(|value| Figure::from(*value))),
            figure(CALIBRATED, calibrated.as_ref().map(|value| Figure::from(*value))),
            figure(CHANGE, change),
            Field::shown(key::change_in_standard_errors, "change/SE", ratio),
        ]);
        metrics.fields.push(Field::block(name, row).labelled(label));
    }
    let successes = raw.outcomes().iter().filter(|&&outcome| outcome).count();
    // The fit has failed where there is no run.
    let base_rate = successes as f64 / raw.len() as f64;
    let maps = slopes.iter().map(|slope| format!("{slope:.3}")).collect::<Vec<_>>().join(" and ");
    let line = format!(
        "slopes of the maps fitted on the two halves: {maps}, in log-odds per standard deviation of the forecasts' log-odds; a slope near 0 means that forecasts do not tell successes from failures"
    );
    let mut block = Block::of([
        Field::shown("n", "complete runs", audit.count(StopClass::Complete)),
        Field::shown(
            "n_censored",
            "runs cut off by a budget, left out",
            audit.count(StopClass::Censored),
        ),
        Field::shown("n_excluded", "runs excluded", audit.count(StopClass::Excluded)),
        Field::shown("n_tasks", "different tasks", n_tasks),
        Field::shown("base_rate", "share of successes", base_rate),
    ])
    .saying(Position::Line, [line])
    .saying(Position::Note, notes);
    block.push_json("slopes", &slopes);
    if let Ok(found) = FixedRankSensitivity::new(&raw, &folds, &options.schedule) {
        let fields = [
            Field::shown("auroc", "AUROC of all", found.auroc),
            Field::shown("average_precision", "average precision of all", found.average_precision),
            Field::shown("aurc", "AURC of all", found.aurc),
            Field::shown("identity", "log score as stated", found.identity),
            Field::shown("affine", "log score of 0.4 + 0.2 p", found.affine),
            Field::shown("square_root", "log score of the square root of p", found.square_root),
            Field::shown("square", "log score of p squared", found.square),
            Field::shown("platt", "log score after Platt scaling", found.platt),
            Field::shown("span", "highest minus lowest log score", found.span()),
        ];
        let ranks = Block::titled(FIXED_RANKS, fields);
        block.fields.push(Field::block("fixed_ranks", ranks));
    }
    let clause = metrics
        .inner(TPS_LOG.key)
        .and_then(|log| conclusion(log, audit.count(StopClass::Complete)));
    block.say(Position::Conclusion, clause);
    let excluded = [
        (audit.count(StopClass::Censored), "that a budget cut off"),
        (audit.count(StopClass::Excluded), "without an outcome that counts"),
    ];
    block.say(Position::Conclusion, left_out(excluded));
    block.fields.push(Field::block("metrics", metrics));
    if options.with_pictures {
        let summary = Summary::Weighted(options.schedule.clone());
        block.pictures = before_and_after(&raw, &fit.traces, &summary)?;
    }
    Ok(block)
}
