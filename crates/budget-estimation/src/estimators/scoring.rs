use crate::{
    error::Error,
    estimators::estimator::Estimator,
    replay::{
        prefix::{probe, replay},
        sample::{Sample, SampledRun},
    },
    resource::Resource,
    rollouts::{rollout::Rollout, storage::Rollouts},
};

/// Shows an estimator each prefix of a run, k = 1 to T - 1, and passes the samples to `each`; then lets
/// the estimator learn from the finished run.
///
/// Allocates nothing. Show each run only once to an estimator that learns: it may recognise the run.
///
/// # Errors
///
/// As [`replay`] and [`Sample::new`], and the errors of the estimator and of `each`.
///
/// ```
/// use budget_estimation::{Error, Estimate, Rollouts, estimator_from_fn, score_rollout};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
///
/// let mut hits = 0;
/// let mut as_much_again = estimator_from_fn(|prefix| {
///     let used = prefix.usage().total();
///     Estimate::interval(0.5 * used, 2.0 * used)
/// });
/// score_rollout(&rollouts.get(0)?, tokens, &mut as_much_again, |sample| {
///     hits += usize::from(sample.is_hit());
///     Ok(())
/// })?;
/// assert_eq!(hits, 2);
/// # Ok::<(), Error>(())
/// ```
pub fn score_rollout<E: Estimator + ?Sized>(
    rollout: &Rollout<'_>,
    resource: Resource,
    estimator: &mut E,
    mut each: impl FnMut(&Sample) -> Result<(), Error>,
) -> Result<(), Error> {
    let run = SampledRun::new(rollout, resource)?;
    for prefix in replay(rollout, resource)? {
        let estimate = estimator.estimate(&prefix)?;
        each(&run.sample(prefix.turns(), prefix.usage(), estimate)?)?;
    }
    estimator.learn(rollout, resource)
}

/// The samples of all rollouts, in their order; see [`score_rollout`].
///
/// # Errors
///
/// As [`score_rollout`].
///
/// ```
/// use budget_estimation::{Error, LinearEstimator, Rollouts, score_rollouts};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// rollouts.push(&[60.0, 30.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
/// let samples = score_rollouts(&rollouts, tokens, &mut LinearEstimator::new(3.0, 0.5)?)?;
/// let places = samples.iter().map(|sample| (sample.rollout(), sample.turn(), sample.remaining()));
/// assert!(places.eq([(0, 1, 100.0), (0, 2, 80.0), (1, 1, 30.0)]));
/// # Ok::<(), Error>(())
/// ```
pub fn score_rollouts<E: Estimator + ?Sized>(
    rollouts: &Rollouts,
    resource: Resource,
    estimator: &mut E,
) -> Result<Vec<Sample>, Error> {
    let mut samples = Vec::new();
    for rollout in rollouts.iter() {
        samples.reserve(rollout.turns());
        score_rollout(&rollout, resource, estimator, |sample| {
            samples.push(*sample);
            Ok(())
        })?;
    }
    Ok(samples)
}

/// The sample of an estimate before the first turn, k = 0. The estimator does not learn from it.
///
/// # Errors
///
/// As [`probe`] and [`Sample::new`], and the errors of the estimator.
///
/// ```
/// use budget_estimation::{Error, Level, PastQuantiles, Rollouts, score_probe, score_rollout};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for cost in [10.0, 40.0, 30.0, 20.0, 25.0] {
///     rollouts.push(&[5.0, cost], true)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// let mut past = PastQuantiles::new(Level::new(0.5)?);
/// let mut hits = Vec::new();
/// for rollout in rollouts.iter() {
///     hits.push(score_probe(&rollout, tokens, &mut past)?.is_hit());
///     score_rollout(&rollout, tokens, &mut past, |_| Ok(()))?;
/// }
/// // Four past runs are needed.
/// assert_eq!(hits, [false, false, false, false, true]);
/// # Ok::<(), Error>(())
/// ```
pub fn score_probe<E: Estimator + ?Sized>(
    rollout: &Rollout<'_>,
    resource: Resource,
    estimator: &mut E,
) -> Result<Sample, Error> {
    let estimate = estimator.estimate(&probe(rollout, resource)?)?;
    Sample::new(rollout, resource, 0, estimate)
}
