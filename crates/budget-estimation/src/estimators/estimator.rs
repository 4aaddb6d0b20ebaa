use scoring_rules::FromFn;

use crate::{
    error::Error, estimates::estimate::Estimate, replay::prefix::Prefix, resource::Resource,
    rollouts::rollout::Rollout,
};

/// Estimates, after some turns of a run, how much of a resource the run will still spend.
///
/// An estimator sees only the prefix. [`estimator_from_fn`] turns a closure into an estimator. Existing
/// estimates, such as recorded answers of a model, are scored with [`Sample::new`](crate::Sample::new)
/// instead.
///
/// A prefix cannot be kept until the run has gone on:
///
/// ```compile_fail
/// use budget_estimation::{Error, Estimate, Estimator, Prefix};
///
/// struct Keeper<'a>(Vec<Prefix<'a>>);
/// impl<'a> Estimator for Keeper<'a> {
///     fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
///         self.0.push(*prefix);
///         Ok(Estimate::Impossible)
///     }
/// }
/// ```
pub trait Estimator {
    /// Returns the estimate for the turns that follow the prefix.
    ///
    /// # Errors
    ///
    /// The estimator's own errors; [`Error::estimator`] takes any reason. An error ends the
    /// evaluation: an estimator without an answer returns [`Estimate::NoAnswer`].
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error>;

    /// Learns from a run that has ended. [`Rollout::score`](crate::Rollout::score) calls it after the
    /// last prefix. By default it does nothing.
    ///
    /// # Errors
    ///
    /// The estimator's own errors.
    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        let _ = (rollout, resource);
        Ok(())
    }
}

impl<E: Estimator + ?Sized> Estimator for &mut E {
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        (**self).estimate(prefix)
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        (**self).learn(rollout, resource)
    }
}

impl<E: Estimator + ?Sized> Estimator for Box<E> {
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        (**self).estimate(prefix)
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        (**self).learn(rollout, resource)
    }
}

/// Turns a closure into an estimator, which does not learn from finished runs.
///
/// ```
/// use budget_estimation::{Error, Estimate, Rollouts, estimator_from_fn};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// let mut twice = estimator_from_fn(|prefix| {
///     let used = prefix.usage().total();
///     Estimate::interval(used, 2.0 * used)
/// });
/// let samples = rollouts.score(tokens, &mut twice)?;
/// assert_eq!(samples[0].estimate(), Estimate::interval(50.0, 100.0)?);
/// # Ok::<(), Error>(())
/// ```
pub const fn estimator_from_fn<F>(estimate: F) -> FromFn<F>
where
    F: FnMut(&Prefix<'_>) -> Result<Estimate, Error>,
{
    FromFn { function: estimate }
}

impl<F: FnMut(&Prefix<'_>) -> Result<Estimate, Error>> Estimator for FromFn<F> {
    #[inline]
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        (self.function)(prefix)
    }
}
