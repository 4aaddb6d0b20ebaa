use crate::{
    loops::{runs::Runs, step_weights::StepWeights, window::sums_of_finite},
    rule::ScoringRule,
    rules::{
        sides::Sides,
        smooth::{SmoothScore, ThresholdDensity, smooth_rule},
    },
    values::probability::Probability,
};

/// The Brier (quadratic) score, `-(p - y)^2`, where p is the forecast and y is 1 for a success and 0 for a failure. It
/// lies between -1 and 0, and is strictly proper and symmetric.
///
/// It is twice the beta score with parameters (1, 1).
///
/// Reference: Brier (1950), Verification of forecasts expressed in terms of probability,
/// doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
///
/// In JSON it is written as `"brier_score"`.
///
/// ```
/// use scoring_rules::{BrierScore, Probability, ScoringRule};
///
/// let p = Probability::new(0.75)?;
/// assert_eq!(BrierScore.score(p, true), -0.0625);
/// assert_eq!(BrierScore.score(p, false), -0.5625);
/// assert_eq!(BrierScore.entropy(p), 0.1875);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrierScore;

#[cfg(feature = "serde")]
super::by_name!(BrierScore);

impl ScoringRule for BrierScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        let error = forecast.get() - f64::from(outcome);
        // A difference, so that a right certainty scores 0 and not negative 0.
        0.0 - error * error
    }

    fn expected(&self, forecast: Probability, truth: Probability) -> f64 {
        0.0 - self.entropy(truth) - self.divergence(forecast, truth)
    }

    fn entropy(&self, truth: Probability) -> f64 {
        truth.get() * truth.complement().get()
    }

    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        let error = forecast.get() - truth.get();
        error * error
    }

    fn weighted_sums(&self, runs: Runs<'_>, weights: StepWeights, sums: &mut [f64]) {
        sums_of_finite(weights, runs, sums, |outcome| move |p| BrierScore.score(p, outcome));
    }
}

impl SmoothScore for BrierScore {
    fn score_of(&self, forecast: Sides, outcome: bool) -> f64 {
        let error = forecast.of(outcome).1;
        0.0 - error * error
    }
}

impl ThresholdDensity for BrierScore {
    fn density(&self, p: Sides, [i, j]: [i32; 2]) -> f64 {
        2.0 * p.p.powi(i) * p.rest.powi(j)
    }

    fn exponents(&self, _p: Sides) -> [f64; 2] {
        [1.0; 2]
    }
}

smooth_rule!(BrierScore);
