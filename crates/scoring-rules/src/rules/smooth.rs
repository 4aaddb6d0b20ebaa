use crate::{rule::ScoringRule, rules::sides::Sides, values::probability::Probability};

/// A loss and its first two derivatives. In JSON, infinite numbers are `"inf"` and `"-inf"`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct LossDerivatives {
    /// The loss, which is the score times -1.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub loss: f64,
    /// The first derivative of the loss.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub gradient: f64,
    /// The second derivative of the loss.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::infinite::serialize"))]
    pub curvature: f64,
}

/// A rule whose loss has derivatives, which training needs. The loss is the score times -1.
///
/// The loss of a proper rule that is smooth enough follows from a density w(c) of thresholds c:
///
/// ```text
/// d loss / d p     = (p - y) w(p)
/// d loss / d logit = (p - y) w(p) p (1-p)
/// ```
///
/// In the logit, the log loss is convex, with a gradient within [-1, 1]. For a bounded score, the
/// gradient falls to 0 near a certainty, right or wrong, and the curvature is negative there. Beyond
/// the clip of [`LogScore::clipped`](crate::LogScore::clipped) both derivatives are 0.
///
/// Reference: Buja, Stuetzle and Shen (2005), Loss functions for binary class probability
/// estimation and classification: structure and applications, sections 4 to 6.
///
/// ```
/// use scoring_rules::{LogScore, Probability, SmoothRule};
///
/// // The gradient of the log loss in the logit is the error, p - y.
/// let at_logit = LogScore::exact().loss_in_logit(0.0, true);
/// assert_eq!((at_logit.gradient, at_logit.curvature), (-0.5, 0.25));
/// assert!((at_logit.loss - 2.0_f64.ln()).abs() < 1e-15);
///
/// let in_p = LogScore::exact().loss_in_probability(Probability::HALF, true);
/// assert_eq!((in_p.gradient, in_p.curvature), (-2.0, 4.0));
/// ```
pub trait SmoothRule: ScoringRule {
    /// Returns the loss and its derivatives with respect to the forecast p. At exactly 0 or 1 the derivatives are
    /// evaluated at a distance of 1e-150; they are huge if there is no limit.
    fn loss_in_probability(&self, forecast: Probability, outcome: bool) -> LossDerivatives;

    /// Returns the loss and its derivatives with respect to the logit of the forecast p, `ln (p / (1-p))`. The digits
    /// of `1 - p` are kept even if p itself would be rounded to 1. A NaN gives NaN. Beyond ±700, where p or 1 - p is
    /// close to the smallest number, [`LogScore`](crate::LogScore) and [`BoostingScore`](crate::BoostingScore) still
    /// keep their digits, and the other rules tend to their values at 0 and 1.
    fn loss_in_logit(&self, logit: f64, outcome: bool) -> LossDerivatives;
}

impl LossDerivatives {
    pub(crate) fn new(loss: f64, [gradient, curvature]: [f64; 2]) -> Self {
        Self { loss, gradient, curvature }
    }
}

/// The density of decision thresholds of a rule, from which the derivatives of its loss follow.
pub(crate) trait ThresholdDensity {
    /// The density at the threshold p times powers of p and of `1 - p`, in one product so that no
    /// single factor overflows.
    fn density(&self, p: Sides, powers: [i32; 2]) -> f64;

    /// Two numbers a and b such that the logarithm of `p (1-p)` times the density has the derivative
    /// `a (1-p) - b p` in the logit of p. For the beta family they are its parameters.
    fn exponents(&self, p: Sides) -> [f64; 2];
}

/// A rule that is the mixture of thresholds with one density.
pub(crate) trait SmoothScore: ThresholdDensity {
    fn score_of(&self, forecast: Sides, outcome: bool) -> f64;

    /// Minus the score of the forecast with the given logit.
    fn loss_of_logit(&self, logit: f64, outcome: bool) -> f64 {
        0.0 - self.score_of(Sides::of_logit(logit), outcome)
    }
}

/// Loss and derivatives in the forecast.
pub(crate) fn in_probability(
    rule: &impl SmoothScore,
    forecast: Probability,
    outcome: bool,
) -> LossDerivatives {
    let at = Sides::new(forecast);
    let derivatives = derivatives_in_probability(rule, at, outcome);
    LossDerivatives::new(0.0 - rule.score_of(at, outcome), derivatives)
}

/// Loss and derivatives in the logit of the forecast.
pub(crate) fn in_logit(rule: &impl SmoothScore, logit: f64, outcome: bool) -> LossDerivatives {
    let derivatives = derivatives_in_logit(rule, logit, outcome);
    LossDerivatives::new(rule.loss_of_logit(logit, outcome), derivatives)
}

/// The first and second derivative of the loss in the forecast.
pub(crate) fn derivatives_in_probability(
    rule: &impl ThresholdDensity,
    at: Sides,
    outcome: bool,
) -> [f64; 2] {
    let at = at.inside(1e-150);
    let ([a, b], density) = (rule.exponents(at), |powers| rule.density(at, powers));
    // One product, in which neither factor overflows unless the whole does.
    let sum = |own: f64, odds: f64, other: f64, powers: [i32; 2]| {
        let change = own + (1.0 - other) * odds;
        if change.abs() < 1e100 {
            density([0, 0]) * change
        } else {
            density(powers) * (own / odds + (1.0 - other))
        }
    };
    if outcome {
        [-density([0, 1]), sum(b, at.rest / at.p, a, [-1, 1])]
    } else {
        [density([1, 0]), sum(a, at.p / at.rest, b, [1, -1])]
    }
}

/// The first and second derivative of the loss in the logit of the forecast.
pub(crate) fn derivatives_in_logit(
    rule: &impl ThresholdDensity,
    logit: f64,
    outcome: bool,
) -> [f64; 2] {
    if logit.is_nan() {
        return [logit; 2];
    }
    let at = Sides::of_logit(logit).inside(f64::MIN_POSITIVE);
    let [a, b] = rule.exponents(at);
    let (gradient, relative_change) = if outcome {
        (-rule.density(at, [1, 2]), a * at.rest - (1.0 + b) * at.p)
    } else {
        (rule.density(at, [2, 1]), (1.0 + a) * at.rest - b * at.p)
    };
    [gradient, relative_change * gradient]
}

/// Implements [`SmoothRule`] for a rule of this crate by its [`SmoothScore`].
macro_rules! smooth_rule {
    ($rule:ident) => {
        impl $crate::SmoothRule for $rule {
            fn loss_in_probability(
                &self,
                p: Probability,
                outcome: bool,
            ) -> $crate::LossDerivatives {
                $crate::rules::smooth::in_probability(self, p, outcome)
            }

            fn loss_in_logit(&self, logit: f64, outcome: bool) -> $crate::LossDerivatives {
                $crate::rules::smooth::in_logit(self, logit, outcome)
            }
        }
    };
}
pub(crate) use smooth_rule;
