//! How sure the figures of a budget report are.

use std::collections::BTreeMap;

use budget_estimation::{Error, Level, Miss, Sample, bootstrap_metrics, cluster_mean};
use serde::Serialize;

use crate::budget::runs::Runs;

/// Coverage of the intervals, by shares of resampled values or by Student's t.
const LEVEL: f64 = 0.95;

/// What is known of a figure's error, rollouts or tasks being independent and their prefixes not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    /// Lower end of the 95 % interval.
    pub ci_low: f64,
    /// Upper end.
    pub ci_high: f64,
    /// Standard error.
    pub standard_error: Option<f64>,
}

/// Intervals of the figures of which the crate has one.
pub(crate) fn spreads(
    runs: &Runs,
    cluster_by_task: bool,
    resamples: usize,
    seed: u64,
    notes: &mut Vec<String>,
) -> Result<BTreeMap<&'static str, Spread>, Error> {
    let level = Level::new(LEVEL)?;
    let mut spreads = BTreeMap::new();
    if runs.samples.is_empty() {
        return Ok(spreads);
    }
    let clusters = clusters(runs, cluster_by_task);
    let cluster = |sample: &Sample| clusters.get(sample.rollout()).copied();
    let what = if cluster_by_task { "tasks" } else { "runs" };
    if runs.samples.windows(2).all(|pair| cluster(&pair[0]) == cluster(&pair[1])) {
        notes.push(format!("no intervals: they need at least 2 {what}"));
        return Ok(spreads);
    }
    let names = ["macro_f1_all_turns", "fail_f1", "hit_rate", "interval_reward"];
    let replicates = bootstrap_metrics(&runs.samples, cluster, resamples, seed)?;
    for (name, replicates) in names.into_iter().zip(replicates) {
        let replicates = match replicates {
            Ok(replicates) => replicates,
            Err(error) => {
                few(name, what, &error, notes);
                continue;
            }
        };
        if replicates.values().flatten().take(2).count() < 2 {
            notes.push(format!("{name}: no interval, it needs at least 2 resamples with a value"));
            continue;
        }
        let interval = replicates.percentile_interval(level);
        if interval.undefined > 0 {
            let undefined = interval.undefined;
            notes.push(format!("{name}: undefined in {undefined} of {resamples} resamples"));
        }
        let (ci_low, ci_high) = (interval.interval.low(), interval.interval.high());
        spreads.insert(name, Spread { ci_low, ci_high, standard_error: interval.standard_error });
    }
    type Value = fn(&Sample) -> Option<f64>;
    let means: [(&str, Value); 4] = [
        ("coverage", |s| of_interval(s, s.is_hit())),
        ("optimistic", |s| of_interval(s, s.miss() == Some(Miss::Optimistic))),
        ("conservative", |s| of_interval(s, s.miss() == Some(Miss::Conservative))),
        ("false_abort_rate", |s| s.is_feasible().then(|| f64::from(s.predicts_impossible()))),
    ];
    for (name, value) in means {
        // Undefined where the figure is, and with a single run.
        let rows = runs.samples.iter().filter_map(|s| Some((value(s)?, cluster(s))));
        let (values, clusters): (Vec<f64>, Vec<_>) = rows.unzip();
        let mean = match cluster_mean(&values, None, &clusters) {
            Ok(mean) => mean,
            Err(error) => {
                few(name, what, &error.into(), notes);
                continue;
            }
        };
        let interval = mean.interval(level)?;
        let (ci_low, ci_high) = (interval.low().max(0.0), interval.high().min(1.0));
        spreads.insert(name, Spread { ci_low, ci_high, standard_error: Some(mean.standard_error) });
    }
    Ok(spreads)
}

/// The cluster of each rollout: its position, or that of the first with the same task.
fn clusters(runs: &Runs, by_task: bool) -> Vec<usize> {
    let mut first = BTreeMap::new();
    let rollouts = runs.rollouts.iter().enumerate();
    let of = rollouts.map(|(at, run)| match run.task().filter(|_| by_task) {
        Some(task) => *first.entry(task.to_owned()).or_insert(at),
        None => at,
    });
    of.collect()
}

/// Says that a figure of a single cluster has no interval; one that is undefined is noted as that.
fn few(name: &str, what: &str, error: &Error, notes: &mut Vec<String>) {
    use trajectory_metrics::Error::ScoringRules;
    if matches!(error, Error::ScoringRules(_) | Error::TrajectoryMetrics(ScoringRules(_))) {
        notes.push(format!("{name}: no interval, it counts prefixes of fewer than 2 {what}"));
    }
}

fn of_interval(sample: &Sample, is: bool) -> Option<f64> {
    let counts = sample.is_feasible() && sample.estimate().ends().is_some();
    counts.then(|| f64::from(is))
}
