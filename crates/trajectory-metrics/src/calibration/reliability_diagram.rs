use scoring_rules::{Binning, Block, CompensatedSum, Probability, TiedBlocks};

use crate::error::Error;

/// One bin of a reliability diagram.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ReliabilityBin {
    /// Total weight of the rows in the bin; their number if rows have no weights.
    pub weight: f64,
    /// The mean confidence of the rows, which lies between their lowest and their highest confidence.
    pub mean_confidence: f64,
    /// The success rate of the rows, in [0, 1].
    pub success_rate: f64,
    /// The lowest confidence in the bin.
    pub lowest: Probability,
    /// The highest confidence in the bin.
    pub highest: Probability,
}

/// Returns the data of a reliability diagram: mean confidence, success rate and weight of each bin.
/// Empty bins are left out.
///
/// [`expected_calibration_error`](crate::expected_calibration_error) is the mean difference between
/// confidence and success rate. [`reliability_curve`](crate::reliability_curve) needs no bins.
///
/// Reference: Murphy and Winkler (1977), Reliability of subjective probability forecasts of
/// precipitation and temperature, doi:10.2307/2346866; ties as in [`Binning`].
///
/// # Errors
///
/// The errors of [`Binning::bins`]: for no bins, edges that decrease, or empty blocks.
///
/// ```
/// use trajectory_metrics::{Binning, Error, Probability, TiedBlocks, reliability_diagram};
///
/// let confidence = Probability::from_slice(&[0.25, 0.0, 0.75, 1.0])?;
/// let blocks = TiedBlocks::new(confidence, &[false, true, true, true], None)?;
/// let bins = reliability_diagram(&blocks, Binning::EqualWidth { bins: 2 })?;
/// assert_eq!((bins[0].weight, bins[0].mean_confidence, bins[0].success_rate), (2.0, 0.125, 0.5));
/// assert_eq!((bins[1].lowest.get(), bins[1].highest.get()), (0.75, 1.0));
/// # Ok::<(), Error>(())
/// ```
pub fn reliability_diagram(
    blocks: &TiedBlocks,
    binning: Binning<'_>,
) -> Result<Vec<ReliabilityBin>, Error> {
    Ok(binning.bins(blocks)?.filter_map(reliability_bin).collect())
}

/// `None` for an empty bin; [`Binning::bins`] returns none.
fn reliability_bin(bin: &[Block]) -> Option<ReliabilityBin> {
    let (lowest, highest) = (bin.first()?.confidence, bin.last()?.confidence);
    let [mut weight, mut successes, mut confidence] = [CompensatedSum::default(); 3];
    for block in bin {
        weight.add(block.failures);
        weight.add(block.successes);
        successes.add(block.successes);
        confidence.add(block.weight() * block.confidence.get());
    }
    let weight = weight.value();
    Some(ReliabilityBin {
        weight,
        // Rounding must not move a mean out of the range of its values.
        mean_confidence: (confidence.value() / weight).clamp(lowest.get(), highest.get()),
        success_rate: (successes.value() / weight).min(1.0),
        lowest,
        highest,
    })
}
