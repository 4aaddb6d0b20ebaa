use scoring_rules::{CompensatedSum, Probability, TiedBlocks, Weight};

#[cfg(feature = "serde")]
use super::stored_map;
use crate::{
    calibration::{
        calibrator::{CalibrationMap, Calibrator},
        clip::{check_clip, clip},
        fit_input::both_outcomes,
        log_odds::{logit, sigmoid},
        ridge_logistic::{Record, RidgeLogistic},
    },
    error::Error,
};

/// Beside the mean log loss, half of this times the square of the scaled slope: too little to be
/// seen unless all forecasts are on their right side of one half, where it keeps the slope finite.
const PENALTY: f64 = 1e-12;

/// Temperature scaling: one factor on the log-odds of the forecast.
///
/// ```text
/// calibrated = clip(sigmoid(logit(clip(F)) / T)),   T > 0 with the least weighted log loss
/// ```
///
/// A T above 1 pulls forecasts towards 1/2, one below 1 pushes them apart. 1/2 stays where it is,
/// so this mends overconfidence and nothing else: it cannot move a base rate. Where no T > 0 is
/// best because forecasts point the wrong way from 1/2, the map is 1/2 everywhere.
///
/// There is no penalty to speak of: 1e-12 / 2 times the mean square of the calibrated log-odds,
/// beside the mean log loss, keeps T above 0 where every forecast is on its right side of 1/2. The
/// [default](Self::default) clip is 1e-6.
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
/// // Says 0.9 and is right in three of four: 9 to 1 should be 3 to 1.
/// let said = [Probability::new(0.9)?; 4];
/// let map = TemperatureScaling::default().fit(&said, &[true, true, false, true], &[Weight::ONE; 4])?;
/// assert!((map.temperature() - 2.0).abs() < 1e-6);
/// assert!((map.slope() - 0.5).abs() < 1e-6 && !map.is_fallback() && !map.is_degenerate());
/// assert!((map.apply(said[0]).get() - 0.75).abs() < 1e-9);
///
/// // Right in one of four: the wrong way from 1/2.
/// let map = TemperatureScaling::default().fit(&said, &[false, true, false, false], &[Weight::ONE; 4])?;
/// assert!(map.is_fallback() && map.temperature().is_infinite());
/// assert_eq!(map.apply(said[0]), Probability::HALF);
///
/// // 1/2 whatever the factor.
/// let half = [Probability::HALF; 2];
/// assert!(TemperatureScaling::default().fit(&half, &[true, false], &[Weight::ONE; 2])?.is_degenerate());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredTemperatureScaling"))]
pub struct TemperatureScaling {
    clip: f64,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredTemperatureScaling {
    clip: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredTemperatureScaling> for TemperatureScaling {
    type Error = Error;

    fn try_from(
        StoredTemperatureScaling { clip }: StoredTemperatureScaling,
    ) -> Result<Self, Error> {
        Self::new(clip)
    }
}

impl Default for TemperatureScaling {
    fn default() -> Self {
        Self { clip: 1e-6 }
    }
}

impl TemperatureScaling {
    /// Temperature scaling with a clip of your own.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless the clip is below one half and large enough for `1 - clip` not to
    /// be 1 (2^-53).
    ///
    /// ```
    /// use trajectory_metrics::{Error, TemperatureScaling};
    ///
    /// assert_eq!(TemperatureScaling::new(1e-6)?, TemperatureScaling::default());
    /// assert!(matches!(TemperatureScaling::new(0.5), Err(Error::Setting { name: "clip", .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(clip: f64) -> Result<Self, Error> {
        Ok(Self { clip: check_clip(clip)? })
    }
}

/// One factor on the log-odds, fitted by [`TemperatureScaling`].
///
/// Does not fall, up to the last digit of neighbouring forecasts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct TemperatureMap {
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::slope"))]
    slope: f64,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::clip"))]
    clip: f64,
    fallback: bool,
    degenerate: bool,
}

impl TemperatureMap {
    /// The temperature T; infinite for a [fallback](Self::is_fallback).
    #[must_use]
    pub fn temperature(&self) -> f64 {
        1.0 / self.slope
    }

    /// The factor on the log-odds, 1/T. Never negative.
    #[must_use]
    pub const fn slope(&self) -> f64 {
        self.slope
    }

    /// Whether no positive factor was best, and the map is now 1/2 everywhere. Report it where you
    /// report the map.
    #[must_use]
    pub const fn is_fallback(&self) -> bool {
        self.fallback
    }

    /// Whether every training forecast was 1/2, to 1e-6 in the log-odds, so that any factor fits.
    /// It is 1 then, and the map changes nothing but what it clips.
    #[must_use]
    pub const fn is_degenerate(&self) -> bool {
        self.degenerate
    }
}

impl Calibrator for TemperatureScaling {
    type Map = TemperatureMap;

