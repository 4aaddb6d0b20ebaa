use crate::{
    error::Error,
    replay::sample::{Sample, same_prefixes},
    resource::Resource,
};

/// The resource of all samples so far. Numbers of two resources have no common unit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(super) struct OneResource(Option<Resource>);

impl OneResource {
    /// Returns an error if the sample has another resource than earlier samples.
    #[inline]
    pub(super) fn check(self, sample: &Sample) -> Result<(), Error> {
        self.or(Self(Some(sample.resource()))).map(|_| ())
    }

    /// Remembers the resource of a sample, or returns an error if earlier samples have another.
    #[inline]
    pub(super) fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        *self = self.or(Self(Some(sample.resource())))?;
        Ok(())
    }

    /// Remembers the resource of other samples, or returns an error if it is another.
    pub(super) fn merge(&mut self, other: Self) -> Result<(), Error> {
        *self = self.or(other)?;
        Ok(())
    }

    #[inline]
    fn or(self, other: Self) -> Result<Self, Error> {
        match (self.0, other.0) {
            (Some(expected), Some(found)) if expected != found => {
                let problem = "a sample belongs to another resource than earlier samples; evaluate each \
                               resource separately";
                Err(Error::Unlike { problem: problem.to_owned() })
            }
            (known, other) => Ok(Self(known.or(other))),
        }
    }
}

/// Returns for each prefix whether the intervals of all resources contain the remaining costs. The input has one list
/// of samples per resource, all with the prefixes in the same order. A prefix that lacks an interval for any resource
/// is not a hit.
///
/// The joint hit rate is the share of hits among feasible prefixes. It is at most the hit rate of
/// any single resource.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] without a resource; [`scoring_rules::Error::Length`] if the lists differ in length;
/// [`Error::Unlike`] if samples at one position belong to different prefixes, and if a list has samples of several
/// resources.
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
        same_prefixes(first, other)?;
        one_resource(other)?;
        hits.iter_mut().zip(other).for_each(|(hit, sample)| *hit &= sample.is_hit());
    }
    Ok(hits)
}

fn one_resource(samples: &[Sample]) -> Result<(), Error> {
    let mut resource = OneResource::default();
    samples.iter().try_for_each(|sample| resource.update(sample))
}
