use scoring_rules::{Block, Probability, TiedBlocks};

use crate::{
    calibration::calibrator::{CalibrationMap, Calibrator},
    error::Error,
};
#[cfg(feature = "serde")]
use crate::{
    calibration::stored_map::{ordered, some_knot},
    checks::same_length,
};

/// Inductive Venn-Abers prediction: isotonic regression that also measures its own uncertainty.
///
/// For each forecast, two isotonic fits use the training records and one more record with this forecast.
/// The added record is a failure in the first fit and a success in the second. The values of the fits at
/// the forecast are
///
/// ```text
/// p0 <= p1,   calibrated = p1 / (1 - p0 + p1)
/// ```
///
/// One of the two is calibrated in the sense of the paper, for any forecasts; the merged value has the
/// smallest log loss in the worst case. Unlike the result of [`Isotonic`](crate::Isotonic), it is never
/// 0 or 1, and training records of one outcome are sufficient.
///
/// The added record has weight 1, so the weights of the training records must not be normalised. If
/// every run counts as 1 through the weights of its steps, the added record counts as much as a run.
///
/// Cost: one sort, O(n log n), and for each distinct forecast the isotonic pools that the added record
/// joins. Applying the map is a binary search, O(log n).
///
/// Reference: Vovk and Petej (2014), Venn-Abers predictors, arXiv:1211.0025; Vovk, Petej and
/// Fedorova (2015), Large-scale probabilistic predictors with and without guarantees of validity,
/// arXiv:1511.00213.
///
/// ```
/// use trajectory_metrics::{CalibrationMap, Calibrator, Error, Probability, VennAbers, Weight};
///
/// let said = Probability::from_slice(&[0.2, 0.2, 0.9, 0.9, 0.9])?;
/// let map = VennAbers.fit(said, &[false, false, true, true, true], None)?;
/// let (p0, p1) = map.pair(said[4]);
/// assert_eq!((p0.get(), p1.get()), (0.75, 1.0));
/// assert_eq!(map.apply(said[4]).get(), 0.8);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct VennAbers;

scoring_rules::checked! {
    /// A map from forecasts to the values of two isotonic fits, made by [`VennAbers`].
    #[derive(Clone, Debug, PartialEq)]
    pub struct VennAbersMap {
        /// The training forecasts, strictly increasing.
        knots: Vec<Probability>,
        /// p0, p1 and the merged value: below the first knot, at the first knot, between the first and the
        /// second knot, and so on.
        cells: Vec<[Probability; 3]>,
    }
    check: VennAbersMap::check
}

impl VennAbersMap {
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), Error> {
        let Self { knots, cells } = self;
        some_knot(knots.len())?;
        ordered("knots", knots.iter().copied(), |before, knot| before < knot)?;
        same_length("cells", 2 * knots.len() + 1, cells.len())?;
        for part in 0..3 {
            ordered("cells", cells.iter().map(|cell| cell[part]), |before, next| before <= next)?;
        }
        for &[p0, p1, _] in cells {
            ordered("the pair of a cell", [p0, p1].into_iter(), |p0, p1| p0 <= p1)?;
        }
        Ok(())
    }

    /// Returns the values p0 and p1 of two isotonic fits at a forecast. Both fits use the training records and one more
    /// record at this forecast, a failure for p0 and a success for p1. `p0 <= p1`, and both are nondecreasing in the
    /// forecast. A large distance between them indicates few training records near the forecast.
    #[must_use]
    pub fn pair(&self, forecast: Probability) -> (Probability, Probability) {
        let [p0, p1, _] = self.cell(forecast);
        (p0, p1)
    }

    fn cell(&self, forecast: Probability) -> [Probability; 3] {
        let below = self.knots.partition_point(|&knot| knot < forecast);
        let at = self.knots.get(below).is_some_and(|&knot| knot == forecast);
        // There are two cells per knot and one more.
        self.cells[2 * below + usize::from(at)]
    }
}

impl CalibrationMap for VennAbersMap {
    fn apply(&self, forecast: Probability) -> Probability {
        self.cell(forecast)[2]
    }
}

