use std::ops::Range;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use scoring_rules::{Interval, Level, Probability, Seed, TiedBlocks};

use crate::{
    checks::setting,
    error::{Error, Shared},
    numerics::quantiles::{quantile, tail},
    random::unit,
    resampling::replicate_loop::in_order,
};

/// One point of a reliability curve.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ReliabilityPoint {
    /// A confidence that was reported.
    pub confidence: Probability,
    /// The weight of the rows with this confidence.
    pub weight: f64,
    /// The success rate that isotonic regression gives this confidence, in [0, 1].
    pub success_rate: f64,
}

/// Returns the CORP reliability curve (consistent, optimally binned, reproducible, by pool-adjacent-violators). Its
/// points are the reported confidences in increasing order, each with its success rate under the best fit that never
/// decreases with the confidence.
///
/// Calibrated confidences lie on the diagonal up to sampling error, whose size
/// [`consistency_band`] gives. There are no bins to choose.
///
/// Cost: linear.
///
/// Reference: Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams for
/// probabilistic classifiers, doi:10.1073/pnas.2016191118.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] for empty blocks.
///
/// ```
/// use trajectory_metrics::{Error, Probability, TiedBlocks, reliability_curve};
///
/// let confidence = Probability::from_slice(&[0.25, 0.5, 0.75, 1.0])?;
/// let blocks = TiedBlocks::new(confidence, &[false, true, false, true], None)?;
/// let curve = reliability_curve(&blocks)?;
/// assert!(curve.iter().map(|point| point.success_rate).eq([0.0, 0.5, 0.5, 1.0]));
/// # Ok::<(), Error>(())
/// ```
pub fn reliability_curve(blocks: &TiedBlocks) -> Result<Vec<ReliabilityPoint>, Error> {
    if blocks.as_slice().is_empty() {
        return Err(Shared::Empty.into());
    }
    let points = blocks.as_slice().iter().zip(rates(blocks));
    Ok(points
        .map(|(block, success_rate)| ReliabilityPoint {
            confidence: block.confidence,
            weight: block.weight(),
            success_rate,
        })
        .collect())
}

/// The value of the isotonic regression at each block.
fn rates(blocks: &TiedBlocks) -> impl Iterator<Item = f64> {
    let pools = blocks.pool_adjacent_violators().into_iter();
    pools.flat_map(|pool| std::iter::repeat_n(pool.rate(), pool.blocks.len()))
}

/// Returns the consistency band of [`reliability_curve`]: an interval within [0, 1] per point of the curve. At each
/// reported confidence, the band contains a share
/// `level` of the reliability curves that would result if every row succeeded with its reported probability.
///
/// Outcomes are drawn independently for each row; the confidences do not change. A curve outside the
/// band indicates miscalibration there. The band holds at each point separately: among many points,
/// some lie outside by chance.
///
/// The outcomes in `blocks` are ignored, and each weight is a number of rows. The result depends only
/// on the seed: replicate r uses stream r of a ChaCha8 generator, on any number of threads. Ends interpolate linearly between
/// order statistics (type 7 of Hyndman and Fan).
///
/// Cost: O(resamples * rows), and memory for the steps of the curve of each resample.
///
/// Reference: Dimitriadis, Gneiting and Jordan (2021), see [`reliability_curve`]; Bröcker and Smith
/// (2007), Increasing the reliability of reliability diagrams, doi:10.1175/WAF993.1, who also resample
/// the confidences.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] for empty blocks; [`scoring_rules::Error::Setting`] unless there
/// are 1 to 10 million resamples and the weight of each block is an integer below 2^32.
///
/// ```
/// use trajectory_metrics::{
///     Error, Level, Probability, Seed, TiedBlocks, consistency_band, reliability_curve,
/// };
///
/// // 60 of 100 rows at 0.9 succeeded.
/// let outcomes: Vec<bool> = (0..100).map(|i| i < 60).collect();
/// let blocks = TiedBlocks::new(&[Probability::new(0.9)?; 100], &outcomes, None)?;
/// let band = consistency_band(&blocks, Level::new(0.95)?, 1_000, Seed(7))?;
/// assert!(band[0].contains(0.9));
/// assert!(reliability_curve(&blocks)?[0].success_rate < band[0].low());
/// # Ok::<(), Error>(())
/// ```
pub fn consistency_band(
    blocks: &TiedBlocks,
    level: Level,
    resamples: usize,
    seed: Seed,
) -> Result<Vec<Interval>, Error> {
    if blocks.as_slice().is_empty() {
        return Err(Shared::Empty.into());
    }
    let is_valid = (1..=MAX_RESAMPLES).contains(&resamples);
    setting("resamples", resamples as f64, is_valid, "from 1 to 10 million")?;
    let tail = tail(level);
    let rows = rows_of_blocks(blocks)?;
    let is_valid = rows.len().saturating_mul(resamples) <= MOST_NUMBERS;
    let range = "at most 500 million over the number of different confidences";
    setting("resamples", resamples as f64, is_valid, range)?;

    let seeded = ChaCha8Rng::seed_from_u64(seed.0);
    let curves = in_order(resamples, Vec::new, |pools, replicate| {
        let mut generator = seeded.clone();
        generator.set_stream(replicate);
        drawn_curve(&rows, &mut generator, pools)
    });
    let spans = in_order(rows.len().div_ceil(SPAN), Vec::new, |rates, span| {
        let first = span as usize * SPAN;
        let mut intervals = Vec::with_capacity(SPAN);
        each_sorted(&curves, first..rows.len().min(first + SPAN), rates, |rates| {
            let [low, high] = [tail, 1.0 - tail].map(|share| quantile(rates, share));
            intervals.push(Interval::between(low, high));
        });
        intervals
    });
    Ok(spans.concat())
}

