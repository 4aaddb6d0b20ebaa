use trajectory_metrics::Probability;

use crate::{Weight, error::Error};

/// A model of the chance that a run succeeds, given features of what it had shown up to a step.
///
/// Keep it apart from the forecasts that are evaluated: a model that only repeats them lets a
/// stream mark its own work. A closure is a model, too.
///
/// ```
/// use censoring::{Error, Probability, SuccessModel};
///
/// let gives_up = |features: &[f64]| match features[0] > 9.0 {
///     true => Probability::ZERO,
///     false => Probability::HALF,
/// };
/// assert_eq!(gives_up.success_probability(&[12.0])?, Probability::ZERO);
/// # Ok::<(), Error>(())
/// ```
pub trait SuccessModel {
    /// The chance of success.
    ///
    /// # Errors
    ///
    /// Where the features are not those of the model.
    fn success_probability(&self, features: &[f64]) -> Result<Probability, Error>;
}

impl<F: Fn(&[f64]) -> Probability> SuccessModel for F {
    fn success_probability(&self, features: &[f64]) -> Result<Probability, Error> {
        Ok(self(features))
    }
}

/// A way to learn a [`SuccessModel`] from runs up to a step whose outcome is known.
///
/// [`LogisticSuccess`](crate::LogisticSuccess) is a ready-made one.
///
/// ```
/// use censoring::{Weight, Error, Probability, SuccessLearner, SuccessModel};
///
/// /// The share of successes, whatever the features.
/// struct BaseRate;
///
/// impl SuccessLearner for BaseRate {
///     type Model = Box<dyn Fn(&[f64]) -> Probability>;
///
///     fn fit(
///         &self,
///         _: &[Vec<f64>],
///         outcomes: &[bool],
///         weights: &[Weight],
///     ) -> Result<Self::Model, Error> {
///         let rows = outcomes.iter().zip(Weight::as_f64_slice(weights));
///         let successes: f64 = rows.filter(|row| *row.0).map(|row| row.1).sum();
///         let rate = Probability::new(successes / Weight::as_f64_slice(weights).iter().sum::<f64>())?;
///         Ok(Box::new(move |_| rate))
///     }
/// }
///
/// let model = BaseRate.fit(&[vec![], vec![]], &[true, false], Weight::from_slice(&[3.0, 1.0])?)?;
/// assert_eq!(model.success_probability(&[])?.get(), 0.75);
/// # Ok::<(), Error>(())
/// ```
pub trait SuccessLearner {
    /// What is learnt.
    type Model: SuccessModel;

    /// Learns from rows: the features of a run up to some step, its outcome, and a weight. A weight
    /// of 2 is the row twice, a weight of 0 leaves no trace. A run with k successes among m
    /// branches is a success of weight k and a failure of weight m - k.
    ///
    /// # Errors
    ///
    /// Where rows are not in order, or not enough.
    fn fit(
        &self,
        features: &[Vec<f64>],
        outcomes: &[bool],
        weights: &[Weight],
    ) -> Result<Self::Model, Error>;
}
