use std::{
    collections::{BTreeMap, HashMap},
    io::Read,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use trajectory_metrics::tool_calls::ToolCall;

use crate::{
    conversions::repeats::Names,
    error::Error,
    formats::paths::with_all_digits,
    json_lines::{
        alike::{alike_names, folded},
        columns::{
            Column, EXPECTED_CALLS, GRADE, HORIZON, ID, LOG, MODEL, OUTCOME, TASK, TRIAL, whole,
        },
        fields::{Name, YesOrNo},
        parsing::{InputError, bytes, is_object},
        table::Table,
    },
    values::run::{Caller, ExpectedCall, Run},
};

/// The columns of a file.
const KNOWN: [&Column; 9] = [ID, TASK, TRIAL, MODEL, LOG, OUTCOME, GRADE, EXPECTED_CALLS, HORIZON];

/// Facts about runs from outside their log: outcomes or grades, the calls that tasks expect, and horizons.
///
/// A line belongs to the runs with its id, which is [`Run::id`] or the id followed by the trial as in
/// [`LoggedRun::name`](crate::LoggedRun::name). If ids repeat, in the file or in the logs, lines also name the task, the trial,
/// the model or the log, and all lines of one id name the same ones of these. A line with an outcome or a grade belongs to one
/// run; expected calls and a horizon may belong to several. The values of a line replace the values of the log, even for a run
/// that a limit or an error ended. A missing or null value of the line leaves the log's value unchanged. A run whose log names no
/// task has the task of its line.
///
/// ```
/// use std::io::Cursor;
/// use run_logs::{
///     Error, Format, FactRules, Outcomes, ReadOptions, RunTable, StreamOptions, read,
/// };
///
/// let log = br#"
///     {"id": "a", "outcome": null, "turns": [{"response": {"choices": []}}]}
///     {"id": "b", "outcome": null, "turns": [{"response": {"choices": []}}]}"#;
/// let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
/// let mut outcomes = Outcomes::read("outcomes.csv", &b"id,outcome\na,true\nc,false\n"[..])?;
/// let policy = FactRules::default();
/// let table = RunTable::with_outcomes(runs, &mut outcomes, &policy, &StreamOptions::default())?;
/// assert_eq!(table.rows()[0].outcome, Some(true));
/// assert_eq!(outcomes.notes(), [
///     "outcomes.csv: 1 of 2 runs have no line; the first of them is b",
///     "outcomes.csv: 1 of 2 lines have no run; the first of them is c in line 3",
/// ]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    file: String,
    entries: Vec<Entry>,
    by_id: HashMap<String, OfId>,
    /// The log of the runs that are joined next, also with the folders in front of it: `a.eval`, `logs/a.eval`, ….
    logs: Vec<String>,
    /// Notes about the columns.
    columns: Vec<String>,
    not_read: Vec<String>,
    /// Whether a run that was joined has no task.
    has_run_without_task: bool,
    runs: u64,
    missing: u64,
    /// The first run without a line.
    first_missing: Option<String>,
    /// Names of runs without a line, each with the id of a line whose name looks the same.
    alike: Vec<[String; 2]>,
    /// The ids of lines, by their visual form.
    looks: HashMap<String, String>,
}

/// The names in a line in addition to the id: task, trial, model and log.
type Key = (Option<String>, Option<u64>, Option<String>, Option<String>);

/// The lines of an id.
#[derive(Clone, Debug)]
struct OfId {
    /// The parts of a key that the lines have.
    shape: [bool; 4],
    entries: BTreeMap<Key, usize>,
}

#[derive(Clone, Debug)]
struct Entry {
    id: String,
    line: usize,
    task: Option<String>,
    grade: Option<f64>,
    expected_calls: Option<Vec<ToolCall>>,
    horizon: Option<u64>,
    /// The first run that the line joins.
    run: Option<(String, Names, Option<String>)>,
}

#[derive(Deserialize)]
struct Line {
    id: Name,
    task: Option<Name>,
    trial: Option<u64>,
    model: Option<String>,
    log: Option<String>,
    outcome: Option<YesOrNo>,
    grade: Option<f64>,
    expected_calls: Option<Calls>,
    horizon: Option<u64>,
}

