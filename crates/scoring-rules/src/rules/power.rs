use crate::{
    error::Error,
    rule::ScoringRule,
    rules::{
        power_function::{above_tangent, box_cox},
        sides::Sides,
        smooth::{LossDerivatives, SmoothRule, ThresholdDensity, in_logit, in_probability},
    },
    values::level::Level,
    values::probability::Probability,
};

/// What both families of power scores are made of: the power, and the forecast that scores nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Baseline {
    pub(crate) power: f64,
    #[cfg(feature = "serde")]
    pub(crate) level: Level,
    pub(crate) sides: Sides,
}

impl Baseline {
    pub(crate) fn new(power: f64, baseline: Level) -> Result<Self, Error> {
        // Written so that a NaN falls into the error arm.
        if !(-100.0..=100.0).contains(&power) {
            return Err(Error::Setting { name: "power", value: power, range: "from -100 to 100" });
        }
        let p = baseline.get();
        // Within these limits no power of a ratio to the baseline leaves the range of a number.
        if !(0.001..=0.999).contains(&p) {
            return Err(Error::Setting {
                name: "baseline",
                value: p,
                range: "from 0.001 to 0.999",
            });
        }
        Ok(Self {
            power,
            #[cfg(feature = "serde")]
            level: baseline,
            sides: Sides { p, rest: 1.0 - p },
        })
    }

    /// What the forecast gives to an outcome, over what the baseline gives to it, and by how much
    /// that is more than 1: with all digits close to 1, where the ratio has lost them.
    #[inline]
    pub(crate) fn ratio(self, forecast: Sides, outcome: bool) -> (f64, f64) {
        let (given, base) = (forecast.of(outcome).0, self.sides.of(outcome).0);
        let gap = forecast.p - self.sides.p;
        (given / base, if outcome { gap } else { -gap } / base)
    }
}

/// The power family of scores, relative to a baseline forecast b that scores 0 whatever happens.
///
/// With `u = p / b` and `v = (1-p) / (1-b)`, r being the one of what happened:
///
/// ```text
/// S = (r^(k-1) - 1) / (k-1) - (b u^k + (1-b) v^k - 1) / k
/// ```
///
/// and the limits of that where the power k is 0 or 1. Strictly proper for every k, for k up to 0
/// among reports that are no certainties. Positive where the forecast gave more to what happened
/// than the baseline did. Power 2 over an even baseline is the Brier score (twice it, plus 1/2),
/// power 1 the log score less that of the baseline. From 0 down, a right certainty scores plus
/// infinity and a wrong one minus infinity; up to 1, only the latter.
///
/// Relative error at most 1e-12, for powers near ±100 and skewed baselines 2e-12. For powers up to
/// 0 a sample whose forecasts are certain has no mean where infinities of both signs meet, and its
/// mean has no decomposition.
///
/// Reference: Jose, Nau and Winkler (2008), Scoring rules, generalized entropy, and utility
/// maximization, doi:10.1287/opre.1070.0498; Merkle and Steyvers (2013), Choosing a strictly proper
/// scoring rule, doi:10.1287/deca.2013.0280.
///
/// ```
/// use scoring_rules::{BrierScore, Level, PowerScore, Probability, ScoringRule};
///
/// let rule = PowerScore::new(2.0, Level::HALF)?;
/// let p = Probability::new(0.75)?;
/// assert_eq!(rule.score(p, true), 2.0 * BrierScore.score(p, true) + 0.5);
///
/// // The base rate earns nothing; a better guess does.
/// let rule = PowerScore::new(1.5, Level::new(0.1)?)?;
/// assert_eq!(rule.score(Probability::new(0.1)?, true), 0.0);
/// assert!(rule.score(Probability::new(0.2)?, true) > 0.0);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
pub struct PowerScore(pub(crate) Baseline);

/// The form in which the rule is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    power: f64,
    baseline: Level,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for PowerScore {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        Self::new(written.power, written.baseline)
    }
}

#[cfg(feature = "serde")]
impl From<PowerScore> for Written {
    fn from(rule: PowerScore) -> Self {
        Self { power: rule.0.power, baseline: rule.0.level }
    }
}

impl PowerScore {
    /// The member with the given power and baseline.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless the power is from -100 to 100 and the baseline from 0.001 to
    /// 0.999.
    pub fn new(power: f64, baseline: Level) -> Result<Self, Error> {
        Baseline::new(power, baseline).map(Self)
    }
}

