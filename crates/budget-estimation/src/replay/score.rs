use crate::{Error, Estimator, Resource, Rollout, Rollouts, Sample, probe, replay};

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
    let total = rollout.total(resource)?;
    let (rollout_index, turns) = (rollout.index(), rollout.turns());
    for prefix in replay(rollout, resource)? {
        let estimate = estimator.estimate(&prefix)?;
        let used = prefix.usage().total();
        each(&Sample {
            rollout: rollout_index,
            turn: prefix.turns(),
            turns,
            used,
            remaining: total - used,
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
pub fn score_probe<E: Estimator + ?Sized>(
    rollout: &Rollout<'_>,
    resource: Resource,
    estimator: &mut E,
) -> Result<Sample, Error> {
    let estimate = estimator.estimate(&probe(rollout, resource)?)?;
    Sample::new(rollout, resource, 0, estimate)
}
