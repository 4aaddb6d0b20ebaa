use std::fmt;

use crate::{
    checks::same_length,
    error::Error,
    ties::{block::Block, counting, radix_sort},
    values::{ordered_score::OrderedScore, probability::Probability, weight::Weight},
};

/// Rows of a confidence and an outcome, sorted once into blocks of equal confidence.
///
/// Results computed from the blocks do not depend on the order of the rows, and a row of weight 2
/// counts as much as two equal rows. In JSON it is the list of blocks.
///
/// Cost: one sort, O(n log n).
///
/// ```
/// use scoring_rules::{Error, Probability, TiedBlocks};
///
/// let confidence = Probability::from_slice(&[0.9, 0.2, 0.9, 0.4])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false, true], None)?;
/// assert_eq!(blocks.as_slice().len(), 3);
/// assert_eq!(blocks.as_slice()[2].weight(), 2.0);
/// assert_eq!((blocks.failures(), blocks.successes()), (2.0, 2.0));
/// # Ok::<(), Error>(())
/// ```
///
/// Measures that depend on ranks only also accept blocks of scores that are not probabilities; see
/// [`TiedBlocks::from_scores`].
#[derive(Clone, Debug, PartialEq)]
pub struct TiedBlocks<S = Probability> {
    blocks: Vec<Block<S>>,
    /// The weights of all failures and of all successes.
    class_weights: (f64, f64),
    scratch: Scratch,
}

impl<S> Default for TiedBlocks<S> {
    fn default() -> Self {
        Self { blocks: Vec::new(), class_weights: (0.0, 0.0), scratch: Scratch::default() }
    }
}

impl TiedBlocks<OrderedScore> {
    /// Sorts rows into blocks of equal score. Scores may be any finite numbers, such as logits;
    /// higher means that success is more likely.
    ///
    /// For scores in [0, 1] the weights of the blocks have the same bits as those of
    /// [`TiedBlocks::new`].
    ///
    /// # Errors
    ///
    /// [`Error::NotFiniteAt`] for a score that is NaN or infinite; otherwise the errors of
    /// [`TiedBlocks::new`].
    ///
    /// ```
    /// use scoring_rules::{Error, TiedBlocks};
    ///
    /// let logits = [41.0, -2.5, 40.0];
    /// let blocks = TiedBlocks::from_scores(&logits, &[true, false, false], None)?;
    /// assert_eq!(blocks.as_slice().len(), 3);
    /// assert_eq!(blocks.as_slice()[0].confidence.get(), -2.5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_scores(
        scores: &[f64],
        outcomes: &[bool],
        weights: Option<&[Weight]>,
    ) -> Result<Self, Error> {
        check_lengths(scores.len(), outcomes, weights)?;
        let mut rows = Vec::with_capacity(scores.len());
        for (index, (&value, &outcome)) in scores.iter().zip(outcomes).enumerate() {
            let score = OrderedScore::new(value);
            let score = score.map_err(|_| Error::NotFiniteAt { what: "scores", index, value })?;
            let weight = weights.map_or(Weight::ONE, |weights| weights[index]);
            if weight != Weight::ZERO {
                rows.push(pack(score.bits(), outcome, weight));
            }
        }
        let mut blocks = Self::default();
        blocks.fill_unsorted(&mut rows, OrderedScore::from_bits)?;
        Ok(blocks)
    }
}

impl TiedBlocks {
    /// Sorts rows into blocks. Rows of weight 0 are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there is one outcome, and one weight if weights are given, per
    /// confidence; [`Error::Empty`] if no row has positive weight.
    pub fn new(
        confidence: &[Probability],
        outcomes: &[bool],
        weights: Option<&[Weight]>,
    ) -> Result<Self, Error> {
        let mut blocks = Self::default();
        blocks.rebuild(confidence, outcomes, weights)?;
        blocks.scratch = Scratch::default();
        Ok(blocks)
    }

