use crate::{
    error::Error,
    estimators::estimator::Estimator,
    replay::{
        prefix::{probe, replay},
        sample::Sample,
    },
    resource::Resource,
    rollouts::{rollout::Rollout, storage::Rollouts},
};

/// Replays a run before an estimator and hands on each sample, k = 1 to T - 1; then lets the
/// estimator learn from the run, which has ended.
///
/// Nothing is allocated. Ask an estimator that keeps a state about each run once only: it could
/// know the run when it comes again.
///
/// # Errors
///
/// As [`replay`] and [`Sample::new`]; those of the estimator and of `each` are passed on.
///
/// ```
/// use budget_estimation::{Error, Estimate, Prefix, Rollouts, score_rollout};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
///
/// let mut hits = 0;
/// let mut as_much_again = |prefix: &Prefix<'_>| {
///     let used = prefix.usage().total();
///     Estimate::interval(0.5 * used, 2.0 * used)
/// };
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
    let feasible = rollout.is_feasible()?;
    let whole = rollout.whole(resource)?;
    let (rollout_index, turns) = (rollout.index(), rollout.turns());
    for prefix in replay(rollout, resource)? {
        let estimate = estimator.estimate(&prefix)?.checked()?;
        let used = prefix.usage().total();
        each(&Sample {
            rollout: rollout_index,
            turn: prefix.turns(),
            turns,
            resource,
            cap: whole.cap,
            used,
            remaining: whole.remaining_after(used),
            feasible,
            estimate,
        })?;
    }
    estimator.learn(rollout, resource)
}

/// All samples of all rollouts, in their order; see [`score_rollout`].
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

/// The sample of an estimate before the first turn, k = 0. The estimator learns nothing from it.
///
/// # Errors
///
/// As [`probe`] and [`Sample::new`]; those of the estimator are passed on.
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
/// // Four runs are needed first.
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
