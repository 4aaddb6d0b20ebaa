use scoring_rules::{Probability, TiedBlocks, Weight};

#[cfg(feature = "serde")]
use super::stored_map;
use crate::{
    calibration::{
        calibrator::{CalibrationMap, Calibrator},
        clip::{check_clip, clip},
        fit_input::{Standard, both_outcomes, records, standardise},
        log_odds::{logit, sigmoid},
        ridge_logistic::RidgeLogistic,
    },
    error::Error,
};

/// Platt scaling: a logistic curve in the log-odds of the forecast, the paper's recalibration.
///
/// ```text
/// x = (logit(clip(F)) - mean) / max(std, 1e-6)
/// calibrated = clip(sigmoid(a + b x))
/// a, b minimise  sum of w_i * -ln P_i(outcome i)  +  penalty / 2 * b^2
/// ```
///
/// Mean and standard deviation are the weighted ones of the training records. The penalty stands
/// beside the sum, not the mean, of the log losses, so it fades as records are added; the intercept
/// is free. A slope below 0 is taken for noise: the map then is the training success rate.
///
/// The [default](Self::default) is the paper's: penalty 1, clip 1e-6. Cost: one sort, O(n log n),
/// then about ten passes over the distinct forecasts.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, appendix D; Platt (1999), Probabilistic outputs for support
/// vector machines and comparisons to regularized likelihood methods, in Advances in large margin
/// classifiers, MIT Press.
///
/// ```
/// use trajectory_metrics::{CalibrationMap, Calibrator, Error, Platt, Probability, Weight};
///
/// // Overconfident: says 0.9 and 0.99, is right half and three quarters of the time.
/// let said = Probability::from_slice(&[0.9, 0.99])?;
/// let records: Vec<_> = said.iter().copied().cycle().take(8).collect();
/// let outcomes = [true, true, false, true, true, true, false, false];
/// let map = Platt::default().fit(&records, &outcomes, &[Weight::ONE; 8])?;
/// assert!(map.apply(said[0]) < map.apply(said[1]));
/// assert!((0.5..0.6).contains(&map.apply(said[0]).get()));
/// assert!((0.6..0.75).contains(&map.apply(said[1]).get()));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredPlatt"))]
pub struct Platt {
    penalty: f64,
    clip: f64,
}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPlatt {
    penalty: f64,
    clip: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredPlatt> for Platt {
    type Error = Error;

    fn try_from(StoredPlatt { penalty, clip }: StoredPlatt) -> Result<Self, Error> {
        Self::new(penalty, clip)
    }
}

impl Default for Platt {
    fn default() -> Self {
        Self { penalty: 1.0, clip: 1e-6 }
    }
}

impl Platt {
    /// Platt scaling with a penalty and a clip of your own.
    ///
    /// The penalty cannot be 0: where the forecasts separate the outcomes there would be no fit.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless the penalty is positive and finite and the clip is below one half
    /// and large enough for `1 - clip` not to be 1 (2^-53).
    ///
    /// ```
    /// use trajectory_metrics::{Error, Platt};
    ///
    /// assert_eq!(Platt::new(1.0, 1e-6)?, Platt::default());
    /// assert!(matches!(Platt::new(0.0, 1e-6), Err(Error::Setting { name: "penalty", .. })));
    /// assert!(matches!(Platt::new(1.0, 0.5), Err(Error::Setting { name: "clip", .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(penalty: f64, clip: f64) -> Result<Self, Error> {
        // Written so that a NaN falls into the error arm.
        if !(penalty > 0.0 && penalty < f64::INFINITY) {
            let range = "above 0 and finite";
            return Err(Error::Setting { name: "penalty", value: penalty, range });
        }
        Ok(Self { penalty, clip: check_clip(clip)? })
    }
}