/// The number of blocks whose intervals are computed one after the other.
const SPAN: usize = 64;

/// Blocks to which isotonic regression assigns the same value.
struct Pool {
    /// The position after the last block.
    end: usize,
    rows: u64,
    successes: u64,
}

/// A step of a reliability curve: the position after its last block, and its success rate. Both increase along the
/// curve.
type Step = (usize, f64);

/// Draws the outcomes of rows, and returns the steps of their reliability curve. `pools` is memory that is reused.
///
/// Products of two numbers of rows, which are below 2^32, do not overflow.
fn drawn_curve(
    rows: &[(Probability, u32)],
    generator: &mut ChaCha8Rng,
    pools: &mut Vec<Pool>,
) -> Vec<Step> {
    pools.clear();
    for (block, &(confidence, rows)) in rows.iter().enumerate() {
        let succeeds = |_: &u32| unit(generator) < confidence.get();
        let successes = (0..rows).filter(succeeds).count() as u64;
        let mut pool = Pool { end: block + 1, rows: rows.into(), successes };
        while let Some(before) =
            pools.pop_if(|before| before.successes * pool.rows >= pool.successes * before.rows)
        {
            pool.rows += before.rows;
            pool.successes += before.successes;
        }
        pools.push(pool);
    }
    pools.iter().map(|pool| (pool.end, pool.successes as f64 / pool.rows as f64)).collect()
}

/// Calls a function with each of the blocks and the sorted rates of all curves there. Few curves have a step between
/// two blocks, so that the rates of the others stay in order. `rates` is memory that is reused.
fn each_sorted(
    curves: &[Vec<Step>],
    blocks: Range<usize>,
    rates: &mut Vec<f64>,
    mut call: impl FnMut(&[f64]),
) {
    rates.clear();
    // The first block after a step, and the rates before and after it.
    let mut changes: Vec<(usize, f64, f64)> = Vec::new();
    for curve in curves {
        let rest = &curve[curve.partition_point(|step| step.0 <= blocks.start)..];
        rates.push(rest[0].1);
        let inside = rest.windows(2).take_while(|steps| steps[0].0 < blocks.end);
        changes.extend(inside.map(|steps| (steps[0].0, steps[0].1, steps[1].1)));
    }
    rates.sort_unstable_by(f64::total_cmp);
    changes.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.total_cmp(&b.1)));
    let mut changes = changes.chunk_by(|a, b| a.0 == b.0).peekable();
    for block in blocks {
        if let Some(changed) = changes.next_if(|changed| changed[0].0 == block) {
            let mut before = changed.iter().map(|change| change.1).peekable();
            rates.retain(|rate| before.next_if_eq(rate).is_none());
            rates.extend(changed.iter().map(|change| change.2));
            // Linear in the number of curves, because most of it is in order.
            rates.sort_by(f64::total_cmp);
        }
        call(rates);
    }
}

/// At most 8 gigabytes of steps.
const MOST_NUMBERS: usize = 500_000_000;

/// More resamples change no reported digit, and each value is kept in memory.
const MAX_RESAMPLES: usize = 10_000_000;

/// Each confidence, with the number of rows that share it.
fn rows_of_blocks(blocks: &TiedBlocks) -> Result<Vec<(Probability, u32)>, Error> {
    let (failures, successes) = (blocks.failures(), blocks.successes());
    let total = failures + successes;
    setting("weight of all rows", total, total <= f64::from(u32::MAX), "below 2^32")?;
    let rows = blocks.as_slice().iter().map(|block| {
        let weight = block.weight();
        let is_whole = weight.fract() == 0.0;
        setting("weight of a confidence", weight, is_whole, "a whole number of rows")?;
        Ok((block.confidence, weight as u32))
    });
    rows.collect()
}
