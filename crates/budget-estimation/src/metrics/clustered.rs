use trajectory_metrics::{Bootstrap, Replicates};

use crate::{error::Error, metrics::combined::Metrics, replay::sample::Sample};

/// Macro-F1, Fail-F1, hit rate and mean interval reward, in this order, each on all samples and in
/// resamples of whole clusters, such as rollouts or tasks.
///
/// A measure that is undefined in a resample counts as such in its replicates. Takes
/// `resamples + 1` passes over the samples.
///
/// # Errors
///
/// [`Error::Empty`] without a sample; [`Error::NothingRemains`] for a feasible sample where nothing
/// remained. For each measure: [`Error::Empty`] if it is undefined on all samples;
/// [`Error::Setting`] for more than 10 million resamples; [`Error::TrajectoryMetrics`] if it is
/// undefined in all resamples; [`Error::ScoringRules`] if all samples that it counts are of one cluster. Hit rate and reward
/// count feasible samples, Fail-F1 failed ones and those called impossible; macro-F1 also
/// those with an interval.
///
/// ```
/// use budget_estimation::{
///     Error, Estimate, Level, Prefix, Rollouts, Sample, bootstrap_metrics, score_rollouts,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for run in 0_u32..40 {
///     rollouts.push(&[10.0, f64::from(run % 4), 20.0], run % 3 > 0)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// let mut fixed = |_: &Prefix<'_>| Estimate::interval(15.0, 21.0);
/// let samples = score_rollouts(&rollouts, tokens, &mut fixed)?;
/// let [_, _, hit_rate, _] = bootstrap_metrics(&samples, Sample::rollout, 500, 1)?;
/// let interval = hit_rate?.percentile_interval(Level::new(0.95)?).interval;
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
    seed: u64,
) -> Result<[Result<Replicates, Error>; 4], Error> {
    // Whatever is wrong with a sample shows here once, and not in each resample.
    samples.iter().try_fold(Metrics::default(), |mut all, sample| {
        all.update(sample)?;
        Ok::<_, Error>(all)
    })?;
    if samples.is_empty() {
        return Err(Error::Empty);
    }
    let clusters: Vec<G> = samples.iter().map(cluster).collect();
    let undefined = trajectory_metrics::Error::Empty;
    // Of a single cluster every resample that has a measure has the same, which is no spread.
    let found = clusters_counted(samples, &clusters);
    let one_cluster = |found| {
        let error = scoring_rules::Error::TooFew { what: "clusters", least: 2, found };
        Error::ScoringRules(error)
    };
    let bootstrap = match Bootstrap::clusters(&clusters, seed) {
        Ok(bootstrap) => bootstrap,
        // A single cluster has no resamples, so that no measure has replicates.
        Err(error) => {
            let mut metrics = FewMetrics::default();
            samples.iter().for_each(|sample| metrics.add(sample, 1));
            let reason = |value: Option<f64>| if value.is_some() { &error } else { &undefined };
            return Ok(metrics.finish().map(|value| Err(reason(value).clone().into())));
        }
    };
    let replicates = bootstrap.replicates(resamples, |counts| {
        let mut metrics = FewMetrics::default();
        for (sample, &count) in samples.iter().zip(counts) {
            metrics.add(sample, count);
        }
        metrics.finish().map(|value| value.ok_or(undefined.clone()))
    });
    let mut found = found.into_iter();
    Ok(replicates.map(|result| match (found.next().unwrap_or(0), result.map_err(Error::from)) {
        (_, Err(Error::Empty)) => Err(Error::Empty),
        (found @ 0..2, _) => Err(one_cluster(found)),
        (_, result) => result,
    }))
}

/// The number of clusters with a sample that each of the four measures counts; of the two parts of
/// macro-F1, the larger number: it varies where one of them does.
fn clusters_counted<G: Ord>(samples: &[Sample], clusters: &[G]) -> [usize; 4] {
    use crate::estimates::estimate::Estimate::{Impossible, Interval};
    let count = |counts: &dyn Fn(&Sample) -> bool| {
        let rows = samples.iter().zip(clusters).filter(|(sample, _)| counts(sample));
        let mut names: Vec<&G> = rows.map(|(_, name)| name).collect();
        names.sort_unstable();
        names.dedup();
        names.len()
    };
    let fail = count(&|it| !it.is_feasible() || it.estimate() == Impossible);
    let fits = count(&|it| it.is_feasible() || matches!(it.estimate(), Interval(_)));
    let feasible = count(&Sample::is_feasible);
    [fail.max(fits), fail, feasible, feasible]
}

/// The sums that a resample needs, plain ones as all resamples add in the same order.
#[derive(Default)]
struct FewMetrics {
    /// By label, how often there was an interval, an "impossible" and no answer.
    feasible: [u64; 3],
    failed: [u64; 3],
    hits: u64,
    reward: f64,
}

impl FewMetrics {
    fn add(&mut self, sample: &Sample, count: u32) {
        use crate::estimates::estimate::Estimate::{Impossible, Interval, NoAnswer};
        let n = u64::from(count);
        let answers = if sample.is_feasible() { &mut self.feasible } else { &mut self.failed };
        let [interval, impossible, none] = answers;
        match sample.estimate() {
            Interval(_) => *interval += n,
            Impossible => *impossible += n,
            NoAnswer => *none += n,
        }
        if sample.is_feasible() {
            self.hits += if sample.is_hit() { n } else { 0 };
            let reward = super::reward::reward(sample.estimate(), sample.remaining());
            self.reward += f64::from(count) * reward;
        }
    }

    fn finish(&self) -> [Option<f64>; 4] {
        let share = |part: f64, whole: u64| (whole > 0).then(|| part / whole as f64);
        let [ff, fi, fu] = self.feasible;
        let [if_, ii, iu] = self.failed;
        let fail_f1 = share(2.0 * ii as f64, 2 * ii + fi + if_ + iu);
        let feasible_f1 = share(2.0 * ff as f64, 2 * ff + if_ + fi + fu);
        let macro_f1 = fail_f1.zip(feasible_f1).map(|(a, b)| (a + b) / 2.0);
        let samples = ff + fi + fu;
        [macro_f1, fail_f1, share(self.hits as f64, samples), share(self.reward, samples)]
    }
}
