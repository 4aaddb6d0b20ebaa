//! Raw forecasts against the same forecasts calibrated, file by file.

use std::collections::{BTreeMap, BTreeSet};

use censoring::{Seed, TerminationAudit};
use serde::Serialize;
use trajectory_metrics::{
    Bootstrap, Folds, MetricChange, Platt, Summary, WeightSchedule, cross_fit,
    raw_against_calibrated,
};

use crate::{
    output::program::with_causes,
    report::{
        figure::Figures,
        trace_figures::{CurveSettings, before_and_after},
    },
    traces::{
        sample::{Sample, prepare},
        settings::{Calibration, Settings},
        trace_file::Run,
        units::{Unit, few},
    },
    values::ClusterBy,
};

/// How to compare.
#[derive(Clone, Debug)]
pub(crate) struct ComparisonSettings {
    /// Weights of the steps, in the fit and in the scores.
    pub schedule: WeightSchedule,
    /// Bootstrap replicates.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Whether calibration folds keep tasks whole, in place of the paper's halves by id.
    pub whole_tasks: bool,
}

/// One metric, raw and calibrated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Change {
    /// Of the raw stream.
    pub raw: f64,
    /// Of the calibrated stream.
    pub calibrated: f64,
    /// From raw to calibrated.
    pub change: f64,
    /// Standard error of the change, whole tasks resampled; `None` for runs of one task.
    pub standard_error: Option<f64>,
    /// The change over its standard error; `None` without one or if no resample varies.
    pub change_over_se: Option<f64>,
}

/// What calibration changes on one file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Comparison {
    /// Complete traces, which all figures are over.
    pub n: u64,
    /// Traces that a budget cut off, left out here.
    pub n_censored: u64,
    /// Traces without an outcome that cannot be scored.
    pub n_excluded: u64,
    /// Different tasks among complete traces; a trace without a task is one.
    pub n_tasks: usize,
    /// Share of successes among complete traces.
    pub base_rate: f64,
    /// Slope of the map fitted outside each half, per standard deviation of the log-odds.
    pub slopes: Vec<f64>,
    /// The metrics by name; `None` where one is undefined.
    pub metrics: BTreeMap<String, Option<Change>>,
    /// What is undefined and why, and what to know before the figures are quoted.
    pub notes: Vec<String>,
    /// The figures, for the JSON output.
    #[serde(skip_serializing_if = "Figures::is_empty")]
    pub curves: Figures,
}

/// The names of the metrics, in the order of a table, and whether a higher value is better.
pub(crate) const COMPARED: [(&str, bool); 8] = [
    ("tps_log", true),
    ("tps_brier", true),
    ("tps_beta_2_4", true),
    ("auroc", true),
    ("average_precision", true),
    ("aurc", false),
    ("t_ece", false),
    ("t_brier", false),
];

/// Compares the complete runs of one file with themselves after cross-fitted Platt scaling. Both
/// see the same resamples of whole tasks.
///
/// # Errors
///
/// An error of the library where there are not enough runs.
pub(crate) fn compare(
    runs: &[Run],
    settings: &ComparisonSettings,
) -> Result<Comparison, Box<dyn std::error::Error>> {
    let mut audit = TerminationAudit::default();
    let mut notes = Vec::new();
    let as_given = Settings {
        schedule: settings.schedule.clone(),
        summary: None,
        calibration: Calibration::None,
        resamples: 0,
        seed: settings.seed,
        cluster_by: ClusterBy::Task,
        with_curves: false,
    };
    let Sample { complete: raw, complete_runs, .. } =
        prepare(runs, &as_given, &mut audit, &mut notes)?;
    let tasks: Vec<Unit<'_>> =
        complete_runs.iter().map(|run| Unit::of(run, ClusterBy::Task)).collect();
    let n_tasks = tasks.iter().collect::<BTreeSet<_>>().len();
    notes.extend(few(&tasks));
    let folds = if settings.whole_tasks {
        Folds::clustered(raw.outcomes(), &tasks, 2)?
    } else {
        if n_tasks < tasks.len() {
            notes.push(
                "calibration: runs of one task may be in different halves; --whole-tasks keeps them \
                 together"
                    .to_owned(),
            );
        }
        let ids: Vec<&str> = complete_runs.iter().map(|run| run.id.as_str()).collect();
        Folds::halves(raw.outcomes(), &ids)?
    };
    let fit = cross_fit(&Platt::default(), &raw, &folds, &settings.schedule).map_err(|error| {
        let n = raw.len();
        format!(
            "{n} complete runs cannot be cross-fitted, as each half learns from the other: {}",
            with_causes(&error)
        )
    })?;
    for (map, half) in fit.maps().iter().zip(["B", "A"]) {
        if map.is_fallback() {
            notes.push(format!(
                "calibration: the slope fitted on half {half} was negative; its map is constant"
            ));
        }
        if map.is_degenerate() {
            notes.push(format!("calibration: half {half} has one forecast only"));
        }
    }
    let slopes = fit.maps().iter().map(|map| map.slope()).collect();
    let calibrated = fit.into_traces();
    let one_task = n_tasks == 1;
    let bootstrap = if one_task {
        notes.push(
            "standard errors: all complete runs are of one task; whole tasks are resampled, so that \
             at least two are needed"
                .to_owned(),
        );
        // Resamples of runs, of which only the figures of the runs as they are are reported.
        Bootstrap::rows(raw.len(), Seed::new(settings.seed))?
    } else {
        Bootstrap::clusters(&tasks, Seed::new(settings.seed))?
    };
    let schedule = &settings.schedule;
    let changes =
        raw_against_calibrated(&raw, &calibrated, schedule, &bootstrap, settings.resamples)?;
    let mut metrics = BTreeMap::new();
    for MetricChange { metric: name, raw, calibrated, difference, .. } in changes {
        let change = match (raw, calibrated, difference) {
            (Ok(raw), Ok(calibrated), Ok(difference)) => {
                let (undefined, all) = (difference.undefined(), settings.resamples);
                if undefined > 0 && !one_task {
                    notes.push(format!("{name}: undefined in {undefined} of {all} resamples"));
                }
                Some(Change {
                    raw,
                    calibrated,
                    change: difference.estimate(),
                    standard_error: difference.standard_error().filter(|_| !one_task),
                    change_over_se: difference.in_standard_errors().filter(|_| !one_task),
                })
            }
            (Err(error), ..) | (_, Err(error), _) | (.., Err(error)) => {
                notes.push(format!("{name}: {}", with_causes(&error)));
                None
            }
        };
        metrics.insert(name, change);
    }
    let summary = Summary::Weighted(settings.schedule.clone());
    let curves = CurveSettings { summary: &summary, resamples: 0, seed: settings.seed };
    let curves = before_and_after(&raw, &calibrated, curves)?;
    let successes = raw.outcomes().iter().filter(|&&outcome| outcome).count();
    Ok(Comparison {
        n: audit.complete(),
        n_censored: audit.censored(),
        n_excluded: audit.excluded(),
        n_tasks,
        // The fit has failed where there is no run.
        base_rate: successes as f64 / raw.len() as f64,
        slopes,
        metrics,
        notes,
        curves,
    })
}
