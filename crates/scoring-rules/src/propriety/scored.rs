use crate::{error::Error, rule::ScoringRule, values::probability::Probability};

/// Gains up to this share of the scores count as rounding. Four times the largest relative error of
/// the rules of this crate: two scores are compared under two outcomes.
pub(super) const ROUNDING: f64 = 4e-12;

/// A report with its scores under both outcomes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) report: Probability,
    success: f64,
    failure: f64,
}

impl Scored {
    pub(super) fn new(
        rule: &(impl ScoringRule + ?Sized),
        report: Probability,
    ) -> Result<Self, Error> {
        let score = |outcome| {
            let value = rule.score(report, outcome);
            // Written so that a NaN falls into the error arm.
            if value < f64::INFINITY {
                Ok(value)
            } else {
                Err(Error::Score { forecast: report.get(), outcome, value })
            }
        };
        Ok(Self { report, success: score(true)?, failure: score(false)? })
    }

    /// The sum over both outcomes of their probability times a value.
    fn expected(&self, success: f64, failure: f64) -> f64 {
        let truth = self.report.get();
        share(truth, success) + share(1.0 - truth, failure)
    }

    /// The expected gain from reporting `other` if this report is the truth. Infinite if only one of the two
    /// has an infinite score, and 0 if both have.
    fn gain_of(&self, other: &Self) -> f64 {
        let endless =
            |scored: &Self| self.expected(scored.success, scored.failure) == f64::NEG_INFINITY;
        match (endless(self), endless(other)) {
            (true, true) => 0.0,
            (true, false) => f64::INFINITY,
            (false, true) => f64::NEG_INFINITY,
            // Outcome by outcome, so that equal scores cancel; weighted first, so that no difference of
            // large numbers overflows.
            (false, false) => {
                let (truth, rest) = (self.report.get(), 1.0 - self.report.get());
                (share(truth, other.success) - share(truth, self.success))
                    + (share(rest, other.failure) - share(rest, self.failure))
            }
        }
    }

    /// Whether the two have the same expected score for every truth: the same scores under both
    /// outcomes, or minus infinity under one of them.
    pub(super) fn ties(&self, other: &Self) -> bool {
        let endless = |one: f64, two: f64| one == f64::NEG_INFINITY && two == f64::NEG_INFINITY;
        (self.success == other.success && self.failure == other.failure)
            || endless(self.success, other.success)
            || endless(self.failure, other.failure)
    }
}

/// `weight * score`, and 0 for a weight of 0 even if the score is infinite.
fn share(weight: f64, score: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * score }
}

/// Distinguishes gains from rounding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding {
    /// The usual size of the score of a success, and of a failure.
    usual: [f64; 2],
}

impl Rounding {
    /// Takes the scores of a report in the middle as the usual size.
    pub(super) fn new(middle: &Scored) -> Self {
        let size = |score: f64| if score.is_finite() { score.abs() } else { 0.0 };
        Self { usual: [size(middle.success), size(middle.failure)] }
    }

    /// The gain from reporting `other` if `truth` is the truth; `None` if rounding explains it. A small score may
    /// be a difference of usual scores and have their rounding error.
    pub(super) fn visible_gain(self, truth: &Scored, other: &Scored) -> Option<f64> {
        let gain = truth.gain_of(other);
        let larger = |one: f64, two: f64| one.abs().max(two.abs());
        let rounding = || {
            let (success, failure) =
                (larger(truth.success, other.success), larger(truth.failure, other.failure));
            let usual = truth.expected(self.usual[0], self.usual[1]);
            ROUNDING * truth.expected(success, failure).max(1e-3 * usual)
        };
        let visible = gain == f64::INFINITY || gain > 0.0 && gain > rounding();
        visible.then_some(gain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDLESS: f64 = f64::NEG_INFINITY;

    fn at(report: f64, success: f64, failure: f64) -> Scored {
        Scored { report: Probability::new(report).unwrap(), success, failure }
    }

    #[test]
    fn two_infinite_scores_tie_and_a_single_one_decides_if_its_outcome_is_possible() {
        let (a, b) = (at(0.2, ENDLESS, -1.0), at(0.3, ENDLESS, -2.0));
        assert_eq!((a.gain_of(&b), b.gain_of(&a)), (0.0, 0.0));
        assert!(a.ties(&b));
        let finite = at(0.4, -5.0, -9.0);
        assert_eq!((a.gain_of(&finite), finite.gain_of(&a)), (f64::INFINITY, ENDLESS));
        assert_eq!(at(0.0, ENDLESS, -1.0).gain_of(&at(0.5, 0.0, -3.0)), -2.0);
    }

    #[test]
    fn scores_near_the_largest_number_are_compared_without_overflow() {
        let (a, b) = (at(0.5, f64::MAX, f64::MIN), at(0.75, f64::MIN, f64::MAX));
        assert!(!a.gain_of(&b).is_nan() && !b.gain_of(&a).is_nan());
        // A large gain under one outcome does not make up for an infinite loss.
        let (poor, endless) = (at(0.25, 0.0, f64::MIN), at(0.75, ENDLESS, f64::MAX));
        assert_eq!(poor.gain_of(&endless), ENDLESS);
        let (endless, poor) = (at(0.25, ENDLESS, f64::MAX), at(0.75, 0.0, f64::MIN));
        assert_eq!(endless.gain_of(&poor), f64::INFINITY);
    }

    #[test]
    fn a_small_score_has_the_rounding_error_of_the_usual_ones_for_possible_outcomes() {
        let gains = |usual: [f64; 2], truth: f64, gain: f64| {
            let rounding = Rounding::new(&at(0.5, usual[0], usual[1]));
            let (honest, other) = (at(truth, 1e-6, 1e-6), at(0.6, 1e-6 + gain, 1e-6 + gain));
            rounding.visible_gain(&honest, &other).is_some()
        };
        // For scores of size 16, three units in the last place are 1e-14.
        assert!(gains([-1.0, -1.0], 0.5, 3e-14) && !gains([-16.0, -16.0], 0.5, 3e-14));
        assert!(gains([-1.0, -16.0], 1.0, 3e-14) && !gains([-1.0, -16.0], 0.0, 3e-14));
        assert!(gains([-16.0, -1.0], 0.0, 3e-14) && !gains([-16.0, -1.0], 1.0, 3e-14));
        // Without usual scores, the share of the score itself is 4e-18.
        assert!(gains([0.0, 0.0], 0.5, 1e-16) && !gains([1e-6, 1e-6], 0.5, 0.0));
    }
}
