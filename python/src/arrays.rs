use numpy::{Element, PyArray1, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods};
use pyo3::{intern, prelude::*, types::PyDict};
use scoring_rules::Weight;

use crate::errors::{Failure, invalid};

/// Rows from which a loop takes more than about ten microseconds, so that the interpreter lock is released.
pub(crate) const LONG: usize = 2000;

/// Numbers of an array-like, borrowed from a contiguous float64 array and copied otherwise.
pub(crate) struct Floats<'py>(PyReadonlyArray1<'py, f64>);

impl Floats<'_> {
    pub(crate) fn as_slice(&self) -> PyResult<&[f64]> {
        Ok(self.0.as_slice()?)
    }
}

/// The array-like as an array of one dimension.
pub(crate) fn floats<'py>(what: &str, values: &Bound<'py, PyAny>) -> PyResult<Floats<'py>> {
    if let Ok(array) = values.cast::<PyArray1<f64>>() {
        return read(array);
    }
    let array = as_array(values, "float64")
        .map_err(|error| invalid(format!("{what}: expected numbers; {error}")))?;
    let array = array.cast::<PyArray1<f64>>().map_err(|_| {
        invalid(format!("{what} must have one dimension and numbers that fit in float64"))
    })?;
    read(array)
}

/// The array, or a copy if it is not one aligned slice. A field of a structured array, for one, has steps between
/// its numbers that are no multiple of their size, which a view in Rust cannot have.
pub(crate) fn slice_of<'py, T: Element>(
    array: &Bound<'py, PyArray1<T>>,
) -> PyResult<PyReadonlyArray1<'py, T>> {
    let readonly = array.try_readonly()?;
    if readonly.as_slice().is_ok() {
        return Ok(readonly);
    }
    let copy = array.call_method1(intern!(array.py(), "copy"), ("C",))?;
    Ok(copy.cast_into::<PyArray1<T>>()?.try_readonly()?)
}

fn read<'py>(array: &Bound<'py, PyArray1<f64>>) -> PyResult<Floats<'py>> {
    Ok(Floats(slice_of(array)?))
}

fn as_array<'py>(values: &Bound<'py, PyAny>, dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = values.py();
    let settings = PyDict::new(py);
    settings.set_item("dtype", dtype)?;
    py.import(intern!(py, "numpy"))?.call_method(
        intern!(py, "ascontiguousarray"),
        (values,),
        Some(&settings),
    )
}

/// Outcomes of an array-like of booleans, or of numbers that are all 0 or 1.
pub(crate) fn outcomes(values: &Bound<'_, PyAny>) -> PyResult<Vec<bool>> {
    if let Ok(array) = values.cast::<PyArray1<bool>>() {
        return Ok(slice_of(array)?.as_slice()?.to_vec());
    }
    if let Ok(array) = values.cast::<PyArray1<i64>>() {
        let array = slice_of(array)?;
        let rows = array.as_slice()?.iter().enumerate();
        return rows.map(|(row, &y)| outcome(row, y as f64)).collect();
    }
    let numbers = floats("y_true", values)?;
    numbers.as_slice()?.iter().enumerate().map(|(row, &y)| outcome(row, y)).collect()
}

fn outcome(row: usize, value: f64) -> PyResult<bool> {
    match value {
        0.0 => Ok(false),
        1.0 => Ok(true),
        _ => Err(invalid(format!("y_true: row {row} is {value}; outcomes must be 0 or 1"))),
    }
}

/// Weights of an array-like, or none.
pub(crate) fn weights<'py>(values: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Floats<'py>>> {
    values.map(|values| floats("sample_weight", values)).transpose()
}

/// Checks weights that were read by [`weights`].
pub(crate) fn checked<'a>(values: &'a Option<Floats<'_>>) -> PyResult<Option<&'a [Weight]>> {
    match values {
        None => Ok(None),
        Some(values) => Ok(Some(Weight::from_slice(values.as_slice()?).map_err(Failure::from)?)),
    }
}

/// The rows of an array-like of two dimensions, one after the other, and their length.
pub(crate) fn rows<'py>(what: &str, values: &Bound<'py, PyAny>) -> PyResult<(Floats<'py>, usize)> {
    let array = as_array(values, "float64")
        .map_err(|error| invalid(format!("{what}: expected numbers; {error}")))?;
    let untyped = array.cast::<numpy::PyUntypedArray>().map_err(|_| invalid(what))?;
    let &[_, columns] = untyped.shape() else {
        return Err(invalid(format!("{what} must have two dimensions, not {}", untyped.ndim())));
    };
    let flat = array.call_method1("reshape", (-1,))?;
    let flat = flat.cast::<PyArray1<f64>>().map_err(|_| invalid(what))?;
    Ok((read(flat)?, columns))
}

/// Runs a loop over `n` rows, without the interpreter lock where it is long.
pub(crate) fn run<T, E>(
    py: Python<'_>,
    n: usize,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> PyResult<T>
where
    T: Send,
    E: Into<Failure> + Send,
{
    let result = if n < LONG { work() } else { py.detach(work) };
    result.map_err(|error| error.into().into())
}

/// Refuses two arrays of different lengths.
pub(crate) fn same_length(what: &str, expected: usize, found: usize) -> PyResult<()> {
    if expected == found {
        Ok(())
    } else {
        Err(invalid(format!("{what}: expected {expected} rows, found {found}")))
    }
}
