use std::collections::{BTreeMap, BTreeSet};

use budget_estimation::{
    ClusterEstimate, Error, Interval, Level, Miss, Replicates, Sample, Seed, bootstrap_metrics,
    cluster_mean,
};
use trajectory_metrics::{Figure, NoInterval};

use crate::{
    budget::runs::{Options, Runs},
    clusters::{ClusterBy, few_clusters},
    no_interval,
};

/// Coverage of the intervals, by shares of resampled values or by Student's t.
const LEVEL: f64 = 0.95;

/// What is known of the precision of figures, if rollouts or tasks are independent of each other and their
/// prefixes are not.
#[derive(Debug, Default)]
pub(super) struct Spreads {
    /// Whether whole tasks were resampled.
    pub(super) clustered_by_task: bool,
    /// The intervals and standard errors by figure.
    spreads: BTreeMap<&'static str, (Result<Interval, NoInterval>, Option<f64>)>,
}

impl Spreads {
    pub(super) fn is_empty(&self) -> bool {
        self.spreads.is_empty()
    }

    /// The value of a figure with what is known of its precision.
    pub(super) fn figure(&self, key: &str, value: f64) -> Figure {
        let Some(&(interval, standard_error)) = self.spreads.get(key) else {
            return Figure::from(value);
        };
        // The figures are shares and rewards in [0, 1].
        let ends = interval.map(|ends| Interval::new(ends.low().max(0.0), ends.high().min(1.0)));
        let interval = ends.and_then(|ends| ends.map_err(|_| NoInterval::Constant));
        Figure { value, interval, standard_error: standard_error.filter(|error| *error > 0.0) }
    }
}

/// Intervals of the figures that have one.
pub(super) fn spreads(
    runs: &Runs,
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<Spreads, Error> {
    let Options { cluster_by, resamples, seed, .. } = *options;
    if resamples == 0 {
        return Ok(Spreads::default());
    }
    let level = Level::new(LEVEL)?;
    let (mut spreads, mut missing) = (BTreeMap::new(), Vec::new());
    if runs.samples.is_empty() {
        return Ok(Spreads::default());
    }
    let Clusters { clusters, what } = clusters(runs, cluster_by, notes);
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
        spreads.insert(name, (found.map(|found| found.interval), replicates.standard_error()));
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
        spreads.insert(name, (found, Some(mean.standard_error)));
    }
    notes.extend(no_interval::notes("", missing));
    Ok(Spreads { clustered_by_task: what == TASKS, spreads })
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
    use scoring_rules::Error::TooFew;
    use trajectory_metrics::Error::ScoringRules;
    if matches!(
        error,
        Error::ScoringRules(TooFew { .. }) | Error::TrajectoryMetrics(ScoringRules(TooFew { .. }))
    ) {
        notes.push(format!("{name}: no interval, it counts prefixes of fewer than 2 {what}"));
    }
}

fn of_interval(sample: &Sample, is: bool) -> Option<f64> {
    let counts = sample.is_feasible() && sample.estimate().ends().is_some();
    counts.then(|| f64::from(is))
}