impl ScoringRule for PowerScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        self.score_of(Sides::new(forecast), outcome)
    }

    /// Minus infinity where a wrong certainty may come to light, also where the right one would
    /// score plus infinity: the limit, as the loss is of the higher order.
    fn expected(&self, forecast: Probability, truth: Probability) -> f64 {
        let share = |weight: f64, outcome| {
            if weight == 0.0 { 0.0 } else { weight * self.score(forecast, outcome) }
        };
        let (of_success, of_failure) =
            (share(truth.get(), true), share(truth.complement().get(), false));
        if of_success.min(of_failure) == f64::NEG_INFINITY {
            return f64::NEG_INFINITY;
        }
        of_success + of_failure
    }

    fn entropy(&self, truth: Probability) -> f64 {
        // The baseline is expected to score 0.
        let of_baseline = |outcome| {
            let base = self.0.sides.of(outcome).0;
            let (r, excess) = self.0.ratio(Sides::new(truth), outcome);
            base * above_tangent(self.0.power, 1.0, r, -excess)
        };
        0.0 - (of_baseline(true) + of_baseline(false))
    }

    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        let (p, q) = (Sides::new(forecast), Sides::new(truth));
        let gap = p.p - q.p;
        let side = |outcome, gap: f64| {
            let base = self.0.sides.of(outcome).0;
            base * above_tangent(
                self.0.power,
                p.of(outcome).0 / base,
                q.of(outcome).0 / base,
                gap / base,
            )
        };
        side(true, gap) + side(false, -gap)
    }
}

impl PowerScore {
    pub(crate) fn score_of(&self, forecast: Sides, outcome: bool) -> f64 {
        let (k, (base, other)) = (self.0.power, self.0.sides.of(outcome));
        let (r, r_excess) = self.0.ratio(forecast, outcome);
        let (t, t_excess) = self.0.ratio(forecast, !outcome);
        let gain = box_cox(k - 1.0, r, r_excess);
        if gain == f64::NEG_INFINITY {
            // What is taken off may be infinite too, but of a lower order.
            return gain;
        }
        gain - (base * box_cox(k, r, r_excess) + other * box_cox(k, t, t_excess))
    }

    /// The weight of thresholds is a sum of one power of p and one of 1 - p.
    fn parts(&self) -> [PowerPart; 2] {
        [true, false].map(|outcome| PowerPart { family: self.0, outcome })
    }
}

/// What one outcome adds to the weight of a threshold: (its ratio)^(k-2) / its baseline.
pub(crate) struct PowerPart {
    family: Baseline,
    outcome: bool,
}

impl ThresholdDensity for PowerPart {
    fn score_of(&self, _forecast: Sides, _outcome: bool) -> f64 {
        // Parts of a score are not scores; only their derivatives are taken.
        0.0
    }

    fn density(&self, p: Sides, [i, j]: [i32; 2]) -> f64 {
        let [i, j] = if self.outcome { [i, j] } else { [j, i] };
        let ((given, against), base) = (p.of(self.outcome), self.family.sides.of(self.outcome).0);
        let scale = base.powi(i - 1) * against.powi(j);
        (given / base).powf(self.family.power - 2.0 + f64::from(i)) * scale
    }

    fn exponents(&self, _p: Sides) -> [f64; 2] {
        let k = self.family.power - 1.0;
        if self.outcome { [k, 1.0] } else { [1.0, k] }
    }
}

/// The density has a part for each outcome; derivatives of the two add up.
impl SmoothRule for PowerScore {
    fn loss_in_probability(&self, forecast: Probability, outcome: bool) -> LossDerivatives {
        let loss = 0.0 - self.score(forecast, outcome);
        sum(loss, self.parts().map(|part| in_probability(&part, Sides::new(forecast), outcome)))
    }

    fn loss_in_logit(&self, logit: f64, outcome: bool) -> LossDerivatives {
        let loss = 0.0 - self.score_of(Sides::of_logit(logit), outcome);
        sum(loss, self.parts().map(|part| in_logit(&part, logit, outcome)))
    }
}

fn sum(loss: f64, [one, other]: [LossDerivatives; 2]) -> LossDerivatives {
    LossDerivatives {
        loss,
        gradient: one.gradient + other.gradient,
        curvature: one.curvature + other.curvature,
    }
}
