/// What was wrong with the input, or why a number is not defined for it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to compute from.
    #[error("nothing to compute from; give at least one item")]
    Empty,
    /// A number is outside its range.
    #[error("{name} is {value}; give {range}")]
    Setting {
        /// Which number.
        name: &'static str,
        /// The number as given.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// Two lists that belong together differ in length.
    #[error("{left} and {right} entries do not belong together; give lists of one length")]
    Lengths {
        /// Length of the first list.
        left: usize,
        /// Length of the second list.
        right: usize,
    },
    /// The value of an item is no number that can be averaged.
    #[error("the value of item {item} is {value}; give a number from 0 to 1e100")]
    ValueAt {
        /// Position of the item, from 0.
        item: usize,
        /// The value as given.
        value: f64,
    },
    /// A sum over all items does not fit 64 bits.
    #[error("the {what} up to item {item} sum to more than 2^64 - 1; take a coarser unit")]
    Sum {
        /// What was summed.
        what: &'static str,
        /// Position of the item at which the sum overflows, from 0.
        item: usize,
    },
    /// An exact answer would take more memory or time than is allowed for.
    #[error("no exact {what} of {items} items: {reason}")]
    TooLarge {
        /// What was asked for.
        what: &'static str,
        /// How many items there are.
        items: usize,
        /// What would not fit, and what to do instead.
        reason: &'static str,
    },
}
