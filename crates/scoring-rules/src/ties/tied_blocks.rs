use std::fmt;

use crate::{
    checks::same_length,
    error::Error,
    ties::{block::Block, counting, radix_sort},
    values::{ordered_score::OrderedScore, probability::Probability, weight::Weight},
};

/// Rows with a confidence and an outcome, grouped into blocks of equal confidence. The blocks are in ascending order of
/// confidence.
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
/// Measures of ranks also accept blocks of other scores than probabilities; see
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
    /// Groups rows of equal score into blocks, in ascending order of score. Scores may be any finite numbers, such as
    /// logits; a higher score means that success is more likely.
    ///
    /// For scores in [0, 1] the weights of the blocks have the same bits as with
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
    /// Groups rows of equal confidence into blocks. Rows of weight 0 are ignored.
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

    /// Replaces the blocks by the result of [`TiedBlocks::new`] for these rows, and reuses the memory of earlier calls.
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
    /// Replaces the blocks by the blocks of these rows (confidence, outcome, weight), which must be sorted by
    /// confidence. Takes linear time, and allocates no memory if the number of blocks was at least as large before.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] if no row has positive weight; there are no blocks then.
    ///
    /// # Panics
    ///
    /// If the confidence of a row is below the confidence of an earlier row with positive weight.
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

    /// Replaces the blocks by the blocks of [packed](pack) rows.
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
/// Rows are also ordered by weight, so that the order of the input does not even affect the
/// rounding of sums. The sign bit of the weight is free, and holds the outcome.
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

    /// Returns the blocks, in ascending order of confidence.
    #[must_use]
    pub fn as_slice(&self) -> &[Block<S>] {
        &self.blocks
    }

    /// Returns the total weight of the failures, at least 0.
    #[must_use]
    pub const fn failures(&self) -> f64 {
        self.class_weights.0
    }

    /// Returns the total weight of the successes, at least 0.
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
