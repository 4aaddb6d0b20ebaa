use std::{fmt, ops::Range};

use arrow::{
    array::{
        Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, ListArray, StringArray,
        StringViewArray,
    },
    buffer::NullBuffer,
    datatypes::{Float64Type, Int64Type},
};
use datafusion_common::{DataFusionError, Result, exec_datafusion_err, internal_datafusion_err};
use scoring_rules::{Level, Probability, Weight};

use crate::specification::Specification;

/// An argument of a function, for error messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    function: &'static str,
    position: usize,
    name: &'static str,
}

impl Place {
    /// The error of a value that is out of range.
    pub(crate) fn refuse(self, value: impl fmt::Display, range: &str) -> DataFusionError {
        let Self { function, position, name } = self;
        exec_datafusion_err!(
            "{function}: argument {position} ({name}) is {value}; it must be {range}"
        )
    }

    /// The error of a text that the library refused, with the library's reason.
    pub(crate) fn failed(self, text: &str, error: impl fmt::Display) -> DataFusionError {
        let Self { function, position, name } = self;
        exec_datafusion_err!("{function}: argument {position} ({name}) is '{text}': {error}")
    }

    /// The error of an item of a list, counted from 1, that is out of range.
    fn refuse_item(self, item: usize, value: impl fmt::Display, range: &str) -> DataFusionError {
        let Self { function, position, name } = self;
        exec_datafusion_err!(
            "{function}: item {item} of argument {position} ({name}) is {value}; it must be {range}"
        )
    }
}

/// The columns of all arguments of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arguments<'a> {
    specification: &'a Specification,
    arrays: &'a [ArrayRef],
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(specification: &'a Specification, arrays: &'a [ArrayRef]) -> Self {
        Self { specification, arrays }
    }

    /// The number of arguments given.
    pub(crate) fn len(&self) -> usize {
        self.arrays.len()
    }

    /// The rows in which no argument is NULL; `None` if there is no NULL.
    pub(crate) fn complete_rows(&self) -> Option<NullBuffer> {
        NullBuffer::union_many(
            self.arrays
                .iter()
                .map(|array| array.logical_nulls())
                .collect::<Vec<_>>()
                .iter()
                .map(Option::as_ref),
        )
    }

    /// The place of an argument, counted from 0.
    fn place(&self, index: usize) -> Place {
        let name = self.specification.arguments.get(index).map_or("", |argument| argument.name);
        Place { function: self.specification.name, position: index + 1, name }
    }

    fn column<T>(
        &self,
        index: usize,
        read: impl Fn(&'a dyn Array) -> Option<T>,
    ) -> Result<(T, Place)> {
        let place = self.place(index);
        let array = self.arrays.get(index);
        let column = array.and_then(|array| read(array.as_ref()));
        let column = column.ok_or_else(|| {
            internal_datafusion_err!("{}: argument {} was not cast", place.function, index + 1)
        })?;
        Ok((column, place))
    }

    pub(crate) fn numbers(&self, index: usize) -> Result<Numbers<'a>> {
        let (values, place) =
            self.column(index, |array| array.as_primitive_opt::<Float64Type>())?;
        Ok(Numbers { values, place })
    }

    pub(crate) fn outcomes(&self, index: usize) -> Result<&'a BooleanArray> {
        Ok(self.column(index, |array| array.as_boolean_opt())?.0)
    }

    pub(crate) fn integers(&self, index: usize) -> Result<Integers<'a>> {
        let (values, place) = self.column(index, |array| array.as_primitive_opt::<Int64Type>())?;
        Ok(Integers { values, place })
    }

    pub(crate) fn texts(&self, index: usize) -> Result<Texts<'a>> {
        let (values, place) = self.column(index, |array| array.as_string_view_opt())?;
        Ok(Texts { values, place })
    }

    pub(crate) fn number_lists(&self, index: usize) -> Result<NumberLists<'a>> {
        let read = |array: &'a dyn Array| {
            let lists = array.as_list_opt::<i32>()?;
            Some((lists, lists.values().as_primitive_opt::<Float64Type>()?))
        };
        let ((lists, values), place) = self.column(index, read)?;
        Ok(NumberLists { lists, values, place })
    }

    pub(crate) fn text_lists(&self, index: usize) -> Result<TextLists<'a>> {
        let read = |array: &'a dyn Array| {
            let lists = array.as_list_opt::<i32>()?;
            Some((lists, lists.values().as_string_opt::<i32>()?))
        };
        let ((lists, values), place) = self.column(index, read)?;
        Ok(TextLists { lists, values, place })
    }

    /// The column of an optional argument, or `None` if the call does not have it.
    pub(crate) fn optional<T>(
        &self,
        index: usize,
        read: impl Fn(&Self, usize) -> Result<T>,
    ) -> Result<Option<T>> {
        (index < self.len()).then(|| read(self, index)).transpose()
    }
}

/// A column of numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers<'a> {
    values: &'a Float64Array,
    place: Place,
}

