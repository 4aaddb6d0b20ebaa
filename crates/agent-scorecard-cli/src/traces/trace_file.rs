//! Files of agent confidence traces: one run a line,
//! `{"id", "task"?, "forecasts": [p, …], "outcome": true|false|null, "stop"?, "horizon"?}`. A forecast
//! that is null is missing; a policy says what is done about it.

use std::{collections::BTreeMap, path::Path};

pub use agent_scorecard::traces::Missing;
use agent_scorecard::traces::{TraceFigures, TraceRun, stopped};
use censoring::{StopClass, StopReason, Stopped};
use serde::{Deserialize, Deserializer};
use trajectory_metrics::{CheckedRun, ForecastCounts, ForecastPolicy, Probability};

use crate::{
    files::{
        json_lines::{self, InputError},
        line_parts::{self, Part},
        run_counts::{self, RunCounts},
    },
    traces::{
        bare_numbers::{AnyNumber, marked},
        trace_line::{self, TraceLine},
    },
};

/// The format of a file, for the help of the programs that read it.
pub const FORMAT: &str = r#"
A FILE has JSON Lines, one run per line, for example
  {"id": "run-7", "task": "task-3", "forecasts": [0.6, 0.4, 0.9], "outcome": true, "stop": "completed"}
  {"id": "run-8", "task": "task-3", "forecasts": [0.5, 0.7], "outcome": null, "stop": "max_steps", "horizon": 5}
id         name of the run
task       optional name of the task; runs of one task are not independent
forecasts  probability of success that was reported after each step, each from 0 to 1; null if it is
           missing. --missing says what is done about what is missing or outside [0, 1], and about a
           bare NaN, Infinity or 1e999, which are not JSON:
           refuse         refuses the file (default)
           leave-out      leaves the run out
           skip           scores only the steps that have a forecast, as if the others did not exist, and
                          without a horizon; leaves out a run without any
           carry-forward  repeats the forecast before it; leaves the run out if there is none
           carry-forward-from=P  the same, with P for a missing first forecast
           clip           moves what is outside to 0 or 1; refuses what is missing
outcome    true, false, or null if it is not known
stop       optional reason why the run ended. A run without an outcome is censored if a budget ended
           it (max_steps, max_tokens, max_time, max_cost), otherwise it is excluded and counted; one that
           completed is read as unjudged
horizon    optional number of steps that a censored run would have been scored over
success_chance  optional probability from 0 to 1 that a censored run would have succeeded, for cut-off; it
           must not come from a stream that is scored
Other fields are ignored.
A line with a field left_out in place of forecasts, such as
  {"id": "run-9", "outcome": null, "stop": "max_steps", "left_out": "no_confidence"}
is a run that convert left out, with the reason. It is counted, by reason and in the success rate, and not scored.
"#;

#[derive(Deserialize)]
struct Line<F = Option<f64>> {
    id: String,
    task: Option<String>,
    forecasts: Vec<F>,
    // Named so that a missing outcome is an error, unlike one that is null.
    #[serde(deserialize_with = "nullable")]
    outcome: Option<bool>,
    stop: Option<StopReason>,
    horizon: Option<usize>,
    success_chance: Option<f64>,
}

impl From<Line<AnyNumber>> for Line {
    fn from(line: Line<AnyNumber>) -> Self {
        let Line { id, task, forecasts, outcome, stop, horizon, success_chance } = line;
        let forecasts = forecasts.into_iter().map(AnyNumber::value).collect();
        Self { id, task, forecasts, outcome, stop, horizon, success_chance }
    }
}

fn nullable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Option::deserialize(deserializer)
}

/// The runs of a file that are kept, and what is known about the file.
#[derive(Clone, Debug)]
pub struct TraceFile {
    /// The file as named by the caller.
    pub file: String,
    /// The runs that are kept, in order.
    pub runs: Vec<TraceRun>,
    remarks: Remarks,
}

