use crate::{
    error::Error, rule::ScoringRule, rules::sides::Sides, values::level::Level,
    values::probability::Probability,
};

/// The elementary (threshold) score: the score of the decision to act if and only if the forecast is
/// above a threshold c.
///
/// Acting on a failure (a false alarm) costs c, and not acting on a success (a miss) costs 1 - c.
/// Right decisions cost nothing. Between -1 and 0. Proper but not strictly: all forecasts on one side
/// of the threshold tie. Every proper rule is a mixture of these over thresholds
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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct ElementaryScore {
    threshold: Level,
    false_alarm: f64,
    miss: f64,
}

/// The serialized form.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    threshold: Level,
    false_alarm: f64,
    miss: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for ElementaryScore {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let Written { threshold, false_alarm, miss } = written;
        let plain = Self::new(threshold);
        if (plain.false_alarm, plain.miss) == (false_alarm, miss) {
            return Ok(plain);
        }
        let rule = Self::with_costs(false_alarm, miss)?;
        if rule.threshold == threshold {
            return Ok(rule);
        }
        let range = "false_alarm / (false_alarm + miss)";
        Err(Error::Setting { name: "threshold", value: threshold.get(), range })
    }
}

#[cfg(feature = "serde")]
impl From<ElementaryScore> for Written {
    fn from(rule: ElementaryScore) -> Self {
        let ElementaryScore { threshold, false_alarm, miss } = rule;
        Self { threshold, false_alarm, miss }
    }
}

impl ElementaryScore {
    /// The score with the given threshold.
    #[must_use]
    pub const fn new(threshold: Level) -> Self {
        Self { threshold, false_alarm: threshold.get(), miss: 1.0 - threshold.get() }
    }

    /// The score with the given costs of a false alarm and of a miss, in the unit of these costs. Its
    /// threshold is `false_alarm / (false_alarm + miss)`.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless both costs are from 1e-100 to 1e100 and the threshold, after
    /// rounding, is above 0 and below 1.
    pub fn with_costs(false_alarm: f64, miss: f64) -> Result<Self, Error> {
        for (name, value) in [("false_alarm", false_alarm), ("miss", miss)] {
            if !(1e-100..=1e100).contains(&value) {
                return Err(Error::Setting { name, value, range: "from 1e-100 to 1e100" });
            }
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
