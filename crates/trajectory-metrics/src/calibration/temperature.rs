use scoring_rules::{Probability, TiedBlocks};

#[cfg(feature = "serde")]
use super::stored_map;
use crate::{
    calibration::{
        calibrator::{CalibrationMap, Calibrator},
        clip::Clip,
    },
    error::Error,
    logistic::{Rows, check_both_outcomes},
};

/// The penalty on the squared slope, added to the mean log loss. It matters only if every forecast is
/// on the correct side of 1/2: in this case the penalty keeps the slope finite.
const PENALTY: f64 = 1e-12;

/// Temperature scaling: the log-odds of a forecast are multiplied by one fitted factor, 1/T.
///
/// ```text
/// calibrated = clip(sigmoid(logit(clip(F)) / T)),   T > 0 with the smallest weighted log loss
/// ```
///
/// T above 1 moves forecasts towards 1/2, and T below 1 moves them away from it. Since 1/2 is mapped
/// to itself, temperature scaling corrects overconfidence but not the base rate. If forecasts are
/// on the wrong side of 1/2 on balance, no T > 0 is best, and the map is 1/2 everywhere.
///
/// A penalty of 1e-12 / 2 times the mean square of the calibrated log-odds is added to the mean log
/// loss. It has no visible effect unless every forecast is on the correct side of 1/2: in this case
/// the penalty keeps T above 0. The [default](Self::default) clip is 1e-6.
///
/// Cost: one sort, O(n log n), then about ten passes over the distinct forecasts.
///
/// Reference: Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks,
/// arXiv:1706.04599, section 4.2.
///
/// ```
/// use trajectory_metrics::{
///     CalibrationMap, Calibrator, Error, Probability, TemperatureScaling, Weight,
/// };
///
/// // Three of four runs at 0.9 succeed, so odds of 9 to 1 should be 3 to 1.
/// let said = [Probability::new(0.9)?; 4];
/// let map = TemperatureScaling::default().fit(&said, &[true, true, false, true], None)?;
/// assert!((map.temperature() - 2.0).abs() < 1e-6);
/// assert!(!map.is_fallback() && !map.is_degenerate());
/// assert!((map.apply(said[0]).get() - 0.75).abs() < 1e-9);
///
/// // One of four runs at 0.9 succeeds: the forecasts are on the wrong side of 1/2.
/// let map = TemperatureScaling::default().fit(&said, &[false, true, false, false], None)?;
/// assert!(map.is_fallback() && map.temperature().is_infinite());
/// assert_eq!(map.apply(said[0]), Probability::HALF);
///
/// // 1/2 is mapped to itself by every temperature.
/// let half = [Probability::HALF; 2];
/// assert!(TemperatureScaling::default().fit(&half, &[true, false], None)?.is_degenerate());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TemperatureScaling {
    clip: Clip,
}

impl TemperatureScaling {
    /// Creates temperature scaling that first clips forecasts to `[clip, 1 - clip]`.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the clip is at least 2^-53 and below 1/2.
    ///
    /// ```
    /// use scoring_rules::Error::Setting;
    /// use trajectory_metrics::{Error, TemperatureScaling};
    ///
    /// assert_eq!(TemperatureScaling::new(1e-6)?, TemperatureScaling::default());
    /// let refused = TemperatureScaling::new(0.5);
    /// assert!(matches!(refused, Err(Error::ScoringRules(Setting { name: "clip", .. }))));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(clip: f64) -> Result<Self, Error> {
        Ok(Self { clip: Clip::new(clip)? })
    }
}

scoring_rules::checked! {
    /// A map that multiplies the log-odds of forecasts by a factor, fitted by [`TemperatureScaling`].
    ///
    /// The map does not decrease, except for rounding in the last digit.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TemperatureMap {
        slope: f64,
        clip: Clip,
        fallback: bool,
        degenerate: bool,
    }
    check: |map| stored_map::slope(map.slope)
}

impl TemperatureMap {
    /// Returns the temperature T, which is positive. It is infinite if the map is a [fallback](Self::is_fallback).
    #[must_use]
    pub fn temperature(&self) -> f64 {
        1.0 / self.slope
    }
}

impl Calibrator for TemperatureScaling {
    type Map = TemperatureMap;

    /// # Errors
    ///
    /// [`Error::OneClass`] also if one outcome has less than 1e-12 of the weight.
    fn fit_blocks(&self, blocks: &TiedBlocks) -> Result<TemperatureMap, Error> {
        let (failures, successes) = (blocks.failures(), blocks.successes());
        check_both_outcomes(failures, successes)?;
        // Every record and its mirror image: the best curve through both passes 1/2, so that a fit
        // with a free intercept finds the best curve without one.
        let mut rows = Rows::new(1);
        for block in blocks.as_slice() {
            let log_odds = self.clip.log_odds(block.confidence);
            rows.push(&[log_odds], block.failures, block.successes);
            rows.push(&[-log_odds], block.successes, block.failures);
        }
        let map = |slope, fallback, degenerate| {
            Ok(TemperatureMap { slope, clip: self.clip, fallback, degenerate })
        };
        let scale = rows.moment(0, 0.0, 2).sqrt();
        if scale < LEAST_SCALE {
            return map(1.0, false, true);
        }
        rows.standardise(0, 0.0, scale);
        let slope = rows.fit(PENALTY).slopes[0] / scale;
        if slope > 0.0 { map(slope, false, false) } else { map(0.0, true, false) }
    }
}

/// If the root mean square of the log-odds is smaller, all forecasts count as 1/2.
const LEAST_SCALE: f64 = 1e-6;

impl CalibrationMap for TemperatureMap {
    fn apply(&self, forecast: Probability) -> Probability {
        self.clip.probability(self.slope * self.clip.log_odds(forecast))
    }

    /// Returns whether no finite temperature was best. The map is then 1/2 everywhere.
    fn is_fallback(&self) -> bool {
        self.fallback
    }

    /// Returns whether the log-odds of every training forecast were 0 up to 1e-6, so that every temperature fits
    /// equally well. The temperature is then 1, and the map only clips.
    fn is_degenerate(&self) -> bool {
        self.degenerate
    }
}
