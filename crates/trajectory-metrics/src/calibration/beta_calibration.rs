use scoring_rules::{Probability, TiedBlocks};

#[cfg(feature = "serde")]
use super::stored_map;
use crate::{
    calibration::{
        calibrator::{CalibrationMap, Calibrator},
        clip::Clip,
        standard::Standard,
    },
    error::Error,
    logistic::{Line, Rows, check_both_outcomes},
};

/// The penalty on the squared standardised slopes, added to the mean log loss. It matters in two
/// cases only: if forecasts separate the outcomes, the penalty keeps the slopes finite; if the two
/// features agree, it makes the slopes unique.
const PENALTY: f64 = 1e-12;

/// Beta calibration: a calibration curve with separate slopes for forecasts near 0 and forecasts near 1.
///
/// ```text
/// p = clip(F)
/// logit(calibrated) = c + a ln p - b ln(1-p),   a, b >= 0, with the smallest weighted log loss
/// ```
///
/// The family contains the identity (a = b = 1, c = 0), curves with a steep middle, like the curves
/// of [`Platt`](crate::Platt), and curves with a flat middle. If the best unconstrained slope is
/// negative, this slope is set to 0 and only the other one is fitted, which gives the best fit within
/// the bounds. If no slope remains, the map is the success rate of the training records.
///
/// A penalty of 1e-12 / 2 times the squares of the standardised slopes is added to the mean log loss
/// and keeps the fit finite if forecasts separate the outcomes. A common factor on all weights
/// changes nothing. The result is clipped like the forecast; the [default](Self::default) clip is
/// 1e-6.
///
/// Cost: one sort, O(n log n), then about ten passes over the distinct forecasts for each fit.
///
/// Reference: Kull, Silva Filho and Flach (2017), Beyond sigmoids: how to obtain well-calibrated
/// probabilities from binary classifiers with beta calibration, doi:10.1214/17-EJS1338SI.
///
/// ```
/// use trajectory_metrics::{
///     BetaCalibration, CalibrationMap, Calibrator, Error, Probability, Weight,
/// };
///
/// // One of four runs at 0.5 succeeds, and three of four at 0.9.
/// let said = Probability::from_slice(&[0.5, 0.5, 0.5, 0.5, 0.9, 0.9, 0.9, 0.9])?;
/// let outcomes = [true, false, false, false, true, true, true, false];
/// let map = BetaCalibration::default().fit(said, &outcomes, None)?;
/// assert!((map.apply(said[0]).get() - 0.25).abs() < 1e-6);
/// assert!((map.apply(said[7]).get() - 0.75).abs() < 1e-6);
/// assert!(!map.is_fallback() && !map.is_degenerate());
/// // At 1/2 both logs are ln 1/2, and the calibrated odds are 1 to 3.
/// let [a, b, c] = map.coefficients();
/// assert!(a >= 0.0 && b >= 0.0);
/// let at_half = c - (a - b) * 2_f64.ln();
/// assert!((at_half + 3_f64.ln()).abs() < 1e-5);
///
/// // Forecasts that are higher for failures, and constant forecasts.
/// let wrong: Vec<bool> = outcomes.iter().map(|outcome| !outcome).collect();
/// assert!(BetaCalibration::default().fit(said, &wrong, None)?.is_fallback());
/// let same = [Probability::HALF; 8];
/// assert!(BetaCalibration::default().fit(&same, &outcomes, None)?.is_degenerate());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct BetaCalibration {
    clip: Clip,
}

impl BetaCalibration {
    /// Creates beta calibration that first clips forecasts to `[clip, 1 - clip]`.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the clip is at least 2^-53 and below 1/2.
    ///
    /// ```
    /// use scoring_rules::Error::Setting;
    /// use trajectory_metrics::{BetaCalibration, Error};
    ///
    /// assert_eq!(BetaCalibration::new(1e-6)?, BetaCalibration::default());
    /// let refused = BetaCalibration::new(0.0);
    /// assert!(matches!(refused, Err(Error::ScoringRules(Setting { name: "clip", .. }))));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(clip: f64) -> Result<Self, Error> {
        Ok(Self { clip: Clip::new(clip)? })
    }
}

