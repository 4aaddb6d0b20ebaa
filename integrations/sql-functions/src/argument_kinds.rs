use std::sync::Arc;

use arrow::datatypes::{DataType, Field};

/// The values that an argument may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A number, read as a 64-bit float.
    Number,
    /// A Boolean; true is success.
    Outcome,
    /// A Boolean, a number or a text that stands for an outcome.
    AnyOutcome,
    /// A number, or a Boolean, whose true is 1.
    Amount,
    /// A whole number.
    Integer,
    /// A text.
    Text,
    /// The name of a cluster: a text, a whole number, a Boolean or a date, compared as text.
    Label,
    /// A list of numbers.
    Numbers,
    /// A list of texts.
    Texts,
}

impl Kind {
    /// The type to which the engine casts an argument of type `given`; `None` if the argument has
    /// another kind.
    pub(crate) fn cast(self, given: &DataType) -> Option<DataType> {
        let (accepted, wanted) = match self {
            Self::Number => (given.is_numeric(), DataType::Float64),
            Self::Outcome => (*given == DataType::Boolean, DataType::Boolean),
            Self::AnyOutcome if given.is_numeric() => (true, DataType::Float64),
            Self::AnyOutcome if is_text(given) => (true, DataType::Utf8View),
            Self::AnyOutcome => (*given == DataType::Boolean, DataType::Boolean),
            Self::Amount => (given.is_numeric() || *given == DataType::Boolean, DataType::Float64),
            Self::Integer => (given.is_integer(), DataType::Int64),
            Self::Text => (is_text(given), DataType::Utf8View),
            Self::Label => (is_label(given), DataType::Utf8View),
            Self::Numbers => (
                item(given).is_some_and(|item| item.is_numeric() || item.is_null()),
                list_of(DataType::Float64),
            ),
            Self::Texts => (
                item(given).is_some_and(|item| is_text(item) || item.is_null()),
                list_of(DataType::Utf8),
            ),
        };
        (accepted || given.is_null()).then_some(wanted)
    }

    /// What would be right, for error messages.
    pub(crate) fn wanted(self) -> &'static str {
        match self {
            Self::Number => "a number",
            Self::Outcome => "Boolean, for example `y = 1` or `outcome(y)`",
            Self::AnyOutcome => "Boolean, a number or a text",
            Self::Amount => "a number or Boolean",
            Self::Integer => "a whole number",
            Self::Text => "a text",
            Self::Label => "a text, a whole number, Boolean or a date",
            Self::Numbers => "a list of numbers",
            Self::Texts => "a list of texts",
        }
    }
}

fn is_text(given: &DataType) -> bool {
    match given {
        DataType::Dictionary(_, value) => is_text(value),
        _ => given.is_string(),
    }
}

fn is_label(given: &DataType) -> bool {
    let is_date = matches!(given, DataType::Date32 | DataType::Date64);
    is_text(given) || given.is_integer() || is_date || *given == DataType::Boolean
}

/// The type of the items of a list.
fn item(given: &DataType) -> Option<&DataType> {
    match given {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            Some(item.data_type())
        }
        _ => None,
    }
}

fn list_of(item: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(item, true)))
}

/// One argument of a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Argument {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) meaning: &'static str,
}

impl Argument {
    pub(crate) const fn new(name: &'static str, kind: Kind, meaning: &'static str) -> Self {
        Self { name, kind, meaning }
    }

    pub(crate) const CONFIDENCE: Self =
        Self::new("p", Kind::Number, "The confidence in success, from 0 to 1.");
    pub(crate) const OUTCOME: Self = Self::new("y", Kind::Outcome, "The outcome; true is success.");
    pub(crate) const WEIGHT: Self =
        Self::new("w", Kind::Number, "The weights, 0 or from 1e-100 to 1e100. Without them 1.");
}
