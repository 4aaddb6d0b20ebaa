//! The runs of a model in an environment.

use agent_benchmarks::play::{End, PlayRecord};
use budget_estimation::Rollouts;
use pyo3::{prelude::*, types::PyDict};

use crate::budgets::answer;

/// What a run did, and per turn what it spent of each resource: `None` for tokens of unknown number.
pub(crate) fn play_scores<'py>(
    py: Python<'py>,
    record: &PlayRecord,
    rollouts: &Rollouts,
) -> PyResult<Bound<'py, PyDict>> {
    let entry = PyDict::new(py);
    entry.set_item("succeeded", record.succeeded)?;
    let end = record.end.map(|end| match end {
        End::Succeeded => "succeeded",
        End::Failed => "failed",
        _ => "at_limit",
    });
    entry.set_item("end", end)?;
    entry.set_item("reward", record.reward())?;
    entry.set_item("is_truncated", record.is_truncated)?;
    entry.set_item("question_tokens", <(_, _)>::from(record.asking()))?;
    let spent = PyDict::new(py);
    for (resource, name) in rollouts.resources() {
        let usage = rollouts.get(0).ok().and_then(|run| run.usage(resource).ok());
        spent.set_item(name, usage.map(|usage| usage.costs().to_vec()))?;
    }
    entry.set_item("spent", spent)?;
    let turns: PyResult<Vec<_>> = record
        .turns
        .iter()
        .map(|turn| {
            let dict = PyDict::new(py);
            dict.set_item("observation", &turn.observation)?;
            dict.set_item("reply", &turn.reply)?;
            dict.set_item("reward", turn.reward)?;
            dict.set_item("penalty", turn.penalty)?;
            dict.set_item("n_actions", turn.n_actions)?;
            let estimates = turn.estimates.iter().map(|estimate| answer(py, *estimate));
            dict.set_item("estimates", estimates.collect::<PyResult<Vec<_>>>()?)?;
            dict.set_item("advice", turn.advice.as_ref().map(ToString::to_string))?;
            Ok(dict)
        })
        .collect();
    entry.set_item("turns", turns?)?;
    Ok(entry)
}
