use scoring_rules::Probability;

use crate::{Error, traces::same_length};

/// All rows that share one confidence, which no order can tell apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// The confidence in success that the rows share.
    pub confidence: Probability,
    /// Weight of the rows that failed.
    pub failures: f64,
    /// Weight of the rows that succeeded.
    pub successes: f64,
}

impl Block {
    /// Weight of all rows.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.failures + self.successes
    }
}

/// Confidences and outcomes, sorted once: blocks of equal confidence in rising order.
///
/// Every diagnostic of a scalar confidence in this crate is a function of the blocks. None of them
/// can depend on the order of the rows, and a weight of 2 is the row twice.
///
/// Cost: one sort, O(n log n).
///
/// ```
/// use trajectory_metrics::{Error, Probability, TiedBlocks, auroc};
///
/// let confidence = Probability::from_slice(&[0.9, 0.2, 0.9, 0.4])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false, true], None)?;
/// assert_eq!(blocks.as_slice().len(), 3);
/// assert_eq!(blocks.as_slice()[2].weight(), 2.0);
/// assert_eq!(auroc(&blocks)?, 0.625);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TiedBlocks {
    blocks: Vec<Block>,
}

impl TiedBlocks {
    /// Sorts rows into blocks. Rows of weight zero leave no trace.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless outcomes, and weights where given, have one entry a row;
    /// [`Error::Weight`] for a weight that is not in [0, 1e100]; [`Error::Empty`] without a row of
    /// positive weight.
    pub fn new(
        confidence: &[Probability],
        outcomes: &[bool],
        weights: Option<&[f64]>,
    ) -> Result<Self, Error> {
        same_length("outcomes", confidence.len(), outcomes.len())?;
        same_length("weights", confidence.len(), weights.map_or(confidence.len(), <[f64]>::len))?;
        let mut rows = Vec::with_capacity(confidence.len());
        for (i, (&p, &outcome)) in confidence.iter().zip(outcomes).enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[i]);
            if !(0.0..=1e100).contains(&weight) {
                let error = scoring_rules::Error::Weight { value: weight };
                return Err(Error::Weight { row: i, error });
            }
            rows.push((p, outcome, weight));
        }
        // Weights take part so that even their rounding does not depend on the order of the rows.
        rows.sort_unstable_by(|a, b| (a.0, a.1).cmp(&(b.0, b.1)).then_with(|| a.2.total_cmp(&b.2)));
        let mut sorted = Self::default();
        sorted.fill(rows.into_iter());
        if sorted.blocks.is_empty() { Err(Error::Empty) } else { Ok(sorted) }
    }

    /// The blocks, in rising order of confidence.
    #[must_use]
    pub fn as_slice(&self) -> &[Block] {
        &self.blocks
    }

    /// Weight of all failures and of all successes.
    #[must_use]
    pub fn class_weights(&self) -> (f64, f64) {
        self.blocks.iter().fold((0.0, 0.0), |(failures, successes), block| {
            (failures + block.failures, successes + block.successes)
        })
    }

    /// Replaces the blocks by those of rows that come sorted by confidence.
    fn fill(&mut self, rows: impl Iterator<Item = (Probability, bool, f64)>) {
        self.blocks.clear();
        for (confidence, outcome, weight) in rows {
            if weight == 0.0 {
                continue;
            }
            if self.blocks.last().is_none_or(|block| block.confidence != confidence) {
                self.blocks.push(Block { confidence, failures: 0.0, successes: 0.0 });
            }
            if let Some(block) = self.blocks.last_mut() {
                *if outcome { &mut block.successes } else { &mut block.failures } += weight;
            }
        }
    }
}

/// Rows in rising order of confidence, to be counted again and again: sorts once, then gives the
/// blocks of any resample in linear time and without allocation.
///
/// ```
/// use trajectory_metrics::{Error, Probability, Ranking, TiedBlocks};
///
/// let confidence = Probability::from_slice(&[0.9, 0.2, 0.4])?;
/// let ranking = Ranking::new(confidence, &[true, false, true])?;
/// let mut blocks = TiedBlocks::default();
/// ranking.resample(&[2, 0, 1], &mut blocks)?;
/// assert_eq!(blocks.class_weights(), (0.0, 3.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Ranking {
    /// Confidence, outcome and position among the rows as given.
    rows: Vec<(Probability, bool, usize)>,
}

impl Ranking {
    /// Sorts the rows.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there is one outcome a row; [`Error::Empty`] without a row.
    pub fn new(confidence: &[Probability], outcomes: &[bool]) -> Result<Self, Error> {
        same_length("outcomes", confidence.len(), outcomes.len())?;
        if confidence.is_empty() {
            return Err(Error::Empty);
        }
        let mut rows: Vec<_> =
            confidence.iter().zip(outcomes).enumerate().map(|(i, (&p, &y))| (p, y, i)).collect();
        rows.sort_unstable();
        Ok(Self { rows })
    }

    /// The blocks of a resample in which row i stands `counts[i]` times.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there is one count a row; [`Error::Empty`] where all are zero.
    pub fn resample(&self, counts: &[u32], blocks: &mut TiedBlocks) -> Result<(), Error> {
        same_length("counts", self.rows.len(), counts.len())?;
        blocks.fill(self.rows.iter().map(|&(p, outcome, i)| (p, outcome, f64::from(counts[i]))));
        if blocks.blocks.is_empty() { Err(Error::Empty) } else { Ok(()) }
    }
}
