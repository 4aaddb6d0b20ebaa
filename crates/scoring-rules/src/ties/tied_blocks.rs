use std::fmt;

use crate::{
    checks::same_length,
    error::Error,
    ties::{block::Block, counting, radix_sort},
    values::{ordered_score::OrderedScore, probability::Probability, weight::Weight},
};

/// Confidences and outcomes, sorted once: blocks of equal confidence in rising order.
///
/// What is computed from the blocks cannot depend on the order of the rows, and a weight of 2 is
/// the row twice.
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
/// assert_eq!(blocks.class_weights(), (2.0, 2.0));
/// # Ok::<(), Error>(())
/// ```
///
/// Measures that depend on ranks only also take blocks of any finite score, see
/// [`TiedBlocks::from_scores`].
#[derive(Clone, Debug, PartialEq)]
pub struct TiedBlocks<S = Probability> {
    blocks: Vec<Block<S>>,
    /// Weight of all failures and of all successes.
    class_weights: (f64, f64),
    scratch: Scratch,
}

impl<S> Default for TiedBlocks<S> {
    fn default() -> Self {
        Self { blocks: Vec::new(), class_weights: (0.0, 0.0), scratch: Scratch::default() }
    }
}

impl TiedBlocks<OrderedScore> {
    /// Sorts rows into blocks by a score that need not be a probability, such as a logit: any
    /// finite numbers, higher where success is claimed to be more likely.
    ///
    /// Scores that are probabilities make the blocks of [`TiedBlocks::new`], of the same weights to
    /// the bit.
    ///
    /// # Errors
    ///
    /// [`Error::NotFiniteAt`] for a NaN or an infinite score; otherwise as [`TiedBlocks::new`].
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
        same_length("outcomes", scores.len(), outcomes.len())?;
        same_length("weights", scores.len(), weights.map_or(scores.len(), <[Weight]>::len))?;
        let mut rows = Vec::with_capacity(scores.len());
        for (index, (&value, &outcome)) in scores.iter().zip(outcomes).enumerate() {
            let score = OrderedScore::new(value).map_err(|_| Error::NotFiniteAt {
                what: "scores",
                index,
                value,
            })?;
            let weight = weights.map_or(1.0, |weights| weights[index].get());
            if weight != 0.0 {
                // The sign bit of a weight is free, and holds the outcome.
                let rest = u64::from(outcome) << 63 | weight.to_bits();
                rows.push(u128::from(score.bits()) << 64 | u128::from(rest));
            }
        }
        rows.sort_unstable();
        let mut blocks = Self::default();
        blocks.fill(rows.iter().map(|&row| {
            let rest = row as u64;
            let weight = f64::from_bits(rest & !(1 << 63));
            (OrderedScore::from_bits((row >> 64) as u64), rest >> 63 == 1, weight)
        }))?;
        Ok(blocks)
    }
}

impl TiedBlocks {
    /// Sorts rows into blocks. Rows of weight zero leave no trace.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless outcomes, and weights where given, have one entry a row;
    /// [`Error::Empty`] without a row of positive weight.
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

    /// Replaces the blocks by those of other rows, as [`TiedBlocks::new`] makes them, and keeps the
    /// memory: no allocation where there were as many rows before.
    ///
    /// # Errors
    ///
    /// As [`TiedBlocks::new`]; there are no blocks then.
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
        same_length("outcomes", confidence.len(), outcomes.len())?;
        same_length(
            "weights",
            confidence.len(),
            weights.map_or(confidence.len(), <[Weight]>::len),
        )?;
        let Some(weights) = weights else {
            if self.scratch.counts.fill(confidence, outcomes, &mut self.blocks) {
                return self.finish();
            }
            self.class_weights = self.scratch.keys.fill(confidence, outcomes, &mut self.blocks);
            return if self.blocks.is_empty() { Err(Error::Empty) } else { Ok(()) };
        };
        // Weights take part in the order so that even their rounding does not depend on that of the
        // rows. The bits of numbers that are not negative are in the order of the numbers.
        let mut rows = std::mem::take(&mut self.scratch.weighted);
        rows.clear();
        for ((&p, &outcome), &weight) in
            confidence.iter().zip(outcomes).zip(Weight::as_f64_slice(weights))
        {
            if weight != 0.0 {
                rows.push(
                    u128::from(radix_sort::key(p, outcome)) << 64 | u128::from(weight.to_bits()),
                );
            }
        }
        rows.sort_unstable();
        let filled = self.fill(rows.iter().map(|&row| {
            let key = (row >> 64) as u64;
            (radix_sort::probability(key >> 1), key & 1 == 1, f64::from_bits(row as u64))
        }));
        self.scratch.weighted = rows;
        filled
    }
}

impl<S: Copy + PartialOrd + fmt::Display> TiedBlocks<S> {
    /// Replaces the blocks by those of rows (confidence, outcome, weight) that are already sorted
    /// by confidence. Linear time, and no allocation where there were as many blocks before.
    ///
    /// For many resamples of the same rows.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a row of positive weight; there are no blocks then.
    ///
    /// # Panics
    ///
    /// Where a confidence is below one before it.
    ///
    /// ```
    /// use scoring_rules::{Error, Probability, TiedBlocks, Weight};
    ///
    /// let (half, two) = (Probability::HALF, Weight::new(2.0)?);
    /// let mut blocks = TiedBlocks::default();
    /// blocks.refill([(half, true, two), (half, false, Weight::ONE)])?;
    /// assert_eq!(blocks.as_slice().len(), 1);
    /// assert_eq!(blocks.class_weights(), (1.0, 2.0));
    /// # Ok::<(), Error>(())
    /// ```
    #[track_caller]
    pub fn refill(
        &mut self,
        rows: impl IntoIterator<Item = (S, bool, Weight)>,
    ) -> Result<(), Error> {
        self.fill(
            rows.into_iter()
                .map(|(confidence, outcome, weight)| (confidence, outcome, weight.get())),
        )
    }

