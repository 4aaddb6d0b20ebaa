use scoring_rules::{CompensatedSum, TiedBlocks};

use crate::{error::Error, ranks::positive_class::PositiveClass};

/// Area under the ROC curve: the probability that a random success has a higher confidence than a
/// random failure, ties counting one half.
///
/// In [0, 1], higher is better, 0.5 for a constant. The same number whichever class is called
/// positive. Blind to any rising distortion of the confidence, so that any finite score can take its
/// place ([`TiedBlocks::from_scores`]).
///
/// Reference: Hanley and McNeil (1982), The meaning and use of the area under a receiver operating
/// characteristic (ROC) curve, doi:10.1148/radiology.143.1.7063747.
///
/// # Errors
///
/// [`Error::OneClass`] without both a failure and a success.
///
/// ```
/// use trajectory_metrics::{Error, Probability, TiedBlocks, auroc};
///
/// let confidence = Probability::from_slice(&[0.8, 0.3, 0.6])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false], None)?;
/// assert_eq!(auroc(&blocks)?, 1.0);
///
/// // Logits, which no number in [0, 1] would keep apart.
/// let logits = TiedBlocks::from_scores(&[41.0, 39.0, 40.0], &[true, false, false], None)?;
/// assert_eq!(auroc(&logits)?, 1.0);
/// # Ok::<(), Error>(())
/// ```
pub fn auroc<S>(blocks: &TiedBlocks<S>) -> Result<f64, Error> {
    let (failures, successes) = blocks.class_weights();
    if failures == 0.0 || successes == 0.0 {
        return Err(Error::OneClass { outcome: failures == 0.0 });
    }
    // Twice the weight of pairs in the right order: a whole number where weights are. Powers of two
    // in front keep products of very small weights in range without a rounding.
    let (scale_failures, scale_successes) = (to_unit(failures), to_unit(successes));
    let mut twice_right = CompensatedSum::default();
    let mut failures_below = 0.0;
    for block in blocks.as_slice() {
        let failures = scale_failures * block.failures;
        twice_right.add(scale_successes * block.successes * (2.0 * failures_below + failures));
        failures_below += failures;
    }
    let all = 2.0 * (scale_failures * failures) * (scale_successes * successes);
    // Weights that are no whole numbers may be rounded to a little more.
    Ok((twice_right.value() / all).min(1.0))
}

/// A power of two that brings a positive number near 1, as far as one can.
pub(crate) fn to_unit(value: f64) -> f64 {
    2.0_f64.powi(-(value.log2().floor().clamp(-1_000.0, 1_000.0) as i32))
}

/// Average precision: the precision among the rows that are called positive, averaged over the rows
/// of the positive class found, equal confidences taken in together.
///
/// With failure as the positive class rows are called positive from the lowest confidence up, with
/// success from the highest down. In [0, 1], higher is better; the share of the positive class for a
/// constant. The area under the precision-recall curve without interpolation, as scikit-learn's
/// `average_precision_score`.
///
/// Reference: Davis and Goadrich (2006), The relationship between precision-recall and ROC curves,
/// doi:10.1145/1143844.1143874.
///
/// # Errors
///
/// [`Error::OneClass`] without a row of the positive class.
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
    let (positives, _) = positive.positive_first(blocks.class_weights());
    if positives == 0.0 {
        return Err(Error::OneClass { outcome: !positive.outcome() });
    }
    let mut sum = CompensatedSum::default();
    let (mut found, mut seen) = (0.0, 0.0);
    for (block, positives, _) in positive.in_order(blocks.as_slice()) {
        found += positives;
        seen += block.weight();
        sum.add(positives * (found / seen));
    }
    Ok((sum.value() / positives).min(1.0))
}

