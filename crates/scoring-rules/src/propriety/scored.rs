use crate::{error::Error, rule::ScoringRule, values::probability::Probability};

/// The smallest report other than 0.
const SMALLEST: f64 = 1e-300;

/// A report with its scores under both outcomes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scored {
    pub(super) report: Probability,
    pub(super) success: f64,
    pub(super) failure: f64,
}

impl Scored {
    pub(super) fn new(rule: &impl ScoringRule, report: Probability) -> Result<Self, Error> {
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

    /// The expected score of the report; an outcome of probability 0 does not count.
    pub(super) fn expected(&self, truth: f64) -> f64 {
        share(truth, self.success) + share(1.0 - truth, self.failure)
    }

    /// Whether the two have the same expected score for every truth: the same scores under both
    /// outcomes, or minus infinity under one of them.
    pub(super) fn ties(&self, other: &Self) -> bool {
        let endless = |one: f64, two: f64| one == f64::NEG_INFINITY && two == f64::NEG_INFINITY;
        (self.success == other.success && self.failure == other.failure)
            || endless(self.success, other.success)
            || endless(self.failure, other.failure)
    }

    /// The report half way to a larger report, counted in representable numbers: a range from 0 is
    /// halved in its exponents. `None` if there is no number in between, or if the reciprocal of this
    /// number could overflow in a rule.
    pub(super) fn middle(&self, upper: &Self) -> Option<f64> {
        let (low, high) = (self.report.get().to_bits(), upper.report.get().to_bits());
        let middle = f64::from_bits(low + high.saturating_sub(low) / 2);
        (middle > self.report.get() && middle > SMALLEST).then_some(middle)
    }
}

/// `weight * score`, and 0 for a weight of 0 even if the score is infinite.
pub(super) fn share(weight: f64, score: f64) -> f64 {
    if weight == 0.0 { 0.0 } else { weight * score }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(report: f64, success: f64, failure: f64) -> Scored {
        Scored { report: Probability::new(report).unwrap(), success, failure }
    }

    #[test]
    fn an_outcome_of_probability_zero_does_not_count() {
        assert_eq!(at(0.0, f64::NEG_INFINITY, -1.0).expected(0.0), -1.0);
        assert_eq!(at(0.0, f64::NEG_INFINITY, -1.0).expected(0.1), f64::NEG_INFINITY);
    }

    #[test]
    fn the_middle_lies_between_until_no_number_does() {
        let mut low = at(0.0, 0.0, 0.0);
        let one = at(1.0, 0.0, 0.0);
        let mut steps = 0;
        while let Some(middle) = low.middle(&one) {
            assert!(middle > low.report.get() && middle < 1.0);
            low = at(middle, 0.0, 0.0);
            steps += 1;
        }
        assert_eq!(low.report.get(), 1.0 - f64::EPSILON / 2.0);
        assert!(steps <= 64, "{steps}");
    }
}
