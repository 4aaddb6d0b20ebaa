use scoring_rules::{Probability, TiedBlocks, Weight};

use crate::error::Error;

/// A map from a forecast to a calibrated forecast.
///
/// The maps of this crate do not decrease, except for rounding in the last digit: they can make ties
/// but do not reverse a ranking. With
/// the feature `serde`, maps can be written where they are fitted and read where they are applied;
/// numbers that no fit returns are refused. To read the same bits from JSON, `serde_json` needs its
/// feature `float_roundtrip`, which the feature `json` switches on.
pub trait CalibrationMap {
    /// Returns the calibrated forecast.
    fn apply(&self, forecast: Probability) -> Probability;

    /// Returns whether the best fit was outside the range of the method, and a constant map was returned instead.
    /// Reports of the map should mention it. `false` for methods that always fit.
    fn is_fallback(&self) -> bool {
        false
    }

    /// Returns whether the training forecasts were too much alike for a fit, so that the map says little about any
    /// other forecast. `false` for methods that fit the same forecasts, too.
    fn is_degenerate(&self) -> bool {
        false
    }
}

/// A method to fit a [`CalibrationMap`] to forecasts with known outcomes.
///
/// A map should not be applied to its training runs, because the fit has used their outcomes.
/// [`CrossFit::new`](crate::CrossFit::new) keeps the two apart.
///
/// ```
/// use trajectory_metrics::{CalibrationMap, Calibrator, Error, Isotonic, Probability, Weight};
///
/// let forecasts = Probability::from_slice(&[0.9, 0.9, 0.9, 0.2])?;
/// let weights = Weight::from_slice(&[1.0, 1.0, 2.0, 1.0])?;
/// let map = Isotonic.fit(forecasts, &[true, false, true, false], Some(weights))?;
/// assert_eq!(map.apply(forecasts[0]).get(), 0.75);
/// # Ok::<(), Error>(())
/// ```
pub trait Calibrator {
    /// The type of the fitted map.
    type Map: CalibrationMap;

    /// Fits a map to records that are grouped into blocks of equal forecasts, so that the order of the records cannot
    /// matter.
    ///
    /// # Errors
    ///
    /// [`Error::OneClass`] if the method needs both outcomes and there is only one.
    fn fit_blocks(&self, blocks: &TiedBlocks) -> Result<Self::Map, Error>;

    /// Fits a map to records. A record is a forecast, the outcome of its run, and a weight. Without weights, each
    /// record has weight 1. A weight of 2 counts as two equal records, and a weight of 0 has no effect.
    ///
    /// # Errors
    ///
    /// An error of `scoring_rules` unless outcomes and weights have one entry per record and some
    /// weight is positive; the errors of [`Self::fit_blocks`].
    fn fit(
        &self,
        forecasts: &[Probability],
        outcomes: &[bool],
        weights: Option<&[Weight]>,
    ) -> Result<Self::Map, Error> {
        self.fit_blocks(&TiedBlocks::new(forecasts, outcomes, weights)?)
    }
}
