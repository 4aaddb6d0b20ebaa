//! Files of runs, and files of a model's answers about runs.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Read,
};

use budget_estimation::{AnswerError, AnswerMode, Estimate, parse_answer, parse_answers};
use run_logs::{
    AnswerLine, Error, RolloutFile, RolloutLine, RolloutTurns, Rollouts,
    json_lines::{InputError, Line, RunCounts, bytes, parse},
};

use crate::{
    budget::{
        runs::{FRESH, Input, parts_of},
        settings::{Answers, Recorded},
    },
    traces::logged::LoggedColumn,
};

/// The resources that turns spend.
const COSTS: [&str; 3] = ["input_tokens", "output_tokens", "cost_usd"];

/// The maximum cost; larger values cannot be compared with costs numerically.
const MOST: f64 = 1e100;

/// The checked runs of a file. Each turn states every estimated resource, as a number or as null.
///
/// ```
/// use agent_scorecard::{Error, budget::RunFile};
///
/// let line = br#"{"id": "a", "turns": [{"output_tokens": 5}, {"output_tokens": null}], "success": true}"#;
/// let file = RunFile::read("runs.jsonl", &line[..], &["output_tokens".to_owned()])?;
/// assert_eq!(RunFile::together(&[&file], &[])?.rollouts.len(), 1);
/// assert!(RunFile::read("runs.jsonl", &line[..], &["weeks".to_owned()]).is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RunFile {
    /// The runs, each with an id.
    pub runs: RolloutFile,
    /// The resources that are read.
    resources: Vec<String>,
}

impl RunFile {
    /// Reads all runs of a file, and checks that each turn states these resources. `file` names the source in errors.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] that names file, line and field of the fault.
    pub fn read(file: &str, source: impl Read, spent: &[String]) -> Result<Self, Error> {
        Self::checked(RolloutFile::read(file, source)?, spent)
    }

    fn checked(runs: RolloutFile, spent: &[String]) -> Result<Self, Error> {
        let file = runs.file().to_owned();
        let file = file.as_str();
        let mut resources: Vec<String> = COSTS.map(str::to_owned).to_vec();
        let parts = || spent.iter().flat_map(|spent| parts_of(spent));
        for part in parts() {
            if !resources.iter().any(|known| known == part) {
                resources.push(part.to_owned());
            }
        }
        let is_total = spent.iter().any(|spent| parts_of(spent).len() > 1);
        let is_known = resources.iter().any(|known| known == FRESH);
        let mut lines = runs.lines().iter().map(|line| &line.value.turns);
        let has = |turns: &RolloutTurns, at, name: &str| turns.get(at, name).is_some();
        let has_some = |turns: &RolloutTurns| (0..turns.n_turns()).any(|at| has(turns, at, FRESH));
        if is_total && !is_known && lines.any(has_some) {
            resources.push(FRESH.to_owned());
        }
        // The file has the sum itself, possibly with a separate cap.
        let has_sum = |line: &Line<RolloutLine>| {
            let turns = &line.value.turns;
            (0..turns.n_turns()).all(|at| has(turns, at, "total_tokens"))
        };
        if is_total && !runs.lines().is_empty() && runs.lines().iter().all(has_sum) {
            resources.push("total_tokens".to_owned());
        }
        for Line { number, value: run } in runs.lines() {
            if run.id.is_none() {
                return Err(InputError::of_field(file, *number, "id", "missing").into());
            }
            for turn in 0..run.turns.n_turns() {
                let is_given = |part: &&str| {
                    has(&run.turns, turn, part)
                        || (is_total && *part == "input_tokens" && has(&run.turns, turn, FRESH))
                };
                if let Some(part) = parts().find(|part| !is_given(part)) {
                    let known: Vec<&str> = run.turns.names(turn).collect();
                    let problem = format!(
                        "missing; give null for an unknown cost; this turn states {resources}",
                        resources = if known.is_empty() {
                            "no resource".to_owned()
                        } else {
                            known.join(", ")
                        },
                    );
                    let error = match (&run.id, *number) {
                        // A run of a log stands in no line.
                        (Some(id), 0) => InputError {
                            field: Some(part.to_owned()),
                            ..InputError::of_file(file, format!("run {id}: {problem}"))
                        },
                        _ => {
                            let field = format!("turns[{turn}].{part}");
                            InputError::of_field(file, *number, &field, problem)
                        }
                    };
                    return Err(error.into());
                }
            }
        }
        let file = Self { runs, resources };
        Self::together(&[&file], &[])?;
        Ok(file)
    }

    /// Collects a log's runs, model by model, and checks that turns state these resources.
    ///
    /// # Errors
    ///
    /// Errors of [`Self::read`].
    pub fn of_log(log: &[&LoggedColumn], spent: &[String]) -> Result<Self, Error> {
        let file = log.first().map_or("", |column| column.file.as_str());
        Self::checked(RolloutFile::of_log(file, log.iter().map(|column| &column.table)), spent)
    }

