use trajectory_metrics::{Bootstrap, Replicates, Seed};

use crate::{
    error::Error,
    estimates::estimate::Estimate,
    metrics::{all_measures::Metrics, feasibility::FeasibilitySummary, interval_reward::reward},
    replay::sample::Sample,
};

const NAMES: [&str; 4] = ["macro-F1", "Fail-F1", "the hit rate", "the mean interval reward"];

/// Bootstrap replicates of macro-F1, Fail-F1, hit rate and mean interval reward, in this order, from
/// resamples of whole clusters, such as rollouts or tasks.
///
/// Each measure knows the number of clusters that it counts, for its
/// [confidence interval](Replicates::confidence_interval). A measure that is undefined in a resample is marked as undefined in its replicates. Makes
/// `resamples + 1` passes over the samples.
///
/// # Errors
///
/// [`Error::Empty`] without a sample; the errors of [`Metrics::update`]. For each measure:
/// [`Error::Undefined`] if it is undefined on all samples; [`Error::ScoringRules`] if all samples
/// that it counts belong to one cluster; [`Error::TrajectoryMetrics`] for more than 10 million
/// resamples, or if the measure is undefined in every resample. Hit rate and reward count feasible
/// samples; Fail-F1 counts samples that are infeasible or called impossible; macro-F1 also counts
/// samples that are feasible or have an interval.
///
/// ```
/// use budget_estimation::{
///     Error, Estimate, Level, Rollouts, Sample, Seed, bootstrap_metrics, estimator_from_fn,
///     score_rollouts,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for run in 0_u32..40 {
///     rollouts.push(&[10.0, f64::from(run % 4), 20.0], run % 3 > 0)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// let mut fixed = estimator_from_fn(|_| Estimate::interval(15.0, 21.0));
/// let samples = score_rollouts(&rollouts, tokens, &mut fixed)?;
/// let [_, _, hit_rate, _] = bootstrap_metrics(&samples, Sample::rollout, 500, Seed::new(1))?;
/// let interval = hit_rate?.confidence_interval(Level::new(0.95)?).unwrap().interval;
/// assert!(0.5 < interval.low() && interval.high() < 1.0);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Cameron, Gelbach and Miller (2008), Bootstrap-based improvements for inference with
/// clustered errors, doi:10.1162/rest.90.3.414.
pub fn bootstrap_metrics<G: Ord>(
    samples: &[Sample],
    cluster: impl Fn(&Sample) -> G,
    resamples: usize,
    seed: Seed,
) -> Result<[Result<Replicates, Error>; 4], Error> {
    if samples.is_empty() {
        return Err(Error::Empty);
    }
    // An invalid sample is reported once, before the first resample.
    let mut metrics = Metrics::default();
    samples.iter().try_for_each(|sample| metrics.update(sample))?;
    let clusters: Vec<G> = samples.iter().map(cluster).collect();
    let measures = |counts: &mut dyn Iterator<Item = u32>| {
        let mut sums = Sums::default();
        samples.iter().zip(counts).for_each(|(sample, count)| sums.add(sample, count));
        sums.finish()
    };
    let whole = measures(&mut std::iter::repeat(1));
    let counted = clusters_counted(samples, &clusters);
    // If all samples that a measure counts belong to one cluster, its resamples do not vary.
    let mut problems = [const { None }; 4];
    for (problem, (name, (value, found))) in
        problems.iter_mut().zip(NAMES.into_iter().zip(whole.into_iter().zip(counted)))
    {
        let few = scoring_rules::Error::TooFew { what: "clusters", least: 2, found };
        *problem = match value {
            None => Some(Error::Undefined { name, reason: "it counts none of the samples" }),
            Some(_) => (found < 2).then_some(Error::ScoringRules(few)),
        };
    }
    if problems.iter().all(Option::is_some) {
        return Ok(problems.map(|problem| Err(problem.unwrap_or(Error::Empty))));
    }
    let undefined = trajectory_metrics::Error::from(scoring_rules::Error::Empty);
    let bootstrap = Bootstrap::clusters(&clusters, seed)?;
    let independent = bootstrap.cluster_count() == samples.len();
    let replicates = bootstrap.replicates(resamples, |counts| {
        measures(&mut counts.iter().copied()).map(|value| value.ok_or(undefined.clone()))
    });
    // The hit rate is a share; it is exact if no two samples share a cluster.
    let mut settings = problems.into_iter().zip(counted).zip([false, false, independent, false]);
    Ok(replicates.map(|result| match settings.next() {
        Some(((None, clusters), is_share)) => {
            let replicates = result?.with_clusters(clusters);
            Ok(if is_share { replicates.of_independent_outcomes() } else { replicates })
        }
        Some(((Some(problem), _), _)) => Err(problem),
        None => Err(Error::Empty),
    }))
}

/// For each of the four measures, the number of clusters that have a sample which it counts. For
/// macro-F1 it is the larger number of its two classes: the measure varies if either class does.
fn clusters_counted<G: Ord>(samples: &[Sample], clusters: &[G]) -> [usize; 4] {
    let count = |counts: &dyn Fn(&Sample) -> bool| {
        let rows = samples.iter().zip(clusters).filter(|(sample, _)| counts(sample));
        let mut names: Vec<&G> = rows.map(|(_, name)| name).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    };
    let impossible = count(&|it| !it.is_feasible() || it.predicts_impossible());
    let feasible = count(&|it| {
        let predicted = it.estimate().collapsed(it.left());
        it.is_feasible() || predicted.ends().is_some()
    });
    let intervals = count(&Sample::is_feasible);
    [impossible.max(feasible), impossible, intervals, intervals]
}

/// The sums of one resample. Plain sums are enough, because all resamples add in the same order.
#[derive(Default)]
struct Sums {
    /// By label (impossible, feasible), then by prediction (impossible, feasible, no answer).
    counts: [[u64; 3]; 2],
    hits: u64,
    reward: f64,
}

impl Sums {
    fn add(&mut self, sample: &Sample, count: u32) {
        let n = u64::from(count);
        let [impossible, feasible] = &mut self.counts;
        let [as_impossible, as_feasible, unanswered] =
            if sample.is_feasible() { feasible } else { impossible };
        *match sample.estimate().collapsed(sample.left()) {
            Estimate::Impossible => as_impossible,
            Estimate::Interval(_) => as_feasible,
            Estimate::NoAnswer => unanswered,
        } += n;
        if sample.is_feasible() {
            self.hits += if sample.is_hit() { n } else { 0 };
            self.reward += f64::from(count) * reward(sample.estimate(), sample.remaining());
        }
    }

    fn finish(&self) -> [Option<f64>; 4] {
        let summary =
            FeasibilitySummary::new(self.counts.map(|row| row.map(|n| n as f64)), [0.0; 2]);
        let samples: u64 = self.counts[1].iter().sum();
        let mean = |sum: f64| (samples > 0).then(|| sum / samples as f64);
        let macro_f1 = summary.and_then(|summary| summary.macro_f1);
        let fail_f1 = summary.and_then(|summary| summary.impossible.f1);
        [macro_f1, fail_f1, mean(self.hits as f64), mean(self.reward)]
    }
}
