use crate::{
    error::Error, estimates::estimate::Estimate, replay::prefix::Prefix, resource::Resource,
    rollouts::rollout::Rollout,
};

/// Anything that says after some turns how much of a resource a run will still spend.
///
/// It gets the prefix and nothing else. A closure `FnMut(&Prefix<'_>) -> Result<Estimate, Error>`
/// is one. Estimates made elsewhere, such as recorded answers of a model, are scored with
/// [`Sample::new`](crate::Sample::new) instead.
///
/// A prefix cannot be kept for later, when it would be part of a longer run:
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
    /// The estimate for the turns to come.
    ///
    /// # Errors
    ///
    /// The estimator's own; [`Error::Estimator`] takes any reason. The evaluation stops with it: an
    /// estimator that merely has nothing to say gives [`Estimate::NoAnswer`].
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error>;

    /// Takes in a run that has ended, so that later runs are estimated better. Called by
    /// [`score_rollout`](crate::score_rollout) after the last prefix; does nothing unless written.
    ///
    /// # Errors
    ///
    /// The estimator's own.
    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        let _ = (rollout, resource);
        Ok(())
    }
}

impl<F: FnMut(&Prefix<'_>) -> Result<Estimate, Error>> Estimator for F {
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        self(prefix)
    }
}