/// A logistic curve in the log-odds of the forecast, fitted by [`Platt`].
///
/// Does not fall, up to the last digit of neighbouring forecasts.
///
/// ```
/// use trajectory_metrics::{Weight, CalibrationMap, Calibrator, Error, Platt, Probability};
///
/// // 0.25 and 0.75 have the log-odds -ln 3 and ln 3. Each is right in three of four.
/// let said = Probability::from_slice(&[0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75])?;
/// let outcomes = [true, false, false, false, true, true, true, false];
/// let map = Platt::default().fit(said, &outcomes, &[Weight::ONE; 8])?;
/// assert!(map.mean().abs() < 1e-12 && (map.scale() - 3_f64.ln()).abs() < 1e-12);
/// // The penalty pulls the slope below ln 3, which would leave the forecasts as they are.
/// assert!(map.intercept().abs() < 1e-9 && 0.6 < map.slope() && map.slope() < 3_f64.ln());
/// assert!(!map.is_fallback() && !map.is_degenerate());
///
/// // Forecasts that point the wrong way, and forecasts that say nothing.
/// let wrong: Vec<bool> = outcomes.iter().map(|outcome| !outcome).collect();
/// let map = Platt::default().fit(said, &wrong, &[Weight::ONE; 8])?;
/// assert!(map.is_fallback() && (map.apply(said[0]).get() - 0.5).abs() < 1e-9);
/// let same = [Probability::HALF; 8];
/// assert!(Platt::default().fit(&same, &outcomes, &[Weight::ONE; 8])?.is_degenerate());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct PlattMap {
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::mean"))]
    mean: f64,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::scale"))]
    scale: f64,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::intercept"))]
    intercept: f64,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::slope"))]
    slope: f64,
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::clip"))]
    clip: f64,
    fallback: bool,
    degenerate: bool,
}

impl PlattMap {
    /// Weighted mean of the training forecasts' log-odds.
    #[must_use]
    pub const fn mean(&self) -> f64 {
        self.mean
    }

    /// What log-odds are divided by: their weighted standard deviation in training, or 1e-6 where
    /// that is less.
    #[must_use]
    pub const fn scale(&self) -> f64 {
        self.scale
    }

    /// The log-odds, after calibration, of a forecast at the mean.
    #[must_use]
    pub const fn intercept(&self) -> f64 {
        self.intercept
    }

    /// The rise of the calibrated log-odds with one scale of the forecast's. Never negative.
    #[must_use]
    pub const fn slope(&self) -> f64 {
        self.slope
    }

    /// Whether the fitted slope was negative, and the map is now constant: the weighted success
    /// rate in training. Report it where you report the map.
    #[must_use]
    pub const fn is_fallback(&self) -> bool {
        self.fallback
    }

    /// Whether the training forecasts had so little spread that the floor of the scale took over.
    /// The map then says little about any other forecast.
    #[must_use]
    pub const fn is_degenerate(&self) -> bool {
        self.degenerate
    }
}

impl Calibrator for Platt {
    type Map = PlattMap;

    /// # Errors
    ///
    /// As [`Calibrator::fit`]. One outcome gives [`Error::OneClass`], also where the other one has
    /// less than 1e-200 of the weight. Over the total weight, the penalty counts as
    /// no less than 1e-20 and no more than 1e20.
    fn fit(
        &self,
        forecasts: &[Probability],
        outcomes: &[bool],
        weights: &[Weight],
    ) -> Result<PlattMap, Error> {
        // Blocks, so that no order of the records can matter.
        let blocks = TiedBlocks::new(forecasts, outcomes, Some(weights))?;
        let (failures, successes) = both_outcomes(&blocks)?;
        let total = failures + successes;
        let mut records = records(&blocks, |p| [logit(clip(p.get(), self.clip))]);
        let [Standard { mean, scale, degenerate }] = standardise(&mut records);
        let base_rate = successes.ln() - failures.ln();
        let line = RidgeLogistic::new(records, self.penalty / total).minimum(base_rate);
        let fallback = line.slopes[0] < 0.0;
        let (intercept, slope) =
            if fallback { (base_rate, 0.0) } else { (line.intercept, line.slopes[0]) };
        Ok(PlattMap { mean, scale, intercept, slope, clip: self.clip, fallback, degenerate })
    }
}

