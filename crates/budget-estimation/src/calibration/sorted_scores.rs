use scoring_rules::CompensatedSum;
#[cfg(feature = "serde")]
use scoring_rules::infinite::Number;

#[cfg(feature = "serde")]
use crate::error::Error;

/// The scores of all runs so far, sorted, each with its weight.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub(super) struct SortedScores {
    scores: Vec<(f64, f64)>,
}

impl SortedScores {
    /// Adds the scores of one run, all with the same weight, behind equal earlier scores. NaN counts as
    /// infinity.
    ///
    /// Makes O(m log n) comparisons for m new and n earlier scores, and moves O(n) in memory.
    pub(super) fn add(&mut self, scores: &[f64], weight: f64) {
        let scores = scores.iter().map(|&s| if s.is_nan() { f64::INFINITY } else { s });
        let mut new: Vec<(f64, f64)> = scores.map(|score| (score, weight)).collect();
        new.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let mut end = self.scores.len();
        self.scores.extend(&new);
        // From the largest new score down, so that each earlier score moves once.
        for (before, &(score, weight)) in new.iter().enumerate().rev() {
            let at = self.scores[..end].partition_point(|old| old.0.total_cmp(&score).is_le());
            self.scores.copy_within(at..end, at + before + 1);
            self.scores[at + before] = (score, weight);
            end = at;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    /// The i-th smallest score, from 1; `None` if there are fewer.
    pub(super) fn nth(&self, i: usize) -> Option<f64> {
        self.scores.get(i.checked_sub(1)?).map(|(score, _)| *score)
    }

    /// The smallest score at which the sum of weights up to it reaches `least`; `None` if none does.
    pub(super) fn at_weight(&self, least: f64) -> Option<f64> {
        let mut sum = CompensatedSum::default();
        self.scores.iter().find_map(|&(score, weight)| {
            sum.add(weight);
            (sum.value() >= least).then_some(score)
        })
    }
}

/// The stored form, which can hold infinite scores.
#[cfg(feature = "serde")]
type Stored = Vec<(Number, f64)>;

#[cfg(feature = "serde")]
impl From<SortedScores> for Stored {
    fn from(sorted: SortedScores) -> Self {
        sorted.scores.into_iter().map(|(score, weight)| (Number(score), weight)).collect()
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for SortedScores {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let scores: Vec<(f64, f64)> =
            stored.into_iter().map(|(score, weight)| (score.0, weight)).collect();
        if !scores.is_sorted_by(|a, b| a.0.total_cmp(&b.0).is_le()) {
            return Err(Error::StoredValue { problem: "scores must be sorted" });
        }
        if !scores.iter().all(|&(_, weight)| weight > 0.0 && weight <= 1.0) {
            let problem = "weights of scores must be above 0 and at most 1";
            return Err(Error::StoredValue { problem });
        }
        Ok(Self { scores })
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
                all.extend(run.iter().map(|&score| (score, weight)));
            }
            all.sort_by(|a, b| a.0.total_cmp(&b.0));
            prop_assert_eq!(&sorted.scores, &all);
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
        assert_eq!(sorted.scores, [(1.0, 1.0), (f64::INFINITY, 1.0), (f64::INFINITY, 1.0)]);
    }
}
