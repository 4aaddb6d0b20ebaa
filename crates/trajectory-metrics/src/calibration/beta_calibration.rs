use scoring_rules::{Probability, TiedBlocks, Weight};

#[cfg(feature = "serde")]
use super::stored_map;
use crate::{
    calibration::{
        calibrator::{CalibrationMap, Calibrator},
        clip::{check_clip, clip},
        fit_input::{Standard, both_outcomes, records, standardise},
        log_odds::sigmoid,
        ridge_logistic::{Line, Record, RidgeLogistic},
    },
    error::Error,
};

/// Beside the mean log loss, half of this times the squares of both slopes, features
/// standardised: too little to be seen unless forecasts separate the outcomes, where it keeps the
/// slopes finite, or the features agree, where it settles which of them counts.
const PENALTY: f64 = 1e-12;

/// Beta calibration: a curve with a slope of its own towards either end.
///
/// ```text
/// p = clip(F)
/// logit(calibrated) = c + a ln p - b ln(1-p),   a, b >= 0
/// ```
///
/// with the least weighted log loss. Holds the identity (a = b = 1, c = 0), curves that are steep
/// in the middle as those of [`Platt`](crate::Platt), and flat ones. Where the best a or b without
/// a bound is negative, it is dropped and the fit repeated with the other one alone, which is the
/// best fit within the bounds; where nothing is left the map is the training success rate.
///
/// There is no penalty to speak of: 1e-12 / 2 times the squares of the standardised slopes, beside
/// the mean log loss, keeps the fit finite where forecasts separate the outcomes. So a factor on
/// all weights changes nothing. The result is clipped as the forecast is, and the
/// [default](Self::default) clip is 1e-6.
///
/// Cost: one sort, O(n log n), then some ten passes over the distinct forecasts for each fit.
///
/// Reference: Kull, Silva Filho and Flach (2017), Beyond sigmoids: how to obtain well-calibrated
/// probabilities from binary classifiers with beta calibration, doi:10.1214/17-EJS1338SI.
///
/// ```
/// use trajectory_metrics::{
///     BetaCalibration, CalibrationMap, Calibrator, Error, Probability, Weight,
/// };
///
/// // Says 0.5 and 0.9, is right in one and three of four.
/// let said = Probability::from_slice(&[0.5, 0.5, 0.5, 0.5, 0.9, 0.9, 0.9, 0.9])?;
/// let outcomes = [true, false, false, false, true, true, true, false];
/// let map = BetaCalibration::default().fit(said, &outcomes, &[Weight::ONE; 8])?;
/// assert!((map.apply(said[0]).get() - 0.25).abs() < 1e-6);
/// assert!((map.apply(said[7]).get() - 0.75).abs() < 1e-6);
/// assert!(map.a() >= 0.0 && map.b() >= 0.0);
/// assert!(!map.is_fallback() && !map.is_degenerate());
/// // At 1/2 both logs are ln 1/2, and the map says 1 to 3.
/// let at_half = map.intercept() - (map.a() - map.b()) * 2_f64.ln();
/// assert!((at_half + 3_f64.ln()).abs() < 1e-5);
///
/// // Forecasts that point the wrong way, and forecasts that say nothing.
/// let wrong: Vec<bool> = outcomes.iter().map(|outcome| !outcome).collect();
/// assert!(BetaCalibration::default().fit(said, &wrong, &[Weight::ONE; 8])?.is_fallback());
/// let same = [Probability::HALF; 8];
/// assert!(BetaCalibration::default().fit(&same, &outcomes, &[Weight::ONE; 8])?.is_degenerate());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredBetaCalibration"))]
pub struct BetaCalibration {
    clip: f64,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredBetaCalibration {
    clip: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredBetaCalibration> for BetaCalibration {
    type Error = Error;

    fn try_from(StoredBetaCalibration { clip }: StoredBetaCalibration) -> Result<Self, Error> {
        Self::new(clip)
    }
}

impl Default for BetaCalibration {
    fn default() -> Self {
        Self { clip: 1e-6 }
    }
}

impl BetaCalibration {
    /// Beta calibration with a clip of your own.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless the clip is below one half and large enough for `1 - clip` not to
    /// be 1 (2^-53).
    ///
    /// ```
    /// use trajectory_metrics::{BetaCalibration, Error};
    ///
    /// assert_eq!(BetaCalibration::new(1e-6)?, BetaCalibration::default());
    /// assert!(matches!(BetaCalibration::new(0.0), Err(Error::Setting { name: "clip", .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(clip: f64) -> Result<Self, Error> {
        Ok(Self { clip: check_clip(clip)? })
    }
}

/// A curve fitted by [`BetaCalibration`].
///
/// Does not fall, up to the last digit of neighbouring forecasts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct BetaCalibrationMap {
    /// Of ln p and of -ln(1-p).
    standards: [Standard; 2],
    /// Of the standardised features, as the slopes.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::intercept"))]
    intercept: f64,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::slopes"))]
    slopes: [f64; 2],
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::clip"))]
    clip: f64,
    fallback: bool,
}

