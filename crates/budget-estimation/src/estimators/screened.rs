use crate::{
    error::Error, estimates::estimate::Estimate, estimators::estimator::Estimator,
    replay::prefix::Prefix, resource::Resource, rollouts::rollout::Rollout,
    success::success_forecaster::SuccessForecaster,
};

/// An estimator combined with a [`SuccessForecaster`]. The answer is `impossible` if the forecaster predicts
/// so, and otherwise the answer of the estimator. Both learn from each finished run.
///
/// The guarantee is for the answers of the forecaster; an estimator that answers `impossible` by itself adds
/// its own false alarms.
///
/// ```
/// use budget_estimation::{
///     AbortLimit, Error, Estimate, LinearEstimator, Rollouts, Screened, SuccessForecaster,
/// };
///
/// // Runs whose first turn is expensive fail.
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// for i in 0..200 {
///     let fails = i % 3 == 0;
///     let first = if fails { 400.0 } else { 100.0 } + f64::from(i * 37 % 100);
///     rollouts.push(&[first, 50.0, 70.0], !fails)?;
/// }
/// let tokens = rollouts.resource("tokens")?;
/// let forecaster = SuccessForecaster::new(AbortLimit::default());
/// let mut screened = Screened::new(LinearEstimator::new(3.0, 0.5)?, forecaster);
/// let samples = rollouts.score(tokens, &mut screened)?;
/// // Two samples per run: the last run succeeds, and the third last fails.
/// assert_eq!(samples[2 * 198].estimate(), Estimate::Impossible);
/// assert!(samples[2 * 199].estimate().ends().is_some());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Screened<E> {
    estimator: E,
    forecaster: SuccessForecaster,
}

impl<E: Estimator> Screened<E> {
    /// Combines an estimator and a forecaster.
    #[must_use]
    pub const fn new(estimator: E, forecaster: SuccessForecaster) -> Self {
        Self { estimator, forecaster }
    }

    /// Returns the forecaster.
    #[must_use]
    pub const fn forecaster(&self) -> &SuccessForecaster {
        &self.forecaster
    }
}

impl<E: Estimator> Estimator for Screened<E> {
    fn estimate(&mut self, prefix: &Prefix<'_>) -> Result<Estimate, Error> {
        // The estimator is always asked, because it may keep a record of its calls.
        let estimate = self.estimator.estimate(prefix)?;
        let forecast = self.forecaster.forecast(prefix)?;
        Ok(if forecast.is_impossible { Estimate::Impossible } else { estimate })
    }

    fn learn(&mut self, rollout: &Rollout<'_>, resource: Resource) -> Result<(), Error> {
        self.forecaster.learn(rollout, resource)?;
        self.estimator.learn(rollout, resource)
    }
}
