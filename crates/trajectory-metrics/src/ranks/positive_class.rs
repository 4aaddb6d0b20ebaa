use scoring_rules::Block;

/// Which outcome a precision-recall or ROC curve looks for.
///
/// AUROC is the same for both. Average precision is not: its baseline is the share of the positive
/// class. The confidence stays the confidence in success; nothing is replaced by `1 - p`, which
/// would make tiny probabilities equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum PositiveClass {
    /// Failures are found among the rows of lowest confidence.
    Failure,
    /// Successes are found among the rows of highest confidence.
    Success,
}

impl PositiveClass {
    /// The outcome of the rows of this class.
    #[must_use]
    pub const fn outcome(self) -> bool {
        matches!(self, Self::Success)
    }

    /// What a pair of failures and successes says of this class: positives, then negatives.
    pub(crate) const fn positive_first(self, (failures, successes): (f64, f64)) -> (f64, f64) {
        match self {
            Self::Failure => (failures, successes),
            Self::Success => (successes, failures),
        }
    }

    /// The blocks in the order in which rows are called positive.
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