impl BetaCalibrationMap {
    /// The slope on ln p, which rules near 0. Never negative.
    #[must_use]
    pub fn a(&self) -> f64 {
        self.slopes[0] / self.standards[0].scale
    }

    /// The slope on -ln(1-p), which rules near 1. Never negative.
    #[must_use]
    pub fn b(&self) -> f64 {
        self.slopes[1] / self.standards[1].scale
    }

    /// The constant c.
    #[must_use]
    pub fn intercept(&self) -> f64 {
        let [a, b] = self.standards.map(|standard| standard.mean);
        self.intercept - self.a() * a - self.b() * b
    }

    /// Whether both slopes were dropped as negative, and the map is now constant: the weighted
    /// success rate in training. Report it where you report the map.
    #[must_use]
    pub const fn is_fallback(&self) -> bool {
        self.fallback
    }

    /// Whether both features of the training forecasts had so little spread that the floor of their
    /// scales, 1e-6, took over. The map then says little about any other forecast.
    #[must_use]
    pub const fn is_degenerate(&self) -> bool {
        self.standards[0].degenerate && self.standards[1].degenerate
    }
}

impl Calibrator for BetaCalibration {
    type Map = BetaCalibrationMap;

    /// # Errors
    ///
    /// As [`Calibrator::fit`]. One outcome gives [`Error::OneClass`], also where the other one has
    /// less than 1e-200 of the weight.
    fn fit(
        &self,
        forecasts: &[Probability],
        outcomes: &[bool],
        weights: &[Weight],
    ) -> Result<BetaCalibrationMap, Error> {
        // Blocks, so that no order of the records can matter.
        let blocks = TiedBlocks::new(forecasts, outcomes, Some(weights))?;
        let (failures, successes) = both_outcomes(&blocks)?;
        let mut records = records(&blocks, |p| features(p, self.clip));
        let standards = standardise(&mut records);
        let base_rate = (successes / failures).ln();
        let best = best_rising_line(records, base_rate);
        let Line { intercept, slopes } =
            best.unwrap_or(Line { intercept: base_rate, slopes: [0.0; 2] });
        let fallback = best.is_none();
        Ok(BetaCalibrationMap { standards, intercept, slopes, clip: self.clip, fallback })
    }
}

impl CalibrationMap for BetaCalibrationMap {
    fn apply(&self, forecast: Probability) -> Probability {
        let features = features(forecast, self.clip);
        let logit = (0..2).fold(self.intercept, |logit, i| {
            let Standard { mean, scale, .. } = self.standards[i];
            logit + self.slopes[i] * ((features[i] - mean) / scale)
        });
        // All of it is finite and the clip holds, so the other arm is never taken.
        Probability::new(clip(sigmoid(logit), self.clip)).unwrap_or(forecast)
    }
}

/// `ln p` and `-ln(1-p)`, both rising.
fn features(forecast: Probability, at: f64) -> [f64; 2] {
    let p = clip(forecast.get(), at);
    [p.ln(), -(-p).ln_1p()]
}

