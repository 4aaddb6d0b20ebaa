use scoring_rules::{Binning, Block, BrierScore, ExactMean, ScoringRule, TiedBlocks, Weight};

use crate::error::Error;

/// The number of bins of the trajectory ECE, each with the same weight (Raghu, Pandey and Pandey 2026, appendix F).
pub const T_ECE_BINS: usize = 10;

/// Returns the expected calibration error: the weighted mean over bins of the distance between mean confidence and
/// success rate.
///
/// In [0, 1], lower is better. Applied to a scalar summary of trajectories it is the trajectory ECE,
/// for which the paper uses ten bins of equal weight. It measures calibration on average only: a
/// constant forecast of the base rate has 0. On a sample it is biased upwards, so bootstrap intervals
/// tend to lie above the value and never contain 0.
///
/// Reference: Naeini, Cooper and Hauskrecht (2015), Obtaining well calibrated probabilities using
/// Bayesian binning, doi:10.1609/aaai.v29i1.9602; ties as in [`Binning`].
///
/// # Errors
///
/// The errors of [`Binning::bins`]: for no bins, edges that decrease, or empty blocks.
///
/// ```
/// use trajectory_metrics::{Binning, Error, Probability, TiedBlocks, expected_calibration_error};
///
/// let confidence = Probability::from_slice(&[0.75, 0.75, 0.25, 0.25])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false, false], None)?;
/// let error = expected_calibration_error(&blocks, Binning::Quantile { bins: 10 })?;
/// assert_eq!(error, 0.25);
/// # Ok::<(), Error>(())
/// ```
///
/// The trajectory ECE and the trajectory Brier loss of any scalar summary of streams:
///
/// ```
/// use trajectory_metrics::{
///     Binning, Error, Summary, TiedBlocks, Traces, WeightSchedule, brier_loss,
///     expected_calibration_error,
/// };
///
/// let traces = Traces::from_flat(&[0.5, 1.0, 0.75, 0.25], &[2, 4], &[true, false])?;
/// let front = Summary::Weighted(WeightSchedule::LinearFront);
/// let t_ece_and_t_brier = |summary: &Summary| {
///     let confidence = summary.forecasts(&traces)?;
///     let blocks = TiedBlocks::new(&confidence, traces.outcomes(), None)?;
///     let tenths = Binning::Quantile { bins: 10 };
///     Ok::<_, Error>((expected_calibration_error(&blocks, tenths)?, brier_loss(&blocks)?))
/// };
/// assert_eq!(t_ece_and_t_brier(&Summary::Last)?, (0.125, 0.03125)); // 1 and 1/4
/// assert_eq!(t_ece_and_t_brier(&Summary::Minimum)?, (0.375, 0.15625)); // 1/2 and 1/4
/// assert!(t_ece_and_t_brier(&front)?.0 > 0.4); // 2/3 and 7/12
/// # Ok::<(), Error>(())
/// ```
pub fn expected_calibration_error(blocks: &TiedBlocks, binning: Binning<'_>) -> Result<f64, Error> {
    let bins = binning.bins(blocks)?;
    let (failures, successes) = (blocks.failures(), blocks.successes());
    let sum = bins.fold(0.0, |sum, bin| sum + gap(bin).abs());
    Ok((sum / (failures + successes)).min(1.0))
}

