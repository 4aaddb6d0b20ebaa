use scoring_rules::{Block, Probability, TiedBlocks};

use crate::{
    error::{Error, Shared},
    ranks::positive_class::{PositiveClass, both_classes},
};

/// A point of the ROC curve: the false and the true positive rate at one threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RocPoint<S = Probability> {
    /// The threshold. If failure is the positive class, rows of at most this confidence are predicted to fail; if
    /// success is, rows of at least this confidence are predicted to succeed. `None` if no row is predicted positive.
    pub threshold: Option<S>,
    /// Share of the rows of the negative class that are predicted positive, in [0, 1].
    pub false_positive_rate: f64,
    /// Share of the rows of the positive class that are predicted positive, in [0, 1].
    pub true_positive_rate: f64,
}

/// Returns the ROC curve: the point (0, 0), then one point for each distinct confidence. The confidences ascend if
/// failure is the positive class; otherwise they descend.
///
/// A random choice between two neighbouring thresholds reaches any point on the straight line between their points; the
/// area under these lines is [`auroc`](crate::auroc). Points on a straight line between others are kept.
///
/// Reference: Fawcett (2006), An introduction to ROC analysis, doi:10.1016/j.patrec.2005.10.010.
///
/// # Errors
///
/// [`Error::OneClass`] unless there are both failures and successes;
/// [`scoring_rules::Error::Empty`] for empty blocks.
///
/// ```
/// use trajectory_metrics::{Error, PositiveClass, Probability, TiedBlocks, roc_curve};
///
/// let confidence = Probability::from_slice(&[0.8, 0.3, 0.8, 0.3])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false, false], None)?;
/// let curve = roc_curve(&blocks, PositiveClass::Failure)?;
/// let rates = curve.iter().map(|point| (point.false_positive_rate, point.true_positive_rate));
/// assert!(rates.eq([(0.0, 0.0), (0.0, 2.0 / 3.0), (1.0, 1.0)]));
/// assert_eq!(curve[1].threshold, Some(confidence[1]));
/// # Ok::<(), Error>(())
/// ```
pub fn roc_curve<S: Copy>(
    blocks: &TiedBlocks<S>,
    positive: PositiveClass,
) -> Result<Vec<RocPoint<S>>, Error> {
    let (positives, negatives) = positive.positive_first(both_classes(blocks)?);
    let none = RocPoint { threshold: None, false_positive_rate: 0.0, true_positive_rate: 0.0 };
    let rows = positive.in_order(blocks.as_slice());
    let points = cumulated(rows).map(|(block, found, wrong)| RocPoint {
        threshold: Some(block.confidence),
        false_positive_rate: wrong / negatives,
        true_positive_rate: found / positives,
    });
    Ok(std::iter::once(none).chain(points).collect())
}

/// A point of the precision-recall curve: the precision and the recall at one threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PrecisionRecallPoint<S = Probability> {
    /// The threshold. If failure is the positive class, rows of at most this confidence are predicted to fail; if
    /// success is, rows of at least this confidence are predicted to succeed.
    pub threshold: S,
    /// Among the rows that are predicted positive, the share that belongs to the positive class, in [0, 1].
    pub precision: f64,
    /// Share of the rows of the positive class that are predicted positive, in [0, 1].
    pub recall: f64,
}

