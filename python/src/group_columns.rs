//! Columns of groups, such as tasks, as numbers.

use numpy::{IntoPyArray, PyArray1};
use pyo3::{prelude::*, types::PyDict};

use crate::{
    entries::{is_missing, shown},
    errors::invalid,
    number_arrays::slice_of,
    outcome_columns::{entries, numbers},
    paths::Numbers,
};

type Values<'py> = Bound<'py, PyAny>;

/// Numbers for the groups of an array-like of hashable entries, in the order of the groups where they have one and of
/// their first appearance otherwise. Entries that are equal in Python are of one group.
pub(crate) fn groups(values: &Values<'_>) -> PyResult<Vec<u64>> {
    if let Some(numbers) = numbers("groups", values)?
        && values.len().is_ok()
    {
        if let Some(row) = numbers.as_slice()?.iter().position(|number| number.is_nan()) {
            return Err(missing_group(row, "nan"));
        }
        return sorted_groups(values);
    }
    let entries = entries("groups", values)?;
    let mut numbered = Numbers::new(values.py());
    let mut numbers = Vec::new();
    if numbered.append(entries.as_any(), &mut numbers).is_err() {
        let row = numbers.len();
        let object = entries.get_item(row)?;
        return Err(invalid(format!(
            "groups: row {row} is {}; it must be hashable, such as a text or a number",
            shown(&object)
        )));
    }
    let distinct = numbered.distinct();
    for (number, object) in distinct.iter().enumerate() {
        if is_missing(&object)? {
            let row = numbers.iter().position(|&it| it as usize == number).unwrap_or_default();
            return Err(missing_group(row, &shown(&object)));
        }
    }
    let sorted = distinct.get_slice(0, distinct.len());
    if sorted.sort().is_err() {
        return Ok(numbers.into_iter().map(u64::from).collect());
    }
    let mut places = vec![0; distinct.len()];
    for (place, object) in sorted.iter().enumerate() {
        places[numbered.number(&object)? as usize] = place as u64;
    }
    Ok(numbers.into_iter().map(|number| places[number as usize]).collect())
}

/// The numbers of groups as an array.
#[pyfunction]
pub(crate) fn group_numbers<'py>(values: &Values<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
    Ok(groups(values)?.into_pyarray(values.py()))
}

fn missing_group(row: usize, object: &str) -> PyErr {
    invalid(format!(
        "groups: row {row} is missing ({object}); drop the row or give it a group of its own"
    ))
}

/// The groups of numbers, by sorting, which is faster than a dictionary.
fn sorted_groups(numbers: &Values<'_>) -> PyResult<Vec<u64>> {
    let numpy = numbers.py().import("numpy")?;
    let settings = PyDict::new(numbers.py());
    settings.set_item("return_inverse", true)?;
    let places = numpy.call_method("unique", (numbers,), Some(&settings))?.get_item(1)?;
    let places = places.call_method1("astype", ("uint64",))?.cast_into::<PyArray1<u64>>()?;
    Ok(slice_of(&places)?.as_slice()?.to_vec())
}
