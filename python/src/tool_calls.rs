use std::collections::BTreeMap;

use pyo3::{
    prelude::*,
    types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple},
};
use trajectory_metrics::{
    Error,
    tool_calls::{
        ArgumentRule, MatchMode, ToolCall, ToolCallMatcher, Value, pass_at_k, pass_hat_k,
    },
};

use crate::{
    choices::choice,
    entries::shown,
    errors::{Failure, invalid},
    group_columns,
    number_arrays::same_length,
    outcome_columns::outcomes,
};

/// The most lists and dictionaries that may contain one another, as for the text of JSON.
const MOST_LEVELS: usize = 128;

/// The Python value as a value of JSON, with at most so many levels of lists and dictionaries.
fn value(object: &Bound<'_, PyAny>, levels: usize) -> PyResult<Value> {
    let inner = || {
        levels.checked_sub(1).ok_or_else(|| {
            invalid(format!(
                "arguments contain more than {MOST_LEVELS} levels of lists and dictionaries, or contain themselves"
            ))
        })
    };
    if object.is_none() {
        Ok(Value::Null)
    } else if let Ok(flag) = object.cast::<PyBool>() {
        Ok(Value::Bool(flag.is_true()))
    } else if object.is_instance_of::<PyInt>() {
        let integer = object.extract().map_err(|_| {
            invalid(format!("{} has too many digits for an argument", shown(object)))
        })?;
        Ok(Value::Integer(integer))
    } else if object.is_instance_of::<PyFloat>() {
        Ok(Value::Real(object.extract()?))
    } else if let Ok(text) = object.cast::<PyString>() {
        Ok(Value::Text(text.extract()?))
    } else if let Ok(map) = object.cast::<PyDict>() {
        let levels = inner()?;
        let entry = |(key, entry): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok((key.extract::<String>()?, value(&entry, levels)?))
        };
        Ok(Value::Map(map.iter().map(entry).collect::<PyResult<BTreeMap<_, _>>>()?))
    } else if object.is_instance_of::<PyList>() || object.is_instance_of::<PyTuple>() {
        let levels = inner()?;
        let entries = object.try_iter()?.map(|entry| value(&entry?, levels));
        Ok(Value::List(entries.collect::<PyResult<_>>()?))
    } else {
        Err(invalid(format!("{} is not a value of JSON", object.get_type().name()?)))
    }
}

/// A call that is a pair of a name and its arguments: a mapping, or the text of a JSON object.
fn call((name, arguments): &(String, Bound<'_, PyAny>)) -> PyResult<ToolCall> {
    if let Ok(text) = arguments.extract::<String>() {
        return Ok(ToolCall::from_openai(name.as_str(), &text).map_err(Failure::from)?);
    }
    Ok(ToolCall { name: name.clone(), arguments: value(arguments, MOST_LEVELS)? })
}

fn calls(pairs: &[(String, Bound<'_, PyAny>)]) -> PyResult<Vec<ToolCall>> {
    pairs.iter().map(call).collect()
}

fn rule(arguments: &Bound<'_, PyAny>, tolerance: (f64, f64)) -> PyResult<ArgumentRule> {
    let rule = match arguments.extract::<String>() {
        Ok(name) => {
            let rules = [
                ("exact", ArgumentRule::exact()),
                ("ignore", ArgumentRule::ignore()),
                ("subset", ArgumentRule::subset()),
                ("superset", ArgumentRule::superset()),
            ];
            choice("arguments (a name or a list of fields)", &name, &rules)?
        }
        Err(_) => {
            ArgumentRule::fields(arguments.extract::<Vec<String>>()?).map_err(Failure::from)?
        }
    };
    if tolerance == (0.0, 0.0) {
        return Ok(rule);
    }
    Ok(rule.with_tolerance(tolerance.0, tolerance.1).map_err(Failure::from)?)
}

type Pairs = Vec<(usize, usize)>;
type Alignment = (Pairs, Vec<usize>, Vec<usize>, Pairs, [bool; 5]);

#[pyfunction]
pub(crate) fn match_calls(
    actual: Vec<(String, Bound<'_, PyAny>)>,
    expected: Vec<(String, Bound<'_, PyAny>)>,
    arguments: &Bound<'_, PyAny>,
    tolerance: (f64, f64),
    tools: Vec<(String, Bound<'_, PyAny>, (f64, f64))>,
) -> PyResult<Alignment> {
    let mut matcher = ToolCallMatcher::new(rule(arguments, tolerance)?);
    for (name, arguments, tolerance) in tools {
        matcher = matcher.with_tool(name, rule(&arguments, tolerance)?);
    }
    let found =
        trajectory_metrics::tool_calls::match_calls(&calls(&actual)?, &calls(&expected)?, &matcher)
            .map_err(Failure::from)?;
    let modes = [
        MatchMode::Exact,
        MatchMode::InOrder,
        MatchMode::AnyOrder,
        MatchMode::Subset,
        MatchMode::Unordered,
    ];
    let verdicts = modes.map(|mode| found.is_match(mode));
    Ok((found.matched, found.missing, found.extra, found.out_of_order, verdicts))
}

type OfTrials = fn(u64, u64, u64) -> Result<f64, Error>;

/// Pass@k or pass^k of each task, in the order of the tasks.
#[pyfunction]
pub(crate) fn pass_k(
    name: &str,
    y_true: &Bound<'_, PyAny>,
    groups: &Bound<'_, PyAny>,
    k: u64,
) -> PyResult<Vec<f64>> {
    let rate: OfTrials =
        choice("rate", name, &[("at", pass_at_k as OfTrials), ("hat", pass_hat_k)])?;
    let (outcomes, groups) = (outcomes("y_true", y_true)?, group_columns::groups(groups)?);
    same_length("groups", outcomes.len(), groups.len())?;
    let mut tasks = BTreeMap::<u64, [u64; 2]>::new();
    for (task, &success) in groups.into_iter().zip(&outcomes) {
        let [trials, successes] = tasks.entry(task).or_default();
        *trials += 1;
        *successes += u64::from(success);
    }
    let rates = tasks.values().map(|&[trials, successes]| rate(trials, successes, k));
    Ok(rates.collect::<Result<_, _>>().map_err(Failure::from)?)
}
