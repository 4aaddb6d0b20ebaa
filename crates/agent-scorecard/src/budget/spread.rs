use std::collections::{BTreeMap, BTreeSet};

use budget_estimation::{
    Error, Estimate, FeasibilitySummary, Interval, Miss, Rollouts, Sample, Seed,
};
use trajectory_metrics::{
    Bootstrap, Error as Unknown, Figure, NoInterval, Replicates,
    estimates::{self, SHARE},
};

use crate::{
    budget::{metrics::key_of, runs::Runs, settings::Options},
    clusters::{ClusterBy, few_clusters},
    options::LEVEL,
    report::block::notes_on_lacking,
};

/// Intervals and standard errors of figures. They assume that clusters are independent; prefixes of one cluster need
/// not be.
#[derive(Debug, Default)]
pub(super) struct Spreads {
    /// Whether whole tasks were resampled.
    pub(super) clustered_by_task: bool,
    /// The intervals and standard errors by figure.
    spreads: BTreeMap<&'static str, (Result<Interval, NoInterval>, Option<f64>)>,
}

impl Spreads {
    /// Returns the value of a figure with its interval and standard error, as far as they exist.
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

/// Computes the intervals of the figures that have one. Intervals of F1 scores are percentiles of the resampled values.
pub(super) fn spreads(
    runs: &Runs,
    options: &Options,
    notes: &mut Vec<String>,
) -> Result<Spreads, Error> {
    let Options { cluster_by, resamples, seed, .. } = *options;
    let level = LEVEL;
    let (mut spreads, mut missing) = (BTreeMap::new(), Vec::new());
    if runs.samples.is_empty() {
        return Ok(Spreads::default());
    }
    let Clusters { clusters, what: tasks_or_runs, .. } =
        clusters(&runs.rollouts, cluster_by, notes);
    let clusters: Vec<usize> = runs.samples.iter().map(|it| clusters[it.rollout()]).collect();
    const NAMES: [&str; 2] = [key_of("macro_f1_all_turns"), key_of("fail_f1")];
    let is_one = clusters.iter().all(|cluster| *cluster == clusters[0]);
    let replicates = match is_one || resamples == 0 {
        true => Vec::new(),
        false => resampled(&runs.samples, &clusters, resamples, Seed(seed))?.into(),
    };
    let counted = clusters_counted(&runs.samples, &clusters);
    for ((metric, replicates), counted) in NAMES.into_iter().zip(replicates).zip(counted) {
        // Undefined where the figure is.
        let Ok(replicates) = replicates else { continue };
        if counted < 2 {
            notes.push(format!(
                "{metric}: no interval, because its prefixes come from fewer than 2 {tasks_or_runs}"
            ));
            continue;
        }
        let replicates = replicates.with_clusters(counted);
        if replicates.undefined() > 0 {
            let undefined = replicates.undefined();
            notes.push(format!("{metric}: undefined in {undefined} of {resamples} resamples"));
        }
        let found = replicates.figure(level).interval;
        missing.extend(found.err().map(|why| (metric, Ok(why))));
        spreads.insert(metric, (found, replicates.standard_error()));
    }
    let mut add = |name, found: Result<Figure, Unknown>| {
        // Undefined where the figure is.
        let Ok(found) = found else { return };
        missing.extend(found.interval.err().map(|why| (name, Ok(why))));
        spreads.insert(name, (found.interval, found.standard_error));
    };
    type Value = fn(&Sample) -> Option<f64>;
    const MEANS: [(&str, Value); 6] = [
        (key_of("hit_rate"), |s| s.is_feasible().then(|| f64::from(s.is_hit()))),
        (key_of("interval_reward"), |s| {
            s.is_feasible().then(|| s.estimate().interval_reward(s.remaining()).ok()).flatten()
        }),
        (key_of("coverage"), |s| of_interval(s, s.is_hit())),
        (key_of("optimistic"), |s| of_interval(s, s.miss() == Some(Miss::Optimistic))),
        (key_of("conservative"), |s| of_interval(s, s.miss() == Some(Miss::Conservative))),
        (key_of("false_abort_rate"), |s| {
            s.is_feasible().then(|| f64::from(s.predicts_impossible()))
        }),
    ];
    for (name, value) in MEANS {
        let rows = runs.samples.iter().zip(&clusters).filter_map(|(s, &of)| Some((value(s)?, of)));
        let (values, clusters): (Vec<f64>, Vec<usize>) = rows.unzip();
        add(name, estimates::mean(&values, None, &clusters, SHARE, level));
    }
    let is_of_run = |a: &(&Sample, &usize), b: &(&Sample, &usize)| a.0.rollout() == b.0.rollout();
    let rows: Vec<(&Sample, &usize)> = runs.samples.iter().zip(&clusters).collect();
    let stops = rows.chunk_by(is_of_run).map(|run| {
        let stop = run.iter().find(|(sample, _)| sample.predicts_impossible());
        (run[0].0, stop.map(|(sample, _)| *sample), *run[0].1)
    });
    let (feasible, failed): (Vec<_>, Vec<_>) = stops.partition(|(first, ..)| first.is_feasible());
    for (name, runs) in [
        (const { key_of("success_lost") }, &feasible),
        (const { key_of("detected_share") }, &failed),
    ] {
        let (stopped, clusters): (Vec<f64>, Vec<usize>) =
            runs.iter().map(|(_, stop, of)| (f64::from(stop.is_some()), *of)).unzip();
        add(name, estimates::mean(&stopped, None, &clusters, SHARE, level));
    }
    let saved = |(_, stop, _): &(_, Option<&Sample>, _)| stop.map_or(0.0, Sample::remaining);
    let saved: Vec<f64> = failed.iter().map(saved).collect();
    let spent: Vec<f64> = failed.iter().map(|(it, ..)| it.used() + it.remaining()).collect();
    let of_failed: Vec<usize> = failed.iter().map(|(.., of)| *of).collect();
    add(
        const { key_of("saved_token_share") },
        estimates::ratio(&saved, &spent, &of_failed, SHARE, level),
    );
    notes.extend(notes_on_lacking(missing));
    Ok(Spreads { clustered_by_task: tasks_or_runs == TASKS, spreads })
}

const TASKS: &str = "tasks";

/// The unit of resampling.
pub(super) struct Clusters {
    /// The cluster of each rollout: its own position, or the position of the first rollout with the same task.
    pub(super) clusters: Vec<usize>,
    /// The number of clusters.
    pub(super) n: usize,
    /// The name of the clusters: tasks or runs.
    pub(super) what: &'static str,
}

/// Assigns each rollout to its task, or to a cluster of its own if it has no task.
pub(super) fn clusters(rollouts: &Rollouts, by: ClusterBy, notes: &mut Vec<String>) -> Clusters {
    let mut first = BTreeMap::new();
    let of = rollouts.iter().enumerate().map(|(at, run)| {
        match run.key("task").filter(|_| by != ClusterBy::Run) {
            Some(task) => *first.entry(task.to_owned()).or_insert(at),
            None => at,
        }
    });
    let mut clusters: Vec<usize> = of.collect();
    let mut what = if first.is_empty() { "runs" } else { TASKS };
    let is_one = clusters.len() > 1 && clusters.iter().all(|cluster| *cluster == clusters[0]);
    if is_one && by == ClusterBy::Task {
        notes.push(
            "all runs are of one task, so single runs are resampled; the intervals say nothing about other tasks"
                .to_owned(),
        );
        (clusters, what) = ((0..clusters.len()).collect(), "runs");
    }
    let n = clusters.iter().collect::<BTreeSet<_>>().len();
    notes.extend(few_clusters(n, what));
    Clusters { clusters, n, what }
}

fn of_interval(sample: &Sample, is: bool) -> Option<f64> {
    let counts = sample.is_feasible() && sample.estimate().ends().is_some();
    counts.then(|| f64::from(is))
}

/// Returns macro F1 and Fail-F1 in bootstrap resamples of whole clusters.
fn resampled(
    samples: &[Sample],
    clusters: &[usize],
    resamples: usize,
    seed: Seed,
) -> Result<[Result<Replicates, Unknown>; 2], Error> {
    let bootstrap = Bootstrap::clusters(clusters, seed)?;
    Ok(bootstrap.replicates(resamples, |counts| {
        // Numbers of samples, which are exact, by label and answer.
        let mut numbers = [[0.0; 3]; 2];
        for (sample, &count) in samples.iter().zip(counts) {
            let answer = match sample.estimate() {
                _ if sample.predicts_impossible() => 0,
                Estimate::NoAnswer => 2,
                _ => 1,
            };
            numbers[usize::from(sample.is_feasible())][answer] += f64::from(count);
        }
        let scores = FeasibilitySummary::from_counts(numbers);
        let macro_f1 = scores.and_then(|all| all.macro_f1);
        let fail_f1 = scores.and_then(|all| all.impossible.f1);
        let undefined = || Unknown::from(scoring_rules::Error::Empty);
        [macro_f1, fail_f1].map(|value| value.ok_or_else(undefined))
    }))
}

/// Returns, for macro F1 and Fail-F1, the number of clusters with a sample that changes the score. F1 scores ignore
/// samples of the other class that are predicted to be of the other class.
fn clusters_counted(samples: &[Sample], clusters: &[usize]) -> [usize; 2] {
    let count = |counts: &dyn Fn(&Sample) -> bool| {
        let counted = samples.iter().zip(clusters).filter(|(sample, _)| counts(sample));
        counted.map(|(_, cluster)| cluster).collect::<BTreeSet<_>>().len()
    };
    let impossible = count(&|it| !it.is_feasible() || it.predicts_impossible());
    let feasible = count(&|it| {
        it.is_feasible() || (it.estimate().ends().is_some() && !it.predicts_impossible())
    });
    // If one cluster alone makes up both classes, the resamples of their mean do not vary.
    [impossible.max(feasible), impossible]
}