    /// The same of weights that were checked.
    #[track_caller]
    fn fill(&mut self, rows: impl Iterator<Item = (S, bool, f64)>) -> Result<(), Error> {
        self.clear();
        for (row, (confidence, outcome, weight)) in rows.enumerate() {
            if weight == 0.0 {
                continue;
            }
            if self.blocks.last().is_none_or(|block| block.confidence != confidence) {
                let rising = self.blocks.last().is_none_or(|block| block.confidence < confidence);
                assert!(rising, "row {row}: its confidence {confidence} is below one before it");
                self.blocks.push(Block { confidence, failures: 0.0, successes: 0.0 });
            }
            if let Some(block) = self.blocks.last_mut() {
                *if outcome { &mut block.successes } else { &mut block.failures } += weight;
            }
        }
        self.finish()
    }
}

impl<S> TiedBlocks<S> {
    fn clear(&mut self) {
        self.blocks.clear();
        self.class_weights = (0.0, 0.0);
    }

    /// Adds up the classes.
    fn finish(&mut self) -> Result<(), Error> {
        self.class_weights = self.blocks.iter().fold((0.0, 0.0), |(failures, successes), block| {
            (failures + block.failures, successes + block.successes)
        });
        if self.blocks.is_empty() { Err(Error::Empty) } else { Ok(()) }
    }

    /// The blocks, in rising order of confidence.
    #[must_use]
    pub fn as_slice(&self) -> &[Block<S>] {
        &self.blocks
    }

    /// Weight of all failures and of all successes.
    #[must_use]
    pub fn class_weights(&self) -> (f64, f64) {
        self.class_weights
    }
}

/// Memory that a later call can use again; no part of what the blocks are.
#[derive(Default)]
struct Scratch {
    counts: counting::Counts,
    keys: radix_sort::Keys,
    /// Key and weight of each row.
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
mod json {
    use std::fmt;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

    use super::{Block, TiedBlocks};

    impl<S: Serialize> Serialize for TiedBlocks<S> {
        fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
            self.blocks.serialize(serializer)
        }
    }

    impl<'de, S> Deserialize<'de> for TiedBlocks<S>
    where
        S: Deserialize<'de> + PartialOrd + fmt::Display,
    {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let blocks = Vec::<Block<S>>::deserialize(deserializer)?;
            for (i, two) in blocks.windows(2).enumerate() {
                let [before, block] = two else { continue };
                if before.confidence.partial_cmp(&block.confidence)
                    != Some(std::cmp::Ordering::Less)
                {
                    return Err(D::Error::custom(format_args!(
                        "block {}: its confidence {} is not above {}, that of the block before it",
                        i + 1,
                        block.confidence,
                        before.confidence,
                    )));
                }
            }
            let mut tied = Self { blocks, ..Self::default() };
            // Without a block these are the blocks of `default`.
            let _ = tied.finish();
            let all = tied.class_weights.0 + tied.class_weights.1;
            if !all.is_finite() {
                let what = format_args!("the weight of all blocks is {all}; it must be finite");
                return Err(D::Error::custom(what));
            }
            Ok(tied)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HALF: Probability = Probability::HALF;

    #[test]
    fn rows_that_are_none_are_named() {
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
            assert_eq!(blocks.class_weights(), (0.0, weight + weight + weight));
        }
    }

    #[test]
    fn a_refill_that_fails_leaves_no_blocks() {
        let mut blocks = TiedBlocks::new(&[HALF], &[true], None).unwrap();
        assert_eq!(blocks.refill([(HALF, true, Weight::ZERO)]), Err(Error::Empty));
        assert_eq!(blocks, TiedBlocks::default());
    }

    #[test]
    #[should_panic(expected = "row 1: its confidence 0 is below one before it")]
    fn a_refill_with_rows_that_are_not_sorted_panics() {
        let rows = [(HALF, true, Weight::ONE), (Probability::ZERO, true, Weight::ONE)];
        let _ = TiedBlocks::default().refill(rows);
    }

    #[test]
    fn both_zeros_are_one_confidence() {
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
                assert_eq!(blocks.class_weights(), (0.0, n as f64));
            }
        }
    }

    /// The blocks by comparing whole rows, which is slow but plain.
    fn by_comparison(mut rows: Vec<(Probability, bool, f64)>) -> TiedBlocks {
        rows.sort_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| a.2.total_cmp(&b.2)));
        let mut blocks = TiedBlocks::default();
        blocks.fill(rows.into_iter()).unwrap();
        blocks
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn counting_and_sorting_make_the_same_blocks_and_memory_is_no_matter(
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
                prop_assert_eq!(blocks.class_weights(), expected.class_weights());
                prop_assert_eq!(&TiedBlocks::new(confidence, &outcomes, weights.map(|weights| Weight::from_slice(weights).unwrap())).unwrap(), &expected);
            }
        }
    }

    proptest! {
        #[test]
        fn scores_that_are_probabilities_make_the_same_blocks_to_the_bit(
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
                        prop_assert_eq!(a.class_weights(), b.class_weights());
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
    fn blocks_are_shown_without_the_memory_that_they_keep() {
        let mut blocks = TiedBlocks::new(&[HALF; 9], &[true; 9], None).unwrap();
        blocks.rebuild(&[HALF], &[true], None).unwrap();
        assert_eq!(
            format!("{blocks:?}"),
            "TiedBlocks { blocks: [Block { confidence: 0.5, failures: 0.0, successes: 1.0 }], \
             class_weights: (0.0, 1.0), scratch: Scratch { .. } }"
        );
    }
}
