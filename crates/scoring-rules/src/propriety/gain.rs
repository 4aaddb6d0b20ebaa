use super::scored::{Scored, share};

/// Gains up to this share of the scores count as rounding. Four times the largest relative error of
/// the rules of this crate: two scores are compared under two outcomes.
pub(super) const ROUNDING: f64 = 4e-12;

/// The expected gain from reporting `other` if `honest` is the truth. Infinite if only one of the two
/// has an infinite score, and 0 if both have.
pub(super) fn gain(honest: &Scored, other: &Scored) -> f64 {
    let truth = honest.report.get();
    match (honest.expected(truth), other.expected(truth)) {
        (f64::NEG_INFINITY, f64::NEG_INFINITY) => 0.0,
        (f64::NEG_INFINITY, _) => f64::INFINITY,
        (_, f64::NEG_INFINITY) => f64::NEG_INFINITY,
        // Outcome by outcome, so that equal scores cancel; weighted first, so that no difference of
        // large numbers overflows.
        _ => {
            let rest = 1.0 - truth;
            (share(truth, other.success) - share(truth, honest.success))
                + (share(rest, other.failure) - share(rest, honest.failure))
        }
    }
}

/// How two reports compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pair {
    /// If one of them is the truth, the other gains.
    Gain,
    /// For either of them as the truth, the other loses.
    Loss,
    /// Their scores are equal to the last bit.
    Tie,
    /// Their scores differ within rounding.
    Undecided,
}

/// Distinguishes gains and losses from rounding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rounding {
    /// The usual size of the score of a success, and of a failure.
    usual: (f64, f64),
}

impl Rounding {
    /// Takes the scores of a report in the middle as the usual size.
    pub(super) fn new(middle: &Scored) -> Self {
        let size = |score: f64| if score.is_finite() { score.abs() } else { 0.0 };
        Self { usual: (size(middle.success), size(middle.failure)) }
    }

    /// The largest gain or loss that rounding explains if scores have a relative error of `ROUNDING`;
    /// infinite scores have no rounding error.
    fn relative(honest: &Scored, other: &Scored) -> f64 {
        let truth = honest.report.get();
        let size = |one: f64, two: f64| one.abs().max(two.abs());
        let scores = share(truth, size(honest.success, other.success))
            + share(1.0 - truth, size(honest.failure, other.failure));
        ROUNDING * scores
    }

    /// The largest gain that rounding explains. It is larger than for a loss, because a small score
    /// may be a difference of usual scores and have their rounding error.
    pub(super) fn of_gain(self, honest: &Scored, other: &Scored) -> f64 {
        let truth = honest.report.get();
        let usual = share(truth, self.usual.0) + share(1.0 - truth, self.usual.1);
        Self::relative(honest, other).max(1e-3 * ROUNDING * usual)
    }

    /// The gain from reporting `other` if `honest` is the truth; `None` if it is within rounding.
    pub(super) fn visible_gain(self, honest: &Scored, other: &Scored) -> Option<f64> {
        let gain = gain(honest, other);
        let visible = gain == f64::INFINITY || gain > self.of_gain(honest, other);
        visible.then_some(gain)
    }

    fn visible_loss(honest: &Scored, other: &Scored) -> bool {
        let gain = gain(honest, other);
        gain == f64::NEG_INFINITY || gain < -Self::relative(honest, other)
    }

    pub(super) fn compare(self, one: &Scored, two: &Scored) -> Pair {
        if self.visible_gain(one, two).is_some() || self.visible_gain(two, one).is_some() {
            Pair::Gain
        } else if one.ties(two) {
            Pair::Tie
        } else if Self::visible_loss(one, two) && Self::visible_loss(two, one) {
            Pair::Loss
        } else {
            Pair::Undecided
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Probability;

    const ENDLESS: f64 = f64::NEG_INFINITY;

    fn at(report: f64, success: f64, failure: f64) -> Scored {
        Scored { report: Probability::new(report).unwrap(), success, failure }
    }

    fn compare(one: Scored, two: Scored) -> Pair {
        Rounding::new(&at(0.5, -0.25, -0.25)).compare(&one, &two)
    }

    #[test]
    fn two_infinite_scores_tie_and_a_single_one_decides() {
        let (a, b) = (at(0.2, ENDLESS, -1.0), at(0.3, ENDLESS, -2.0));
        assert_eq!((gain(&a, &b), gain(&b, &a)), (0.0, 0.0));
        assert_eq!(compare(a, b), Pair::Tie);
        let finite = at(0.4, -5.0, -9.0);
        assert_eq!((gain(&a, &finite), gain(&finite, &a)), (f64::INFINITY, ENDLESS));
        assert_eq!(compare(a, finite), Pair::Gain);
        assert_eq!(compare(at(0.0, ENDLESS, 0.0), at(0.3, -1.2, -0.4)), Pair::Loss);
    }

    #[test]
    fn scores_near_the_largest_number_are_compared_without_overflow() {
        let (a, b) = (at(0.5, f64::MAX, f64::MIN), at(0.75, f64::MIN, f64::MAX));
        assert!(!gain(&a, &b).is_nan() && !gain(&b, &a).is_nan());
        // A large gain under one outcome does not make up for an infinite loss.
        let (poor, endless) = (at(0.25, 0.0, f64::MIN), at(0.75, ENDLESS, f64::MAX));
        assert_eq!(gain(&poor, &endless), ENDLESS);
        let (endless, poor) = (at(0.25, ENDLESS, f64::MAX), at(0.75, 0.0, f64::MIN));
        assert_eq!(gain(&endless, &poor), f64::INFINITY);
    }

    #[test]
    fn a_gain_within_rounding_does_not_count_and_an_equal_score_is_a_tie() {
        let honest = at(0.5, -1.0, -1.0);
        assert_eq!(compare(honest, at(0.6, -1.0, -1.0)), Pair::Tie);
        assert_eq!(compare(honest, at(0.6, -1.0 + 1e-12, -1.0)), Pair::Undecided);
        assert_eq!(compare(honest, at(0.6, -1.0 + 1e-11, -1.0)), Pair::Gain);
        assert_eq!(compare(honest, at(0.6, -0.9, -1.13)), Pair::Loss);
    }

    #[test]
    fn a_small_score_has_the_rounding_error_of_the_usual_ones_for_possible_outcomes() {
        let gain = 3e-14;
        let gains = |usual: [f64; 2], truth: f64| {
            let rounding = Rounding::new(&at(0.5, usual[0], usual[1]));
            let (honest, other) = (at(truth, 1e-6, 1e-6), at(0.6, 1e-6 + gain, 1e-6 + gain));
            rounding.visible_gain(&honest, &other).is_some()
        };
        // For scores of size 16, three units in the last place are 1e-14.
        assert!(gains([-1.0, -1.0], 0.5) && !gains([-16.0, -16.0], 0.5));
        assert!(gains([-1.0, -16.0], 1.0) && !gains([-1.0, -16.0], 0.0));
        assert!(gains([-16.0, -1.0], 0.0) && !gains([-16.0, -1.0], 1.0));
    }

    #[test]
    fn reports_that_tie_at_one_of_the_two_truths_are_undecided() {
        let (zero, other) = (at(0.0, -1.0, 0.0), at(0.3, -0.5, 0.0));
        assert_eq!(compare(zero, other), Pair::Undecided);
        assert_eq!(compare(other, zero), Pair::Undecided);
    }
}
