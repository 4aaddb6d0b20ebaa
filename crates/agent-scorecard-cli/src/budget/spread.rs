//! How sure the figures of a budget report are.

use std::collections::{BTreeMap, BTreeSet};

use budget_estimation::{
    ClusterEstimate, Error, Interval, Level, Miss, Replicates, Sample, Seed, bootstrap_metrics,
    cluster_mean,
};
use serde::Serialize;
use trajectory_metrics::NoInterval;

use agent_scorecard::traces::few_clusters;

use crate::{budget::runs::Runs, output::no_interval, values::ClusterBy};

/// Coverage of the intervals, by shares of resampled values or by Student's t.
const LEVEL: f64 = 0.95;

/// What is known of a figure's error, rollouts or tasks being independent and their prefixes not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Spread {
    /// Lower end of the 95 % interval; `None` if there is none.
    pub ci_low: Option<f64>,
    /// Upper end.
    pub ci_high: Option<f64>,
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

impl Spread {
    fn new(interval: Option<Interval>, standard_error: Option<f64>) -> Self {
        // The figures are shares and rewards in [0, 1].
        Self {
            ci_low: interval.map(|interval| interval.low().max(0.0)),
            ci_high: interval.map(|interval| interval.high().min(1.0)),
            standard_error: standard_error.filter(|error| *error > 0.0),
        }
    }
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
    let (mut spreads, mut missing) = (BTreeMap::new(), Vec::new());
    if runs.samples.is_empty() {
        return Ok(Spreads::default());
    }
    let Clusters { clusters, what } = clusters(runs, by, notes);
    let cluster = |sample: &Sample| clusters.get(sample.rollout()).copied();
    if runs.samples.windows(2).all(|pair| cluster(&pair[0]) == cluster(&pair[1])) {
        let why = NoInterval::check_clusters(1, level).err();
        notes.extend(
            why.map(|why| format!("no intervals: all prefixes are of one of the {what}: {why}")),
        );
        return Ok(Spreads::default());
    }
    let names = ["macro_f1_all_turns", "fail_f1", "hit_rate", "interval_reward"];
    let replicates = bootstrap_metrics(&runs.samples, cluster, resamples, Seed::new(seed))?;
    for (name, replicates) in names.into_iter().zip(replicates) {
        let replicates = match replicates {
            Ok(replicates) => replicates,
            Err(error) => {
                few(name, what, &error, notes);
                continue;
            }
        };
        if replicates.undefined() > 0 {
            let undefined = replicates.undefined();
            notes.push(format!("{name}: undefined in {undefined} of {resamples} resamples"));
        }
        let found = replicates.confidence_interval(level);
        missing.extend(found.err().map(|why| (name, why)));
        let interval = found.ok().map(|found| found.interval);
        spreads.insert(name, Spread::new(interval, replicates.standard_error()));
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
        let independent = mean.clusters == values.len();
        let found = interval_of_share(&mean, independent, level);
        missing.extend(found.err().map(|why| (name, why)));
        spreads.insert(name, Spread::new(found.ok(), Some(mean.standard_error)));
    }
    notes.extend(no_interval::notes("", missing));
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

/// The interval of a share by Student's t in [0, 1]; exact for a share of 0 or 1 of independent rows.
fn interval_of_share(
    mean: &ClusterEstimate,
    independent: bool,
    level: Level,
) -> Result<Interval, NoInterval> {
    NoInterval::check_clusters(mean.clusters, level)?;
    if let Ok(interval) = mean.interval(level) {
        return Ok(interval);
    }
    let constant = Replicates::new(mean.estimate, vec![mean.estimate; 2]);
    let constant = constant.map_err(|_| NoInterval::Constant)?.with_clusters(mean.clusters);
    let share = if independent { constant.of_independent_outcomes() } else { constant };
    Ok(share.confidence_interval(level)?.interval)
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
