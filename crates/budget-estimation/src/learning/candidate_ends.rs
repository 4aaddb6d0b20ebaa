use scoring_rules::Level;

use crate::forest::distribution::Distribution;

/// Number of candidates for each end of an interval.
pub(super) const CANDIDATES: usize = 15;

/// The position of the end that leaves half of the missing coverage outside.
pub(super) const CENTRAL: usize = 8;

/// Probability outside a bound, relative to the probability outside a bound of the central interval.
const TAILS: [f64; 12] = [0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.5, 1.8, 2.2, 2.7, 3.3];

/// Lower bounds below the lowest quantile, and upper bounds above the highest quantile, as multiples of it.
const BELOW: [f64; 3] = [0.0, 0.3, 0.6];
const ABOVE: [f64; 3] = [4.0, 2.0, 1.4];

/// Candidates for the bounds of an interval at one prefix, from the widest to the narrowest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct CandidateEnds {
    pub(super) lows: [f64; CANDIDATES],
    pub(super) highs: [f64; CANDIDATES],
    /// The share of the predicted total that was spent.
    pub(super) progress: f64,
}

/// The predicted distribution of the remaining cost after a prefix, truncated at the amount left under the
/// cap.
#[derive(Clone, Copy)]
pub(super) struct Remaining<'a> {
    distribution: Distribution<'a>,
    tail: f64,
    left: f64,
    /// The probability of at most the amount left.
    fits: f64,
    spent: f64,
}

impl<'a> Remaining<'a> {
    pub(super) fn new(
        distribution: Distribution<'a>,
        coverage: Level,
        spent: f64,
        left: Option<f64>,
    ) -> Self {
        let left = left.map_or(f64::INFINITY, |left| left.max(0.0));
        let fits = if left < f64::INFINITY { distribution.probability_up_to(left) } else { 1.0 };
        Self { distribution, tail: (1.0 - coverage.get()) / 2.0, left, fits, spent }
    }

    pub(super) fn quantile(&self, p: f64) -> f64 {
        self.distribution.quantile(p * self.fits).min(self.left)
    }

    pub(super) fn low(&self, candidate: usize) -> f64 {
        let (factor, tail) = part(candidate, BELOW);
        if self.fits <= 0.0 || factor == 0.0 {
            return 0.0;
        }
        factor * self.quantile(self.tail_of(tail))
    }

    pub(super) fn high(&self, candidate: usize) -> f64 {
        let (factor, tail) = part(candidate, ABOVE);
        if self.fits <= 0.0 {
            return self.left;
        }
        (factor * self.quantile(1.0 - self.tail_of(tail))).min(self.left)
    }

    fn tail_of(&self, tail: usize) -> f64 {
        TAILS.get(tail).map_or(0.5, |relative| (relative * self.tail).min(0.5))
    }

    /// Returns the share of the predicted total that was spent.
    pub(super) fn progress(&self) -> f64 {
        let total = self.spent + self.quantile(0.5);
        if total > 0.0 { self.spent / total } else { 0.0 }
    }

    pub(super) fn candidates(&self) -> CandidateEnds {
        CandidateEnds {
            lows: std::array::from_fn(|candidate| self.low(candidate)),
            highs: std::array::from_fn(|candidate| self.high(candidate)),
            progress: self.progress(),
        }
    }
}

/// Returns the factor of a candidate, and the position of its tail.
fn part(candidate: usize, factors: [f64; 3]) -> (f64, usize) {
    factors.get(candidate).map_or((1.0, candidate.saturating_sub(3)), |&factor| (factor, 0))
}
