use crate::{
    engines::plan_text::{
        allocation::allocation,
        entry::{Entry, Value},
    },
    plans::plan::Step,
    pools::pool::Pool,
};

/// A repair that was needed to read a plan from a text. [`PlanReading::new`](crate::PlanReading::new) lists the
/// repairs and has an example.
///
/// Entries are numbered from 0 in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Repair {
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
    /// Strings in single quotes were accepted.
    SingleQuotes {
        /// The number of strings.
        strings: usize,
    },
    /// Keys without quotes were accepted.
    UnquotedKeys {
        /// The number of keys.
        keys: usize,
    },
    /// An entry was dropped.
    EntryDropped {
        /// The entry.
        entry: usize,
        /// The reason why the entry was dropped.
        reason: DropReason,
    },
    /// White space around an id was removed.
    PaddedId {
        /// The entry.
        entry: usize,
        /// The id as given.
        given: String,
    },
    /// The id or the allocation has another field name, which is in the lists of
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
    /// An entry was dropped because an earlier entry has the same item. Only
    /// [`PlanReading::published`](crate::PlanReading::published) makes this repair.
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
        taken: u64,
    },
}

/// The reason why an entry of a plan was dropped. A field of [`Repair::EntryDropped`].
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
    /// The id or the allocation occurs twice under the same field name, so that it is unclear which one is meant.
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

/// Returns the steps of the entries that can be kept, in their order. Appends repaired and dropped entries to `repairs`. By
/// the published rules, the first of several entries for one item counts.
pub(super) fn repaired(
    entries: &[Entry<'_>],
    pool: &Pool,
    is_published: bool,
    repairs: &mut Vec<Repair>,
) -> Vec<Step> {
    let mut steps = Vec::with_capacity(entries.len());
    let mut planned = vec![false; pool.items().len()];
    for (entry, fields) in entries.iter().enumerate() {
        match step(entry, fields, pool, is_published, repairs) {
            Ok(Step { position, .. }) if is_published && planned[position] => {
                let id = pool.items()[position].id().to_owned();
                repairs.push(Repair::RepeatedId { entry, id });
            }
            Ok(step) => {
                planned[step.position] = true;
                steps.push(step);
            }
            Err(dropped) => repairs.push(dropped),
        }
    }
    steps
}

/// Converts an entry to a step, or returns the repair that drops it. The repairs of an entry that
/// is kept are appended to `repairs`.
fn step(
    entry: usize,
    fields: &Entry<'_>,
    pool: &Pool,
    is_published: bool,
    repairs: &mut Vec<Repair>,
) -> Result<Step, Repair> {
    let dropped = |reason| Repair::EntryDropped { entry, reason };
    let Some(Value::Scalar(id)) = &fields.id.value else {
        let reason = if fields.is_object { DropReason::NoId } else { DropReason::NotAnObject };
        return Err(dropped(reason));
    };
    if let Some(field) = fields.repeated_name() {
        return Err(dropped(DropReason::RepeatedField { field: field.to_owned() }));
    }
    let given = || id.text().to_owned();
    let exact = pool.position(id.text());
    let Some(position) = exact.or_else(|| pool.position(id.text().trim())) else {
        return Err(Repair::UnknownId { entry, id: given() });
    };
    let written = fields.allocation.value.as_ref();
    let text = || written.map_or_else(String::new, Value::text);
    let found = amount(written).or(is_published.then_some((0, false)));
    let Some((allocation, as_written)) = found else {
        return Err(dropped(DropReason::NotATokenCount { given: text() }));
    };
    if exact.is_none() {
        repairs.push(Repair::PaddedId { entry, given: given() });
    }
    for name in fields.other_names() {
        repairs.push(Repair::OtherName { entry, given: name.to_owned() });
    }
    let extra = fields.extra_fields();
    if extra > 0 {
        repairs.push(Repair::ExtraFields { entry, fields: extra });
    }
    if !as_written {
        repairs.push(Repair::Allocation { entry, given: text(), taken: allocation });
    }
    Ok(Step { position, allocation })
}

/// Returns the allocation that a value denotes, and whether it needed no conversion.
fn amount(value: Option<&Value<'_>>) -> Option<(u64, bool)> {
    match value {
        None => Some((0, false)),
        Some(Value::Scalar(scalar)) => allocation(scalar),
        Some(Value::Nested { only: Some(scalar), .. }) => Some((allocation(scalar)?.0, false)),
        Some(Value::List(parts)) => match parts.as_slice() {
            [part] => Some((allocation(part)?.0, false)),
            _ => None,
        },
        Some(Value::Nested { only: None, .. }) => None,
    }
}
