use pyo3::prelude::*;

use crate::errors::invalid;

/// The value of a choice by its name.
pub(crate) fn choice<T: Clone>(what: &str, name: &str, choices: &[(&str, T)]) -> PyResult<T> {
    let found = choices.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.clone()).ok_or_else(|| {
        let known: Vec<&str> = choices.iter().map(|(known, _)| *known).collect();
        let (last, others) = known.split_last().unwrap_or((&"", &[]));
        invalid(format!("{what} is {name:?}; it must be {} or {last}", others.join(", ")))
    })
}