/// Returns the precision-recall curve: one point for each distinct confidence. The confidences ascend if failure is the
/// positive class; otherwise they descend.
///
/// Linear interpolation between the points is too optimistic. The area under steps, each at the
/// precision of its right end, is [`average_precision`](crate::average_precision).
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
/// use trajectory_metrics::{
///     Error, PositiveClass, Probability, TiedBlocks, precision_recall_curve,
/// };
///
/// let confidence = Probability::from_slice(&[0.8, 0.3, 0.6])?;
/// let blocks = TiedBlocks::new(confidence, &[false, false, true], None)?;
/// let curve = precision_recall_curve(&blocks, PositiveClass::Failure)?;
/// let points = curve.iter().map(|point| (point.precision, point.recall));
/// assert!(points.eq([(1.0, 0.5), (0.5, 0.5), (2.0 / 3.0, 1.0)]));
/// # Ok::<(), Error>(())
/// ```
pub fn precision_recall_curve<S: Copy>(
    blocks: &TiedBlocks<S>,
    positive: PositiveClass,
) -> Result<Vec<PrecisionRecallPoint<S>>, Error> {
    let positives = positive.weight_in(blocks)?;
    let rows = positive.in_order(blocks.as_slice());
    let points = cumulated(rows).map(|(block, found, wrong)| PrecisionRecallPoint {
        threshold: block.confidence,
        precision: found / (found + wrong),
        recall: found / positives,
    });
    Ok(points.collect())
}

/// A point of the risk-coverage curve: coverage and risk at one threshold.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RiskCoveragePoint<S = Probability> {
    /// The threshold: rows of at least this confidence are accepted.
    pub threshold: S,
    /// Share of all rows that are accepted, in (0, 1].
    pub coverage: f64,
    /// Share of failures among the accepted rows, in [0, 1].
    pub risk: f64,
    /// Share of all rows that are accepted and fail, in [0, 1]: coverage times risk.
    pub generalized_risk: f64,
}

/// Returns the risk-coverage curve: a point for each distinct confidence, in descending order.
///
/// Between two points, rows are accepted one by one in random order, so that the generalized risk
/// is linear in the coverage, and the risk is the generalized risk over the coverage. The area under the
/// generalized risk, starting at (0, 0), is [`augrc`](crate::augrc). [`aurc`](crate::aurc) is the sum of the risks, each
/// times the coverage that its point adds.
///
/// Reference: El-Yaniv and Wiener (2010), On the foundations of noise-free selective
/// classification, Journal of Machine Learning Research 11; generalized risk: Traub et al. (2024),
/// Overcoming common flaws in the evaluation of selective classification systems, arXiv:2407.01032.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] for empty blocks.
///
/// ```
/// use trajectory_metrics::{Error, Probability, TiedBlocks, risk_coverage_curve};
///
/// let confidence = Probability::from_slice(&[0.8, 0.3, 0.6, 0.3])?;
/// let blocks = TiedBlocks::new(confidence, &[true, false, false, true], None)?;
/// let curve = risk_coverage_curve(&blocks)?;
/// let points = curve.iter().map(|point| (point.coverage, point.risk, point.generalized_risk));
/// assert!(points.eq([(0.25, 0.0, 0.0), (0.5, 0.5, 0.25), (1.0, 0.5, 0.5)]));
/// # Ok::<(), Error>(())
/// ```
pub fn risk_coverage_curve<S: Copy>(
    blocks: &TiedBlocks<S>,
) -> Result<Vec<RiskCoveragePoint<S>>, Error> {
    // Rows of the highest confidence are accepted first.
    let rows = PositiveClass::Success.in_order(blocks.as_slice());
    let points: Vec<_> = cumulated(rows).collect();
    let Some((_, successes, failures)) = points.last().copied() else {
        return Err(Shared::Empty.into());
    };
    let total = failures + successes;
    let points = points.into_iter().map(|(block, succeeded, failed)| RiskCoveragePoint {
        threshold: block.confidence,
        coverage: (failed + succeeded) / total,
        risk: failed / (failed + succeeded),
        generalized_risk: failed / total,
    });
    Ok(points.collect())
}

/// Each block, with the weight of positives and of negatives up to and including it.
fn cumulated<'a, S: 'a>(
    blocks: impl Iterator<Item = (&'a Block<S>, f64, f64)>,
) -> impl Iterator<Item = (&'a Block<S>, f64, f64)> {
    blocks.scan((0.0, 0.0), |(found, wrong), (block, positives, negatives)| {
        *found += positives;
        *wrong += negatives;
        Some((block, *found, *wrong))
    })
}