impl TraceFile {
    /// That every run that can be scored names a task.
    ///
    /// # Errors
    ///
    /// [`InputError`] at the first run that does not.
    pub(crate) fn check_tasks(&self) -> Result<(), InputError> {
        let is_scored = |run: &&TraceRun| {
            run.stopped().is_ok_and(|stopped| stopped.class() != StopClass::Excluded)
        };
        match self.runs.iter().filter(is_scored).find(|run| run.task.is_none()) {
            None => Ok(()),
            Some(run) => {
                let problem = "missing; --cluster-by-task needs one".to_owned();
                Err(error(&self.file, run, "task", problem))
            }
        }
    }

    /// That no id stands twice in the file, for programs that look runs up by their ids.
    ///
    /// # Errors
    ///
    /// [`InputError`] at the first run whose id an earlier one has.
    pub fn check_ids(&self) -> Result<(), InputError> {
        let mut lines = BTreeMap::new();
        for run in &self.runs {
            if let Some(Some(line)) = lines.insert(&run.id, run.line) {
                let problem = format!("{:?} stands in line {line} already", run.id);
                return Err(error(&self.file, run, "id", problem));
            }
        }
        Ok(())
    }
}

impl AsRef<Remarks> for TraceFile {
    fn as_ref(&self) -> &Remarks {
        &self.remarks
    }
}

/// An error about a field of a run of a file.
#[must_use]
pub fn error(file: &str, run: &TraceRun, field: &str, problem: String) -> InputError {
    let field = Some(field.to_owned());
    InputError { file: file.to_owned(), line: run.line, field, problem }
}

/// What a policy did about the forecasts of a file, and what to know about its runs.
#[derive(Clone, Debug, Default)]
pub struct Remarks {
    /// All runs, also those that were left out before.
    all: RunCounts,
    policy: ForecastPolicy,
    counts: ForecastCounts,
    /// The first run that is left out, and why.
    first_left_out: Option<String>,
    /// Runs that completed without an outcome.
    unjudged: u64,
    /// Runs by a reason for a stop that is not known.
    unknown_stops: BTreeMap<String, u64>,
    /// Those of them that have no outcome.
    unknown_without_outcome: u64,
}

impl Remarks {
    fn update(&mut self, row: &Row<'_>) {
        self.all.add(row.outcome, row.stop);
        self.unjudged += u64::from(row.unjudged);
        if let Some(StopReason::Other(text)) = row.stop {
            match self.unknown_stops.get_mut(text) {
                Some(count) => *count += 1,
                None => _ = self.unknown_stops.insert(text.clone(), 1),
            }
            self.unknown_without_outcome += u64::from(row.outcome.is_none());
        }
    }

    /// Adds a later part of the same file, or another file that was read with the same policy.
    fn append(&mut self, other: &Self) {
        self.all.append(&other.all);
        self.counts.merge(other.counts);
        if self.first_left_out.is_none() {
            self.first_left_out.clone_from(&other.first_left_out);
        }
        self.unjudged += other.unjudged;
        for (text, count) in &other.unknown_stops {
            *self.unknown_stops.entry(text.clone()).or_default() += count;
        }
        self.unknown_without_outcome += other.unknown_without_outcome;
    }

    fn together<T: AsRef<Self>>(files: &[&T]) -> Self {
        let policy = files.first().map(|&file| file.as_ref().policy).unwrap_or_default();
        let mut together = Self { policy, ..Self::default() };
        files.iter().for_each(|&file| together.append(file.as_ref()));
        together
    }
}

/// Reads and checks every run of a file.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the first thing that is wrong, or of the first
/// forecast that the policy refuses.
pub fn read(path: &Path, policy: ForecastPolicy) -> Result<TraceFile, InputError> {
    let file = path.display().to_string();
    let run = |row: Row<'_>| TraceRun {
        id: row.id.to_owned(),
        task: row.task.map(str::to_owned),
        line: Some(row.line),
        success_chance: row.success_chance,
        forecasts: row.forecasts.to_vec(),
        outcome: row.outcome,
        stop: row.stop.cloned(),
        horizon: row.horizon,
    };
    let mut runs = Vec::new();
    let add = |runs: &mut Vec<TraceRun>, row: Row<'_>| {
        runs.push(run(row));
        Ok(())
    };
    let remarks = read_parts(path, policy, add, Ok, |part| runs.extend(part))?;
    Ok(TraceFile { file, runs, remarks })
}

