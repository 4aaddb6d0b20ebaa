//! Objects of Python that are looked at one by one: the entries of columns, flags and numbers.

use pyo3::{
    intern,
    prelude::*,
    types::{PyBool, PyFloat, PyInt, PyTuple},
};

type Values<'py> = Bound<'py, PyAny>;

/// What an entry of a column is.
pub(crate) enum Entry {
    /// None, NaN, or the NA of pandas.
    Missing,
    /// A number of any type, or a boolean.
    Number(f64),
    Other,
}

/// Reads an entry. Texts, complex numbers, dates and masked entries are no numbers.
pub(crate) fn entry(object: &Values<'_>) -> PyResult<Entry> {
    match python_entry(object)? {
        // A scalar of Arrow holds a value of Python.
        Entry::Other => match object.getattr_opt(intern!(object.py(), "as_py"))? {
            Some(value) => python_entry(&value.call0()?),
            None => Ok(Entry::Other),
        },
        entry => Ok(entry),
    }
}

fn python_entry(object: &Values<'_>) -> PyResult<Entry> {
    let py = object.py();
    if object.is_none() {
        return Ok(Entry::Missing);
    }
    if let Ok(flag) = object.cast::<PyBool>() {
        return Ok(Entry::Number(f64::from(u8::from(flag.is_true()))));
    }
    let is_number = object.is_instance_of::<PyFloat>()
        || object.is_instance_of::<PyInt>()
        || match dtype_kind(object) {
            Some(kind) => is_scalar(object)? && matches!(kind, 'b' | 'i' | 'u' | 'f'),
            None => {
                object.is_instance(&py.import(intern!(py, "numbers"))?.getattr("Real")?)?
                    || object
                        .is_instance(&py.import(intern!(py, "decimal"))?.getattr("Decimal")?)?
            }
        };
    if !is_number {
        return Ok(if is_na(object)? { Entry::Missing } else { Entry::Other });
    }
    // An integer may have more digits than a float64 can hold.
    Ok(match object.extract::<f64>() {
        Ok(number) if number.is_nan() => Entry::Missing,
        Ok(number) => Entry::Number(number),
        Err(_) => Entry::Other,
    })
}

/// Whether the object of NumPy is a scalar, or an array without dimensions, and not masked.
fn is_scalar(object: &Values<'_>) -> PyResult<bool> {
    let dimensions: usize = object.getattr(intern!(object.py(), "ndim"))?.extract()?;
    Ok(dimensions == 0 && !object.hasattr("mask")?)
}

fn is_na(object: &Values<'_>) -> PyResult<bool> {
    let kind = object.get_type();
    Ok(kind.name()? == "NAType" && kind.module()?.to_string_lossy().starts_with("pandas"))
}

/// Whether the object stands for a missing entry. A tuple is missing if one of its entries is.
pub(crate) fn is_missing(object: &Values<'_>) -> PyResult<bool> {
    if let Ok(tuple) = object.cast::<PyTuple>() {
        for part in tuple {
            if !part.is_instance_of::<PyTuple>() && is_missing(&part)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    // A date that is missing differs from itself, as NaN does.
    Ok(object.is_none() || is_na(object)? || object.ne(object)?)
}

/// The object as text for a message.
pub(crate) fn shown(object: &Values<'_>) -> String {
    let text = match object.repr() {
        Ok(text) => text.to_string_lossy().into_owned(),
        Err(_) => object.get_type().to_string(),
    };
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The letter of NumPy for the kind of type, of an array or a scalar of NumPy.
pub(crate) fn dtype_kind(values: &Bound<'_, PyAny>) -> Option<char> {
    let py = values.py();
    let dtype = values.getattr_opt(intern!(py, "dtype")).ok()??;
    dtype.getattr_opt(intern!(py, "kind")).ok()??.extract().ok()
}