    /// Replaces the blocks by the blocks that [`TiedBlocks::new`] returns for other rows. Does not
    /// allocate if there were as many rows before.
    ///
    /// # Errors
    ///
    /// The errors of [`TiedBlocks::new`]; there are no blocks then.
    ///
    /// ```
    /// use scoring_rules::{Error, Probability, TiedBlocks};
    ///
    /// let confidence = Probability::from_slice(&[0.9, 0.2, 0.9])?;
    /// let mut blocks = TiedBlocks::default();
    /// for outcomes in [[true, false, false], [false, true, true]] {
    ///     blocks.rebuild(confidence, &outcomes, None)?;
    ///     assert_eq!(blocks, TiedBlocks::new(confidence, &outcomes, None)?);
    /// }
    /// # Ok::<(), Error>(())
    /// ```
    pub fn rebuild(
        &mut self,
        confidence: &[Probability],
        outcomes: &[bool],
        weights: Option<&[Weight]>,
    ) -> Result<(), Error> {
        self.clear();
        check_lengths(confidence.len(), outcomes, weights)?;
        if let Some(weights) = weights {
            let mut rows = std::mem::take(&mut self.scratch.weighted);
            rows.clear();
            rows.extend(
                confidence
                    .iter()
                    .zip(outcomes)
                    .zip(weights)
                    .filter(|&(_, &weight)| weight != Weight::ZERO)
                    .map(|((p, &outcome), &weight)| pack(p.bits(), outcome, weight)),
            );
            let filled = self.fill_unsorted(&mut rows, Probability::from_bits);
            self.scratch.weighted = rows;
            return filled;
        }
        let Scratch { counts, keys, .. } = &mut self.scratch;
        if counts.fill(confidence, outcomes, &mut self.blocks) {
            return self.finish();
        }
        self.class_weights = keys.fill(confidence, outcomes, &mut self.blocks);
        if self.blocks.is_empty() { Err(Error::Empty) } else { Ok(()) }
    }
}

impl<S: Copy + PartialOrd + fmt::Display> TiedBlocks<S> {
    /// Replaces the blocks by the blocks of rows (confidence, outcome, weight) that are sorted by
    /// confidence, such as resamples of the same rows. Takes linear time, and does not allocate if
    /// there were as many blocks before.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if no row has positive weight; there are no blocks then.
    ///
    /// # Panics
    ///
    /// If the confidence of a row is below that of an earlier row of positive weight.
    ///
    /// ```
    /// use scoring_rules::{Error, Probability, TiedBlocks, Weight};
    ///
    /// let (half, two) = (Probability::HALF, Weight::new(2.0)?);
    /// let mut blocks = TiedBlocks::default();
    /// blocks.refill([(half, true, two), (half, false, Weight::ONE)])?;
    /// assert_eq!(blocks.as_slice().len(), 1);
    /// assert_eq!((blocks.failures(), blocks.successes()), (1.0, 2.0));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn refill(
        &mut self,
        rows: impl IntoIterator<Item = (S, bool, Weight)>,
    ) -> Result<(), Error> {
        self.clear();
        for (row, (confidence, outcome, weight)) in rows.into_iter().enumerate() {
            if weight == Weight::ZERO {
                continue;
            }
            if self.blocks.last().is_none_or(|block| block.confidence != confidence) {
                let ascends = self.blocks.last().is_none_or(|block| block.confidence < confidence);
                assert!(ascends, "row {row}: the confidence {confidence} is below an earlier one");
                self.blocks.push(Block { confidence, failures: 0.0, successes: 0.0 });
            }
            if let Some(block) = self.blocks.last_mut() {
                *if outcome { &mut block.successes } else { &mut block.failures } += weight.get();
            }
        }
        self.finish()
    }

    /// Replaces the blocks by those of [packed](pack) rows.
    fn fill_unsorted(
        &mut self,
        rows: &mut [u128],
        confidence: impl Fn(u64) -> S,
    ) -> Result<(), Error> {
        rows.sort_unstable();
        self.refill(rows.iter().map(|&row| {
            let (bits, outcome, weight) = unpack(row);
            (confidence(bits), outcome, weight)
        }))
    }
}

fn check_lengths(rows: usize, outcomes: &[bool], weights: Option<&[Weight]>) -> Result<(), Error> {
    same_length("outcomes", rows, outcomes.len())?;
    same_length("weights", rows, weights.map_or(rows, <[Weight]>::len))
}

/// A row as an integer, in the order of the bits of the confidence, the outcome and the weight.
///
/// Rows are ordered by their weight too, so that not even the rounding of sums of weights depends
/// on the order of the input. The sign bit of the weight is free, and holds the outcome.
fn pack(confidence: u64, outcome: bool, weight: Weight) -> u128 {
    u128::from(confidence) << 64 | u128::from(u64::from(outcome) << 63 | weight.get().to_bits())
}

