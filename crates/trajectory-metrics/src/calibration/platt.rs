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
    logistic::{Rows, check_both_outcomes, check_penalty},
};

scoring_rules::checked! {
    /// Platt scaling, which the paper uses for calibration: the calibrated forecast is a logistic curve in the
    /// log-odds of the forecast.
    ///
    /// ```text
    /// x = (logit(clip(F)) - mean) / max(std, 1e-6)
    /// calibrated = clip(sigmoid(a + b x))
    /// a, b minimise  sum of w_i * -ln P_i(outcome i)  +  penalty / 2 * b^2
    /// ```
    ///
    /// The mean and the standard deviation are computed from the weighted training records. The penalty
    /// is added to the sum of the log losses, not to their mean, so its influence decreases with the
    /// number of records. The intercept has no penalty. A negative slope is treated as noise: the map
    /// is then constant and equal to the success rate of the training records.
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
    /// // Overconfident forecasts: runs at 0.9 succeed half of the time, runs at 0.99 three quarters.
    /// let said = Probability::from_slice(&[0.9, 0.99])?;
    /// let records: Vec<_> = said.iter().copied().cycle().take(8).collect();
    /// let outcomes = [true, true, false, true, true, true, false, false];
    /// let map = Platt::default().fit(&records, &outcomes, None)?;
    /// assert!(map.apply(said[0]) < map.apply(said[1]));
    /// assert!((0.5..0.6).contains(&map.apply(said[0]).get()));
    /// assert!((0.6..0.75).contains(&map.apply(said[1]).get()));
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Platt {
        penalty: f64,
        clip: Clip,
    }
    check: |platt| check_penalty(platt.penalty).map(drop)
}

impl Default for Platt {
    fn default() -> Self {
        Self { penalty: 1.0, clip: Clip::default() }
    }
}

impl Platt {
    /// Creates Platt scaling with this penalty on the slope. Forecasts are first clipped to `[clip, 1 - clip]`.
    ///
    /// The penalty must be positive, because without a penalty there is no fit for forecasts that
    /// separate the outcomes.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the penalty is from 1e-20 to 1e20 and the clip at
    /// least 2^-53 and below 1/2.
    ///
    /// ```
    /// use scoring_rules::Error::Setting;
    /// use trajectory_metrics::{Error, Platt};
    ///
    /// assert_eq!(Platt::new(1.0, 1e-6)?, Platt::default());
    /// let refused = Platt::new(0.0, 1e-6);
    /// assert!(matches!(refused, Err(Error::ScoringRules(Setting { name: "penalty", .. }))));
    /// let refused = Platt::new(1.0, 0.5);
    /// assert!(matches!(refused, Err(Error::ScoringRules(Setting { name: "clip", .. }))));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(penalty: f64, clip: f64) -> Result<Self, Error> {
        Ok(Self { penalty: check_penalty(penalty)?, clip: Clip::new(clip)? })
    }
}

scoring_rules::checked! {
    /// A logistic curve in the log-odds of the forecast, fitted by [`Platt`].
    ///
    /// The map does not decrease, except for rounding in the last digit.
    ///
    /// ```
    /// use trajectory_metrics::{CalibrationMap, Calibrator, Error, Platt, Probability, Weight};
    ///
    /// // 0.25 and 0.75 have the log-odds -ln 3 and ln 3, and both are calibrated.
    /// let said = Probability::from_slice(&[0.25, 0.25, 0.25, 0.25, 0.75, 0.75, 0.75, 0.75])?;
    /// let outcomes = [true, false, false, false, true, true, true, false];
    /// let map = Platt::default().fit(said, &outcomes, None)?;
    /// // Without the penalty the slope would be ln 3 and the map the identity.
    /// assert!(map.intercept().abs() < 1e-9 && 0.6 < map.slope() && map.slope() < 3_f64.ln());
    /// assert!(!map.is_fallback() && !map.is_degenerate());
    ///
    /// // Forecasts that are higher for failures, and constant forecasts.
    /// let wrong: Vec<bool> = outcomes.iter().map(|outcome| !outcome).collect();
    /// let map = Platt::default().fit(said, &wrong, None)?;
    /// assert!(map.is_fallback() && (map.apply(said[0]).get() - 0.5).abs() < 1e-9);
    /// let same = [Probability::HALF; 8];
    /// assert!(Platt::default().fit(&same, &outcomes, None)?.is_degenerate());
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct PlattMap {
        standard: Standard,
        intercept: f64,
        slope: f64,
        clip: Clip,
        fallback: bool,
    }
    check: |map| {
        stored_map::number(map.intercept)?;
        stored_map::slope(map.slope)
    }
}

impl PlattMap {
    /// Returns the calibrated log-odds of a forecast whose log-odds equal the mean of the training log-odds.
    #[must_use]
    pub const fn intercept(&self) -> f64 {
        self.intercept
    }

    /// Returns the slope of the calibrated log-odds, at least 0. The unit of the forecast's log-odds is their standard
    /// deviation over the training records, but at least 1e-6.
    #[must_use]
    pub const fn slope(&self) -> f64 {
        self.slope
    }
}

impl Calibrator for Platt {
    type Map = PlattMap;

    /// # Errors
    ///
    /// [`Error::OneClass`] also if one outcome has less than 1e-12 of the weight.
    fn fit_blocks(&self, blocks: &TiedBlocks) -> Result<PlattMap, Error> {
        let (failures, successes) = (blocks.failures(), blocks.successes());
        check_both_outcomes(failures, successes)?;
        let mut rows = Rows::new(1);
        for block in blocks.as_slice() {
            rows.push(&[self.clip.log_odds(block.confidence)], block.failures, block.successes);
        }
        let standard = Standard::fit(&mut rows, 0);
        let line = rows.fit(self.penalty / (failures + successes));
        let fallback = line.slopes[0] < 0.0;
        let (intercept, slope) = if fallback {
            ((successes / failures).ln(), 0.0)
        } else {
            (line.intercept, line.slopes[0])
        };
        Ok(PlattMap { standard, intercept, slope, clip: self.clip, fallback })
    }
}

impl CalibrationMap for PlattMap {
    fn apply(&self, forecast: Probability) -> Probability {
        let x = self.standard.apply(self.clip.log_odds(forecast));
        self.clip.probability(self.intercept + self.slope * x)
    }

    /// Returns whether the fitted slope was negative and therefore set to 0. The value of the map is then the weighted
    /// success rate of the training records.
    fn is_fallback(&self) -> bool {
        self.fallback
    }

    /// Returns whether the standard deviation of the training log-odds was below 1e-6.
    fn is_degenerate(&self) -> bool {
        self.standard.degenerate
    }
}
