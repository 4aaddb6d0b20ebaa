//! Files of rollouts: one run a line, `{"id", "task"?, "turns": [{"input_tokens", "output_tokens",
//! "cost_usd"}, …], "success", "stop_reason"?, "caps"?: {resource: cap}}`. A cost of null is unknown.

use std::{collections::BTreeMap, path::Path};

use budget_estimation::{Error, Rollouts};
use censoring::{StopClass, StopReason};
use serde::Deserialize;
use serde_json::Value;

use crate::json_lines::{self, InputError};

/// The format of a file, for the help of the program that reads it.
pub const FORMAT: &str = r#"
A FILE of runs has JSON Lines, one run per line, for example
  {"id": "run-7", "task": "t-3", "turns": [{"output_tokens": 210, "cost_usd": 0.02}, {"output_tokens": 95, "cost_usd": null}], "success": true, "stop_reason": "completed", "caps": {"output_tokens": 500}}
id           name of the run
turns        what each turn spent: input_tokens, output_tokens and cost_usd, each at least 0; the
             resource that is estimated stands in every turn, null if it is not known
success      true, false, 1 or 0
task         optional name of the task
stop_reason  optional reason why the run ended
caps         optional budgets of the run by resource
Other fields are ignored.
"#;

/// What turns spend.
const COSTS: [&str; 3] = ["input_tokens", "output_tokens", "cost_usd"];

/// What is to be estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spent {
    /// Tokens that the model wrote.
    OutputTokens,
    /// Tokens that it read, cached ones being a part of them.
    InputTokens,
    /// Both together.
    TotalTokens,
    /// Money.
    CostUsd,
}

impl Spent {
    /// The one of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        [Self::OutputTokens, Self::InputTokens, Self::TotalTokens, Self::CostUsd]
            .into_iter()
            .find(|spent| spent.name() == name)
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OutputTokens => "output_tokens",
            Self::InputTokens => "input_tokens",
            Self::TotalTokens => "total_tokens",
            Self::CostUsd => "cost_usd",
        }
    }

    /// What it is the sum of.
    pub(crate) const fn parts(self) -> &'static [&'static str] {
        match self {
            Self::OutputTokens => &["output_tokens"],
            Self::InputTokens => &["input_tokens"],
            Self::TotalTokens => &["input_tokens", "output_tokens"],
            Self::CostUsd => &["cost_usd"],
        }
    }
}

/// What a line says beside what the crate's own reader takes from it.
#[derive(Deserialize)]
struct Marks {
    #[serde(rename = "id")]
    _id: Value,
    #[serde(rename = "success")]
    _success: Value,
    // Read, so that a number that is none is told with its place.
    turns: Vec<BTreeMap<String, Value>>,
    #[serde(alias = "stop")]
    stop_reason: Option<StopReason>,
}

/// A file of rollouts, checked.
#[derive(Clone, Debug)]
pub struct RolloutFile {
    /// The file as named by the caller.
    pub file: String,
    /// Where each run stands, in order.
    pub rows: Vec<Row>,
    bytes: Vec<u8>,
}

/// Where a run stands, and which it is.
#[derive(Clone, Debug)]
pub struct Row {
    /// The line, from 1.
    pub line: usize,
    /// Names the run.
    pub id: String,
    /// Number of its turns.
    pub turns: usize,
    /// Whether a budget was the reason that it ended.
    budget_ended: bool,
}

/// Reads and checks every run of a file. Each turn must have what is to be estimated, known or null.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of what is wrong.
pub fn read(path: &Path, spent: Spent) -> Result<RolloutFile, InputError> {
    let bytes = json_lines::bytes(path)?;
    let marks = json_lines::parse_all::<Marks>(path, &bytes)?;
    let file = path.display().to_string();
    let wrong = |line: usize, field: String, problem: String| InputError {
        file: file.clone(),
        line: Some(line),
        field: Some(field).filter(|field| !field.is_empty()),
        problem,
    };
    let rollouts = Rollouts::read_json_lines(&bytes[..], COSTS).map_err(|error| match error {
        Error::Line { line, field, problem } => wrong(line, field, problem),
        other => {
            InputError { file: file.clone(), line: None, field: None, problem: other.to_string() }
        }
    })?;
    let mut rows = Vec::with_capacity(marks.len());
    for (json_lines::Line { number: line, value: marks }, rollout) in
        marks.into_iter().zip(rollouts.iter())
    {
        let id = rollout.id().ok_or_else(|| wrong(line, "id".into(), "missing".into()))?;
        for (turn, costs) in marks.turns.iter().enumerate() {
            if let Some(part) = spent.parts().iter().find(|&&part| !costs.contains_key(part)) {
                let problem = "missing; give null for a cost that is not known".to_owned();
                return Err(wrong(line, format!("turns[{turn}].{part}"), problem));
            }
        }
        let budget_ended =
            marks.stop_reason.is_some_and(|reason| reason.class() == StopClass::Censored);
        rows.push(Row { line, id: id.to_owned(), turns: rollout.turns(), budget_ended });
    }
    Ok(RolloutFile { file, rows, bytes })
}

/// The runs of several files, one file after the other; failed ones that a budget ended are marked
/// as cut off.
pub(crate) fn together(files: &[&RolloutFile]) -> Result<Rollouts, Error> {
    let bytes: Vec<&[u8]> = files.iter().map(|file| &file.bytes[..]).collect();
    let mut rollouts = Rollouts::read_json_lines(&bytes.join(&b'\n')[..], COSTS)?;
    let rows = files.iter().flat_map(|file| &file.rows);
    for (index, _) in rows.enumerate().filter(|(_, row)| row.budget_ended) {
        if !rollouts.get(index)?.succeeded() {
            rollouts.set_censored(index)?;
        }
    }
    Ok(rollouts)
}
