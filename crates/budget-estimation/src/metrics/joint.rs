use crate::{checks::same_length, error::Error, replay::sample::Sample};

/// Whether the intervals of all resources hold what remained of each, prefix by prefix: one list of
/// samples a resource, in the same order. A prefix without an interval for each is no hit.
///
/// The joint hit rate is the share of hits among feasible prefixes; it is at most that of any
/// resource.
///
/// # Errors
///
/// [`Error::Empty`] without a resource; [`Error::Length`] unless all lists are as long;
/// [`Error::OtherPrefix`] where samples at one position are not of the same prefix.
///
/// ```
/// use budget_estimation::{Error, Estimate, Rollouts, joint_hits, score_rollouts};
///
/// let mut rollouts = Rollouts::new(["weeks", "usd"])?;
/// rollouts.push(&[2.0, 10.0, 2.0, 30.0, 2.0, 20.0], true)?;
/// let mut fixed = |_: &budget_estimation::Prefix<'_>| Estimate::interval(2.0, 20.0);
/// let weeks = score_rollouts(&rollouts, rollouts.resource("weeks")?, &mut fixed)?;
/// let usd = score_rollouts(&rollouts, rollouts.resource("usd")?, &mut fixed)?;
/// let hits = joint_hits(&[&weeks, &usd])?;
/// assert_eq!(hits, [false, true]);
/// // The rate, over feasible prefixes.
/// let feasible = weeks.iter().zip(hits).filter(|(sample, _)| sample.is_feasible());
/// let (values, rollouts): (Vec<_>, Vec<_>) =
///     feasible.map(|(sample, hit)| (f64::from(hit), sample.rollout())).unzip();
/// assert_eq!(values.iter().sum::<f64>() / values.len() as f64, 0.5);
/// // With more than one run `trajectory_metrics::cluster_mean(&values, None, &rollouts)` has its
/// // error.
/// # Ok::<(), Error>(())
/// ```
pub fn joint_hits(resources: &[&[Sample]]) -> Result<Vec<bool>, Error> {
    let (first, others) = resources.split_first().ok_or(Error::Empty)?;
    let mut hits: Vec<bool> = first.iter().map(Sample::is_hit).collect();
    for &other in others {
        same_length("samples", first.len(), other.len())?;
        for (index, ((hit, sample), known)) in hits.iter_mut().zip(other).zip(*first).enumerate() {
            if (sample.rollout(), sample.turn()) != (known.rollout(), known.turn()) {
                return Err(Error::OtherPrefix { index });
            }
            *hit &= sample.is_hit();
        }
    }
    Ok(hits)
}
