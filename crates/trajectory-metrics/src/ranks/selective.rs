use scoring_rules::{CompensatedSum, TiedBlocks};

use crate::{
    error::Error,
    ranks::ranking::{aurc, harmonic_span},
};

/// Excess AURC: the area under the risk-coverage curve beyond that of the best possible ranking,
/// in which every success comes before every failure.
///
/// ```text
/// excess = AURC - (1/n) sum over j = 1..f of j / (n - f + j)    for f failures among n rows
/// ```
///
/// In [0, 1), lower is better, 0 if and only if no failure has the confidence of a success or a
/// higher one. What is left of AURC when the failure rate has had its part. Weights are numbers of
/// rows, as in [`aurc`].
///
/// Reference: Geifman, Uziel and El-Yaniv (2019), Bias-reduced uncertainty estimation for deep
/// neural classifiers, arXiv:1805.08206, section 3; the best AURC here is the exact sum, not its
/// limit `r + (1 - r) ln(1 - r)` for many rows with the failure rate r.
///
/// # Errors
///
/// [`Error::Empty`] on empty blocks.
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
    let area = aurc(blocks)?;
    let (failures, successes) = blocks.class_weights();
    // After j failures the risk is j / (s + j) = 1 - s / (s + j).
    let best = (failures - successes * harmonic_span(successes, failures)) / (failures + successes);
    // No ranking is better than the best, but for rounding.
    Ok((area - best).max(0.0))
}

/// Area under the generalized risk-coverage curve: the share of rows that are accepted and fail,
/// averaged over all coverages.
///
/// ```text
/// augrc = integral over coverage from 0 to 1 of P(accepted and failed)
///       = r^2 / 2 + r (1 - r) (1 - AUROC)    for the failure rate r
/// ```
///
/// In [0, 1/2], lower is better. Rows of equal confidence are accepted one by one in a random
/// order. Unlike AURC it weighs every failure alike, wherever it stands, and does not depend on the
/// scale of the weights.
///
/// Reference: Traub, Bungert, Lüth, Baumgartner, Maier-Hein, Maier-Hein and Jäger (2024),
/// Overcoming common flaws in the evaluation of selective classification systems, arXiv:2407.01032.
///
/// # Errors
///
/// [`Error::Empty`] on empty blocks.
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
    if seen == 0.0 { Err(Error::Empty) } else { Ok((sum.value() / seen / seen).min(0.5)) }
}
