use crate::{error::Error, rule::ScoringRule, values::probability::Probability};

/// The share of successes, which is 0 or 1 only if all rows agree: a certainty that a rounding made
/// would cost what no row did.
pub(crate) fn success_rate(failures: f64, successes: f64) -> f64 {
    let rate = successes / (failures + successes);
    if failures > 0.0 { rate.min(1.0_f64.next_down()) } else { rate }
}

/// Rows of one group: the weight of each outcome, and the rate of success as a forecast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcomes {
    failures: f64,
    successes: f64,
    pub(crate) rate: Probability,
}

/// Closer to 1 than this a rate has lost digits that a loss of one of its neighbours may show.
const NEAR_ONE: f64 = 1e-9;

impl Outcomes {
    /// At least one of the weights is positive.
    ///
    /// Of the numbers next to a rate close to 1 it is the one that loses least under the rule.
    pub(crate) fn new<R: ScoringRule + ?Sized>(
        rule: &R,
        failures: f64,
        successes: f64,
    ) -> Result<Self, Error> {
        let rate = success_rate(failures, successes);
        let mut best = Probability::new(rate)?;
        if failures > 0.0 && 1.0 - rate < NEAR_ONE {
            let loss = |p| 0.0 - failures * rule.score(p, false) - successes * rule.score(p, true);
            for neighbour in [rate.next_down(), rate.next_up().min(1.0)] {
                let neighbour = Probability::new(neighbour)?;
                if loss(neighbour) < loss(best) {
                    best = neighbour;
                }
            }
        }
        Ok(Self { failures, successes, rate: best })
    }

    pub(crate) fn weight(self) -> f64 {
        self.failures + self.successes
    }

    /// What these rows lose in total by `forecast` instead of by their rate.
    pub(crate) fn lost_by<R: ScoringRule + ?Sized>(self, rule: &R, forecast: Probability) -> f64 {
        let lost = |outcome| rule.score(self.rate, outcome) - rule.score(forecast, outcome);
        let divergence = || self.weight() * rule.divergence(forecast, self.rate);
        let total = self.total(divergence, [lost(false), lost(true)]);
        // The rounded rate is not exactly the best forecast. That a neighbour is better by less than
        // rounding is no gain.
        if total < 0.0 && divergence() >= 0.0 { 0.0 } else { total }
    }

    /// The mean loss of these rows if the forecast is their rate.
    pub(crate) fn entropy<R: ScoringRule + ?Sized>(self, rule: &R) -> f64 {
        let losses = [false, true].map(|outcome| 0.0 - rule.score(self.rate, outcome));
        self.total(|| self.weight() * rule.entropy(self.rate), losses) / self.weight()
    }

    /// The sum of a loss over the rows, by outcome, given what it would be if they succeeded exactly
    /// at the rate. That has more digits where losses nearly cancel, but the rate is rounded. The sum
    /// is linear in it, so that the losses give the rest.
    fn total(self, at_rate: impl FnOnce() -> f64, [of_failure, of_success]: [f64; 2]) -> f64 {
        let (rate, rest) = (self.rate.get(), self.rate.complement().get());
        // The weight of failures beyond what the rate says.
        let unexpected = self.failures.mul_add(rate, -(self.successes * rest));
        let difference = of_failure - of_success;
        // With an infinite loss the sum at the rate is infinite already.
        if unexpected == 0.0 || !difference.is_finite() {
            return at_rate();
        }
        // Next to 1 the rounding of the rate is as large as its distance to 1.
        if unexpected.abs() > 0.25 * self.weight() * rest {
            return self.failures * of_failure + self.successes * of_success;
        }
        at_rate() + unexpected * difference
    }
}
