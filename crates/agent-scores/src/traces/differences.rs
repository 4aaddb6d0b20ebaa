//! Paired differences between two streams of forecasts on the same runs.

use std::collections::BTreeMap;

use censoring::{Seed, TerminationAudit};
use serde::Serialize;
use trajectory_metrics::{Bootstrap, Level, Traces, raw_against_calibrated};

use crate::traces::{
    sample::{Sample, prepare},
    settings::Settings,
    trace_file::Run,
};

/// Why there are no differences without resamples.
pub(crate) const NO_RESAMPLES: &str = "paired differences need resamples";
/// Share of resampled differences inside an interval.
const LEVEL: f64 = 0.95;

/// One metric of the second file minus that of the first.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Difference {
    /// The difference on all complete runs.
    pub value: f64,
    /// Lower end of the 95 % interval; `None` if there is none.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub ci_high: Option<f64>,
    /// Standard error; `None` if no resample varies.
    pub standard_error: Option<f64>,
}

/// Differences by metric; `None` for a metric that is undefined.
pub(crate) type Differences = BTreeMap<String, Option<Difference>>;

/// The differences between two files over their complete runs, both of which see the same resamples;
/// an `Err` inside says why the files cannot be paired.
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
    if settings.summary.is_some() {
        return Ok(Err("paired differences are of the default summary only".to_owned()));
    }
    let (mut audit, mut notes) = (TerminationAudit::default(), Vec::new());
    let first = prepare(first, settings, &mut audit, &mut notes)?;
    let second = prepare(second, settings, &mut audit, &mut notes)?;
    let Some(paired) = in_order_of(&first, &second)? else {
        return Ok(Err(
            "the files do not hold the same complete runs with the same outcomes".to_owned()
        ));
    };
    let cluster = |run: &&Run| match &run.task {
        Some(task) if settings.cluster_by_task => task.clone(),
        _ => run.id.clone(),
    };
    let clusters: Vec<String> = first.complete_runs.iter().map(cluster).collect();
    let bootstrap = match Bootstrap::clusters(&clusters, Seed::new(settings.seed)) {
        Ok(bootstrap) => bootstrap,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let level = Level::new(LEVEL)?;
    let changes = raw_against_calibrated(
        &first.complete,
        &paired,
        &settings.schedule,
        &bootstrap,
        settings.resamples,
    )?;
    let difference = |change: trajectory_metrics::MetricChange| {
        let difference = change.difference.ok().map(|difference| {
            let found = difference.confidence_interval(level);
            let interval = found.ok().map(|estimate| estimate.interval);
            Difference {
                value: difference.estimate(),
                ci_low: interval.map(|interval| interval.low()),
                ci_high: interval.map(|interval| interval.high()),
                standard_error: difference.standard_error(),
            }
        });
        (change.metric, difference)
    };
    Ok(Ok(changes.into_iter().map(difference).collect()))
}

/// The complete traces of the second sample in the order of the first; `None` unless both have the same
/// runs, each once, with the same outcomes.
fn in_order_of(
    first: &Sample<'_>,
    second: &Sample<'_>,
) -> Result<Option<Traces>, censoring::Error> {
    let traces: BTreeMap<&str, _> = second
        .complete_runs
        .iter()
        .map(|run| run.id.as_str())
        .zip(second.complete.iter())
        .collect();
    let n = first.complete_runs.len();
    if n == 0 || second.complete_runs.len() != n || traces.len() != n {
        return Ok(None);
    }
    let mut paired = Traces::default();
    for (run, trace) in first.complete_runs.iter().zip(first.complete.iter()) {
        match traces.get(run.id.as_str()) {
            Some(other) if other.outcome() == trace.outcome() => {
                paired.push(other.forecasts(), other.outcome())?;
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(paired))
}