impl Calibrator for VennAbers {
    type Map = VennAbersMap;

    /// # Errors
    ///
    /// Never [`Error::OneClass`].
    fn fit_blocks(&self, blocks: &TiedBlocks) -> Result<VennAbersMap, Error> {
        let blocks = blocks.as_slice();
        let pools = Pools::new(blocks);
        let mut cells = Vec::with_capacity(2 * blocks.len() + 1);
        // Without rounding, both fits are nondecreasing.
        let mut floor = [0.0_f64; 3];
        for cell in 0..=2 * blocks.len() {
            let below = cell / 2;
            let tied = (cell % 2 == 1).then(|| &blocks[below]);
            let p1 = pools.rate_with(below, tied, 1.0).max(floor[1]);
            let p0 = pools.rate_with(below, tied, 0.0).max(floor[0]).min(p1);
            floor = [p0, p1, (p1 / (1.0 - p0 + p1)).max(floor[2])];
            let [p0, p1, merged] = floor.map(Probability::new);
            cells.push([p0?, p1?, merged?]);
        }
        Ok(VennAbersMap { knots: blocks.iter().map(|block| block.confidence).collect(), cells })
    }
}

/// Blocks to which isotonic regression assigns one value.
#[derive(Clone, Copy)]
struct Pool {
    successes: f64,
    weight: f64,
    /// The index at which the blocks beyond the pool begin.
    beyond: usize,
}

impl Pool {
    fn rate(&self) -> f64 {
        // Rounding can make the sum of successes larger than the sum of weights.
        (self.successes / self.weight).min(1.0)
    }

    fn take(&mut self, other: Self) {
        self.successes += other.successes;
        self.weight += other.weight;
        self.beyond = other.beyond;
    }
}

/// The isotonic fits of the first and of the last blocks, for every number of blocks. Each fit is stored
/// as its outermost pool; the next pool inwards belongs to a shorter fit.
struct Pools {
    /// Entry i: the last pool of the fit of blocks 0 to i. The rest is the fit of the blocks before
    /// `beyond`.
    of_first: Vec<Pool>,
    /// Entry i: the first pool of the fit of blocks i to the last. The rest is the fit of the
    /// blocks from `beyond` on.
    of_last: Vec<Pool>,
}

impl Pools {
    fn new(blocks: &[Block]) -> Self {
        let n = blocks.len();
        let pool = |i: usize, beyond| Pool {
            successes: blocks[i].successes,
            weight: blocks[i].weight(),
            beyond,
        };
        let mut of_first: Vec<Pool> = Vec::with_capacity(n);
        for i in 0..n {
            let mut last = pool(i, i);
            while last.beyond > 0 && of_first[last.beyond - 1].rate() >= last.rate() {
                last.take(of_first[last.beyond - 1]);
            }
            of_first.push(last);
        }
        let mut of_last: Vec<Pool> = (0..n).map(|i| pool(i, i + 1)).collect();
        for i in (0..n).rev() {
            let mut first = of_last[i];
            while first.beyond < n && of_last[first.beyond].rate() <= first.rate() {
                first.take(of_last[first.beyond]);
            }
            of_last[i] = first;
        }
        Self { of_first, of_last }
    }

    /// The value of the isotonic fit at one more record, with `below` blocks below it and possibly one
    /// block with the same forecast.
    fn rate_with(&self, below: usize, tied: Option<&Block>, success: f64) -> f64 {
        let (mut left, mut right) = (below, below + usize::from(tied.is_some()));
        let mut pool = Pool { successes: success, weight: 1.0, beyond: 0 };
        if let Some(block) = tied {
            pool.successes += block.successes;
            pool.weight += block.weight();
        }
        // The pools of both fits stay intact; only those next to the record can be out of order.
        loop {
            if let Some(&next) = self.of_last.get(right)
                && next.rate() <= pool.rate()
            {
                pool.take(next);
                right = next.beyond;
            } else if left > 0 && self.of_first[left - 1].rate() >= pool.rate() {
                let next = self.of_first[left - 1];
                pool.take(next);
                left = next.beyond;
            } else {
                return pool.rate();
            }
        }
    }
}