/// One run of a file, checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) id: &'a str,
    pub(crate) task: Option<&'a str>,
    pub(crate) line: usize,
    pub(crate) forecasts: &'a [Probability],
    pub(crate) outcome: Option<bool>,
    pub(crate) stop: Option<&'a StopReason>,
    pub(crate) horizon: Option<usize>,
    pub(crate) success_chance: Option<Probability>,
    /// It completed without an outcome; its stop is `unjudged`.
    unjudged: bool,
}

impl<'a> Row<'a> {
    /// The run as the censoring crate sees it.
    pub(crate) fn stopped(&self) -> Result<Stopped<'a>, censoring::Error> {
        stopped(self.forecasts, self.outcome, self.stop, self.horizon)
    }

    fn new(
        line: usize,
        read: &TraceLine<'a>,
        stop: Option<&'a StopReason>,
        forecasts: &'a [Probability],
    ) -> Self {
        let TraceLine { id, task, outcome, horizon, success_chance, .. } = *read;
        let completed = stop.is_some_and(|stop| stop.class() == StopClass::Complete);
        let unjudged = outcome.is_none() && completed;
        let stop = if unjudged { Some(&StopReason::Unjudged) } else { stop };
        Self { id, task, line, forecasts, outcome, stop, horizon, success_chance, unjudged }
    }

    /// Checks the fields together.
    fn check(&self, path: &Path) -> Result<(), InputError> {
        self.stopped().map(|_| ()).map_err(|error| {
            let (field, problem) = match &error {
                censoring::Error::TrajectoryMetrics(trajectory_metrics::Error::EmptyTrace {
                    ..
                }) => ("forecasts", "empty; give at least one forecast".to_owned()),
                censoring::Error::TrajectoryMetrics(
                    trajectory_metrics::Error::Horizon { .. }
                    | trajectory_metrics::Error::HorizonTooLong { .. },
                ) => ("horizon", error.to_string()),
                _ => ("outcome", error.to_string()),
            };
            wrong(path, self.line, field, problem)
        })
    }
}

fn wrong(path: &Path, line: usize, field: &str, problem: String) -> InputError {
    let (file, field) = (path.display().to_string(), Some(field.to_owned()));
    InputError { file, line: Some(line), field, problem }
}

/// Reads and checks every run of a file, in parts that all threads work on: `add` adds a run that is kept to
/// its part, `finish` works on the whole part, and `take` gets the results in the order of the file.
///
/// # Errors
///
/// Those of [`read`], and those of `add` and `finish`. The first in the order of the file is returned,
/// whatever the number of threads.
pub(crate) fn read_parts<P: Default, T: Send, E: From<InputError> + Send>(
    path: &Path,
    policy: ForecastPolicy,
    add: impl Fn(&mut P, Row<'_>) -> Result<(), E> + Sync,
    finish: impl Fn(P) -> Result<T, E> + Sync,
    mut take: impl FnMut(T) + Send,
) -> Result<Remarks, E> {
    let parse = |part: Part<'_>| {
        let mut kept = P::default();
        let (rows, remarks) = read_part(path, part, policy, |row| add(&mut kept, row))?;
        Ok::<_, E>((rows, remarks, finish(kept)?))
    };
    let mut all = Remarks { policy, ..Remarks::default() };
    let mut rows = 0;
    line_parts::for_each(path, parse, |(new, remarks, part)| {
        rows += new;
        all.append(&remarks);
        take(part);
    })?;
    if rows == 0 { Err(json_lines::no_line(path).into()) } else { Ok(all) }
}