/// Returns the root mean square calibration error: the square root of the weighted mean over bins of the squared
/// distance between mean confidence and success rate.
///
/// In [0, 1], lower is better; at least [`expected_calibration_error`] on the same bins and at most
/// [`maximum_calibration_error`]. Also called the L2 calibration error. Biased upwards on a sample.
///
/// Reference: Kumar, Liang and Ma (2019), Verified uncertainty calibration, arXiv:1909.10155.
///
/// # Errors
///
/// The errors of [`expected_calibration_error`].
///
/// ```
/// use trajectory_metrics::{
///     Binning, Error, Probability, TiedBlocks, root_mean_square_calibration_error,
/// };
///
/// let confidence = Probability::from_slice(&[0.75, 0.75, 0.0, 0.0])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false, false], None)?;
/// let error = root_mean_square_calibration_error(&blocks, Binning::Distinct)?;
/// assert_eq!(error, (0.25_f64 * 0.25 / 2.0).sqrt());
/// # Ok::<(), Error>(())
/// ```
pub fn root_mean_square_calibration_error(
    blocks: &TiedBlocks,
    binning: Binning<'_>,
) -> Result<f64, Error> {
    let bins = binning.bins(blocks)?;
    let (failures, successes) = (blocks.failures(), blocks.successes());
    // Each bin as its weight times the squared distance.
    let squares = bins.fold(0.0, |sum, bin| sum + gap(bin) * (gap(bin) / weight(bin)));
    Ok((squares / (failures + successes)).sqrt().min(1.0))
}

/// Returns the maximum calibration error: the distance between mean confidence and success rate in the bin where it is
/// largest, whatever the weight of this bin.
///
/// In [0, 1], lower is better. It is dominated by sampling error if bins are small.
///
/// Reference: Naeini, Cooper and Hauskrecht (2015), as [`expected_calibration_error`].
///
/// # Errors
///
/// The errors of [`expected_calibration_error`].
///
/// ```
/// use trajectory_metrics::{Binning, Error, Probability, TiedBlocks, maximum_calibration_error};
///
/// let confidence = Probability::from_slice(&[0.75, 0.75, 0.0, 0.0])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false, false], None)?;
/// assert_eq!(maximum_calibration_error(&blocks, Binning::Distinct)?, 0.25);
/// # Ok::<(), Error>(())
/// ```
pub fn maximum_calibration_error(blocks: &TiedBlocks, binning: Binning<'_>) -> Result<f64, Error> {
    let bins = binning.bins(blocks)?;
    let largest = bins.fold(0.0, |largest, bin| (gap(bin) / weight(bin)).abs().max(largest));
    Ok(largest.min(1.0))
}

/// Expected minus actual successes in a bin.
fn gap(bin: &[Block]) -> f64 {
    bin.iter()
        .fold(0.0, |gap, block| gap + (block.weight() * block.confidence.get() - block.successes))
}

/// The weight of all rows in a bin.
fn weight(bin: &[Block]) -> f64 {
    bin.iter().fold(0.0, |weight, block| weight + block.weight())
}

/// Returns the mean Brier loss of the confidences, `(p - y)^2`.
///
/// In [0, 1], lower is better. For the scalar summary of a trajectory, this is the trajectory Brier
/// loss. It is proper for the summary, but not for the stream of forecasts.
///
/// Reference: Brier (1950), doi:10.1175/1520-0493(1950)078<0001:VOFEIT>2.0.CO;2.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] on empty blocks; [`Error::ScoringRules`] for a block whose weight is
/// not between 1e-100 and 1e100.
///
/// ```
/// use trajectory_metrics::{Error, Probability, TiedBlocks, brier_loss};
///
/// let confidence = Probability::from_slice(&[0.75, 0.25])?;
/// let blocks = TiedBlocks::new(confidence, &[true, true], None)?;
/// assert_eq!(brier_loss(&blocks)?, (0.0625 + 0.5625) / 2.0);
/// # Ok::<(), Error>(())
/// ```
pub fn brier_loss(blocks: &TiedBlocks) -> Result<f64, Error> {
    let mut mean = ExactMean::default();
    for block in blocks.as_slice() {
        mean.update_weighted(
            -BrierScore.score(block.confidence, false),
            Weight::new(block.failures)?,
        )?;
        mean.update_weighted(
            -BrierScore.score(block.confidence, true),
            Weight::new(block.successes)?,
        )?;
    }
    Ok(mean.finish()?)
}
