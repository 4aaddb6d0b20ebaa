/// One repair of the text of a plan. [`PlanReading::new`](crate::PlanReading::new) lists the repairs and has
/// an example.
///
/// Entries are numbered from 0 in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Repair<A = u64> {
    /// Text before or after the JSON was ignored. White space does not count.
    TextStripped {
        /// The number of bytes before the JSON.
        before: usize,
        /// The number of bytes after the JSON.
        after: usize,
    },
    /// The text contains several plans; the last complete one was used.
    SeveralPlans {
        /// The number of plans.
        found: usize,
    },
    /// The text ends before the plan does. Its complete entries were kept.
    CutOff {
        /// The byte at which the last complete entry ends.
        at: usize,
    },
    /// Commas before a closing bracket were ignored.
    TrailingCommas {
        /// The number of commas.
        commas: usize,
    },
    /// Strings in single quotes were read as strings.
    SingleQuotes {
        /// The number of strings.
        strings: usize,
    },
    /// An entry was dropped.
    EntryDropped {
        /// The entry.
        entry: usize,
        /// Why the entry was dropped.
        reason: DropReason,
    },
    /// White space around an id was removed.
    PaddedId {
        /// The entry.
        entry: usize,
        /// The id as given.
        given: String,
    },
    /// The id or the allocation has another field name, from the lists of
    /// [`PlanReading::new`](crate::PlanReading::new).
    OtherName {
        /// The entry.
        entry: usize,
        /// The field name as given.
        given: String,
    },
    /// An entry whose id is not in the pool was dropped.
    UnknownId {
        /// The entry.
        entry: usize,
        /// The id as given.
        id: String,
    },
    /// An entry for an item that an earlier entry has was dropped. Only [`PlanReading::published`](crate::PlanReading::published) does so.
    RepeatedId {
        /// The entry.
        entry: usize,
        /// The id.
        id: String,
    },
    /// Fields other than id and allocation were ignored.
    ExtraFields {
        /// The entry.
        entry: usize,
        /// The number of fields.
        fields: usize,
    },
    /// An allocation was missing or was not a whole number of at least 0.
    Allocation {
        /// The entry.
        entry: usize,
        /// The allocation as given. Empty if it was missing.
        given: String,
        /// The allocation that was used.
        taken: A,
    },
}

/// Why an entry of a plan was dropped. A field of [`Repair::EntryDropped`].
///
/// ```
/// use knapsack_oracle::{DropReason, Error, Item, PlanReading, Pool, Repair};
///
/// let pool = Pool::new(vec![Item::new("a", 1.0, 500, true)?])?;
/// let reading = PlanReading::new(r#"[{"id": "a", "allocation": "about 30 %"}]"#, &pool, 1_000);
/// let reason = DropReason::NotATokenCount { given: "about 30 %".to_owned() };
/// assert_eq!(reading.repairs(), [Repair::EntryDropped { entry: 0, reason }]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum DropReason {
    /// The entry is not an object.
    NotAnObject,
    /// The entry has no id that is a string or a number.
    NoId,
    /// The id or the allocation occurs twice under one field name, so the intended one is unclear.
    RepeatedField {
        /// The field name.
        field: String,
    },
    /// The allocation is not a number of tokens.
    NotATokenCount {
        /// The allocation as given.
        given: String,
    },
}