fn unpack(row: u128) -> (u64, bool, Weight) {
    let (confidence, rest) = ((row >> 64) as u64, row as u64);
    (confidence, rest >> 63 == 1, Weight::from_bits(rest & !(1 << 63)))
}

impl<S> TiedBlocks<S> {
    fn clear(&mut self) {
        self.blocks.clear();
        self.class_weights = (0.0, 0.0);
    }

    /// Computes the weights of the classes.
    fn finish(&mut self) -> Result<(), Error> {
        self.class_weights = self.blocks.iter().fold((0.0, 0.0), |(failures, successes), block| {
            (failures + block.failures, successes + block.successes)
        });
        if self.blocks.is_empty() { Err(Error::Empty) } else { Ok(()) }
    }

    /// The blocks, in ascending order of confidence.
    #[must_use]
    pub fn as_slice(&self) -> &[Block<S>] {
        &self.blocks
    }

    /// The weight of all failures, 0 or positive.
    #[must_use]
    pub const fn failures(&self) -> f64 {
        self.class_weights.0
    }

    /// The weight of all successes, 0 or positive.
    #[must_use]
    pub const fn successes(&self) -> f64 {
        self.class_weights.1
    }
}

/// Memory that later calls reuse. It is not part of the value.
#[derive(Default)]
struct Scratch {
    counts: counting::Counts,
    keys: radix_sort::Keys,
    /// The packed rows.
    weighted: Vec<u128>,
}

impl Clone for Scratch {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl PartialEq for Scratch {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Scratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scratch").finish_non_exhaustive()
    }
}

#[cfg(feature = "serde")]
impl<S: serde::Serialize> serde::Serialize for TiedBlocks<S> {
    fn serialize<T: serde::Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        self.blocks.serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HALF: Probability = Probability::HALF;

    #[test]
    fn arguments_of_different_lengths_and_empty_input_are_refused() {
        let p = [HALF; 3];
        assert_eq!(
            TiedBlocks::new(&p, &[true; 2], None),
            Err(Error::Length { what: "outcomes", expected: 3, found: 2 })
        );
        assert_eq!(
            TiedBlocks::new(&p, &[true; 3], Some(Weight::from_slice(&[1.0; 4]).unwrap())),
            Err(Error::Length { what: "weights", expected: 3, found: 4 })
        );
        assert_eq!(
            TiedBlocks::new(&p, &[true; 3], Some(Weight::from_slice(&[0.0; 3]).unwrap())),
            Err(Error::Empty)
        );
        assert_eq!(TiedBlocks::new(&[], &[], None), Err(Error::Empty));
        for weight in [1e-100, 1e100] {
            let blocks =
                TiedBlocks::new(&p, &[true; 3], Some(Weight::from_slice(&[weight; 3]).unwrap()))
                    .unwrap();
            assert_eq!((blocks.failures(), blocks.successes()), (0.0, weight + weight + weight));
        }
    }

    #[test]
    fn a_refill_that_fails_leaves_no_blocks() {
        let mut blocks = TiedBlocks::new(&[HALF], &[true], None).unwrap();
        assert_eq!(blocks.refill([(HALF, true, Weight::ZERO)]), Err(Error::Empty));
        assert_eq!(blocks, TiedBlocks::default());
    }

    #[test]
    #[should_panic(expected = "row 1: the confidence 0 is below an earlier one")]
    fn a_refill_with_unsorted_rows_panics() {
        let rows = [(HALF, true, Weight::ONE), (Probability::ZERO, true, Weight::ONE)];
        let _ = TiedBlocks::default().refill(rows);
    }

