use scoring_rules::{Probability, Weight};

use crate::error::Error;

/// A model of the probability that a run succeeds, given features of the run up to a step.
///
/// The model should not be made from the forecasts that are evaluated: it would then confirm them
/// whether they are right or wrong.
pub trait SuccessModel {
    /// Returns the probability of success.
    ///
    /// # Errors
    ///
    /// An error if the features do not match the model; [`Error::undetermined`] takes any reason.
    fn success_probability(&self, features: &[f64]) -> Result<Probability, Error>;
}

/// A method that fits a [`SuccessModel`] to partial runs with known outcomes, such as
/// [`LogisticSuccess`](crate::LogisticSuccess).
///
/// ```
/// use censoring::{Error, Probability, SuccessLearner, SuccessModel, Weight};
///
/// /// The share of successes, whatever the features.
/// struct BaseRate;
///
/// struct Constant(Probability);
///
/// impl SuccessModel for Constant {
///     fn success_probability(&self, _: &[f64]) -> Result<Probability, Error> {
///         Ok(self.0)
///     }
/// }
///
/// impl SuccessLearner for BaseRate {
///     type Model = Constant;
///
///     fn fit(
///         &self,
///         _: &[Vec<f64>],
///         outcomes: &[bool],
///         weights: Option<&[Weight]>,
///     ) -> Result<Self::Model, Error> {
///         let (mut successes, mut total) = (0.0, 0.0);
///         for (row, &outcome) in outcomes.iter().enumerate() {
///             let weight = weights.map_or(Weight::ONE, |weights| weights[row]).get();
///             successes += if outcome { weight } else { 0.0 };
///             total += weight;
///         }
///         Ok(Constant(Probability::new(successes / total)?))
///     }
/// }
///
/// let weights = Weight::from_slice(&[3.0, 1.0])?;
/// let model = BaseRate.fit(&[vec![], vec![]], &[true, false], Some(weights))?;
/// assert_eq!(model.success_probability(&[])?.get(), 0.75);
/// # Ok::<(), Error>(())
/// ```
pub trait SuccessLearner {
    /// The model that is fitted.
    type Model: SuccessModel;

    /// Fits a model to rows. A row has the features of a run up to some step, the outcome of the run, and a weight,
    /// which is 1 for every row if no weights are given. A weight of 2 counts as two equal rows, and a weight of 0 has
    /// no effect. A run with k successes among m branches gives a success of weight k and a failure of weight m - k.
    ///
    /// # Errors
    ///
    /// An error if rows are invalid or too few.
    fn fit(
        &self,
        features: &[Vec<f64>],
        outcomes: &[bool],
        weights: Option<&[Weight]>,
    ) -> Result<Self::Model, Error>;
}
