//! Files of estimates: one a line, `{"id", "turn", "answer": "… <answer>[low, high]</answer>"}`,
//! given after so many completed turns of the run of this id.

use std::{collections::BTreeMap, path::Path};

use agent_scorecard::budget::{Answers, Recorded};
use budget_estimation::{AnswerError, AnswerMode, Estimate, parse_answer, parse_answers};
use run_logs::{
    AnswerLine,
    json_lines::{InputError, Line},
};

use crate::{budget::rollout_file::File, files::json_lines};

/// The format of a file, for the help of the program that reads it.
pub const FORMAT: &str = r#"
A FILE of estimates (--estimator FILE) has JSON Lines, one answer of a model per line, for example
  {"id": "run-7", "turn": 1, "answer": "About half is left. <answer>[80, 120]</answer>"}
id      name of the run that the answer is about
turn    number of turns that were completed when the model answered; 0 before the first
answer  what it wrote, with an interval or the word impossible between <answer> and </answer>; for
        several resources a:[low, high], b:[low, high]
"#;

/// Costs are at most this; what is above cannot be compared with them in numbers.
const MOST: f64 = 1e100;

/// Reads and checks every estimate of a file, all of runs in these files: the answers about each resource.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of what is wrong: here, or in the files of runs
/// where two of them have one id.
pub fn read(
    path: &Path,
    mode: AnswerMode,
    runs: &[File],
    resources: &[&str],
) -> Result<BTreeMap<String, Answers>, InputError> {
    let mut lengths: BTreeMap<&str, usize> = BTreeMap::new();
    for file in runs {
        let mut first = BTreeMap::new();
        for Line { number, value: run } in file.runs.lines() {
            let id = run.id.as_deref().unwrap_or_default();
            if let Some(before) = first.insert(id, *number) {
                let problem = format!(
                    "{id:?} is the id of the run in line {before} too; estimates need a different id for each run"
                );
                return Err(InputError::of_field(file.runs.file(), *number, "id", problem));
            }
            let longest = lengths.entry(id).or_default();
            *longest = run.turns.len().max(*longest);
        }
    }
    let mut answers = vec![Answers::new(); resources.len()];
    let mut lines = BTreeMap::new();
    for Line { number: line, value } in json_lines::read(path)? {
        let AnswerLine { id, turn, answer, .. } = value;
        let file = path.display().to_string();
        let wrong =
            |field: &str, problem: String| InputError::of_field(&file, line, field, problem);
        let turns = match lengths.get(id.as_str()) {
            Some(&turns) => turns,
            None => return Err(wrong("id", format!("no run is called {id:?}"))),
        };
        if turn >= turns {
            let given = match turns {
                1 => "1 turn, so that estimates are given after 0 only".to_owned(),
                _ => format!("{turns} turns, and estimates are given after 0 to {}", turns - 1),
            };
            return Err(wrong("turn", format!("is {turn}; the run has {given}")));
        }
        if let Some(before) = lines.insert((id.clone(), turn), line) {
            let problem = format!("this run and turn have an estimate in line {before}");
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

/// The estimate of an answer, or the kind of fault for which there is none.
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
