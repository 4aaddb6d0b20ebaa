use numpy::{
    Element, IntoPyArray, PyArray0, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1,
    PyReadonlyArray2, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::{intern, prelude::*, types::PyList};
use scoring_rules::Weight;

use crate::{
    entries::{Entry, dtype_kind, entry, shown},
    errors::{Failure, invalid},
};

/// Rows from which a loop takes more than about ten microseconds, so that the interpreter lock is released.
pub(crate) const LONG: usize = 2000;

/// Numbers of an array-like, borrowed from a contiguous float64 array and copied otherwise.
pub(crate) enum Floats<'py> {
    Column(PyReadonlyArray1<'py, f64>),
    /// Of two dimensions, row by row.
    Rows(PyReadonlyArray2<'py, f64>),
}

impl Floats<'_> {
    pub(crate) fn as_slice(&self) -> PyResult<&[f64]> {
        Ok(match self {
            Self::Column(column) => column.as_slice()?,
            Self::Rows(rows) => rows.as_slice()?,
        })
    }
}

/// The array-like as an array of one dimension.
pub(crate) fn floats<'py>(what: &str, values: &Bound<'py, PyAny>) -> PyResult<Floats<'py>> {
    if let Ok(array) = values.cast::<PyArray1<f64>>()
        && is_plain(values)
    {
        return read(array);
    }
    let array = float_array(what, values)?;
    let array = match array.cast::<PyArray0<f64>>() {
        Ok(_) => array.call_method1("reshape", (1,))?,
        Err(_) => array,
    };
    let array = array.cast::<PyArray1<f64>>().map_err(|_| {
        match array.getattr("ndim").and_then(|it| it.extract::<usize>()) {
            Ok(2) => invalid(format!(
                "{what} has two dimensions; give one column, such as [:, 1] of predict_proba"
            )),
            _ => invalid(format!("{what} must have one dimension and numbers that fit in float64")),
        }
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
    Ok(Floats::Column(slice_of(array)?))
}

/// Whether the object is an array of NumPy, and none of a subclass, such as one with a mask.
pub(crate) fn is_plain(values: &Bound<'_, PyAny>) -> bool {
    values.get_type().is(values.py().get_type::<PyUntypedArray>())
}

/// The array-like as an array of NumPy without a mask, of any type and any number of dimensions.
#[pyfunction]
pub(crate) fn plain_array<'py>(
    what: &str,
    values: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = values.py();
    let numpy = py.import(intern!(py, "numpy"))?;
    if !is_plain(values) && values.cast::<PyUntypedArray>().is_ok() {
        let masked = numpy.getattr("ma")?;
        if values.is_instance(&masked.getattr("MaskedArray")?)? {
            let places = numpy
                .call_method1("argwhere", (masked.call_method1("getmaskarray", (values,))?,))?;
            if places.len()? > 0 {
                let row =
                    places.get_item(0)?.get_item(0).map_or(0, |row| row.extract().unwrap_or(0));
                return Err(invalid(format!(
                    "{what}: row {row} is masked; drop masked rows or fill them first"
                )));
            }
        }
    }
    numpy
        .call_method1(intern!(py, "asarray"), (values,))
        .map_err(|error| invalid(format!("{what}: {error}")))
}

/// The array-like as an array of float64 in one piece, of any number of dimensions. Texts, complex numbers and
/// dates are refused, and so are missing entries among objects.
#[pyfunction]
pub(crate) fn float_array<'py>(
    what: &str,
    values: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = values.py();
    let mut array = plain_array(what, values)?;
    if !matches!(dtype_kind(&array), Some('b' | 'i' | 'u' | 'f')) {
        array = array_of_objects(what, values, &array)?;
    }
    let numpy = py.import(intern!(py, "numpy"))?;
    numpy.call_method1(intern!(py, "asarray"), (array, "float64", "C"))
}

/// The numbers of an array of objects, or the error that one of them is none.
fn array_of_objects<'py>(
    what: &str,
    values: &Bound<'py, PyAny>,
    array: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = values.py();
    if !matches!(dtype_kind(array), Some('O' | 'U' | 'S' | 'T' | 'c')) {
        let dtype = array.getattr("dtype")?;
        return Err(invalid(format!("{what}: expected numbers, found the type {dtype}")));
    }
    // The objects themselves, because a list of numbers and texts becomes an array of texts.
    let objects = py.import(intern!(py, "numpy"))?.call_method1("asarray", (values, "object"))?;
    let shape: Vec<usize> = objects.getattr("shape")?.extract()?;
    let flat = objects.call_method1("reshape", (-1,))?.call_method0("tolist")?;
    let flat = flat.cast_into::<PyList>()?;
    let width = shape.iter().skip(1).product::<usize>().max(1);
    let number = |(place, object): (usize, Bound<'py, PyAny>)| match entry(&object)? {
        Entry::Number(number) => Ok(number),
        Entry::Missing => Err(invalid(format!("{what}: row {} is missing", place / width))),
        Entry::Other => Err(invalid(format!(
            "{what}: row {} is {}; expected numbers",
            place / width,
            shown(&object)
        ))),
    };
    let numbers: Vec<f64> = flat.iter().enumerate().map(number).collect::<PyResult<_>>()?;
    numbers.into_pyarray(py).call_method1("reshape", (shape,))
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
    if let Ok(array) = values.cast::<PyArray2<f64>>()
        && is_plain(values)
        && array.is_c_contiguous()
        && let Ok(rows) = array.try_readonly()
        && rows.as_slice().is_ok()
    {
        return Ok((Floats::Rows(rows), array.shape()[1]));
    }
    let array = float_array(what, values)?;
    let untyped = array.cast::<PyUntypedArray>().map_err(|_| invalid(what))?;
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
