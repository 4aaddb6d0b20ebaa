//! Files of rollouts: one run a line, as [`RolloutFile`] reads them.

use std::{collections::BTreeSet, path::Path};

use agent_scorecard::budget::{FRESH, Input, parts_of};
use run_logs::{
    Error, RolloutFile, Rollouts,
    json_lines::{InputError, Line, RunCounts},
};

use crate::files::json_lines;

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

/// A file of rollouts, checked.
#[derive(Clone, Debug)]
pub struct File {
    /// The runs, each with an id.
    pub runs: RolloutFile,
    /// The resources that are read.
    resources: Vec<String>,
}

/// Reads and checks every run of a file. Each turn must have all that is to be estimated, known or null.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of what is wrong.
pub fn read(path: &Path, spent: &[String]) -> Result<File, Error> {
    let mut resources: Vec<String> = COSTS.map(str::to_owned).to_vec();
    let parts = || spent.iter().flat_map(|spent| parts_of(spent));
    for part in parts() {
        if !resources.iter().any(|known| known == part) {
            resources.push(part.to_owned());
        }
    }
    let file = path.display().to_string();
    let runs = RolloutFile::read(&file, json_lines::open(path)?)?;
    let is_total = spent.iter().any(|spent| parts_of(spent).len() > 1);
    let is_known = resources.iter().any(|known| known == FRESH);
    let mut turns = runs.lines().iter().flat_map(|line| &line.value.turns);
    if is_total && !is_known && turns.any(|costs| costs.contains_key(FRESH)) {
        resources.push(FRESH.to_owned());
    }
    // The sum stands in the file, maybe with a cap of its own.
    let has_sum = |line: &Line<run_logs::RolloutLine>| {
        line.value.turns.iter().all(|costs| costs.contains_key("total_tokens"))
    };
    if is_total && !runs.lines().is_empty() && runs.lines().iter().all(has_sum) {
        resources.push("total_tokens".to_owned());
    }
    for Line { number, value: run } in runs.lines() {
        if run.id.is_none() {
            return Err(InputError::of_field(&file, *number, "id", "missing").into());
        }
        for (turn, costs) in run.turns.iter().enumerate() {
            let is_given = |part: &&str| {
                costs.contains_key(*part)
                    || (is_total && *part == "input_tokens" && costs.contains_key(FRESH))
            };
            if let Some(part) = parts().find(|part| !is_given(part)) {
                let known: Vec<&str> = costs.keys().map(String::as_str).collect();
                let problem = format!(
                    "missing; give null for a cost that is not known; this turn has {}",
                    if known.is_empty() { "no resource".to_owned() } else { known.join(", ") }
                );
                let field = format!("turns[{turn}].{part}");
                return Err(InputError::of_field(&file, *number, &field, problem).into());
            }
        }
    }
    let file = File { runs, resources };
    together(&[&file], &[])?;
    Ok(file)
}

/// Checks that each key is a field of some run.
///
/// # Errors
///
/// A line that names the key and lists the fields.
pub(crate) fn check_keys(files: &[File], keys: &[String]) -> Result<(), String> {
    let lines = || files.iter().flat_map(|file| file.runs.lines()).map(|line| &line.value);
    let mut fields: BTreeSet<&str> =
        lines().flat_map(|run| run.others.keys().map(String::as_str)).collect();
    fields.extend(["id", "success", "turns"]);
    if lines().any(|run| run.task.is_some()) {
        fields.insert("task");
    }
    match keys.iter().find(|key| !fields.contains(key.as_str())) {
        Some(key) => {
            let fields: Vec<&str> = fields.into_iter().collect();
            Err(format!("--keys: no run has a field {key:?}; there are {}", fields.join(", ")))
        }
        None => Ok(()),
    }
}

/// The runs of several files, one file after the other; failed ones that a budget ended are marked as cut off.
///
/// # Errors
///
/// Those of the library for runs that it cannot take.
pub fn together(files: &[&File], keys: &[String]) -> Result<Input, Error> {
    // Files differ in whether they have fresh input.
    let longest = files.iter().map(|file| &file.resources).max_by_key(|resources| resources.len());
    let resources = longest.cloned().unwrap_or_else(|| COSTS.map(str::to_owned).to_vec());
    let mut rollouts = Rollouts::new(resources)?.with_keys(keys)?;
    let mut counts = RunCounts::default();
    for file in files {
        file.runs.append_to(&mut rollouts)?;
        counts.append(file.runs.counts());
    }
    let lines = || files.iter().flat_map(|file| file.runs.lines()).map(|line| &line.value);
    for (index, _) in lines().enumerate().filter(|(_, run)| run.failed_at_limit()) {
        rollouts.set_censored(index)?;
    }
    Ok(Input {
        rollouts,
        lengths: files.iter().map(|file| file.runs.lines().len()).collect(),
        achieved: lines().map(|run| run.achieved.unwrap_or(f64::NAN)).collect(),
        counts,
    })
}
