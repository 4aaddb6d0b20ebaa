//! Files of tool calls: one run a line, `{"id", "task", "agent_calls": [{"name", "args"?, "ok"?}, …],
//! "expected_calls": [{"name", "args"?}, …], "success"}`. Calls may also be written as OpenAI, Anthropic and
//! others write them: see "Spellings that are read" in the documentation of [`ToolCall`]. Numbers of 2^63 or
//! more in size that are not whole numbers of 64 bits are refused, as they may have lost digits.

use std::{collections::BTreeMap, error::Error, path::Path};

use agent_scorecard::paths::{AgentCall, PathRun, PathTally};

use run_logs::json_lines::yes_or_no;
use serde::{Deserialize, Deserializer, de};
use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::files::{
    json_lines::{self, InputError},
    line_parts::{self, Problem},
    run_counts::{self, RunCounts},
};

/// One run as a line has it.
#[derive(Debug, Deserialize)]
struct Row {
    id: String,
    task: String,
    agent_calls: Vec<Call>,
    expected_calls: Vec<ExpectedCall>,
    #[serde(deserialize_with = "yes_or_no")]
    success: bool,
    model: Option<String>,
    domain: Option<String>,
}

impl From<Row> for PathRun {
    fn from(row: Row) -> Self {
        let Row { id, task, agent_calls, expected_calls, success, model, domain } = row;
        let agent_call = |Call { ok, call: ExpectedCall(call) }| AgentCall { call, ok };
        let agent_calls = agent_calls.into_iter().map(agent_call).collect();
        let expected_calls = expected_calls.into_iter().map(|ExpectedCall(call)| call).collect();
        Self { id, task, agent_calls, expected_calls, success, model, domain }
    }
}

/// A call of the agent.
#[derive(Debug, Deserialize)]
struct Call {
    ok: Option<bool>,
    #[serde(flatten)]
    call: ExpectedCall,
}

/// A call whose numbers have all their digits.
#[derive(Debug)]
struct ExpectedCall(ToolCall);

impl<'de> Deserialize<'de> for ExpectedCall {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let call = ToolCall::deserialize(deserializer)?;
        check_digits(&call.arguments)?;
        Ok(Self(call))
    }
}

/// Refuses what may have been a whole number beyond 64 bits: it comes from the reader as a real number
/// of about 16 digits, so that two different identifiers could be equal.
fn check_digits<E: de::Error>(value: &Value) -> Result<(), E> {
    match value {
        Value::Real(number) if number.abs() >= TWO_TO_63 => Err(E::custom(format_args!(
            "number {number:e} may have lost digits, as it is beyond 64 bits: give it as text"
        ))),
        Value::List(values) => values.iter().try_for_each(check_digits),
        Value::Map(values) => values.values().try_for_each(check_digits),
        _ => Ok(()),
    }
}

/// No smaller number of either sign is handed on as a real one.
const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

/// The runs of a part of a file by model, and those that were left out before.
#[derive(Default)]
struct Models {
    models: BTreeMap<Option<String>, PathTally>,
    left_out: RunCounts,
}

/// The runs of each model; of a single model, which is not named.
pub(crate) type ByModel = Vec<(Option<String>, PathTally)>;

/// Reads the runs of a file with all threads, model by model; a single model is not named.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the first thing that is wrong.
pub(crate) fn read(path: &Path, ignore_arguments: bool) -> Result<ByModel, Box<dyn Error>> {
    let (mut models, mut left_out) = (BTreeMap::<_, PathTally>::new(), RunCounts::default());
    line_parts::fold(
        path,
        |part: &mut Models, number, line| run_counts::take(&mut part.left_out, path, number, line),
        |part: &mut Models, row: Row| {
            let run = PathRun::from(row);
            let models = &mut part.models;
            if !models.contains_key(&run.model) {
                models.insert(run.model.clone(), PathTally::default());
            }
            match models.get_mut(&run.model) {
                Some(tally) => Ok(tally.update(&run, ignore_arguments)?),
                None => Ok(()),
            }
        },
        |part| {
            left_out.append(&part.left_out);
            for (model, tally) in part.models {
                models.entry(model).or_default().append(&tally);
            }
        },
    )
    .map_err(|problem: Problem| problem.into_error())?;
    // The line of a run that was left out names no model.
    let is_one = models.len() <= 1;
    if models.is_empty() || !is_one && left_out != RunCounts::default() {
        models.entry(None).or_default();
    }
    if let Some(first) = models.values_mut().next() {
        first.runs_mut().append(&left_out);
    }
    let named = models.into_iter().map(|(model, tally)| match is_one {
        true => (None, tally),
        false => (Some(model.unwrap_or_else(|| "unknown model".to_owned())), tally),
    });
    Ok(named.collect())
}

/// Reads every run of a file.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the first thing that is wrong.
pub fn runs(path: &Path) -> Result<Vec<PathRun>, InputError> {
    Ok(json_lines::read::<Row>(path)?.into_iter().map(|line| line.value.into()).collect())
}