/// The line with the least loss among those without a negative slope; `None` where only a constant
/// is left.
///
/// The loss is convex. So where one free slope is negative, the best line within the bounds lies on
/// the edge where that slope is 0: the straight way to any other leads over this edge, downhill.
/// Where both are, at most one of the two rises alone: the loss falls from the constant towards the
/// free line, so that one of the features at least has to fall there.
fn best_rising_line(records: Vec<Record<2>>, base_rate: f64) -> Option<Line<2>> {
    let alone = |kept: usize| {
        let record = |record: &Record<2>| Record {
            features: [record.features[kept]],
            failures: record.failures,
            successes: record.successes,
        };
        let kept_records = records.iter().map(record).collect();
        let line = RidgeLogistic::new(kept_records, PENALTY).minimum(base_rate);
        let mut slopes = [0.0; 2];
        slopes[kept] = line.slopes[0];
        (slopes[kept] >= 0.0).then_some(Line { intercept: line.intercept, slopes })
    };
    let free = RidgeLogistic::new(records.clone(), PENALTY).minimum(base_rate);
    match free.slopes.map(|slope| slope >= 0.0) {
        [true, true] => Some(free),
        [false, true] => alone(1),
        [true, false] => alone(0),
        [false, false] => alone(0).or_else(|| alone(1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(forecasts: &[f64], outcomes: &[bool]) -> BetaCalibrationMap {
        let forecasts = Probability::from_slice(forecasts).unwrap();
        let weights = vec![1.0; forecasts.len()];
        BetaCalibration::default()
            .fit(forecasts, outcomes, Weight::from_slice(&weights).unwrap())
            .unwrap()
    }

    fn mapped(map: &BetaCalibrationMap, forecast: f64) -> f64 {
        map.apply(Probability::new(forecast).unwrap()).get()
    }

    #[test]
    fn a_falling_forecast_falls_back_to_the_base_rate() {
        let map = fit(&[0.9, 0.8, 0.2, 0.9], &[false, true, true, false]);
        assert!(map.is_fallback() && !map.is_degenerate());
        assert_eq!((map.a(), map.b()), (0.0, 0.0));
        for forecast in [0.0, 0.2, 0.85, 1.0] {
            assert!((mapped(&map, forecast) - 0.5).abs() < 1e-15);
        }
    }

    #[test]
    fn forecasts_near_one_end_that_differ_there_are_not_degenerate() {
        // -ln(1-p) has next to no spread from 2e-6 to 3e-6, ln p has 0.4.
        for near in [|p| p, |p| 1.0 - p] {
            let forecasts: [f64; 4] = [2e-6, 2e-6, 3e-6, 3e-6].map(near);
            assert!(!fit(&forecasts, &[true, false, true, false]).is_degenerate());
        }
    }

    #[test]
    fn a_constant_stream_is_degenerate_and_gives_the_base_rate_without_a_fallback() {
        for forecasts in [[0.7; 4], [1.0, 1.0, 0.999_999_9, 1.0]] {
            let map = fit(&forecasts, &[true, false, true, true]);
            assert!(map.is_degenerate() && !map.is_fallback());
            for forecast in [0.0, 0.7, 1.0] {
                assert!((mapped(&map, forecast) - 0.75).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn separated_outcomes_give_a_steep_and_finite_curve() {
        let map = fit(&[0.2, 0.3, 0.7, 0.8], &[false, false, true, true]);
        assert!(map.a().is_finite() && map.b().is_finite() && map.intercept().is_finite());
        assert!(mapped(&map, 0.3) < 1e-4 && mapped(&map, 0.7) > 1.0 - 1e-4, "{map:?}");
        // Separated by two thresholds: one slope is dropped.
        let hump = fit(&[0.1, 0.2, 0.5, 0.6, 0.9], &[false, false, true, true, false]);
        assert!((hump.a() == 0.0) != (hump.b() == 0.0), "{hump:?}");
    }

    #[test]
    fn the_accessors_are_the_curve() {
        let map = fit(&[0.2, 0.4, 0.4, 0.7, 0.9, 0.9], &[false, true, false, false, true, true]);
        for p in [0.1, 0.5, 0.93_f64] {
            let logit = map.intercept() + map.a() * p.ln() - map.b() * (1.0 - p).ln();
            assert!((sigmoid(logit) - mapped(&map, p)).abs() < 1e-13);
        }
    }
}