    /// # Errors
    ///
    /// As [`Calibrator::fit`]. One outcome gives [`Error::OneClass`], also where the other one has
    /// less than 1e-200 of the weight.
    fn fit(
        &self,
        forecasts: &[Probability],
        outcomes: &[bool],
        weights: &[Weight],
    ) -> Result<TemperatureMap, Error> {
        // Blocks, so that no order of the records can matter.
        let blocks = TiedBlocks::new(forecasts, outcomes, Some(weights))?;
        let (failures, successes) = both_outcomes(&blocks)?;
        let total = failures + successes;
        let map = |slope, fallback, degenerate| {
            Ok(TemperatureMap { slope, clip: self.clip, fallback, degenerate })
        };
        let mut records = Vec::with_capacity(2 * blocks.as_slice().len());
        let mut square = CompensatedSum::default();
        for block in blocks.as_slice() {
            let feature = logit(clip(block.confidence.get(), self.clip));
            let (failures, successes) = (block.failures / total, block.successes / total);
            square.add((failures + successes) * feature * feature);
            // Every record and its mirror image: the best curve through both passes 1/2, so that
            // the fit with an intercept finds the one without.
            records.push(Record { features: [feature], failures, successes });
            records.push(Record { features: [-feature], failures: successes, successes: failures });
        }
        let scale = square.value().sqrt();
        if scale < LEAST_SCALE {
            return map(1.0, false, true);
        }
        for record in &mut records {
            record.features[0] /= scale;
        }
        // Twice the records, twice the penalty.
        let slope = RidgeLogistic::new(records, 2.0 * PENALTY).minimum(0.0).slopes[0] / scale;
        if slope > 0.0 { map(slope, false, false) } else { map(0.0, true, false) }
    }
}

/// Log-odds that are smaller, on the whole, are none.
const LEAST_SCALE: f64 = 1e-6;

impl CalibrationMap for TemperatureMap {
    fn apply(&self, forecast: Probability) -> Probability {
        let logit = logit(clip(forecast.get(), self.clip));
        // All of it is finite and the clip holds, so the other arm is never taken.
        Probability::new(clip(sigmoid(self.slope * logit), self.clip)).unwrap_or(forecast)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(forecasts: &[f64], outcomes: &[bool]) -> Result<TemperatureMap, Error> {
        let forecasts = Probability::from_slice(forecasts).unwrap();
        TemperatureScaling::default().fit(
            forecasts,
            outcomes,
            Weight::from_slice(&vec![1.0; forecasts.len()]).unwrap(),
        )
    }

    fn mapped(map: &TemperatureMap, forecast: f64) -> f64 {
        map.apply(Probability::new(forecast).unwrap()).get()
    }

    #[test]
    fn forecasts_that_point_the_wrong_way_become_one_half() {
        let map = fit(&[0.9, 0.2], &[false, true]).unwrap();
        assert!(map.is_fallback() && !map.is_degenerate());
        assert_eq!(map.temperature(), f64::INFINITY);
        assert_eq!((mapped(&map, 0.0), mapped(&map, 0.9)), (0.5, 0.5));
    }

    #[test]
    fn forecasts_that_say_nothing_of_the_outcome_become_one_half() {
        let map = fit(&[0.9, 0.9, 0.2, 0.2], &[false, true, false, true]).unwrap();
        assert!(map.is_fallback() && !map.is_degenerate());
        assert_eq!((mapped(&map, 0.0), mapped(&map, 0.9)), (0.5, 0.5));
    }

    #[test]
    fn odds_below_one_take_the_temperature_that_gives_them_the_rate_of_success() {
        // Says 2 to 3, has 1 to 3.
        let map = fit(&[0.4; 4], &[true, false, false, false]).unwrap();
        approx::assert_relative_eq!(
            map.temperature(),
            1.5_f64.ln() / 3.0_f64.ln(),
            epsilon = 0.0,
            max_relative = 1e-9
        );
        assert!((mapped(&map, 0.4) - 0.25).abs() < 1e-9);
    }

    #[test]
    fn forecasts_of_one_half_leave_every_forecast_as_it_is() {
        let map = fit(&[0.5, 0.5, 0.5], &[true, false, true]).unwrap();
        assert!(map.is_degenerate() && !map.is_fallback());
        assert_eq!(map.temperature(), 1.0);
        assert!((mapped(&map, 0.3) - 0.3).abs() < 1e-15);
        assert!((mapped(&map, 0.0) - 1e-6).abs() < 1e-20);
        assert_eq!(mapped(&map, 0.5), 0.5);
    }

    #[test]
    fn forecasts_on_their_right_side_have_a_low_and_positive_temperature() {
        let map = fit(&[0.2, 0.4, 0.6, 0.8], &[false, false, true, true]).unwrap();
        assert!(map.temperature() > 1e-3 && map.temperature() < 0.1, "{map:?}");
        assert_eq!(mapped(&map, 0.5), 0.5);
    }

    #[test]
    fn one_outcome_alone_is_an_error() {
        let one_class = |outcome| Err(Error::OneClass { outcome });
        assert_eq!(fit(&[0.4, 0.6], &[true, true]), one_class(true));
        assert_eq!(fit(&[0.4, 0.6], &[false, false]), one_class(false));
    }
}
