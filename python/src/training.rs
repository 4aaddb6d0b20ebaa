//! What trains an estimator: its answers, their rewards, and records of prefixes with their targets.

use budget_estimation::{
    AnswerMode, Level, Prefix, Probability,
    bagen::{TargetWidth, TrainingRecords},
};
use pyo3::prelude::*;

use crate::{
    budgets::{Rollouts, answer, estimate},
    choices::choice,
    errors::{Failure, invalid},
};

#[pyfunction]
pub(crate) fn parse_answer<'py>(
    py: Python<'py>,
    text: &str,
    strict: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let mode = if strict { AnswerMode::Strict } else { AnswerMode::Lenient };
    let read = budget_estimation::parse_answer(text, mode);
    answer(py, read.unwrap_or(budget_estimation::Estimate::NoAnswer))
}

#[pyfunction]
pub(crate) fn rule_reward(forecast: &Bound<'_, PyAny>, remaining: Option<f64>) -> PyResult<f64> {
    Ok(estimate(forecast)?.rule_reward(remaining).map_err(Failure::from)?)
}

#[pyfunction]
pub(crate) fn proper_reward(
    forecast: &Bound<'_, PyAny>,
    remaining: Option<f64>,
    scale: f64,
    coverage: f64,
    success_probability: Option<f64>,
) -> PyResult<f64> {
    let success = success_probability.map(Probability::new).transpose().map_err(Failure::from)?;
    let coverage = Level::new(coverage).map_err(Failure::from)?;
    let reward = estimate(forecast)?.proper_reward(success, remaining, scale, coverage);
    Ok(reward.map_err(Failure::from)?)
}

type Messages = Vec<(String, String)>;

/// Lines of JSON, one per prefix: `prompt` receives the costs of the turns, what is left under the cap, and the contents
/// from before the first turn on, and gives roles and contents.
#[pyfunction]
pub(crate) fn training_records(
    rollouts: &Rollouts,
    resource: &str,
    prompt: &Bound<'_, PyAny>,
    share: f64,
    prefixes: Option<Vec<(usize, usize)>>,
    supervised: bool,
) -> PyResult<String> {
    let py = prompt.py();
    let rollouts = &rollouts.rollouts;
    let resource = rollouts.resource(resource).map_err(Failure::from)?;
    let records = TrainingRecords::new(rollouts, resource, TargetWidth::Share(share));
    let prefixes = match prefixes {
        Some(chosen) => chosen,
        None => records.probes().map_err(Failure::from)?,
    };
    // An exception of the function is raised as it is, and ends the questions.
    let mut raised = None;
    let roles = ["system", "user", "assistant"].map(|role| (role, role));
    let mut ask = |prefix: &Prefix<'_>| {
        let usage = prefix.usage();
        let contents = Vec::from_iter((0..=prefix.turns()).map(|turn| prefix.content(turn)));
        let messages = || -> PyResult<Vec<(&'static str, String)>> {
            let costs = numpy::PyArray1::from_slice(py, usage.costs());
            let found: Messages = prompt.call1((costs, usage.left(), contents))?.extract()?;
            found
                .into_iter()
                .map(|(role, text)| Ok((choice("role", &role, &roles)?, text)))
                .collect()
        };
        let found = if raised.is_some() { Ok(Vec::new()) } else { messages() };
        found.unwrap_or_else(|error| {
            raised = Some(error);
            Vec::new()
        })
    };
    let mut lines = Vec::new();
    let written = match supervised {
        true => records.write_supervised(&prefixes, &mut ask, &mut lines),
        false => records.write_reinforcement(&prefixes, &mut ask, &mut lines),
    };
    if let Some(error) = raised {
        return Err(error);
    }
    written.map_err(Failure::from)?;
    String::from_utf8(lines).map_err(|error| invalid(error.to_string()))
}
