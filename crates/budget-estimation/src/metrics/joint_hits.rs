use crate::{
    checks::same_length, error::Error, metrics::one_resource::OneResource, replay::sample::Sample,
};

/// Returns for each prefix whether the intervals of all resources contain the remaining costs. Takes one list of
/// samples per resource, in the same order of prefixes. A prefix that lacks an interval for any resource is not a hit.
///
/// The joint hit rate is the share of hits among feasible prefixes. It is at most the hit rate of
/// any single resource.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] without a resource; [`scoring_rules::Error::Length`] if the lists differ in length;
/// [`Error::OtherPrefix`] if samples at one position belong to different prefixes;
/// [`Error::MixedResources`] if a list has samples of several resources.
///
/// ```
/// use budget_estimation::{Error, Estimate, Rollouts, estimator_from_fn, joint_hits};
///
/// let mut rollouts = Rollouts::new(["weeks", "usd"])?;
/// rollouts.push(&[2.0, 10.0, 2.0, 30.0, 2.0, 20.0], true)?;
/// let mut fixed = estimator_from_fn(|_| Estimate::interval(2.0, 20.0));
/// let weeks = rollouts.score(rollouts.resource("weeks")?, &mut fixed)?;
/// let usd = rollouts.score(rollouts.resource("usd")?, &mut fixed)?;
/// let hits = joint_hits(&[&weeks, &usd])?;
/// assert_eq!(hits, [false, true]);
/// // The joint hit rate, over feasible prefixes:
/// let feasible = weeks.iter().zip(hits).filter(|(sample, _)| sample.is_feasible());
/// let (values, rollouts): (Vec<_>, Vec<_>) =
///     feasible.map(|(sample, hit)| (f64::from(hit), sample.rollout())).unzip();
/// assert_eq!(values.iter().sum::<f64>() / values.len() as f64, 0.5);
/// // With several runs, `ClusterEstimate::mean(&values, None, &rollouts)` gives its standard error.
/// # Ok::<(), Error>(())
/// ```
pub fn joint_hits(resources: &[&[Sample]]) -> Result<Vec<bool>, Error> {
    let (first, others) = resources.split_first().ok_or(scoring_rules::Error::Empty)?;
    one_resource(first)?;
    let mut hits: Vec<bool> = first.iter().map(Sample::is_hit).collect();
    for &other in others {
        same_length("samples", first.len(), other.len())?;
        one_resource(other)?;
        for (index, ((hit, sample), known)) in hits.iter_mut().zip(other).zip(*first).enumerate() {
            if (sample.rollout(), sample.turn()) != (known.rollout(), known.turn()) {
                return Err(Error::OtherPrefix { index });
            }
            *hit &= sample.is_hit();
        }
    }
    Ok(hits)
}

fn one_resource(samples: &[Sample]) -> Result<(), Error> {
    let mut resource = OneResource::default();
    samples.iter().try_for_each(|sample| resource.update(sample))
}