    #[test]
    fn zeros_of_either_sign_are_one_confidence() {
        for n in [2, 16, 10_000] {
            let zeros: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 0.0 } else { -0.0 }).collect();
            let zeros = Probability::from_slice(&zeros).unwrap();
            for weights in [None, Some(vec![1.0; n])] {
                let blocks = TiedBlocks::new(
                    zeros,
                    &vec![true; n],
                    weights.as_deref().map(|weights| Weight::from_slice(weights).unwrap()),
                )
                .unwrap();
                assert_eq!(blocks.as_slice().len(), 1);
                assert!(blocks.as_slice()[0].confidence.get().is_sign_positive());
                assert_eq!((blocks.failures(), blocks.successes()), (0.0, n as f64));
            }
        }
    }

    /// The blocks by comparison of rows.
    fn by_comparison(mut rows: Vec<(Probability, bool, f64)>) -> TiedBlocks {
        rows.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| a.2.total_cmp(&b.2)));
        let mut blocks = TiedBlocks::default();
        let weight = |weight| Weight::new(weight).unwrap();
        blocks.refill(rows.into_iter().map(|(p, outcome, w)| (p, outcome, weight(w)))).unwrap();
        blocks
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn counting_sorting_and_reused_memory_give_equal_blocks(
            n in prop_oneof![1_usize..40, 4_000_usize..12_000],
            decimals in 0..7_i32,
            seed in any::<u64>(),
        ) {
            let steps = 10.0_f64.powi(decimals);
            let mut state = seed | 1;
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 11) as f64 / (1_u64 << 53) as f64
            };
            let values: Vec<f64> = (0..n).map(|_| (next() * steps).round() / steps).collect();
            let outcomes: Vec<bool> = values.iter().map(|&p| next() < p).collect();
            let weights: Vec<f64> = (0..n).map(|_| 0.1 + next()).collect();
            let confidence = Probability::from_slice(&values).unwrap();
            let mut blocks = TiedBlocks::new(&[HALF; 20], &[true; 20], Some(Weight::from_slice(&[1.0; 20]).unwrap())).unwrap();
            for weights in [None, Some(&weights[..])] {
                let rows = confidence.iter().zip(&outcomes).enumerate();
                let rows = rows.map(|(i, (&p, &y))| (p, y, weights.map_or(1.0, |w| w[i])));
                let expected = by_comparison(rows.collect());
                blocks.rebuild(confidence, &outcomes, weights.map(|weights| Weight::from_slice(weights).unwrap())).unwrap();
                prop_assert_eq!(&blocks, &expected);
                prop_assert_eq!(blocks.class_weights, expected.class_weights);
                prop_assert_eq!(&TiedBlocks::new(confidence, &outcomes, weights.map(|weights| Weight::from_slice(weights).unwrap())).unwrap(), &expected);
            }
        }
    }

    proptest! {
        #[test]
        fn blocks_of_scores_in_0_to_1_have_the_same_bits_as_blocks_of_probabilities(
            rows in prop::collection::vec((0..40_u32, any::<bool>(), 0..4_u32), 1..200),
        ) {
            let values: Vec<f64> = rows.iter().map(|row| f64::from(row.0) / 39.0).collect();
            let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
            let weights: Vec<f64> = rows.iter().map(|row| f64::from(row.2) / 3.0).collect();
            for weights in [None, Some(Weight::from_slice(&weights).unwrap())] {
                let confidence = Probability::from_slice(&values).unwrap();
                let of_scores = TiedBlocks::from_scores(&values, &outcomes, weights);
                match (TiedBlocks::new(confidence, &outcomes, weights), of_scores) {
                    (Ok(a), Ok(b)) => {
                        prop_assert_eq!(a.class_weights, b.class_weights);
                        prop_assert_eq!(a.as_slice().len(), b.as_slice().len());
                        for (a, b) in a.as_slice().iter().zip(b.as_slice()) {
                            prop_assert_eq!(a.confidence.get(), b.confidence.get());
                            prop_assert_eq!((a.failures, a.successes), (b.failures, b.successes));
                        }
                    }
                    (a, b) => prop_assert_eq!(a.err(), b.err()),
                }
            }
        }
    }

    #[test]
    fn a_score_that_is_not_finite_is_named() {
        for value in [f64::INFINITY, f64::NEG_INFINITY] {
            let error = TiedBlocks::from_scores(&[0.5, value], &[true; 2], None).unwrap_err();
            assert_eq!(error, Error::NotFiniteAt { what: "scores", index: 1, value });
        }
        let zeros = TiedBlocks::from_scores(&[0.0, -0.0], &[true; 2], None).unwrap();
        assert_eq!(zeros.as_slice().len(), 1);
    }

    #[test]
    fn blocks_are_shown_without_the_memory_for_reuse() {
        let mut blocks = TiedBlocks::new(&[HALF; 9], &[true; 9], None).unwrap();
        blocks.rebuild(&[HALF], &[true], None).unwrap();
        assert_eq!(
            format!("{blocks:?}"),
            "TiedBlocks { blocks: [Block { confidence: 0.5, failures: 0.0, successes: 1.0 }], \
             class_weights: (0.0, 1.0), scratch: Scratch { .. } }"
        );
    }
}