scoring_rules::checked! {
    /// A curve fitted by [`BetaCalibration`].
    ///
    /// The map does not decrease, except for rounding in the last digit.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct BetaCalibrationMap {
        /// Mean and scale of the features ln p and -ln(1-p).
        standards: [Standard; 2],
        /// Intercept and slopes belong to the standardised features.
        intercept: f64,
        slopes: [f64; 2],
        clip: Clip,
        fallback: bool,
    }
    check: |map| {
        stored_map::number(map.intercept)?;
        map.slopes.into_iter().try_for_each(stored_map::slope)
    }
}

impl BetaCalibrationMap {
    /// Returns the coefficients `[a, b, c]` of the curve `c + a ln p - b ln(1 - p)`, which is the log-odds of success.
    /// The slopes a and b are at least 0; a dominates for p near 0, and b for p near 1.
    #[must_use]
    pub fn coefficients(&self) -> [f64; 3] {
        let [a, b] = [0, 1].map(|at| self.slopes[at] / self.standards[at].scale);
        let [mean_a, mean_b] = self.standards.map(|standard| standard.mean);
        [a, b, self.intercept - a * mean_a - b * mean_b]
    }
}

impl Calibrator for BetaCalibration {
    type Map = BetaCalibrationMap;

    /// # Errors
    ///
    /// [`Error::OneClass`] also if one outcome has less than 1e-12 of the weight.
    fn fit_blocks(&self, blocks: &TiedBlocks) -> Result<BetaCalibrationMap, Error> {
        let (failures, successes) = (blocks.failures(), blocks.successes());
        check_both_outcomes(failures, successes)?;
        let mut rows = Rows::new(2);
        for block in blocks.as_slice() {
            let features = features(self.clip.forecast(block.confidence));
            rows.push(&features, block.failures, block.successes);
        }
        let standards = [0, 1].map(|column| Standard::fit(&mut rows, column));
        let (intercept, slopes, fallback) = match best_rising_line(&rows) {
            Some((intercept, slopes)) => (intercept, slopes, false),
            None => ((successes / failures).ln(), [0.0; 2], true),
        };
        Ok(BetaCalibrationMap { standards, intercept, slopes, clip: self.clip, fallback })
    }
}

impl CalibrationMap for BetaCalibrationMap {
    fn apply(&self, forecast: Probability) -> Probability {
        let features = features(self.clip.forecast(forecast));
        let log_odds = (0..2).fold(self.intercept, |log_odds, i| {
            log_odds + self.slopes[i] * self.standards[i].apply(features[i])
        });
        self.clip.probability(log_odds)
    }

    /// Returns whether both slopes were negative and therefore set to 0. The value of the map is then the weighted
    /// success rate of the training records.
    fn is_fallback(&self) -> bool {
        self.fallback
    }

    /// Returns whether both features of the training forecasts, ln p and -ln(1-p), had a standard deviation below
    /// 1e-6.
    fn is_degenerate(&self) -> bool {
        self.standards[0].degenerate && self.standards[1].degenerate
    }
}

/// `ln p` and `-ln(1-p)`, both rising in p.
fn features(p: f64) -> [f64; 2] {
    [p.ln(), -(-p).ln_1p()]
}

/// Returns the intercept and the nonnegative slopes with the smallest loss, or `None` if only a
/// constant remains.
///
/// The loss is convex. If one unconstrained slope is negative, the best line within the bounds
/// therefore has that slope at 0. If both are negative, at most one of the two features has a
/// positive slope when it is fitted without the other: the loss decreases from the constant towards
/// the unconstrained line, so at least one feature has a negative slope there.
fn best_rising_line(rows: &Rows) -> Option<(f64, [f64; 2])> {
    let alone = |kept: usize| {
        let line = rows.column(kept).fit(PENALTY);
        let mut slopes = [0.0; 2];
        slopes[kept] = line.slopes[0];
        (slopes[kept] >= 0.0).then_some((line.intercept, slopes))
    };
    let Line { intercept, slopes } = rows.fit(PENALTY);
    match [slopes[0] >= 0.0, slopes[1] >= 0.0] {
        [true, true] => Some((intercept, [slopes[0], slopes[1]])),
        [false, true] => alone(1),
        [true, false] => alone(0),
        [false, false] => alone(0).or_else(|| alone(1)),
    }
}
