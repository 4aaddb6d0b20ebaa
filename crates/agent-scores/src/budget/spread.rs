//! How sure the figures of a budget report are.

use std::collections::{BTreeMap, BTreeSet};

use budget_estimation::{Error, Level, Miss, Sample, bootstrap_metrics, cluster_mean};
use serde::Serialize;

use crate::{budget::runs::Runs, traces::units::few_clusters, values::ClusterBy};

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

/// Intervals by figure.
#[derive(Debug, Default)]
pub(crate) struct Spreads {
    /// Whether whole tasks were resampled.
    pub clustered_by_task: bool,
    /// The intervals.
    pub intervals: BTreeMap<&'static str, Spread>,
}

/// Intervals of the figures of which the crate has one.
pub(crate) fn spreads(
    runs: &Runs,
    by: ClusterBy,
    resamples: usize,
    seed: u64,
    notes: &mut Vec<String>,
) -> Result<Spreads, Error> {
    let level = Level::new(LEVEL)?;
    let mut spreads = BTreeMap::new();
    if runs.samples.is_empty() {
        return Ok(Spreads::default());
    }
    let Clusters { clusters, what } = clusters(runs, by, notes);
    let cluster = |sample: &Sample| clusters.get(sample.rollout()).copied();
    if runs.samples.windows(2).all(|pair| cluster(&pair[0]) == cluster(&pair[1])) {
        notes.push(format!("no intervals: they need at least 2 {what}"));
        return Ok(Spreads::default());
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
    Ok(Spreads { clustered_by_task: what == TASKS, intervals: spreads })
}

const TASKS: &str = "tasks";

/// What is resampled.
struct Clusters {
    /// The cluster of each rollout: its position, or that of the first with the same task.
    clusters: Vec<usize>,
    /// What clusters are.
    what: &'static str,
}

/// Tasks, of which a rollout without a task is one, or rollouts.
fn clusters(runs: &Runs, by: ClusterBy, notes: &mut Vec<String>) -> Clusters {
    let mut first = BTreeMap::new();
    let rollouts = runs.rollouts.iter().enumerate();
    let of = rollouts.map(|(at, run)| match run.task().filter(|_| by != ClusterBy::Run) {
        Some(task) => *first.entry(task.to_owned()).or_insert(at),
        None => at,
    });
    let mut clusters: Vec<usize> = of.collect();
    let mut what = if first.is_empty() { "runs" } else { TASKS };
    let is_one = clusters.len() > 1 && clusters.iter().all(|cluster| *cluster == clusters[0]);
    if is_one && by == ClusterBy::Task {
        notes.push(
            "all runs are of one task: runs are resampled, and intervals say nothing about other tasks"
                .to_owned(),
        );
        (clusters, what) = ((0..clusters.len()).collect(), "runs");
    }
    let distinct = clusters.iter().collect::<BTreeSet<_>>().len();
    notes.extend(few_clusters(distinct, what));
    Clusters { clusters, what }
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