/// Area under the risk-coverage curve: the failure rate among the k most confident rows, averaged
/// over all k.
///
/// In [0, 1], lower is better; the failure rate for a constant. Rows of equal confidence come in a
/// random order, of which this is the expectation.
///
/// Weights are numbers of rows: 2 is the row twice, and weights between whole numbers interpolate
/// by harmonic numbers. So weights must not be normalised: a total of 1 is one row, whose expected
/// risk is the failure rate whatever the ranking.
///
/// Reference: Geifman, Uziel and El-Yaniv (2019), Bias-reduced uncertainty estimation for deep
/// neural classifiers, arXiv:1805.08206, section 3.
///
/// # Errors
///
/// None on blocks made by this crate; [`Error::Empty`] on empty ones.
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
        let weight = block.weight();
        // Of j rows out of this block, j failures / weight are expected to fail; the risk after
        // them is (failed + that) / (seen + j), summed over j.
        if weight == 1.0 {
            // One row, as where nothing ties, without what it does not need.
            sum.add(block.failures);
            sum.add((failed - block.failures * seen) * (1.0 / (seen + 1.0)));
        } else {
            let rate = block.failures / weight;
            let excess = failed - rate * seen;
            sum.add(block.failures);
            if excess != 0.0 {
                sum.add(excess * harmonic_span(seen, weight));
            }
        }
        failed += block.failures;
        seen += weight;
    }
    if seen == 0.0 { Err(Error::Empty) } else { Ok((sum.value() / seen).min(1.0)) }
}

/// `1/(start + 1) + 1/(start + 2) + … + 1/(start + span)`, continued to real numbers:
/// the difference of the digamma function at `start + span + 1` and `start + 1`.
pub(crate) fn harmonic_span(start: f64, span: f64) -> f64 {
    if span.fract() == 0.0 && span <= 16.0 {
        return (1..=span as u32).fold(0.0, |sum, j| sum + 1.0 / (start + f64::from(j)));
    }
    // Up to where the asymptotic series has all digits, by psi(z + 1) = psi(z) + 1/z.
    let (mut z, mut sum) = (start + 1.0, 0.0);
    while z < 16.0 {
        sum += span / (z * (z + span));
        z += 1.0;
    }
    // psi(z) = ln z - 1/(2 z) - sum over k of B_2k / (2 k z^2k), each term's difference taken so
    // that close ones do not cancel.
    let end = z + span;
    let (a, b) = (1.0 / z, 1.0 / end);
    let gap = span * a * b;
    let squares = gap * (a + b);
    let fourths = squares * (a * a + b * b);
    let sixths = squares * (a.powi(4) + a * a * b * b + b.powi(4));
    let eighths = fourths * (a.powi(4) + b.powi(4));
    let tenths = squares
        * (a.powi(8) + a.powi(6) * b.powi(2) + (a * b).powi(4) + a.powi(2) * b.powi(6) + b.powi(8));
    sum + (span * a).ln_1p() + gap / 2.0 + squares / 12.0 - fourths / 120.0 + sixths / 252.0
        - eighths / 240.0
        + tenths / 132.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_harmonic_span_of_whole_numbers_is_a_sum() {
        for start in [0.0, 1.0, 3.0, 20.0, 1e6] {
            for span in [1.0, 2.0, 17.0, 40.0, 1_000.0] {
                let sum: f64 = (1..=span as u32).map(|j| 1.0 / (start + f64::from(j))).sum();
                approx::assert_relative_eq!(
                    harmonic_span(start, span),
                    sum,
                    epsilon = 0.0,
                    max_relative = 1e-14
                );
            }
        }
    }

    #[test]
    fn the_harmonic_span_of_real_numbers_adds_up() {
        // From 0.3 to 5.8 in two ways, and one step against its definition.
        let whole = harmonic_span(0.3, 5.5);
        approx::assert_relative_eq!(
            harmonic_span(0.3, 2.2) + harmonic_span(2.5, 3.3),
            whole,
            epsilon = 0.0,
            max_relative = 1e-14
        );
        let one = harmonic_span(0.5, 0.25) + harmonic_span(0.75, 0.75);
        approx::assert_relative_eq!(one, 1.0 / 1.5, epsilon = 0.0, max_relative = 1e-14);
        // Two halves of a step beyond 15, where the series is all there is.
        for start in [15.0, 15.25, 16.0] {
            approx::assert_relative_eq!(
                harmonic_span(start, 0.5) + harmonic_span(start + 0.5, 0.5),
                1.0 / (start + 1.0),
                epsilon = 0.0,
                max_relative = 3e-15
            );
        }
    }
}
