use crate::{rule::ScoringRule, values::level::Level, values::probability::Probability};

/// The elementary (threshold) score, which scores the decision to act if and only if the forecast is above a threshold
/// c.
///
/// Acting on a failure (a false alarm) costs c, and not acting on a success (a miss) costs 1 - c.
/// Right decisions cost nothing. Between -1 and 0. Proper but not strictly: all forecasts on one side
/// of the threshold tie. Every proper rule is a mixture of these scores over thresholds
/// ([`ThresholdMixture`](crate::ThresholdMixture)).
///
/// In JSON it is `{"threshold": c}`.
///
/// Reference: Schervish (1989), A general method for comparing probability assessors,
/// doi:10.1214/aos/1176347398; Ehm, Gneiting, Jordan and Krüger (2016), Of quantiles and
/// expectiles, doi:10.1111/rssb.12154.
///
/// ```
/// use scoring_rules::{ElementaryScore, Level, Probability, ScoringRule};
///
/// let rule = ElementaryScore { threshold: Level::new(0.25)? };
/// let p = Probability::new(0.4)?;
/// assert_eq!((rule.score(p, true), rule.score(p, false)), (0.0, -0.25));
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct ElementaryScore {
    /// The threshold, c.
    pub threshold: Level,
}

impl ElementaryScore {
    #[inline]
    fn acts(&self, forecast: Probability) -> bool {
        forecast.get() > self.threshold.get()
    }
}

impl ScoringRule for ElementaryScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        match (self.acts(forecast), outcome) {
            (true, false) => -self.threshold.get(),
            (false, true) => self.threshold.get() - 1.0,
            _ => 0.0,
        }
    }

    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        if self.acts(forecast) == self.acts(truth) {
            return 0.0;
        }
        (truth.get() - self.threshold.get()).abs()
    }
}
