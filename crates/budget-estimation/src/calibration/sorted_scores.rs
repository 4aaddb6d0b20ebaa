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

    /// The i-th smallest score, from 1; `None` if there are fewer.
    pub(super) fn nth(&self, i: usize) -> Option<f64> {
        self.scores.nth(i).map(|score| score.0)
    }

    /// The smallest score at which the sum of weights up to it reaches `least`; `None` if none does.
    pub(super) fn at_weight(&self, least: f64) -> Option<f64> {
        self.scores.first_reaching(|units| units as f64 / UNITS >= least).map(|score| score.0)
    }
}

#[cfg(feature = "serde")]
impl SortedScores {
    /// Checks what was read.
    pub(super) fn check(&self) -> Result<(), Error> {
        let valid = self.scores.iter().all(|&Score(_, weight)| weight > 0.0 && weight <= 1.0);
        stored(valid, "weights of scores must be above 0 and at most 1")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ranks::least;

    proptest! {
        #[test]
        fn adding_runs_equals_one_stable_sort(
            runs in prop::collection::vec(prop::collection::vec(-3..4_i32, 0..9), 0..9),
        ) {
            let (mut sorted, mut all) = (SortedScores::default(), Vec::new());
            for (weight, run) in (1..).map(f64::from).zip(&runs) {
                // Includes both zeros and both infinities.
                let run: Vec<f64> = run.iter().map(|&x| match x { 3 => f64::INFINITY, -3 => f64::NEG_INFINITY, 1 => -0.0, x => f64::from(x) }).collect();
                sorted.add(&run, weight);
                all.extend(run.iter().map(|&score| Score(score, weight)));
            }
            all.sort_by(Score::order);
            prop_assert!(sorted.scores.iter().eq(&all));
        }
    }

    /// Three scores of weight 1/3 form one run: k runs must reach a weight of k.
    #[test]
    fn many_weights_of_one_third_add_up_to_whole_runs() {
        let mut sorted = SortedScores::default();
        let scores: Vec<f64> = (0..300_000).map(f64::from).collect();
        sorted.add(&scores, 1.0 / 3.0);
        let all = 100_001.0;
        for runs in [1_000, 10_000, 30_000, 99_999, 100_000] {
            let last = f64::from(3 * runs - 1);
            let weight = least(f64::from(runs) / all, all);
            assert_eq!(sorted.at_weight(weight), Some(last), "{runs}");
        }
    }

    #[test]
    fn nan_counts_as_infinity() {
        let mut sorted = SortedScores::default();
        sorted.add(&[f64::NAN, 1.0, -f64::NAN], 1.0);
        let scores = [1.0, f64::INFINITY, f64::INFINITY].map(|score| Score(score, 1.0));
        assert!(sorted.scores.iter().eq(&scores));
    }
}
