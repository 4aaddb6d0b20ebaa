use scoring_rules::{CompensatedSum, TiedBlocks};

use crate::{
    error::Error,
    ranks::positive_class::{PositiveClass, both_classes},
};

/// Returns AUROC, the area under the ROC curve: the probability that a random success has a higher confidence than a
/// random failure, where a tie counts as one half.
///
/// In [0, 1]; higher is better, and a constant confidence has 0.5. AUROC is the same for either
/// positive class. It depends on the ranks of the confidences only, so that any finite score can be
/// used instead of a probability ([`TiedBlocks::from_scores`]).
///
/// Reference: Hanley and McNeil (1982), The meaning and use of the area under a receiver operating
/// characteristic (ROC) curve, doi:10.1148/radiology.143.1.7063747.
///
/// # Errors
///
/// [`Error::OneClass`] unless there are both failures and successes;
/// [`scoring_rules::Error::Empty`] for empty blocks.
///
/// ```
/// use trajectory_metrics::{Error, Probability, TiedBlocks, auroc};
///
/// let confidence = Probability::from_slice(&[0.8, 0.3, 0.6])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false], None)?;
/// assert_eq!(auroc(&blocks)?, 1.0);
///
/// // Logits whose probabilities would all round to 1.
/// let logits = TiedBlocks::from_scores(&[41.0, 39.0, 40.0], &[true, false, false], None)?;
/// assert_eq!(auroc(&logits)?, 1.0);
/// # Ok::<(), Error>(())
/// ```
pub fn auroc<S>(blocks: &TiedBlocks<S>) -> Result<f64, Error> {
    let (failures, successes) = both_classes(blocks)?;
    // Twice the weight of correctly ordered pairs, which is an integer if weights are.
    let mut twice_right = CompensatedSum::default();
    let mut failures_below = 0.0;
    for block in blocks.as_slice() {
        twice_right.add(block.successes * (2.0 * failures_below + block.failures));
        failures_below += block.failures;
    }
    // Rounding of fractional weights may exceed 1.
    Ok((twice_right.value() / (2.0 * failures * successes)).min(1.0))
}

/// Returns the average precision: the mean, over the rows of the positive class, of the precision with the threshold at
/// that row. Rows of equal confidence are predicted positive together.
///
/// With failure as the positive class, rows are predicted positive from the lowest confidence
/// upwards; with success, from the highest downwards. In [0, 1]; higher is better, and a constant
/// confidence has the share of the positive class. This is the area under the precision-recall curve
/// without interpolation, like scikit-learn's `average_precision_score`.
///
/// Reference: Davis and Goadrich (2006), The relationship between precision-recall and ROC curves,
/// doi:10.1145/1143844.1143874.
///
/// # Errors
///
/// [`Error::OneClass`] if no row is of the positive class; [`scoring_rules::Error::Empty`] for
/// empty blocks.
///
/// ```
/// use trajectory_metrics::{Error, PositiveClass, Probability, TiedBlocks, average_precision};
///
/// let confidence = Probability::from_slice(&[0.8, 0.3, 0.6])?;
/// let blocks = TiedBlocks::new(confidence, &[false, false, true], None)?;
/// let failures = average_precision(&blocks, PositiveClass::Failure)?;
/// assert!((failures - (1.0 + 2.0 / 3.0) / 2.0).abs() < 1e-15);
/// assert_eq!(average_precision(&blocks, PositiveClass::Success)?, 0.5);
/// # Ok::<(), Error>(())
/// ```
pub fn average_precision<S>(blocks: &TiedBlocks<S>, positive: PositiveClass) -> Result<f64, Error> {
    let positives = positive.weight_in(blocks)?;
    let mut sum = CompensatedSum::default();
    let (mut found, mut seen) = (0.0, 0.0);
    for (block, positives, _) in positive.in_order(blocks.as_slice()) {
        found += positives;
        seen += block.weight();
        sum.add(positives * (found / seen));
    }
    Ok((sum.value() / positives).min(1.0))
}
