/// What was wrong with the input, or why a number is not defined for it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to compute from.
    #[error("nothing to compute from; give at least one item")]
    Empty,
    /// Profits and weights do not belong to the same items.
    #[error("{profits} profits but {weights} weights; give one of each per item")]
    Lengths {
        /// Number of profits.
        profits: usize,
        /// Number of weights.
        weights: usize,
    },
    /// A sum over the items would not fit.
    #[error(
        "the sum of the {quantity} passes {limit} at item {item}; give smaller numbers, such as \
         thousands for units",
        limit = i64::MAX
    )]
    SumTooLarge {
        /// What is summed: profits or weights.
        quantity: &'static str,
        /// Position of the item at which the sum is too large, from 0.
        item: usize,
    },
    /// There are more items than the exact solver takes.
    #[error("{items} items; give at most {limit}")]
    TooManyItems {
        /// Number of items.
        items: usize,
        /// Largest number allowed.
        limit: usize,
    },
}
