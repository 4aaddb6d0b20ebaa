//! Columns of outcomes and flags, and of counts and texts that may be missing, read entry by entry.

use numpy::{
    Element, IntoPyArray, PyArray1, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::{
    intern,
    prelude::*,
    types::{PyIterator, PyList, PyTuple},
};

use crate::{
    entries::{Entry, dtype_kind, entry, is_missing, shown},
    errors::invalid,
    number_arrays::{Floats, floats, is_plain, plain_array, slice_of},
};

type Values<'py> = Bound<'py, PyAny>;

/// Refuses a column with a missing entry.
#[pyfunction]
pub(crate) fn refuse_missing(what: &str, values: &Values<'_>) -> PyResult<()> {
    for (row, object) in entries(what, values)?.iter().enumerate() {
        if is_missing(&object)? {
            return Err(invalid(format!("{what}: row {row} is missing ({})", shown(&object))));
        }
    }
    Ok(())
}

/// The entries of a list, a tuple, an iterator, or an array-like of one dimension.
pub(crate) fn entries<'py>(what: &str, values: &Values<'py>) -> PyResult<Bound<'py, PyList>> {
    let py = values.py();
    if let Ok(list) = values.cast::<PyList>() {
        return Ok(list.clone());
    }
    if values.is_instance_of::<PyTuple>() || values.cast::<PyIterator>().is_ok() {
        return Ok(py.get_type::<PyList>().call1((values,))?.cast_into()?);
    }
    let array = plain_array(what, values)?;
    let kind = dtype_kind(&array);
    let dimensions = array.getattr(intern!(py, "ndim"))?.extract::<usize>()?;
    if dimensions != 1 {
        return Err(invalid(format!(
            "{what}: expected an array-like of one dimension, found {}",
            if dimensions == 0 { shown(values) } else { format!("{dimensions} dimensions") }
        )));
    }
    // Dates stay objects of NumPy: `tolist` makes some of them integers.
    if matches!(kind, Some('m' | 'M')) {
        return Ok(py.get_type::<PyList>().call1((array,))?.cast_into()?);
    }
    Ok(array.call_method0(intern!(py, "tolist"))?.cast_into()?)
}

/// The column as numbers, if it is an array-like of a type of numbers.
pub(crate) fn numbers<'py>(what: &str, values: &Values<'py>) -> PyResult<Option<Floats<'py>>> {
    if values.is_instance_of::<PyList>() || values.is_instance_of::<PyTuple>() {
        return Ok(None);
    }
    if values.cast::<PyIterator>().is_ok() {
        return Ok(None);
    }
    let array = plain_array(what, values)?;
    match dtype_kind(&array) {
        Some('b' | 'i' | 'u' | 'f') => Ok(Some(floats(what, &array)?)),
        _ => Ok(None),
    }
}

const OUTCOME: &str = "it must be True, False, 0 or 1";

fn as_outcome(number: f64) -> Option<bool> {
    match number {
        0.0 => Some(false),
        1.0 => Some(true),
        _ => None,
    }
}

/// Outcomes of an array-like: booleans or numbers that are 0 or 1. None, NaN and NA are missing.
pub(crate) fn outcomes_or_missing(what: &str, values: &Values<'_>) -> PyResult<Vec<Option<bool>>> {
    if let Some(numbers) = numbers(what, values)? {
        let outcome = |(row, &number): (usize, &f64)| match as_outcome(number) {
            None if !number.is_nan() => {
                Err(invalid(format!("{what}: row {row} is {number}; {OUTCOME}")))
            }
            outcome => Ok(outcome),
        };
        return numbers.as_slice()?.iter().enumerate().map(outcome).collect();
    }
    let outcome = |(row, object): (usize, Values<'_>)| match entry(&object)? {
        Entry::Missing => Ok(None),
        Entry::Number(number) if as_outcome(number).is_some() => Ok(as_outcome(number)),
        _ => Err(invalid(format!("{what}: row {row} is {}; {OUTCOME}", shown(&object)))),
    };
    entries(what, values)?.iter().enumerate().map(outcome).collect()
}

/// Rows that are checked before they are converted, so that they are still in the cache.
const CHUNK: usize = 4096;

/// The entries of an array of one dimension and this type, or none unless all of them are 0 or 1.
fn zeros_and_ones<T: Element + Copy + PartialEq + From<bool>>(
    array: &Values<'_>,
) -> PyResult<Option<Vec<bool>>> {
    let Ok(array) = array.cast::<PyArray1<T>>() else { return Ok(None) };
    let numbers = slice_of(array)?;
    let numbers = numbers.as_slice()?;
    let [zero, one] = [false, true].map(T::from);
    let mut outcomes = Vec::with_capacity(numbers.len());
    for chunk in numbers.chunks(CHUNK) {
        if !chunk.iter().fold(true, |all, it| all & ((*it == zero) | (*it == one))) {
            return Ok(None);
        }
        outcomes.extend(chunk.iter().map(|it| *it == one));
    }
    Ok(Some(outcomes))
}