#[derive(Deserialize)]
struct Calls(#[serde(deserialize_with = "with_all_digits")] Vec<ToolCall>);

const fn shape(key: &Key) -> [bool; 4] {
    [key.0.is_some(), key.1.is_some(), key.2.is_some(), key.3.is_some()]
}

impl Outcomes {
    /// Reads JSON Lines, or comma-separated values if the file does not start with an object. Each line names a run by
    /// the field or column `id` and optionally by `task`, `trial`, `model` and `log`. The facts are `outcome` (true,
    /// false, 1 or 0) or `grade` (from 0 to 1, which the [`FactRules`](crate::FactRules) compare with their threshold),
    /// `expected_calls` (a list of calls as JSON) and `horizon`. `id`, `task`, `trial`, `model` and `outcome` can also
    /// have the alternative names that they have in tables of traces. [`Self::notes`] lists the columns that are not
    /// read.
    ///
    /// # Errors
    ///
    /// [`InputError`] with line and field for invalid values, for two lines of one run, for lines of one id that name different
    /// ones of task, trial, model and log, and for a file without facts about any run.
    pub fn read(file: &str, source: impl Read) -> Result<Self, InputError> {
        let text = bytes(file, source)?;
        if text.trim_ascii().is_empty() {
            return Err(InputError::of_empty(file));
        }
        if text.trim_ascii_start().starts_with(b"[") {
            let problem = "is not a JSON object; give one object per line";
            return Err(InputError { line: Some(1), ..InputError::of_file(file, problem) });
        }
        let table = Table::new(file, &text, &KNOWN)?;
        let names = table.header.names.join(", ");
        let has_tasks = table.header.name(TASK).is_some();
        if table.header.name(ID).is_none() && !is_object(&text) {
            let mut error = table.header.lacks(file, "id", ID);
            if !has_tasks {
                let names = TASK.names.join(", ");
                error.problem.push_str(&format!("; nor is there a column of tasks: {names}"));
            }
            return Err(error);
        }
        let mut all = Self {
            file: file.to_owned(),
            columns: table.header.notes(),
            not_read: table.header.not_read().collect(),
            ..Self::default()
        };
        table.rows(|place, line| all.add(place.line, line))?;
        all.looks = all.by_id.keys().map(|id| (folded(id), id.clone())).collect();
        let is_empty =
            |it: &Entry| (it.grade, it.horizon) == (None, None) && it.expected_calls.is_none();
        if all.entries.iter().all(is_empty) {
            let values = [OUTCOME, GRADE, EXPECTED_CALLS, HORIZON].map(|column| column.names[0]);
            let problem =
                format!("no line has a value of {}; the columns are {names}", values.join(", "));
            return Err(InputError::of_file(file, problem));
        }
        Ok(all)
    }

    fn add(&mut self, line: usize, value: Line) -> Result<(), InputError> {
        let wrong =
            |field, problem: String| Err(InputError::of_field(&self.file, line, field, problem));
        let Line { id: Name(id), task, trial, model, log, outcome, grade, expected_calls, horizon } =
            value;
        let grade = match (outcome, grade) {
            (Some(_), Some(_)) => {
                return wrong(
                    "grade",
                    "the line has an outcome, too; give either an outcome or a grade".to_owned(),
                );
            }
            (_, Some(grade)) if !(0.0..=1.0).contains(&grade) => {
                return wrong(
                    "grade",
                    format!(
                        "{grade} is outside [0, 1]; grades in this file are from 0 to 1, whatever the range of the log's scores; divide by the highest grade"
                    ),
                );
            }
            (Some(YesOrNo(outcome)), _) => Some(f64::from(u8::from(outcome))),
            (None, grade) => grade,
        };
        let key: Key = (task.map(|Name(task)| task), trial, model, log);
        let of_id = self.by_id.entry(id.clone());
        let of_id = of_id.or_insert_with(|| OfId { shape: shape(&key), entries: BTreeMap::new() });
        let earlier = |place: usize| self.entries.get(place).map_or(0, |entry| entry.line);
        if let Some(&place) = of_id.entries.get(&key) {
            let problem = format!(
                "{id:?} is already in line {}; name the task, trial, model or log of each",
                earlier(place)
            );
            return wrong("id", problem);
        }
        if let (Some(&place), true) = (of_id.entries.values().next(), of_id.shape != shape(&key)) {
            let problem = format!(
                "this line and line {} are both about {id:?}, but do not give the same ones of task, trial, model and log",
                earlier(place)
            );
            return wrong("id", problem);
        }
        let task = key.0.clone();
        of_id.entries.insert(key, self.entries.len());
        let expected_calls = expected_calls.map(|Calls(calls)| calls);
        self.entries.push(Entry { id, line, task, grade, expected_calls, horizon, run: None });
        Ok(())
    }

    /// Sets the log of the next runs given to [`Self::join`]. An outcome line names this log in its field `log` by the
    /// file name, with folders before it if necessary.
    pub fn set_log(&mut self, log: &Path) {
        let parts: Vec<_> = log.components().collect();
        let name = |from: usize| PathBuf::from_iter(&parts[from..]).to_string_lossy().into_owned();
        self.logs = (0..parts.len()).rev().map(name).collect();
    }

    /// Adds to a run the facts of the outcome line that describes it, and counts the run.
    ///
    /// # Errors
    ///
    /// [`Error::Input`] for an outcome or a grade that joins a second run.
    pub fn join(&mut self, run: &mut Run) -> Result<(), Error> {
        let name = run.trial.map_or_else(|| run.id.clone(), |trial| format!("{}#{trial}", run.id));
        self.runs = self.runs.saturating_add(1);
        let of = |id: &str| {
            // In the form of the names of the lines.
            let OfId { shape, entries } = self.by_id.get(whole(id.trim()))?;
            let task = run.task.as_deref().map(|task| whole(task.trim()).to_owned());
            let task = task.filter(|_| shape[0]);
            let model = run.model.clone().filter(|_| shape[2]);
            let key = |log| (task.clone(), run.trial.filter(|_| shape[1]), model.clone(), log);
            let place = |key: &Key| match &run.task {
                // The line gives the task of a run whose log names none, if no other line fits the run.
                None if shape[0] => {
                    let others = |it: &Key| (&it.1, &it.2, &it.3) == (&key.1, &key.2, &key.3);
                    let mut fitting = entries.iter().filter(|(it, _)| others(it));
                    let first = fitting.next().map(|(_, place)| *place);
                    first.filter(|_| fitting.next().is_none())
                }
                _ => entries.get(key).copied(),
            };
            match shape[3] {
                false => place(&key(None)),
                true => self.logs.iter().find_map(|log| place(&key(Some(log.clone())))),
            }
        };
        let place = of(&run.id).or_else(|| of(&name));
        let Some(entry) = place.and_then(|place| self.entries.get_mut(place)) else {
            self.missing = self.missing.saturating_add(1);
            let look = self.looks.get(&folded(&run.id)).filter(|id| **id != run.id);
            self.alike.extend(look.map(|id| [run.id.clone(), id.clone()]));
            self.first_missing.get_or_insert(name);
            return Ok(());
        };
        // A retry or a copy of the run in the same log does not count as a second run.
        let names = Names::of(run);
        if let (Some(_), Some((first, known, log))) = (entry.grade, &entry.run)
            && !(known.are_those_of(&names) && log.as_ref() == self.logs.last())
        {
            let model = |model: &Option<String>| {
                model.as_ref().map_or(String::new(), |it| format!(" of {it}"))
            };
            let problem = format!(
                "its outcome would apply to two runs, {first} and {name}{}; name the task, trial, model or log",
                model(&run.model)
            );
            return Err(InputError::of_field(&self.file, entry.line, "id", problem).into());
        }
        entry.run.get_or_insert((name, names, self.logs.last().cloned()));
        run.grade = entry.grade.or(run.grade);
        run.task = run.task.take().or_else(|| entry.task.clone());
        self.has_run_without_task |= run.task.is_none();
        run.horizon = entry.horizon.or(run.horizon);
        if let Some(calls) = &entry.expected_calls {
            run.expected_calls.retain(|expected| expected.caller != Caller::Agent);
            let expected = |call: &ToolCall| ExpectedCall {
                caller: Caller::Agent,
                call: call.clone(),
                compared: None,
                matched: None,
            };
            run.expected_calls.extend(calls.iter().map(expected));
        }
        Ok(())
    }

    /// Returns the number of runs that were given to [`Self::join`] and have no outcome line.
    #[must_use]
    pub const fn missing(&self) -> u64 {
        self.missing
    }

    /// Returns the number of outcome lines that matched no run.
    #[must_use]
    pub fn surplus(&self) -> usize {
        self.entries.iter().filter(|entry| entry.run.is_none()).count()
    }

    /// Returns notes on runs without an outcome line and on outcome lines without a run, each with the number and the
    /// first example, followed by notes on the columns of the file, on ids that look alike, and on runs without a task.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let (file, runs, lines) = (&self.file, self.runs, self.entries.len());
        let missing = self.first_missing.iter().map(|first| {
            format!(
                "{file}: {} of {runs} runs have no line; the first of them is {first}",
                self.missing
            )
        });
        let unused = self.entries.iter().find(|entry| entry.run.is_none());
        let surplus = unused.map(|Entry { id, line, .. }| {
            let n = self.surplus();
            format!(
                "{file}: {n} of {lines} lines have no run; the first of them is {id} in line {line}"
            )
        });
        let alike = alike_names(self.alike.iter().flatten().map(String::as_str));
        let lists = [
            ("ids that differ only in case, blanks or Unicode form", alike.join("; ")),
            ("columns not read", self.not_read.join(", ")),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        let lists = lists.map(|(what, list)| format!("{file}: {what}: {list}"));
        let no_task = (self.has_run_without_task && !self.not_read.is_empty()).then(|| {
            let names = TASK.names.join(", ");
            format!("{file}: some runs have no task; if a column that is not read names it, rename it to one of {names}")
        });
        let columns = self.columns.iter().map(|note| format!("{file}: {note}"));
        missing.chain(surplus).chain(columns).chain(lists).chain(no_task).collect()
    }
}
