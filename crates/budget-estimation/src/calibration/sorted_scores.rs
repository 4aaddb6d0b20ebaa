use std::cmp::Ordering;

use crate::order_statistics::{OrderStatistics, Ranked};
#[cfg(feature = "serde")]
use crate::{checks::stored, error::Error};

/// The scores of all runs so far, sorted, each with its weight.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(super) struct SortedScores {
    scores: OrderStatistics<Score>,
}

/// A score and its weight, above 0 and at most 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Score(#[cfg_attr(feature = "serde", serde(with = "scoring_rules::infinite"))] f64, f64);

/// Units per weight of 1: a power of 2, so that the conversion is exact for the weights of runs of up to
/// 2^37 scores, and sums over 2^38 runs fit.
const UNITS: f64 = (1_u128 << 90) as f64;

impl Ranked for Score {
    fn order(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }

    fn units(&self) -> u128 {
        (self.1 * UNITS) as u128
    }
}

impl SortedScores {
    /// Adds the scores of one run, all with the same weight, behind equal earlier scores. NaN counts as
    /// infinity.
    ///
    /// Takes O(m log n) for m new and n earlier scores.
    pub(super) fn add(&mut self, scores: &[f64], weight: f64) {
        for &score in scores {
            self.scores.insert(Score(if score.is_nan() { f64::INFINITY } else { score }, weight));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    /// Returns the i-th smallest score, from 1; `None` if there are fewer.
    pub(super) fn nth(&self, i: usize) -> Option<f64> {
        self.scores.nth(i).map(|score| score.0)
    }

    /// Returns the smallest score at which the sum of weights up to it reaches `least`; `None` if none does.
    pub(super) fn at_weight(&self, least: f64) -> Option<f64> {
        self.scores.first_reaching(|units| units as f64 / UNITS >= least).map(|score| score.0)
    }
}

#[cfg(feature = "serde")]
impl SortedScores {
    /// Checks deserialized scores.
    pub(super) fn check(&self) -> Result<(), Error> {
        let valid = self.scores.iter().all(|&Score(_, weight)| weight > 0.0 && weight <= 1.0);
        stored(valid, "weights of scores must be above 0 and at most 1")
    }
}