/// Reads some lines of a file; returns how many runs there are, kept or left out.
fn read_part<E: From<InputError>>(
    path: &Path,
    part: Part<'_>,
    policy: ForecastPolicy,
    mut add: impl FnMut(Row<'_>) -> Result<(), E>,
) -> Result<(usize, Remarks), E> {
    let (mut remarks, mut stops, mut forecasts) =
        (Remarks::default(), StopReasons::default(), vec![]);
    let mut keep = |remarks: &mut Remarks, row: Row<'_>| {
        row.check(path)?;
        remarks.update(&row);
        add(row)
    };
    let (mut bytes, mut rows, mut number) = (part.bytes, 0, part.first_line);
    while !bytes.is_empty() {
        forecasts.clear();
        let length;
        if let Some((mut line, its_length)) = trace_line::read(bytes, &mut forecasts) {
            line.horizon = line.horizon.filter(|_| policy != ForecastPolicy::Skip);
            length = its_length;
            rows += 1;
            remarks.counts.runs += 1;
            let stop = line.stop.map(|text| stops.reason(text));
            keep(&mut remarks, Row::new(number, &line, stop, &forecasts))?;
        } else {
            length =
                bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |end| end + 1);
            let text = bytes[..length].strip_suffix(b"\n").unwrap_or(&bytes[..length]);
            if !text.trim_ascii().is_empty()
                && run_counts::take(&mut remarks.all, path, number, text)?
            {
                rows += 1;
            } else if !text.trim_ascii().is_empty() {
                rows += 1;
                let line: Line = match policy {
                    // JSON has no NaN and no infinity, so that only another policy reads them.
                    ForecastPolicy::Refuse => json_lines::read_line(path, number, text)?,
                    _ => json_lines::read_repaired_line::<_, Line<AnyNumber>>(
                        path, number, text, marked,
                    )?,
                };
                match check_forecasts(path, number, &line.forecasts, policy, &mut remarks.counts)? {
                    Ok(forecasts) => {
                        let Line { id, task, outcome, stop, horizon, success_chance, .. } = &line;
                        let (task, outcome) = (task.as_deref(), *outcome);
                        let horizon = horizon.filter(|_| policy != ForecastPolicy::Skip);
                        let success_chance =
                            success_chance.map(Probability::new).transpose().map_err(|error| {
                                wrong(path, number, "success_chance", error.to_string())
                            })?;
                        let read =
                            TraceLine { id, task, outcome, stop: None, horizon, success_chance };
                        keep(&mut remarks, Row::new(number, &read, stop.as_ref(), &forecasts))?;
                    }
                    Err(left_out) => {
                        remarks.all.add(line.outcome, line.stop.as_ref());
                        remarks.first_left_out.get_or_insert(left_out);
                    }
                }
            }
        }
        bytes = &bytes[length..];
        number += 1;
    }
    Ok((rows, remarks))
}

/// The reasons for a stop of earlier lines, so that most are not read again.
#[derive(Default)]
struct StopReasons {
    read: Vec<(String, StopReason)>,
}

impl StopReasons {
    fn reason(&mut self, text: &str) -> &StopReason {
        const MOST: usize = 32;
        let place = self.read.iter().position(|(known, _)| known == text).unwrap_or_else(|| {
            if self.read.len() == MOST {
                self.read.clear();
            }
            self.read.push((text.to_owned(), text.to_owned().into()));
            self.read.len() - 1
        });
        &self.read[place].1
    }
}

/// The forecasts of a run that is kept, or why it is left out.
fn check_forecasts(
    path: &Path,
    line: usize,
    forecasts: &[Option<f64>],
    policy: ForecastPolicy,
    counts: &mut ForecastCounts,
) -> Result<Result<Vec<Probability>, String>, InputError> {
    match policy.check_run(forecasts, counts) {
        Ok(CheckedRun::Kept(forecasts)) => Ok(Ok(forecasts)),
        Ok(CheckedRun::LeftOut { step, fault }) => {
            let file = path.display();
            Ok(Err(format!("forecasts[{}] in {file}:{line}: {fault}", step - 1)))
        }
        Err(trajectory_metrics::Error::Forecast { step, fault }) => {
            let problem = format!("{fault}; --missing says what else can be done about it");
            Err(wrong(path, line, &format!("forecasts[{}]", step - 1), problem))
        }
        Err(error) => Err(wrong(path, line, "forecasts", error.to_string())),
    }
}