/// Outcomes of an array of NumPy of one dimension, or of what becomes one without looking at its entries, such as a column
/// of pandas. None for other array-likes, and unless all entries are booleans or numbers that are 0 or 1.
fn array_of_outcomes(what: &str, values: &Values<'_>) -> PyResult<Option<Vec<bool>>> {
    let array = if is_plain(values) {
        values.clone()
    } else if dtype_kind(values).is_some_and(|kind| "biuf".contains(kind)) {
        plain_array(what, values)?
    } else {
        return Ok(None);
    };
    let Ok(untyped) = array.cast::<PyUntypedArray>() else { return Ok(None) };
    let dtype = untyped.dtype();
    match (dtype.kind(), dtype.itemsize()) {
        (b'b', _) => zeros_and_ones::<bool>(&array),
        (b'i', 1) => zeros_and_ones::<i8>(&array),
        (b'i', 2) => zeros_and_ones::<i16>(&array),
        (b'i', 4) => zeros_and_ones::<i32>(&array),
        (b'i', 8) => zeros_and_ones::<i64>(&array),
        (b'u', 1) => zeros_and_ones::<u8>(&array),
        (b'u', 2) => zeros_and_ones::<u16>(&array),
        (b'u', 4) => zeros_and_ones::<u32>(&array),
        (b'u', 8) => zeros_and_ones::<u64>(&array),
        (b'f', 4) => zeros_and_ones::<f32>(&array),
        (b'f', 8) => zeros_and_ones::<f64>(&array),
        _ => Ok(None),
    }
}

/// Outcomes or flags of an array-like, none of which may be missing.
pub(crate) fn outcomes(what: &str, values: &Values<'_>) -> PyResult<Vec<bool>> {
    if let Some(outcomes) = array_of_outcomes(what, values)? {
        return Ok(outcomes);
    }
    let known = |(row, outcome): (usize, Option<bool>)| {
        outcome.ok_or_else(|| invalid(format!("{what}: row {row} is missing; {OUTCOME}")))
    };
    outcomes_or_missing(what, values)?.into_iter().enumerate().map(known).collect()
}

/// A single outcome or flag.
#[pyfunction(name = "flag")]
pub(crate) fn outcome(what: &str, value: &Values<'_>) -> PyResult<bool> {
    match entry(value)? {
        Entry::Number(number) => as_outcome(number),
        Entry::Missing | Entry::Other => None,
    }
    .ok_or_else(|| invalid(format!("{what} is {}; {OUTCOME}", shown(value))))
}

/// Texts of an array-like, of which some may be missing.
pub(crate) fn texts_or_missing(what: &str, values: &Values<'_>) -> PyResult<Vec<Option<String>>> {
    let text = |(row, object): (usize, Values<'_>)| {
        if is_missing(&object)? {
            return Ok(None);
        }
        object.extract().map(Some).map_err(|_| {
            invalid(format!("{what}: row {row} is {}; it must be a text or None", shown(&object)))
        })
    };
    entries(what, values)?.iter().enumerate().map(text).collect()
}

/// Whole numbers of an array-like, of which some may be missing.
pub(crate) fn counts_or_missing(what: &str, values: &Values<'_>) -> PyResult<Vec<Option<usize>>> {
    /// From here on, float64 does not hold every whole number.
    const EXACT: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;
    let count = |(row, object): (usize, Values<'_>)| match entry(&object)? {
        Entry::Missing => Ok(None),
        Entry::Number(number) if number.fract() == 0.0 && (0.0..EXACT).contains(&number) => {
            Ok(Some(number as usize))
        }
        _ => Err(invalid(format!(
            "{what}: row {row} is {}; it must be a whole number from 0 or None",
            shown(&object)
        ))),
    };
    entries(what, values)?.iter().enumerate().map(count).collect()
}

/// Outcomes as an array.
#[pyfunction]
pub(crate) fn outcome_array<'py>(
    what: &str,
    values: &Values<'py>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    Ok(outcomes(what, values)?.into_pyarray(values.py()))
}

/// Outcomes as an array, or None unless the array-like is an array of one dimension whose entries are all 0 or 1.
#[pyfunction]
pub(crate) fn known_outcomes<'py>(
    what: &str,
    values: &Values<'py>,
) -> PyResult<Option<Bound<'py, PyArray1<bool>>>> {
    Ok(array_of_outcomes(what, values)?.map(|it| it.into_pyarray(values.py())))
}
