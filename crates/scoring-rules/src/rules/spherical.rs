use std::hint::select_unpredictable;

use crate::{
    loops::row_sums::{fill, sum_of_pairs},
    rule::ScoringRule,
    rules::{
        sides::{Sides, sides_of_row},
        smooth::{SmoothScore, ThresholdDensity, smooth_rule},
    },
    values::probability::Probability,
};

/// The spherical score: the probability of the outcome that happened, divided by the length of the
/// vector `(p, 1 - p)`.
///
/// ```text
/// S(p, 1) = p / sqrt(p^2 + (1-p)^2)        S(p, 0) = (1-p) / sqrt(p^2 + (1-p)^2)
/// ```
///
/// Between 0 and 1, strictly proper, symmetric. Up to scale and origin, it is the pseudospherical score
/// of power 2 with a baseline of 1/2. Without the root it would not be proper.
///
/// Reference: Good (1971), Comment on Buehler, in Foundations of Statistical Inference; Gneiting
/// and Raftery (2007), section 4.1, doi:10.1198/016214506000001437.
///
/// In JSON it is written as `"spherical_score"`.
///
/// ```
/// use scoring_rules::{Probability, ScoringRule, SphericalScore};
///
/// let p = Probability::new(0.8)?;
/// assert!((SphericalScore.score(p, true) - 0.8 / 0.68_f64.sqrt()).abs() < 1e-15);
/// assert_eq!(SphericalScore.score(Probability::ZERO, true), 0.0);
/// # Ok::<(), scoring_rules::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SphericalScore;

#[cfg(feature = "serde")]
super::by_name!(SphericalScore);

/// The length of `(p, 1 - p)`: from the root of 1/2 to 1.
#[inline]
fn length(sides: Sides) -> f64 {
    (sides.p * sides.p + sides.rest * sides.rest).sqrt()
}

impl ScoringRule for SphericalScore {
    #[inline]
    fn score(&self, forecast: Probability, outcome: bool) -> f64 {
        self.score_of(Sides::new(forecast), outcome)
    }

    fn entropy(&self, truth: Probability) -> f64 {
        -length(Sides::new(truth))
    }

    /// The length of the truth times one minus the cosine of the angle between the two vectors,
    /// computed from the sine so that nothing cancels.
    fn divergence(&self, forecast: Probability, truth: Probability) -> f64 {
        let (p, q) = (Sides::new(forecast), Sides::new(truth));
        let (of_p, of_q) = (length(p), length(q));
        let sine = (q.p - p.p) / (of_p * of_q);
        let cosine = (q.p * p.p + q.rest * p.rest) / (of_p * of_q);
        of_q * (sine * sine / (1.0 + cosine))
    }

    /// Uses multiplications instead of a root and a division, with an error of at most 3 units in the last place.
    fn fill_scores(&self, forecasts: &[Probability], outcomes: &[bool], scores: &mut [f64]) {
        fill(forecasts, outcomes, scores, score_of_row);
    }

    fn sum_scores(&self, forecasts: &[Probability], outcomes: &[bool]) -> f64 {
        sum_of_pairs(forecasts, outcomes, score_of_row)
    }
}

#[inline(always)]
fn score_of_row(forecast: Probability, outcome: bool) -> f64 {
    let (p, y) = (forecast.get(), f64::from(outcome));
    let (given, against) = sides_of_row(p, y);
    given * inverse_root(given * given + against * against)
}

/// `1 / sqrt(x)` for x from 1/2 to 1: a parabola within 0.4 % and three steps of Newton's method.
#[inline(always)]
fn inverse_root(x: f64) -> f64 {
    let mut root = (0.8355 * x - 2.0662) * x + 2.234;
    for _ in 0..3 {
        root += root * (0.5 - 0.5 * x * root * root);
    }
    select_unpredictable(x == 1.0, 1.0, root)
}

impl SmoothScore for SphericalScore {
    #[inline]
    fn score_of(&self, forecast: Sides, outcome: bool) -> f64 {
        forecast.of(outcome).0 / length(forecast)
    }
}

impl ThresholdDensity for SphericalScore {
    fn density(&self, p: Sides, [i, j]: [i32; 2]) -> f64 {
        p.p.powi(i) * p.rest.powi(j) / length(p).powi(3)
    }

    fn exponents(&self, p: Sides) -> [f64; 2] {
        let square = |x: f64| x * x / (p.p * p.p + p.rest * p.rest);
        [1.0 - 3.0 * square(p.p), 1.0 - 3.0 * square(p.rest)]
    }
}

smooth_rule!(SphericalScore);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_root_keeps_its_digits_and_is_1_at_1() {
        for i in 0..=100_000 {
            let x = 0.5 + f64::from(i) / 200_000.0;
            let exact = 1.0 / x.sqrt();
            assert!((inverse_root(x) - exact).abs() <= 2.0 * f64::EPSILON * exact, "{x}");
        }
        assert_eq!(inverse_root(1.0), 1.0);
    }
}
