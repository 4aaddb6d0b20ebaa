use std::ops::Range;

use crate::{decompositions::success_rate::success_rate, ties::tied_blocks::TiedBlocks};

/// Neighbouring blocks to which isotonic regression assigns the same value.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PooledBlocks {
    /// The positions of the blocks in [`TiedBlocks::as_slice`].
    pub blocks: Range<usize>,
    /// The weight of the rows that failed.
    pub failures: f64,
    /// The weight of the rows that succeeded.
    pub successes: f64,
}

impl PooledBlocks {
    /// Returns the value of the regression, which is the weighted share of successes, in [0, 1]. It is 1 only if no row
    /// failed; any other share that rounds to 1 becomes the largest number below 1.
    #[must_use]
    pub fn rate(&self) -> f64 {
        success_rate(self.failures, self.successes)
    }
}

impl TiedBlocks {
    /// Computes the isotonic regression of outcomes on confidence: the nondecreasing function of the confidence with
    /// the smallest squared error. It also has the smallest loss under every other proper rule. The method is the
    /// pool-adjacent-violators algorithm.
    ///
    /// Neighbouring blocks are pooled until the success rates are strictly ascending. The result is
    /// empty for empty blocks.
    ///
    /// Cost: linear.
    ///
    /// Reference: Ayer, Brunk, Ewing, Reid and Silverman (1955), An empirical distribution function for
    /// sampling with incomplete information, doi:10.1214/aoms/1177728423.
    ///
    /// ```
    /// use scoring_rules::{Error, Probability, TiedBlocks};
    ///
    /// let confidence = Probability::from_slice(&[0.25, 0.5, 0.75, 1.0])?;
    /// let blocks = TiedBlocks::new(confidence, &[false, true, false, true], None)?;
    /// let pools = blocks.pool_adjacent_violators();
    /// assert_eq!(pools[1].blocks, 1..3);
    /// assert_eq!(pools.iter().map(|pool| pool.rate()).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn pool_adjacent_violators(&self) -> Vec<PooledBlocks> {
        let mut pools: Vec<PooledBlocks> = Vec::new();
        for (i, block) in self.as_slice().iter().enumerate() {
            let (failures, successes) = (block.failures, block.successes);
            let mut pool = PooledBlocks { blocks: i..i + 1, failures, successes };
            while let Some(before) = pools.pop_if(|before| before.rate() >= pool.rate()) {
                pool.blocks.start = before.blocks.start;
                pool.failures += before.failures;
                pool.successes += before.successes;
            }
            pools.push(pool);
        }
        pools
    }
}
