use scoring_rules::{CompensatedSum, TiedBlocks};

use crate::error::{Error, Shared};

/// Returns AURC, the area under the risk-coverage curve as a step function: the mean over rows of the failure rate
/// among rows with at least the same confidence.
///
/// ```text
/// sum over blocks b of equal confidence, w_b / W * (weight of failures in b and above) / (weight in b and above)
/// ```
///
/// In [0, 1]; lower is better, and a constant confidence has the failure rate. Rows of equal confidence are accepted
/// together, as a threshold accepts them: this is the sum of the risks of
/// [`risk_coverage_curve`](crate::risk_coverage_curve), each times the step of coverage that leads to it. Without ties
/// and weights it is the mean, over all k, of the failure rate among the k most confident rows.
///
/// A row of weight 2 counts as two equal rows, and the scale of the weights does not matter.
///
/// Reference: Geifman, Uziel and El-Yaniv (2019), Bias-reduced uncertainty estimation for deep
/// neural classifiers, arXiv:1805.08206, section 3.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] for empty blocks.
///
/// ```
/// use trajectory_metrics::{Error, Probability, TiedBlocks, aurc};
///
/// let confidence = Probability::from_slice(&[0.8, 0.3, 0.6])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false], None)?;
/// assert!((aurc(&blocks)? - (0.0 + 1.0 / 2.0 + 2.0 / 3.0) / 3.0).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
pub fn aurc<S>(blocks: &TiedBlocks<S>) -> Result<f64, Error> {
    let mut sum = CompensatedSum::default();
    let (mut failed, mut seen) = (0.0, 0.0);
    for block in blocks.as_slice().iter().rev() {
        failed += block.failures;
        seen += block.weight();
        sum.add(block.weight() * (failed / seen));
    }
    if seen == 0.0 { Err(Shared::Empty.into()) } else { Ok((sum.value() / seen).min(1.0)) }
}

/// Returns the excess AURC: AURC minus the AURC of the best possible ranking, in which every success precedes every
/// failure, and failures keep their order and their ties.
///
/// ```text
/// excess = AURC - (1/n) sum over j = 1..f of j / (n - f + j)    for f failures without ties among n rows
/// ```
///
/// In [0, 1); lower is better, and 0 if and only if every success has a higher confidence than every
/// failure. It removes the part of AURC that the failure rate determines. Weights count as in [`aurc`].
///
/// Reference: Geifman, Uziel and El-Yaniv (2019), Bias-reduced uncertainty estimation for deep
/// neural classifiers, arXiv:1805.08206, section 3. The best AURC here is the exact sum, not its
/// limit `r + (1 - r) ln(1 - r)` for many rows with failure rate r.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] for empty blocks.
///
/// ```
/// use trajectory_metrics::{Error, Probability, TiedBlocks, excess_aurc};
///
/// let confidence = Probability::from_slice(&[0.8, 0.3, 0.6])?;
/// let perfect = TiedBlocks::new(confidence, &[true, false, true], None)?;
/// assert_eq!(excess_aurc(&perfect)?, 0.0);
/// let swapped = TiedBlocks::new(confidence, &[true, true, false], None)?;
/// assert!((excess_aurc(&swapped)? - (1.0 / 2.0 + 1.0 / 3.0 - 1.0 / 3.0) / 3.0).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
pub fn excess_aurc<S>(blocks: &TiedBlocks<S>) -> Result<f64, Error> {
    let total = blocks.failures() + blocks.successes();
    let mut excess = CompensatedSum::default();
    let (mut failed, mut seen) = (0.0, 0.0);
    for block in blocks.as_slice().iter().rev() {
        failed += block.failures;
        seen += block.weight();
        // In the best ranking, all successes stand above this block. No difference is negative.
        let best = blocks.successes() + failed;
        excess.add(block.successes * (failed / seen));
        excess.add(block.failures * (failed / seen) * ((best - seen).max(0.0) / best));
    }
    if seen == 0.0 { Err(Shared::Empty.into()) } else { Ok((excess.value() / total).max(0.0)) }
}

/// Returns AUGRC, the area under the generalized risk-coverage curve: the share of all rows that are accepted and
/// fail, averaged over all coverages.
///
/// ```text
/// augrc = integral over coverage from 0 to 1 of P(accepted and failed)
///       = r^2 / 2 + r (1 - r) (1 - AUROC)    for the failure rate r
/// ```
///
/// In [0, 1/2]; lower is better. Rows of equal confidence are accepted one by one in random order.
/// Unlike AURC, it gives every failure the same weight regardless of its rank, and does not depend
/// on the scale of the weights.
///
/// Reference: Traub, Bungert, Lüth, Baumgartner, Maier-Hein, Maier-Hein and Jäger (2024),
/// Overcoming common flaws in the evaluation of selective classification systems, arXiv:2407.01032.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] for empty blocks.
///
/// ```
/// use trajectory_metrics::{Error, Probability, TiedBlocks, augrc};
///
/// let confidence = Probability::from_slice(&[0.8, 0.3, 0.6, 0.3])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false, true], None)?;
/// // From 0 to 0 at 1/4, to 1/4 at 1/2 and to 1/2 at 1.
/// assert_eq!(augrc(&blocks)?, (0.0 + 0.25) / 2.0 * 0.25 + (0.25 + 0.5) / 2.0 * 0.5);
/// # Ok::<(), Error>(())
/// ```
pub fn augrc<S>(blocks: &TiedBlocks<S>) -> Result<f64, Error> {
    let mut sum = CompensatedSum::default();
    let (mut failed, mut seen) = (0.0, 0.0);
    for block in blocks.as_slice().iter().rev() {
        sum.add(block.weight() * (failed + 0.5 * block.failures));
        failed += block.failures;
        seen += block.weight();
    }
    if seen == 0.0 { Err(Shared::Empty.into()) } else { Ok((sum.value() / seen / seen).min(0.5)) }
}
