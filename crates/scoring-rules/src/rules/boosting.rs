use crate::{
    rule::ScoringRule,
    rules::{
        sides::Sides,
        smooth::{LossDerivatives, SmoothRule, SmoothScore, ThresholdDensity, in_probability},
    },
    values::probability::Probability,
};

/// The boosting score: the square root of the odds against the outcome that happened, times -1. It is the exponential
/// loss at half the logit, times -1.
///
/// ```text
/// S(p, 1) = -sqrt((1-p) / p)        S(p, 0) = -sqrt(p / (1-p))
/// ```
///
/// Between minus infinity and 0, strictly proper, symmetric. It is half the beta score with parameters
/// (-1/2, -1/2). Forecasts close to a wrong certainty cost more than under the log score.
///
/// Reference: Buja, Stuetzle and Shen (2005), Loss functions for binary class probability
/// estimation and classification: structure and applications, section 4.
///
/// In JSON it is written as `"boosting_score"`.
///
/// ```
/// use scoring_rules::{BoostingScore, Probability, ScoringRule};
///
/// let p = Probability::new(0.8)?;
/// assert!((BoostingScore.score(p, false) + 2.0).abs() < 1e-15);
/// assert_eq!(BoostingScore.score(Probability::ONE, false), f64::NEG_INFINITY);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoostingScore;

#[cfg(feature = "serde")]
super::by_name!(BoostingScore);

impl ScoringRule for BoostingScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        self.score_of(Sides::new(forecast), outcome)
    }

    fn entropy(&self, truth: Probability) -> f64 {
        2.0 * (truth.get() * truth.complement().get()).sqrt()
    }

    /// A square over a root, so that nothing cancels.
    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        let (p, q) = (Sides::new(forecast), Sides::new(truth));
        if p.p == q.p {
            return 0.0;
        }
        // q (1-p) + (1-q) p - 2 sqrt(q (1-q) p (1-p)) is the square of a difference of roots, which
        // is (q - p) divided by the sum of the roots.
        let sum = (q.p * p.rest).sqrt() + (q.rest * p.p).sqrt();
        let difference = (q.p - p.p) / sum;
        difference / (p.p * p.rest).sqrt() * difference
    }
}

impl SmoothScore for BoostingScore {
    #[inline]
    fn score_of(&self, forecast: Sides, outcome: bool) -> f64 {
        let (given, against) = forecast.of(outcome);
        // Two roots, because the quotient may overflow; a difference, so that a right certainty
        // scores 0 and not negative 0.
        0.0 - against.sqrt() / given.sqrt()
    }
}

impl ThresholdDensity for BoostingScore {
    fn density(&self, p: Sides, [i, j]: [i32; 2]) -> f64 {
        0.5 * p.p.powf(f64::from(i) - 1.5) * p.rest.powf(f64::from(j) - 1.5)
    }

    fn exponents(&self, _p: Sides) -> [f64; 2] {
        [-0.5; 2]
    }
}

impl SmoothRule for BoostingScore {
    fn loss_in_probability(&self, forecast: Probability, outcome: bool) -> LossDerivatives {
        in_probability(self, forecast, outcome)
    }

    fn loss_in_logit(&self, logit: f64, outcome: bool) -> LossDerivatives {
        let half = if outcome { -0.5 } else { 0.5 };
        let loss = (half * logit).exp();
        LossDerivatives { loss, gradient: half * loss, curvature: loss / 4.0 }
    }
}
