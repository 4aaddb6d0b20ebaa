use scoring_rules::{Probability, Weight};

use crate::error::Error;

/// A fitted map from what was forecast to what it has come to mean.
///
/// Maps of this crate do not fall, up to rounding in the last digit: they can make ties but do not
/// turn a ranking round. A closure is a map, too. With the feature `serde` they can be stored where
/// they were fitted and read back where they are applied; numbers that fitting cannot give are
/// refused. For the same bits from JSON, `serde_json` needs its feature `float_roundtrip`.
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
/// use trajectory_metrics::{Weight, CalibrationMap, Calibrator, Error, Isotonic, Probability};
///
/// let said = Probability::from_slice(&[0.9, 0.9, 0.9, 0.2])?;
/// let map = Isotonic.fit(said, &[true, false, true, false], Weight::from_slice(&[1.0, 1.0, 2.0, 1.0])?)?;
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
    /// [`Error::Length`] unless outcomes and weights have one entry a record; [`Error::Empty`]
    /// without a record of positive weight; [`Error::OneClass`] where the way of learning needs both outcomes and
    /// there is only one.
    fn fit(
        &self,
        forecasts: &[Probability],
        outcomes: &[bool],
        weights: &[Weight],
    ) -> Result<Self::Map, Error>;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Isotonic, Platt};

    /// What both calibrators say about bad input.
    fn refusals(forecasts: &[f64], outcomes: &[bool], weights: &[Weight]) -> [Error; 2] {
        let forecasts = Probability::from_slice(forecasts).unwrap();
        [
            Platt::default().fit(forecasts, outcomes, weights).unwrap_err(),
            Isotonic.fit(forecasts, outcomes, weights).unwrap_err(),
        ]
    }

    #[test]
    fn every_calibrator_refuses_the_same_bad_input() {
        let both = [true, false];
        for error in refusals(&[0.5], &both, Weight::from_slice(&[1.0]).unwrap()) {
            let (what, expected, found) = ("outcomes", 1, 2);
            assert_eq!(error, scoring_rules::Error::Length { what, expected, found }.into());
        }
        for error in refusals(&[0.5, 0.6], &both, Weight::from_slice(&[1.0]).unwrap()) {
            let (what, expected, found) = ("weights", 2, 1);
            assert_eq!(error, scoring_rules::Error::Length { what, expected, found }.into());
        }
        for error in refusals(&[0.5, 0.6], &both, Weight::from_slice(&[0.0, 0.0]).unwrap()) {
            assert_eq!(error, scoring_rules::Error::Empty.into());
        }
        for error in refusals(&[], &[], &[]) {
            assert_eq!(error, scoring_rules::Error::Empty.into());
        }
    }
}