/// The policy of this name, as an option spells it.
///
/// # Errors
///
/// One that lists the names.
pub fn policy(name: &str) -> Result<ForecastPolicy, &'static str> {
    let (policy, first) = name.split_once('=').map_or((name, None), |(a, b)| (a, Some(b)));
    let policy = policy.replace('-', "_");
    let known = first.map_or_else(|| policy.clone(), |first| format!("{policy}={first}")).parse();
    known.map_err(|_| {
        "there are refuse, leave-out, skip, carry-forward, carry-forward-from=P with P from 0 to 1, and clip"
    })
}

/// What was done about the forecasts of one or more files that were read with one policy.
#[must_use]
pub fn missing<T: AsRef<Remarks>>(files: &[&T]) -> Missing {
    let Remarks { policy, counts, .. } = Remarks::together(files);
    Missing { policy, counts }
}

/// All runs of one or more files, also those that were left out before.
pub(crate) fn run_counts<T: AsRef<Remarks>>(files: &[&T]) -> RunCounts {
    Remarks::together(files).all
}

/// What to know about one or more files before figures on them are quoted: forecasts that were repaired,
/// runs that were left out, and reasons for a stop that are not known.
#[must_use]
pub fn notes<T: AsRef<Remarks>>(files: &[&T]) -> Vec<String> {
    let mut notes = Vec::new();
    let remarks = Remarks::together(files);
    let Remarks { policy, counts, first_left_out, unjudged, .. } = &remarks;
    if counts.left_out_runs + counts.repaired_runs > 0 {
        let mut note = Missing { policy: *policy, counts: *counts }.to_string();
        if let Some(first) = first_left_out {
            note.push_str(&format!(", the first because of {first}"));
        }
        notes.push(note);
    }
    match unjudged {
        0 => {}
        count => notes.push(format!(
            "outcome: {count} run{} completed without an outcome, read as unjudged and excluded",
            if *count == 1 { "" } else { "s" }
        )),
    }
    notes.extend(unknown_stops(&remarks));
    notes
}

/// What is known of the runs of one or more files, with what there is to say of the files.
pub(crate) fn with_remarks<T: AsRef<Remarks>>(
    mut figures: TraceFigures,
    files: &[&T],
) -> TraceFigures {
    figures.runs = Some(run_counts(files));
    figures.missing = Some(missing(files));
    figures.last_notes.extend(notes(files));
    figures
}

/// Says which reasons for a stop are not known, and what that means for their runs.
fn unknown_stops(remarks: &Remarks) -> Option<String> {
    let texts = remarks.unknown_stops.iter().map(|(text, &count)| (text.as_str(), count));
    let (all, excluded) =
        (remarks.unknown_stops.values().sum::<u64>(), remarks.unknown_without_outcome);
    // The most frequent first, and few enough to read.
    let mut texts: Vec<(&str, u64)> = texts.collect();
    texts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let shown = texts.iter().take(MOST_TEXTS).map(|(text, count)| format!("{text:?} ({count})"));
    let mut list = shown.collect::<Vec<_>>().join(", ");
    if texts.len() > MOST_TEXTS {
        list.push_str(&format!(" and {} more", texts.len() - MOST_TEXTS));
    }
    let consequence = match excluded {
        0 => "all their runs have an outcome and are scored".to_owned(),
        _ => format!(
            "{excluded} of {all} such runs have no outcome and are excluded; if a budget ended them, write \
             max_steps, max_tokens, max_time or max_cost"
        ),
    };
    (all > 0).then(|| format!("stop: reasons that are not known: {list}; {consequence}"))
}

/// Texts in a note.
const MOST_TEXTS: usize = 8;
