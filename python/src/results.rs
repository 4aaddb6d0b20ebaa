use agent_benchmarks::{Figure, Measure, Undefined};
use pyo3::{
    IntoPyObjectExt,
    prelude::*,
    types::{PyDict, PyList},
};
use serde::Serialize;
use serde_json::Value;
use trajectory_metrics::NoInterval;

use crate::errors::{Failure, invalid};

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

/// A figure as the arguments of `Figure` in Python: its value, ends and standard error, why there is no interval, and
/// the number of resamples in which it does not exist.
pub(crate) type FigureParts = (f64, Option<(f64, f64)>, Option<f64>, Option<String>, usize);

/// Returns the parts of a computed figure, or raises its error.
pub(crate) fn figure(
    found: Result<FigureParts, trajectory_metrics::Error>,
) -> PyResult<FigureParts> {
    found.map_err(|error| Failure::from(error).into())
}

pub(crate) fn parts(figure: &Figure) -> FigureParts {
    let Figure { value, interval, standard_error } = figure;
    let ends = interval.ok().map(|ends| (ends.low(), ends.high()));
    let why = interval.err().filter(|why| *why != NoInterval::NotRequested);
    (*value, ends, *standard_error, why.map(|why| why.to_string()), 0)
}

/// Sets each figure by its key; `None` if it is undefined.
pub(crate) fn set_figures(
    dict: &Bound<'_, PyDict>,
    figures: &[(Measure, Result<Figure, Undefined>)],
) -> PyResult<()> {
    let mut figures = figures.iter();
    figures.try_for_each(|(measure, figure)| {
        dict.set_item(measure.key, figure.as_ref().ok().map(parts))
    })
}
