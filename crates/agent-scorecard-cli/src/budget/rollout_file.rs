//! Files of rollouts: one run a line, `{"id", "task"?, "turns": [{"input_tokens", "output_tokens",
//! "cost_usd"}, …], "success", "stop_reason"?, "caps"?: {resource: cap}}`. A cost of null is unknown.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use agent_scorecard::budget::{FRESH, Input, parts_of};
use budget_estimation::{Error, Rollouts};
use censoring::{StopClass, StopReason};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::Value;

use crate::files::{
    json_lines::{self, InputError},
    run_counts::RunCounts,
};

/// The format of a file, for the help of the program that reads it.
pub const FORMAT: &str = r#"
A FILE of runs has JSON Lines, one run per line, for example
  {"id": "run-7", "task": "t-3", "turns": [{"output_tokens": 210, "cost_usd": 0.02}, {"output_tokens": 95, "cost_usd": null}], "success": true, "stop_reason": "completed", "caps": {"output_tokens": 500}}
id           name of the run
turns        what each turn spent, each at least 0: input_tokens, output_tokens, cost_usd or any other
             resource, such as fresh_input_tokens, the input without what a request repeats; those that are estimated stand in every turn, null if not known
success      true, false, 1 or 0
task         optional name of the task
stop_reason  optional reason why the run ended
caps         optional budgets of the run by resource
achieved     for --probes: what the run achieved, above 0, such as its final cash
Other fields are ignored.
"#;

/// What turns spend.
const COSTS: [&str; 3] = ["input_tokens", "output_tokens", "cost_usd"];

/// What a line says beside what the crate's own reader takes from it.
#[derive(Deserialize)]
struct Marks {
    #[serde(rename = "id")]
    _id: Value,
    #[serde(rename = "success")]
    _success: Value,
    // Read, so that an error names the place of a value that is not a number.
    turns: Vec<BTreeMap<String, Value>>,
    achieved: Option<f64>,
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
    /// All runs, also those that were left out before.
    pub runs: RunCounts,
    /// The resources that are read.
    resources: Vec<String>,
    bytes: Cow<'static, [u8]>,
}

/// Where a run stands, and which it is.
#[derive(Clone, Debug)]
pub struct Row {
    /// The line, from 1.
    pub line: usize,
    /// Names the run.
    pub id: String,
    /// Its task; `None` if unknown.
    pub task: Option<String>,
    /// Number of its turns.
    pub turns: usize,
    /// What it achieved, for a task without success or failure.
    pub achieved: Option<f64>,
    /// Whether a budget was the reason that it ended.
    budget_ended: bool,
}

