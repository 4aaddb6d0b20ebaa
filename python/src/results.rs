use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyDict, PyList},
};
use serde::Serialize;
use serde_json::Value;

use crate::errors::invalid;

/// A result of the Rust crates as dictionaries, lists, numbers and texts.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    result: &impl Serialize,
) -> PyResult<Bound<'py, PyAny>> {
    let value = serde_json::to_value(result).map_err(|error| invalid(error.to_string()))?;
    object(py, &value)
}

fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(flag) => flag.into_bound_py_any(py),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(whole), _) => whole.into_bound_py_any(py),
            (None, Some(whole)) => whole.into_bound_py_any(py),
            (None, None) => number.as_f64().into_bound_py_any(py),
        },
        // The crates write infinite numbers as these two texts.
        Value::String(text) if text == "inf" => f64::INFINITY.into_bound_py_any(py),
        Value::String(text) if text == "-inf" => f64::NEG_INFINITY.into_bound_py_any(py),
        Value::String(text) => text.into_bound_py_any(py),
        Value::Array(entries) => {
            let entries: Vec<_> =
                entries.iter().map(|entry| object(py, entry)).collect::<PyResult<_>>()?;
            Ok(PyList::new(py, entries)?.into_any())
        }
        Value::Object(fields) => {
            let dict = PyDict::new(py);
            for (name, field) in fields {
                dict.set_item(name, object(py, field)?)?;
            }
            Ok(dict.into_any())
        }
    }
}