    /// Splits the runs by model if the file names several, and otherwise returns all runs together.
    #[must_use]
    pub fn by_model(self) -> Vec<(Option<String>, Self)> {
        if self.runs.n_models() <= 1 {
            return vec![(None, self)];
        }
        let Self { runs, resources } = self;
        let of_model = |(model, runs): (Option<String>, _)| {
            let model = model.unwrap_or_else(|| "unknown model".to_owned());
            (Some(model), Self { runs, resources: resources.clone() })
        };
        // Runs that name no model come last.
        let (none, named): (Vec<_>, Vec<_>) =
            runs.by_model().into_iter().partition(|(model, _)| model.is_none());
        named.into_iter().chain(none).map(of_model).collect()
    }

    /// Returns the runs of several files, one file after the other, with these fields as keys. Failed runs that a
    /// budget ended are marked as cut off.
    ///
    /// # Errors
    ///
    /// Errors of the library for runs that it cannot take.
    pub fn together(files: &[&Self], keys: &[String]) -> Result<Input, Error> {
        // Files differ in whether they have fresh input.
        let longest =
            files.iter().map(|file| &file.resources).max_by_key(|resources| resources.len());
        let resources = longest.cloned().unwrap_or_else(|| COSTS.map(str::to_owned).to_vec());
        let mut rollouts = Rollouts::new(resources)?.with_keys(keys)?;
        let mut counts = RunCounts::default();
        for file in files {
            file.runs.append_to(&mut rollouts)?;
            counts.append(&file.runs.counts());
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

    /// Checks that each key is a field of some run.
    ///
    /// # Errors
    ///
    /// A line that names the key, as the option `--keys`, and lists the fields.
    pub fn check_keys(files: &[Self], keys: &[String]) -> Result<(), String> {
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
                Err(format!(
                    "--keys: no run has a field {key:?}; the fields are {fields}",
                    fields = fields.join(", "),
                ))
            }
            None => Ok(()),
        }
    }
}

/// Reads a model's answers about the runs of these files, and returns them separately for each resource. The source is
/// JSON Lines `{"id", "turn", "answer"}`, in which `turn` is the number of turns that the run had completed. `file`
/// names the source in errors.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the fault: here, or in the files of runs if two runs have the same id.
pub fn read_answers(
    file: &str,
    source: impl Read,
    mode: AnswerMode,
    runs: &[RunFile],
    resources: &[&str],
) -> Result<BTreeMap<String, Answers>, InputError> {
    let mut lengths: BTreeMap<&str, usize> = BTreeMap::new();
    for of_runs in runs {
        let mut first = BTreeMap::new();
        for Line { number, value: run } in of_runs.runs.lines() {
            let id = run.id.as_deref().unwrap_or_default();
            if let Some(before) = first.insert(id, *number) {
                let problem = format!(
                    "{id:?} is already the id of the run in line {before}; estimates need a different id for each run"
                );
                return Err(InputError::of_field(of_runs.runs.file(), *number, "id", problem));
            }
            let longest = lengths.entry(id).or_default();
            *longest = run.turns.n_turns().max(*longest);
        }
    }
    let mut answers = vec![Answers::new(); resources.len()];
    let mut lines = BTreeMap::new();
    for Line { number: line, value } in parse(file, &bytes(file, source)?)? {
        let AnswerLine { id, turn, answer, .. } = value;
        let wrong = |field: &str, problem: String| InputError::of_field(file, line, field, problem);
        let turns = match lengths.get(id.as_str()) {
            Some(&turns) => turns,
            None => return Err(wrong("id", format!("no run is called {id:?}"))),
        };
        if turn >= turns {
            let given = match turns {
                1 => "1 turn, so turn must be 0".to_owned(),
                _ => format!("{turns} turns, so turn must be from 0 to {last}", last = turns - 1),
            };
            return Err(wrong("turn", format!("is {turn}; the run has {given}")));
        }
        if let Some(before) = lines.insert((id.clone(), turn), line) {
            let problem = format!("line {before} already has an estimate for this run and turn");
            return Err(wrong("turn", problem));
        }
        let estimates = match resources {
            [_] => parse_answer(&answer, mode).map(|estimate| vec![estimate]),
            several => parse_answers(&answer, several, mode),
        };
        for (at, answers) in answers.iter_mut().enumerate() {
            let one = |all: &Vec<Estimate>| all.get(at).copied().unwrap_or(Estimate::NoAnswer);
            let recorded = readable(estimates.as_ref().map(one).map_err(|error| *error));
            answers.entry(id.clone()).or_default().insert(turn, recorded);
        }
    }
    Ok(resources.iter().map(|&name| name.to_owned()).zip(answers).collect())
}

/// Returns the estimate of an answer, or the kind of problem that makes the answer unreadable.
fn readable(estimate: Result<Estimate, AnswerError>) -> Recorded {
    let problem = match estimate {
        Ok(estimate) if estimate.ends().is_some_and(|ends| ends.high() > MOST) => {
            "too_large".to_owned()
        }
        Ok(estimate) => return Recorded { estimate, problem: None },
        Err(error) => {
            let kind = serde_json::to_value(error).ok();
            let kind = kind.and_then(|kind| kind.get("problem")?.as_str().map(str::to_owned));
            kind.unwrap_or_else(|| "malformed".to_owned())
        }
    };
    Recorded { estimate: Estimate::NoAnswer, problem: Some(problem) }
}
