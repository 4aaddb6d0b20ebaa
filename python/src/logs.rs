use std::path::PathBuf;

use numpy::IntoPyArray;
use pyo3::{prelude::*, types::PyDict};
use run_logs::{
    AtLimit, ConfidenceStream, FactRules, ForecastPolicy, Format, ReadOptions, RunTable,
    StreamOptions,
};
use scoring_rules::Probability;

use crate::{choices::choice, errors::Failure, interruptible::interruptible};

type Entry<'py> = Bound<'py, PyDict>;

/// The runs of a log, one dictionary per run, and the streams, one dictionary per stream.
#[pyfunction]
pub(crate) fn read_logs<'py>(
    py: Python<'py>,
    path: PathBuf,
    format: &str,
    at_limit: &str,
    scorer: Option<String>,
    threshold: Option<f64>,
    skip_missing_turns: bool,
) -> PyResult<(Vec<Entry<'py>>, Entry<'py>)> {
    let format: Format = format.parse().map_err(Failure::from)?;
    let choices =
        [("graded", AtLimit::Graded), ("failed", AtLimit::Failed), ("unknown", AtLimit::Unknown)];
    let at_limit = Some(choice("at_limit", at_limit, &choices)?);
    let mut policy = FactRules { at_limit, scorer, ..FactRules::default() };
    if let Some(threshold) = threshold {
        policy = policy.with_success_at(threshold).map_err(Failure::from)?;
    }
    let table = interruptible(py, move || {
        let (read, streams) = (ReadOptions::default(), StreamOptions::default());
        RunTable::read_path(&path, format, &read, &policy, &streams)
    })?;
    let table = table.map_err(Failure::from)?;

    let mut rows = Vec::with_capacity(table.rows().len());
    for run in table.rows() {
        let row = PyDict::new(py);
        row.set_item("id", &run.id)?;
        row.set_item("task", &run.task)?;
        row.set_item("trial", run.trial)?;
        row.set_item("model", &run.model)?;
        row.set_item("outcome", run.outcome)?;
        row.set_item("stop", run.stop.as_ref().map(ToString::to_string))?;
        row.set_item("horizon", run.horizon)?;
        row.set_item("input_tokens", run.usage.input_tokens)?;
        row.set_item("output_tokens", run.usage.output_tokens)?;
        row.set_item("cost_usd", run.usage.cost_usd)?;
        row.set_item("n_turns", run.turn_usage.len())?;
        row.set_item(
            "tool_calls",
            run.tool_calls.iter().map(|call| &call.name).collect::<Vec<_>>(),
        )?;
        rows.push(row);
    }

    let missing = match skip_missing_turns {
        true => ForecastPolicy::Skip,
        false => ForecastPolicy::LeaveOut,
    };
    let streams = PyDict::new(py);
    for stream in ConfidenceStream::ALL {
        let runs = table.stream(stream, missing).map_err(Failure::from)?;
        if runs.runs().is_empty() {
            continue;
        }
        let mut values = Vec::new();
        let mut offsets = vec![0_i64];
        for run in runs.runs() {
            values.extend_from_slice(Probability::as_f64_slice(&run.forecasts));
            offsets.push(values.len() as i64);
        }
        let kept: Vec<i64> = runs.rows().iter().map(|row| *row as i64).collect();
        let entry = PyDict::new(py);
        entry.set_item("values", values.into_pyarray(py))?;
        entry.set_item("offsets", offsets.into_pyarray(py))?;
        entry.set_item("rows", kept.into_pyarray(py))?;
        let left_out = PyDict::new(py);
        for (reason, count) in runs.left_out() {
            left_out.set_item(reason, count)?;
        }
        entry.set_item("left_out", left_out)?;
        streams.set_item(stream.name(), entry)?;
    }
    Ok((rows, streams))
}
