use crate::{error::Error, rule::ScoringRule, values::probability::Probability};

/// The weighted share of successes, which is 1 only if no row failed: a rate that was rounded to 1
/// would have an infinite log loss.
pub(crate) fn success_rate(failures: f64, successes: f64) -> f64 {
    let rate = successes / (failures + successes);
    if failures > 0.0 { rate.min(1.0_f64.next_down()) } else { rate }
}

/// The weights of the outcomes of some rows, and their success rate as a forecast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outcomes {
    failures: f64,
    successes: f64,
    pub(crate) rate: Probability,
}

/// A rate closer to 1 than this has so few digits of `1 - rate` that a neighbouring number may have
/// a smaller loss.
const NEAR_ONE: f64 = 1e-9;

impl Outcomes {
    /// Computes the success rate. At least one of the weights must be positive. If the rate is
    /// close to 1, the neighbouring number with the smallest loss is used.
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

    /// The increase of the total loss of these rows if the forecast is not their rate.
    pub(crate) fn lost_by<R: ScoringRule + ?Sized>(self, rule: &R, forecast: Probability) -> f64 {
        let lost = |outcome| rule.score(self.rate, outcome) - rule.score(forecast, outcome);
        let divergence = || self.weight() * rule.divergence(forecast, self.rate);
        let total = self.total(divergence, [lost(false), lost(true)]);
        // The rounded rate is not exactly the best forecast, so that a neighbouring number may have
        // a slightly smaller loss.
        if total < 0.0 && divergence() >= 0.0 { 0.0 } else { total }
    }

    /// The mean loss of these rows if the forecast is their success rate.
    pub(crate) fn entropy<R: ScoringRule + ?Sized>(self, rule: &R) -> f64 {
        let losses = [false, true].map(|outcome| 0.0 - rule.score(self.rate, outcome));
        self.total(|| self.weight() * rule.entropy(self.rate), losses) / self.weight()
    }

    /// The sum of a loss over the rows. It is computed from the sum for rows that succeed exactly
    /// at the rounded rate, plus the effect of the rounding of the rate. If losses nearly cancel,
    /// this computation keeps more digits.
    fn total(self, at_rate: impl FnOnce() -> f64, [of_failure, of_success]: [f64; 2]) -> f64 {
        let (rate, rest) = (self.rate.get(), self.rate.complement().get());
        // The weight of failures in excess of the rounded rate.
        let unexpected = self.failures.mul_add(rate, -(self.successes * rest));
        let difference = of_failure - of_success;
        // If a loss is infinite, so is the sum at the rate.
        if unexpected == 0.0 || !difference.is_finite() {
            return at_rate();
        }
        // Next to 1 the rounding error of the rate may be as large as its distance to 1.
        if unexpected.abs() > 0.25 * self.weight() * rest {
            return self.failures * of_failure + self.successes * of_success;
        }
        at_rate() + unexpected * difference
    }
}
