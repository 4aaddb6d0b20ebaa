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

/// An interval that contains a point of the reliability curve with a given probability, if the confidences are
/// calibrated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ConsistencyInterval {
    /// A confidence that was reported.
    pub confidence: Probability,
    /// The interval, in [0, 1].
    pub interval: Interval,
}

/// Returns the consistency band of [`reliability_curve`]. At each reported confidence, the band contains a share
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
/// Cost: O(resamples * rows), and memory for one number per resample and distinct confidence.
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
/// let band = consistency_band(&blocks, Level::new(0.95)?, 1_000, Seed::new(7))?;
/// assert!(band[0].interval.contains(0.9));
/// assert!(reliability_curve(&blocks)?[0].success_rate < band[0].interval.low());
/// # Ok::<(), Error>(())
/// ```
pub fn consistency_band(
    blocks: &TiedBlocks,
    level: Level,
    resamples: usize,
    seed: Seed,
) -> Result<Vec<ConsistencyInterval>, Error> {
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

    let seeded = ChaCha8Rng::seed_from_u64(seed.get());
    let curve = |resampled: &mut TiedBlocks, replicate| {
        let mut generator = seeded.clone();
        generator.set_stream(replicate);
        resampled.refill(rows.iter().flat_map(|&(confidence, rows)| {
            let succeeds = |_: &u32| unit(&mut generator) < confidence.get();
            let successes = (0..rows).filter(succeeds).count() as u32;
            let failures = rows - successes;
            [(confidence, false, failures.into()), (confidence, true, successes.into())]
        }))?;
        Ok(rates(resampled).collect::<Vec<f64>>())
    };
    let curves = in_order(resamples, TiedBlocks::default, curve);
    let curves = curves.into_iter().collect::<Result<Vec<_>, Error>>()?;
    Ok(in_order(
        rows.len(),
        || Vec::with_capacity(resamples),
        |rates, block| {
            rates.clear();
            rates.extend(curves.iter().map(|curve| curve[block as usize]));
            rates.sort_unstable_by(f64::total_cmp);
            let [low, high] = [tail, 1.0 - tail].map(|share| quantile(rates, share));
            ConsistencyInterval {
                confidence: rows[block as usize].0,
                interval: Interval::between(low, high),
            }
        },
    ))
}

/// 4 gigabytes of curves.
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
