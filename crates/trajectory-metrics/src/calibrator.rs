use scoring_rules::Probability;

use crate::{Error, TiedBlocks};

/// A fitted map from what was forecast to what it has come to mean.
///
/// Maps of this crate do not fall, up to rounding in the last digit: they can make ties but do not
/// turn a ranking round. A closure is a map, too.
///
/// ```
/// use trajectory_metrics::{CalibrationMap, Error, Probability};
///
/// let keep = |forecast: Probability| forecast;
/// assert_eq!(keep.apply(Probability::new(0.3)?).get(), 0.3);
/// # Ok::<(), Error>(())
/// ```
pub trait CalibrationMap {
    /// What the forecast becomes.
    fn apply(&self, forecast: Probability) -> Probability;
}

impl<F: Fn(Probability) -> Probability> CalibrationMap for F {
    fn apply(&self, forecast: Probability) -> Probability {
        self(forecast)
    }
}

/// A way to learn a [`CalibrationMap`] from forecasts whose outcomes are known.
///
/// Do not apply a map to the runs that it was fitted on: it has seen how they ended.
/// [`cross_fit`](crate::cross_fit()) keeps the two apart.
///
/// ```
/// use trajectory_metrics::{CalibrationMap, Calibrator, Error, Isotonic, Probability};
///
/// let said = Probability::from_slice(&[0.9, 0.9, 0.9, 0.2])?;
/// let map = Isotonic.fit(said, &[true, false, true, false], &[1.0, 1.0, 2.0, 1.0])?;
/// assert_eq!(map.apply(said[0]).get(), 0.75);
/// # Ok::<(), Error>(())
/// ```
pub trait Calibrator {
    /// What is fitted.
    type Map: CalibrationMap;

    /// Fits a map to records: a forecast, the outcome of the run it was made in, and a weight. A
    /// weight of 2 is the record twice, a weight of 0 leaves no trace.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless outcomes and weights have one entry a record; [`Error::Score`] for
    /// a weight that is negative, infinite or NaN, or weights with an infinite sum;
    /// [`Error::Empty`] without a record of positive weight; [`Error::OneClass`] where the way of
    /// learning needs both outcomes and there is only one.
    fn fit(
        &self,
        forecasts: &[Probability],
        outcomes: &[bool],
        weights: &[f64],
    ) -> Result<Self::Map, Error>;
}

/// The records of a fit as blocks of equal forecasts, with their total weight. No fit that starts
/// from blocks can depend on the order of the records.
pub(crate) fn training_blocks(
    forecasts: &[Probability],
    outcomes: &[bool],
    weights: &[f64],
) -> Result<(TiedBlocks, f64), Error> {
    let blocks = TiedBlocks::new(forecasts, outcomes, Some(weights))?;
    let (failures, successes) = blocks.class_weights();
    let total = failures + successes;
    if total.is_finite() {
        Ok((blocks, total))
    } else {
        Err(scoring_rules::Error::Weight { value: total }.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isotonic, Platt};

    /// What both calibrators say about bad input.
    fn refusals(forecasts: &[f64], outcomes: &[bool], weights: &[f64]) -> [Error; 2] {
        let forecasts = Probability::from_slice(forecasts).unwrap();
        [
            Platt::default().fit(forecasts, outcomes, weights).unwrap_err(),
            Isotonic.fit(forecasts, outcomes, weights).unwrap_err(),
        ]
    }

    #[test]
    fn every_calibrator_refuses_the_same_bad_input() {
        let both = [true, false];
        for error in refusals(&[0.5], &both, &[1.0]) {
            assert_eq!(error, Error::Length { what: "outcomes", expected: 1, found: 2 });
        }
        for error in refusals(&[0.5, 0.6], &both, &[1.0]) {
            assert_eq!(error, Error::Length { what: "weights", expected: 2, found: 1 });
        }
        for value in [-1.0, f64::INFINITY] {
            for error in refusals(&[0.5, 0.6], &both, &[1.0, value]) {
                assert_eq!(error, scoring_rules::Error::Weight { value }.into());
            }
        }
        for error in refusals(&[0.5, 0.6], &both, &[1.0, f64::NAN]) {
            let weight = |value: f64| value.is_nan();
            assert!(
                matches!(error, Error::Score(scoring_rules::Error::Weight { value }) if weight(value))
            );
        }
        for error in refusals(&[0.5, 0.6], &both, &[f64::MAX, f64::MAX]) {
            let value = f64::INFINITY;
            assert_eq!(error, scoring_rules::Error::Weight { value }.into());
        }
        for error in refusals(&[0.5, 0.6], &both, &[0.0, 0.0]) {
            assert_eq!(error, Error::Empty);
        }
        for error in refusals(&[], &[], &[]) {
            assert_eq!(error, Error::Empty);
        }
    }
}
