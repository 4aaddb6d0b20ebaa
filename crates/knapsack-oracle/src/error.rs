/// What was wrong with the input, or why a number is not defined for it.
///
/// ```
/// use knapsack_oracle::{Error, Item};
///
/// let error = Item::new("parser", 1.0, 0, true).unwrap_err();
/// assert_eq!(error, Error::ItemCost { id: "parser".into() });
/// let start = r#"item "parser" costs nothing; give a cost of at least 1"#;
/// assert!(error.to_string().starts_with(start));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to compute from.
    #[error("nothing to compute from; give at least one item")]
    Empty,
    /// A number is outside its range.
    #[error("{name} is {value}; it must be {range}")]
    Setting {
        /// Which number.
        name: &'static str,
        /// The number as given.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// Two lists that go together, row by row, differ in length.
    #[error("{what}: expected {expected}, found {found}")]
    Length {
        /// What is in the list.
        what: &'static str,
        /// The length it should have.
        expected: usize,
        /// The length it has.
        found: usize,
    },
    /// An entry of a list is outside its range.
    #[error("{what} {index} is {value}; give {range}")]
    Entry {
        /// What is in the list.
        what: &'static str,
        /// Position of the entry, from 0.
        index: usize,
        /// The entry as given.
        value: f64,
        /// What it may be.
        range: &'static str,
    },
    /// A sum over all items is too large to be exact.
    #[error("the {what} up to item {item} sum to more than {limit}; take a coarser unit")]
    Sum {
        /// What was summed.
        what: &'static str,
        /// Position of the item at which the sum passes the limit, from 0.
        item: usize,
        /// The largest sum allowed: 2^64 - 1, or 2^63 - 1 for the exact solver of one knapsack.
        limit: u64,
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
    /// The value of an item is not above 0 and at most 1e100.
    #[error("the value of item {id:?} is {value}; give a number above 0 and at most 1e100")]
    ItemValue {
        /// The item.
        id: String,
        /// The value as given.
        value: f64,
    },
    /// An item costs nothing.
    #[error("item {id:?} costs nothing; give a cost of at least 1, of one resource at least")]
    ItemCost {
        /// The item.
        id: String,
    },
    /// Two items or two steps of a plan have one id.
    #[error("{id:?} is there twice, at {first} and at {second}; ids must differ")]
    DuplicateId {
        /// The id.
        id: String,
        /// The first position that has it, from 0.
        first: usize,
        /// The second position that has it, from 0.
        second: usize,
    },
    /// No common unit was found of which every value is a whole multiple.
    #[error(
        "the values are no whole multiples of one decimal or binary unit with a sum below 2^63; \
         round them to fewer digits"
    )]
    NoCommonUnit,
    /// A plan names an item that the pool does not have.
    #[error(
        "step {index} of the plan names {id:?}, which is not in the pool; take ids of the pool"
    )]
    UnknownId {
        /// Position in the plan, from 0.
        index: usize,
        /// The id as given.
        id: String,
    },
    /// A plan allocates more than the budget.
    #[error("the plan allocates {allocated} of a budget of {budget}; allocate no more than that")]
    OverBudget {
        /// The sum of all allocations.
        allocated: u128,
        /// The budget.
        budget: u64,
    },
    /// A plan has a step outside the pool: it was made for another one.
    #[error(
        "step {index} of the plan is item {position} of a pool of {items}; take the plan's pool"
    )]
    OtherPool {
        /// Position in the plan, from 0.
        index: usize,
        /// Position in the pool, from 0.
        position: usize,
        /// Items of the pool.
        items: usize,
    },
    /// No item of the pool can be solved within the budget, so there is nothing to lose.
    #[error("the oracle earns nothing, so regret is not defined; leave the pool out of its mean")]
    NothingSolvable,
    /// The number is undefined, as its denominator is 0.
    #[error("{name} is not defined: {reason}")]
    Undefined {
        /// The number.
        name: &'static str,
        /// Why.
        reason: &'static str,
    },
}