impl CalibrationMap for PlattMap {
    fn apply(&self, forecast: Probability) -> Probability {
        let x = (logit(clip(forecast.get(), self.clip)) - self.mean) / self.scale;
        let calibrated = clip(sigmoid(self.intercept + self.slope * x), self.clip);
        // All of it is finite and the clip holds, so the other arm is never taken.
        Probability::new(calibrated).unwrap_or(forecast)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(forecasts: &[f64], outcomes: &[bool], weights: &[Weight]) -> Result<PlattMap, Error> {
        let forecasts = Probability::from_slice(forecasts).unwrap();
        Platt::default().fit(forecasts, outcomes, weights)
    }

    fn mapped(map: &PlattMap, forecast: f64) -> f64 {
        map.apply(Probability::new(forecast).unwrap()).get()
    }

    #[test]
    fn settings_outside_their_range_are_refused() {
        for bad in [0.0, -1.0, f64::INFINITY, f64::NAN] {
            let (penalty, clip) = (Platt::new(bad, 1e-6), Platt::new(1.0, bad));
            assert!(matches!(penalty, Err(Error::Setting { name: "penalty", .. })));
            assert!(matches!(clip, Err(Error::Setting { name: "clip", .. })));
        }
        assert!(Platt::new(1.0, 1e-17).is_err() && Platt::new(1.0, 0.5).is_err());
        assert!(Platt::new(1e-300, f64::EPSILON / 2.0).is_ok());
    }

    #[test]
    fn one_outcome_alone_is_an_error_also_where_the_other_weighs_nothing() {
        let one_class = |outcome| Err(Error::OneClass { outcome });
        assert_eq!(
            fit(&[0.4, 0.6], &[true, true], Weight::from_slice(&[1.0, 1.0]).unwrap()),
            one_class(true)
        );
        assert_eq!(
            fit(&[0.4, 0.6], &[true, false], Weight::from_slice(&[0.0, 1.0]).unwrap()),
            one_class(false)
        );
        let outcomes = [true, false, false];
        assert_eq!(
            fit(&[0.4, 0.6, 0.6], &outcomes, Weight::from_slice(&[1e-100, 1e100, 1e100]).unwrap()),
            one_class(false)
        );
        assert!(
            fit(&[0.4, 0.6], &[true, false], Weight::from_slice(&[1e-99, 1e100]).unwrap()).is_ok()
        );
    }

    #[test]
    fn a_falling_forecast_falls_back_to_the_base_rate() {
        let map = fit(
            &[0.9, 0.8, 0.2],
            &[false, true, true],
            Weight::from_slice(&[2.0, 1.0, 1.0]).unwrap(),
        )
        .unwrap();
        assert!(map.is_fallback() && !map.is_degenerate());
        assert_eq!(map.slope(), 0.0);
        for forecast in [0.0, 0.2, 0.85, 1.0] {
            assert!((mapped(&map, forecast) - 0.5).abs() < 1e-15);
        }
    }

    #[test]
    fn a_constant_stream_is_degenerate_and_gives_the_base_rate_without_a_fallback() {
        // Both ends of the clip are one value, too.
        for forecasts in [[0.7; 4], [1.0, 1.0, 0.999_999_9, 1.0]] {
            let map =
                fit(&forecasts, &[true, false, true, true], Weight::from_slice(&[1.0; 4]).unwrap())
                    .unwrap();
            assert!(map.is_degenerate() && !map.is_fallback());
            assert_eq!((map.scale(), map.slope()), (1e-6, 0.0));
            for forecast in [0.0, 0.7, 1.0] {
                assert!((mapped(&map, forecast) - 0.75).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn separated_outcomes_have_a_finite_slope_whatever_the_penalty() {
        let forecasts = Probability::from_slice(&[0.2, 0.3, 0.7, 0.8]).unwrap();
        let outcomes = [false, false, true, true];
        let mut before = 0.0;
        for penalty in [1e300, 1e3, 1.0, 1e-3, 1e-9, 1e-300] {
            let platt = Platt::new(penalty, 1e-6).unwrap();
            let map =
                platt.fit(forecasts, &outcomes, Weight::from_slice(&[1.0; 4]).unwrap()).unwrap();
            assert!(map.slope() > before && map.slope() < 1e3, "{penalty:e}: {map:?}");
            before = map.slope();
        }
    }

    #[test]
    fn the_result_is_clipped_as_the_forecast_is() {
        let forecasts = Probability::from_slice(&[0.1, 0.9]).unwrap();
        let platt = Platt::new(1e-9, 0.05).unwrap();
        let map =
            platt.fit(forecasts, &[false, true], Weight::from_slice(&[1.0; 2]).unwrap()).unwrap();
        assert_eq!((mapped(&map, 0.0), mapped(&map, 1.0)), (0.05, 0.95));
        assert_eq!(mapped(&map, 0.01), mapped(&map, 0.05));
    }
}
