use scoring_rules::{Block, TiedBlocks};

use crate::error::{Error, Shared};

/// The outcome that is positive for a ROC curve or a precision-recall curve.
///
/// AUROC is the same for both. Average precision is not: its baseline is the share of the positive
/// class. The confidence remains the confidence in success. It is never replaced by `1 - p`, which
/// would make tiny probabilities equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PositiveClass {
    /// Failures, which are detected by a low confidence.
    Failure,
    /// Successes, which are detected by a high confidence.
    Success,
}

impl PositiveClass {
    /// Returns the outcome of the rows of this class.
    #[must_use]
    pub(crate) const fn outcome(self) -> bool {
        matches!(self, Self::Success)
    }

    /// Turns a pair of failures and successes into a pair of positives and negatives.
    pub(crate) const fn positive_first(self, (failures, successes): (f64, f64)) -> (f64, f64) {
        match self {
            Self::Failure => (failures, successes),
            Self::Success => (successes, failures),
        }
    }

    /// The weight of the positive class; an error if it is 0.
    pub(crate) fn weight_in<S>(self, blocks: &TiedBlocks<S>) -> Result<f64, Error> {
        match self.positive_first((blocks.failures(), blocks.successes())) {
            (0.0, 0.0) => Err(Shared::Empty.into()),
            (0.0, _) => Err(Error::OneClass { outcome: !self.outcome() }),
            (positives, _) => Ok(positives),
        }
    }

    /// The blocks in the order in which rows are predicted positive, each with the weight of its
    /// positives and negatives.
    pub(crate) fn in_order<S>(
        self,
        blocks: &[Block<S>],
    ) -> impl ExactSizeIterator<Item = (&Block<S>, f64, f64)> {
        let last = blocks.len().saturating_sub(1);
        (0..blocks.len()).map(move |i| {
            let block = &blocks[if self.outcome() { last - i } else { i }];
            let (positives, negatives) = self.positive_first((block.failures, block.successes));
            (block, positives, negatives)
        })
    }
}

/// The weight of failures and of successes; an error unless there are both.
pub(crate) fn both_classes<S>(blocks: &TiedBlocks<S>) -> Result<(f64, f64), Error> {
    Ok((PositiveClass::Failure.weight_in(blocks)?, PositiveClass::Success.weight_in(blocks)?))
}