impl Numbers<'_> {
    /// A number that is not NaN; it may be infinite.
    pub(crate) fn number(&self, row: usize) -> Result<f64> {
        let value = self.values.value(row);
        if value.is_nan() { Err(self.place.refuse(value, "a number")) } else { Ok(value) }
    }

    /// Adds the numbers of rows to a sum or a mean. They may be infinite.
    ///
    /// # Errors
    ///
    /// An execution error that names the first NaN.
    pub(crate) fn add_to(&self, sum: &mut impl Extend<f64>, mut rows: Range<usize>) -> Result<()> {
        let values = &self.values.values()[rows.clone()];
        sum.extend(values.iter().copied());
        if values.iter().any(|value| value.is_nan()) {
            rows.try_for_each(|row| self.number(row).map(drop))
        } else {
            Ok(())
        }
    }

    /// A finite number.
    pub(crate) fn finite(&self, row: usize) -> Result<f64> {
        let value = self.values.value(row);
        if value.is_finite() { Ok(value) } else { Err(self.place.refuse(value, "finite")) }
    }

    /// Whether a row after the first has the number of the row before.
    pub(crate) fn repeats(&self, row: usize) -> bool {
        self.values.value(row) == self.values.value(row - 1)
    }

    /// The probabilities of rows, none of which is NULL.
    pub(crate) fn probabilities(&self, start: usize, rows: usize) -> Result<&[Probability]> {
        let (values, range) = (&self.values.values()[start..start + rows], "from 0 to 1");
        Probability::from_slice(values).map_err(|error| match error {
            scoring_rules::Error::NotAProbabilityAt { value, .. } => {
                self.place.refuse(value, range)
            }
            other => self.place.refuse(other, range),
        })
    }

    #[inline]
    pub(crate) fn probability(&self, row: usize) -> Result<Probability> {
        let value = self.values.value(row);
        Probability::new(value).map_err(|_| self.place.refuse(value, "from 0 to 1"))
    }

    pub(crate) fn weight(&self, row: usize) -> Result<Weight> {
        let value = self.values.value(row);
        Weight::new(value).map_err(|_| self.place.refuse(value, "0 or from 1e-100 to 1e100"))
    }

    pub(crate) fn level(&self, row: usize) -> Result<Level> {
        let value = self.values.value(row);
        Level::new(value).map_err(|_| self.place.refuse(value, "above 0 and below 1"))
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The number as it is, and the error that refuses it.
    pub(crate) fn checked<T, E>(
        &self,
        row: usize,
        range: &str,
        check: impl FnOnce(f64) -> std::result::Result<T, E>,
    ) -> Result<T> {
        let value = self.values.value(row);
        check(value).map_err(|_| self.place.refuse(value, range))
    }
}

/// A column of whole numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Integers<'a> {
    values: &'a Int64Array,
    place: Place,
}

impl Integers<'_> {
    /// A whole number from 1 to `most`.
    pub(crate) fn positive(&self, row: usize, most: usize) -> Result<usize> {
        let value = self.values.value(row);
        match usize::try_from(value) {
            Ok(number) if (1..=most).contains(&number) => Ok(number),
            _ => Err(self.place.refuse(value, &format!("from 1 to {most}"))),
        }
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }
}

/// A column of texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Texts<'a> {
    values: &'a StringViewArray,
    place: Place,
}

impl<'a> Texts<'a> {
    pub(crate) fn text(&self, row: usize) -> &'a str {
        self.values.value(row)
    }

    pub(crate) fn place(&self) -> Place {
        self.place
    }
}

/// A column of lists of numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NumberLists<'a> {
    lists: &'a ListArray,
    values: &'a Float64Array,
    place: Place,
}

impl<'a> NumberLists<'a> {
    /// The numbers of a row, none of which is NULL, NaN or infinite.
    pub(crate) fn finite(&self, row: usize) -> Result<&'a [f64]> {
        let numbers = self.numbers(row, "finite")?;
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(numbers),
            Some(at) => Err(self.place.refuse_item(at + 1, numbers[at], "finite")),
        }
    }

    /// The probabilities of a row, at least one.
    pub(crate) fn probabilities(&self, row: usize) -> Result<&'a [Probability]> {
        let range = "from 0 to 1";
        let numbers = self.numbers(row, range)?;
        if numbers.is_empty() {
            return Err(self.place.refuse("an empty list", "at least one number from 0 to 1"));
        }
        Probability::from_slice(numbers).map_err(|error| match error {
            scoring_rules::Error::NotAProbabilityAt { index, value, .. } => {
                self.place.refuse_item(index + 1, value, range)
            }
            other => self.place.refuse(other, range),
        })
    }

    fn numbers(&self, row: usize, range: &str) -> Result<&'a [f64]> {
        let (start, end) = bounds(self.lists, row);
        if let Some(at) = null_item(self.values, start, end) {
            return Err(self.place.refuse_item(at + 1, "NULL", range));
        }
        Ok(&self.values.values()[start..end])
    }
}

/// A column of lists of texts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TextLists<'a> {
    lists: &'a ListArray,
    values: &'a StringArray,
    place: Place,
}

impl<'a> TextLists<'a> {
    /// Replaces `texts` by the texts of a row, none of which is NULL.
    pub(crate) fn fill(&self, row: usize, texts: &mut Vec<&'a str>) -> Result<()> {
        let (start, end) = bounds(self.lists, row);
        if let Some(at) = null_item(self.values, start, end) {
            return Err(self.place.refuse_item(at + 1, "NULL", "a text"));
        }
        texts.clear();
        texts.extend((start..end).map(|at| self.values.value(at)));
        Ok(())
    }
}

/// The positions of the items of a row.
fn bounds(lists: &ListArray, row: usize) -> (usize, usize) {
    let offsets = lists.value_offsets();
    (offsets[row] as usize, offsets[row + 1] as usize)
}

/// The position within the row of its first NULL.
fn null_item(values: &dyn Array, start: usize, end: usize) -> Option<usize> {
    if values.null_count() == 0 {
        return None;
    }
    (start..end).position(|at| values.is_null(at))
}