/// Reads and checks every run of a file. Each turn must have all that is to be estimated, known or null.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of what is wrong.
pub fn read(path: &Path, spent: &[String]) -> Result<RolloutFile, InputError> {
    let mut resources: Vec<String> = COSTS.map(str::to_owned).to_vec();
    for part in spent.iter().flat_map(|spent| parts_of(spent)) {
        if !resources.iter().any(|known| known == part) {
            resources.push(part.to_owned());
        }
    }
    let mut runs = RunCounts::default();
    let bytes = runs.take_all_left_out(&path.display().to_string(), json_lines::bytes(path)?)?;
    let marks = json_lines::parse_all::<Marks>(path, &bytes)?;
    let mut turns = marks.iter().flat_map(|line| &line.value.turns);
    let is_total = spent.iter().any(|spent| parts_of(spent).len() > 1);
    let is_known = resources.iter().any(|known| known == FRESH);
    if is_total && !is_known && turns.any(|costs| costs.contains_key(FRESH)) {
        resources.push(FRESH.to_owned());
    }
    let file = path.display().to_string();
    let wrong = |line: usize, field: String, problem: String| InputError {
        file: file.clone(),
        line: Some(line),
        field: Some(field).filter(|field| !field.is_empty()),
        problem,
    };
    let rollouts = Rollouts::read_json_lines(&bytes[..], resources.iter().map(String::as_str))
        .map_err(|error| match error {
            Error::Line { line, field, problem } => wrong(line, field, problem),
            other => InputError {
                file: file.clone(),
                line: None,
                field: None,
                problem: other.to_string(),
            },
        })?;
    let is_given = |costs: &BTreeMap<String, Value>, part: &str| {
        costs.contains_key(part)
            || (is_total && part == "input_tokens" && costs.contains_key(FRESH))
    };
    let mut rows = Vec::with_capacity(marks.len());
    for (json_lines::Line { number: line, value: marks }, rollout) in
        marks.into_iter().zip(rollouts.iter())
    {
        let id = rollout.id().ok_or_else(|| wrong(line, "id".into(), "missing".into()))?;
        for (turn, costs) in marks.turns.iter().enumerate() {
            let mut parts = spent.iter().flat_map(|spent| parts_of(spent));
            if let Some(part) = parts.find(|&part| !is_given(costs, part)) {
                let known: Vec<&str> = costs.keys().map(String::as_str).collect();
                let problem = format!(
                    "missing; give null for a cost that is not known; this turn has {}",
                    if known.is_empty() { "no resource".to_owned() } else { known.join(", ") }
                );
                return Err(wrong(line, format!("turns[{turn}].{part}"), problem));
            }
        }
        let stop = marks.stop_reason.as_ref();
        let budget_ended = stop.is_some_and(|reason| reason.class() == StopClass::Censored);
        // A failure that a budget ended counts as cut off, as below.
        let succeeded = rollout.succeeded();
        runs.add((succeeded || !budget_ended).then_some(succeeded), stop);
        let (id, turns, achieved) = (id.to_owned(), rollout.turns(), marks.achieved);
        let task = rollout.task().map(str::to_owned);
        rows.push(Row { line, id, task, turns, achieved, budget_ended });
    }
    Ok(RolloutFile { file, rows, runs, resources, bytes })
}

/// Checks that each key is a field of some run.
///
/// # Errors
///
/// A line that names the key and lists the fields.
pub(crate) fn check_keys(files: &[RolloutFile], keys: &[String]) -> Result<(), String> {
    if keys.is_empty() {
        return Ok(());
    }
    let mut fields = BTreeSet::new();
    for line in files.iter().flat_map(|file| file.bytes.split(|&byte| byte == b'\n')) {
        // The lines were read before; blank ones hold nothing.
        let line: BTreeMap<String, IgnoredAny> = serde_json::from_slice(line).unwrap_or_default();
        fields.extend(line.into_keys());
    }
    match keys.iter().find(|key| !fields.contains(*key)) {
        Some(key) => {
            let fields: Vec<String> = fields.into_iter().collect();
            Err(format!("--keys: no run has a field {key:?}; there are {}", fields.join(", ")))
        }
        None => Ok(()),
    }
}

/// The runs of several files, one file after the other; failed ones that a budget ended are marked
/// as cut off.
///
/// # Errors
///
/// Those of the library for runs that it cannot take.
pub fn together(files: &[&RolloutFile], keys: &[String]) -> Result<Input, Error> {
    let bytes: Vec<&[u8]> = files.iter().map(|file| &file.bytes[..]).collect();
    // Files differ in whether they have fresh input.
    let longest = files.iter().max_by_key(|file| file.resources.len());
    let resources =
        longest.map_or(COSTS.map(str::to_owned).to_vec(), |file| file.resources.clone());
    let mut rollouts = Rollouts::new(resources)?.with_keys(keys)?;
    rollouts.append_json_lines(&bytes.join(&b'\n')[..])?;
    let rows = || files.iter().flat_map(|file| &file.rows);
    for (index, _) in rows().enumerate().filter(|(_, row)| row.budget_ended) {
        if !rollouts.get(index)?.succeeded() {
            rollouts.set_censored(index)?;
        }
    }
    let mut counts = RunCounts::default();
    files.iter().for_each(|file| counts.append(&file.runs));
    Ok(Input {
        rollouts,
        lengths: files.iter().map(|file| file.rows.len()).collect(),
        achieved: rows().map(|row| row.achieved.unwrap_or(f64::NAN)).collect(),
        counts,
    })
}
