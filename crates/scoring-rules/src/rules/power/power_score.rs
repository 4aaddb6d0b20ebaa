use crate::{
    error::Error,
    rule::ScoringRule,
    rules::{
        power::{
            baseline::Baseline,
            functions::{above_tangent, box_cox},
        },
        sides::Sides,
        smooth::{
            LossDerivatives, SmoothRule, ThresholdDensity, derivatives_in_logit,
            derivatives_in_probability,
        },
    },
    values::level::Level,
    values::probability::Probability,
};

/// The power family of scores, each relative to a baseline forecast b, which scores 0 under both outcomes.
///
/// With `u = p / b` and `v = (1-p) / (1-b)`, and r the one of these that belongs to the outcome:
///
/// ```text
/// S = (r^(k-1) - 1) / (k-1) - (b u^k + (1-b) v^k - 1) / k
/// ```
///
/// and its limits for a power k of 0 or 1. Strictly proper for every k; for k <= 0, among reports
/// other than 0 and 1. Positive if the forecast gave the outcome a higher probability than the
/// baseline did. Power 2 with a baseline of 1/2 is twice the Brier score plus 1/2. Power 1 is the log
/// score minus the log score of the baseline. For k <= 1, a wrong certainty scores minus infinity;
/// for k <= 0, a right certainty scores plus infinity.
///
/// Relative error at most 1e-12. For k <= 0, a sample in which infinities of both signs meet has no
/// mean and no decomposition.
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
/// // The baseline scores 0, and a better forecast scores more.
/// let rule = PowerScore::new(1.5, Level::new(0.1)?)?;
/// assert_eq!(rule.score(Probability::new(0.1)?, true), 0.0);
/// assert!(rule.score(Probability::new(0.2)?, true) > 0.0);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct PowerScore(pub(crate) Baseline);

impl PowerScore {
    /// Creates the rule of the power family with the given power and baseline.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless the power is from -10 to 10 and the baseline from 0.001 to 0.999.
    pub fn new(power: f64, baseline: Level) -> Result<Self, Error> {
        Baseline::new(power, baseline).map(Self)
    }
}

impl ScoringRule for PowerScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        self.score_of(Sides::new(forecast), outcome)
    }

    /// Minus infinity for a certainty that may be wrong, even if it scores plus infinity when right:
    /// the limit, because the loss is of the higher order.
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
        // The expected score of the baseline is 0.
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
    fn score_of(&self, forecast: Sides, outcome: bool) -> f64 {
        let (k, (base, other)) = (self.0.power, self.0.sides.of(outcome));
        let (r, r_excess) = self.0.ratio(forecast, outcome);
        let (t, t_excess) = self.0.ratio(forecast, !outcome);
        let gain = box_cox(k - 1.0, r, r_excess);
        if gain == f64::NEG_INFINITY {
            // The other term may be infinite too, but of a lower order.
            return gain;
        }
        gain - (base * box_cox(k, r, r_excess) + other * box_cox(k, t, t_excess))
    }

    /// The density of thresholds is the sum of these two.
    fn parts(&self) -> [PowerPart; 2] {
        [true, false].map(|outcome| PowerPart { family: self.0, outcome })
    }
}

/// The part of the density that belongs to one outcome: (its ratio)^(k-2) / its baseline.
struct PowerPart {
    family: Baseline,
    outcome: bool,
}

impl ThresholdDensity for PowerPart {
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

impl SmoothRule for PowerScore {
    fn loss_in_probability(&self, forecast: Probability, outcome: bool) -> LossDerivatives {
        let at = Sides::new(forecast);
        let parts = self.parts().map(|part| derivatives_in_probability(&part, at, outcome));
        LossDerivatives::new(0.0 - self.score_of(at, outcome), sum(parts))
    }

    fn loss_in_logit(&self, logit: f64, outcome: bool) -> LossDerivatives {
        let loss = 0.0 - self.score_of(Sides::of_logit(logit), outcome);
        let parts = self.parts().map(|part| derivatives_in_logit(&part, logit, outcome));
        LossDerivatives::new(loss, sum(parts))
    }
}

fn sum([one, other]: [[f64; 2]; 2]) -> [f64; 2] {
    [one[0] + other[0], one[1] + other[1]]
}
