/// An invalid input, or the reason why a number is undefined.
///
/// ```
/// use knapsack_oracle::{Error, Item};
///
/// let error = Item::new("parser", 1.0, 0, true).unwrap_err();
/// let message = r#"item "parser" costs nothing"#;
/// assert!(error.to_string().starts_with(message));
/// ```
///
/// With the feature `serde`, an error is written as its text. Variants may get more fields. A pattern ends with `..`,
/// and without it does not compile:
///
/// ```compile_fail,E0638
/// use knapsack_oracle::Error;
///
/// fn id(error: &Error) -> Option<&str> {
///     match error {
///         Error::Item { id, problem } => Some(id),
///         _ => None,
///     }
/// }
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A setting, a length or an entry of a list is invalid, the input is empty, or a number is undefined
    /// because its denominator is 0.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// A sum over all items is too large to be exact.
    #[error("the {what} up to item {item} sum to more than {limit}; use a coarser unit")]
    #[non_exhaustive]
    Sum {
        /// What was summed, in words.
        what: &'static str,
        /// The position of the item at which the sum exceeds the limit, from 0.
        item: usize,
        /// The largest sum that is allowed: 2^64 - 1, or 2^63 - 1 for [`Knapsack`](crate::Knapsack).
        limit: u64,
    },
    /// An exact answer would need too much memory or time.
    #[error("cannot compute the exact {what} for {items} items: {reason}")]
    #[non_exhaustive]
    TooLarge {
        /// What was to be computed exactly, in words.
        what: &'static str,
        /// The number of items.
        items: usize,
        /// The limit that would be exceeded, and what to do instead.
        reason: &'static str,
    },
    /// The value of an item is not from 1e-100 to 1e100.
    #[error("the value of item {id:?} is {value}; it must be from 1e-100 to 1e100")]
    #[non_exhaustive]
    ItemValue {
        /// The id of the item.
        id: String,
        /// The value as given.
        value: f64,
    },
    /// An item has a cost of 0, or an item to be injected as unsolvable is solved.
    #[error("item {id:?} {problem}")]
    #[non_exhaustive]
    Item {
        /// The id of the item.
        id: String,
        /// The problem, and what to do about it.
        problem: &'static str,
    },
    /// Two items of a pool or two steps of a plan have the same id.
    #[error("the id {id:?} occurs twice, at positions {first} and {second}; ids must be distinct")]
    #[non_exhaustive]
    DuplicateId {
        /// The id.
        id: String,
        /// The first position that has the id, from 0.
        first: usize,
        /// The second position that has the id, from 0.
        second: usize,
    },
    /// The values of a pool have no common unit in which their sum is exact.
    #[error(
        "the values have no common decimal or binary unit in which their sum is below 2^63; \
         round the values to fewer digits"
    )]
    NoCommonUnit,
    /// A step of a plan has an id that is not in the pool, or a position that belongs to another pool.
    #[error("step {index} of the plan has {problem}")]
    #[non_exhaustive]
    Step {
        /// The position in the plan, from 0.
        index: usize,
        /// The problem, and what to do about it.
        problem: String,
    },
    /// A plan allocates more than the budget.
    #[error("the plan allocates {allocated}, which is more than the budget of {budget}")]
    #[non_exhaustive]
    OverBudget {
        /// The sum of all allocations.
        allocated: u128,
        /// The budget.
        budget: u64,
    },
}

scoring_rules::serialize_as_text!(Error);

impl Error {
    /// Returns the error of a step whose position is not one of `items` items.
    pub(crate) fn other_pool(index: usize, position: usize, items: usize) -> Self {
        let problem = format!(
            "the position {position}, but the pool has {items} items; use the pool that the plan was \
             made for"
        );
        Self::Step { index, problem }
    }
}
