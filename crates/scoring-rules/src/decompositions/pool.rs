use std::ops::Range;

#[cfg(feature = "serde")]
use crate::error::Error;
use crate::{decompositions::success_rate::success_rate, ties::tied_blocks::TiedBlocks};

/// Neighbouring blocks that isotonic regression gives one value.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written", into = "Written"))]
#[non_exhaustive]
pub struct PooledBlocks {
    /// Where its blocks stand in [`TiedBlocks::as_slice`].
    pub blocks: Range<usize>,
    /// Weight of the rows that failed.
    pub failures: f64,
    /// Weight of the rows that succeeded.
    pub successes: f64,
}

/// The form in which a pool is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Written {
    blocks: Range<usize>,
    failures: f64,
    successes: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<Written> for PooledBlocks {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self, Error> {
        let Written { blocks, failures, successes } = written;
        if blocks.is_empty() {
            return Err(Error::TooFew { what: "blocks of a pool", least: 1, found: 0 });
        }
        for (name, value) in [("failures", failures), ("successes", successes)] {
            if !(0.0..f64::INFINITY).contains(&value) {
                return Err(Error::Setting { name, value, range: "a finite weight of at least 0" });
            }
        }
        if failures + successes > 0.0 && (failures + successes).is_finite() {
            Ok(Self { blocks, failures, successes })
        } else {
            Err(Error::Empty)
        }
    }
}

#[cfg(feature = "serde")]
impl From<PooledBlocks> for Written {
    fn from(pool: PooledBlocks) -> Self {
        let PooledBlocks { blocks, failures, successes } = pool;
        Self { blocks, failures, successes }
    }
}

impl PooledBlocks {
    /// Weight of all rows.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.failures + self.successes
    }

    /// The share of successes, in [0, 1]: the value of the regression. It is 1 only if no row
    /// failed, also where the share is closer to 1 than to any number below.
    #[must_use]
    pub fn rate(&self) -> f64 {
        success_rate(self.failures, self.successes)
    }
}

/// Isotonic regression of outcomes on confidence: of all values that rise with it, those with the
/// smallest squared error, and the best ones under every other proper rule too.
///
/// Neighbours whose success rates fall or tie are pooled until the rates rise strictly. Empty for
/// empty blocks.
///
/// Cost: linear.
///
/// Reference: Ayer, Brunk, Ewing, Reid and Silverman (1955), An empirical distribution function for
/// sampling with incomplete information, doi:10.1214/aoms/1177728423.
///
/// ```
/// use scoring_rules::{Error, Probability, TiedBlocks, pool_adjacent_violators};
///
/// let confidence = Probability::from_slice(&[0.25, 0.5, 0.75, 1.0])?;
/// let blocks = TiedBlocks::new(confidence, &[false, true, false, true], None)?;
/// let pools = pool_adjacent_violators(&blocks);
/// assert_eq!(pools[1].blocks, 1..3);
/// assert_eq!(pools.iter().map(|pool| pool.rate()).collect::<Vec<_>>(), [0.0, 0.5, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[must_use]
pub fn pool_adjacent_violators(blocks: &TiedBlocks) -> Vec<PooledBlocks> {
    let mut pools: Vec<PooledBlocks> = Vec::new();
    for (i, block) in blocks.as_slice().iter().enumerate() {
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
