use crate::{
    checks::setting, error::Error, rule::ScoringRule, rules::sides::Sides, values::level::Level,
    values::probability::Probability,
};

crate::checked! {
    /// The elementary (threshold) score: the score of the decision to act if and only if the forecast is
    /// above a threshold c.
    ///
    /// Acting on a failure (a false alarm) costs c, and not acting on a success (a miss) costs 1 - c.
    /// Right decisions cost nothing. Between -1 and 0. Proper but not strictly: all forecasts on one side
    /// of the threshold tie. Every proper rule is a mixture of these scores over thresholds
    /// ([`ThresholdMixture`](crate::ThresholdMixture)).
    ///
    /// With other costs ([`ElementaryScore::with_costs`]) it is minus the cost-weighted 0-1 loss.
    ///
    /// Reference: Schervish (1989), A general method for comparing probability assessors,
    /// doi:10.1214/aos/1176347398; Ehm, Gneiting, Jordan and Krüger (2016), Of quantiles and
    /// expectiles, doi:10.1111/rssb.12154.
    ///
    /// ```
    /// use scoring_rules::{ElementaryScore, Level, Probability, ScoringRule};
    ///
    /// let rule = ElementaryScore::new(Level::new(0.25)?);
    /// let p = Probability::new(0.4)?;
    /// assert_eq!((rule.score(p, true), rule.score(p, false)), (0.0, -0.25));
    ///
    /// // A miss costs nine times as much as a false alarm: act above one in ten.
    /// let rule = ElementaryScore::with_costs(1.0, 9.0)?;
    /// assert_eq!(rule.threshold().get(), 0.1);
    /// assert_eq!(rule.score(Probability::new(0.05)?, true), -9.0);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct ElementaryScore {
        threshold: Level,
        false_alarm: f64,
        miss: f64,
    }
    check: ElementaryScore::check
}

impl ElementaryScore {
    /// Makes the score with the given threshold.
    #[must_use]
    pub const fn new(threshold: Level) -> Self {
        Self { threshold, false_alarm: threshold.get(), miss: 1.0 - threshold.get() }
    }

    /// Makes the score with the given costs of a false alarm and of a miss, in the unit of these costs.
    /// Its threshold is `false_alarm / (false_alarm + miss)`.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless both costs are from 1e-100 to 1e100 and the threshold, after
    /// rounding, is above 0 and below 1.
    pub fn with_costs(false_alarm: f64, miss: f64) -> Result<Self, Error> {
        for (name, value) in [("false_alarm", false_alarm), ("miss", miss)] {
            let is_valid = (1e-100..=1e100).contains(&value);
            setting(name, value, is_valid, "from 1e-100 to 1e100")?;
        }
        let threshold = Level::new(false_alarm / (false_alarm + miss)).map_err(|_| {
            Error::Setting { name: "miss", value: miss, range: "at least 1e-16 of false_alarm" }
        })?;
        Ok(Self { threshold, false_alarm, miss })
    }

    /// The threshold; forecasts above it lead to action.
    #[must_use]
    pub const fn threshold(&self) -> Level {
        self.threshold
    }

    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), Error> {
        if *self == Self::new(self.threshold) {
            return Ok(());
        }
        let is_valid = Self::with_costs(self.false_alarm, self.miss)? == *self;
        let range = "false_alarm / (false_alarm + miss)";
        setting("threshold", self.threshold.get(), is_valid, range)
    }

    #[inline]
    fn acts(&self, forecast: Probability) -> bool {
        forecast.get() > self.threshold.get()
    }
}

impl ScoringRule for ElementaryScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        match (self.acts(forecast), outcome) {
            (true, false) => -self.false_alarm,
            (false, true) => -self.miss,
            _ => 0.0,
        }
    }

    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        if self.acts(forecast) == self.acts(truth) {
            return 0.0;
        }
        // At least 0, even if the threshold was rounded.
        let q = Sides::new(truth);
        (q.rest * self.false_alarm - q.p * self.miss).abs()
    }
}
