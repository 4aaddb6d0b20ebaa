//! Files of agent confidence traces: one run a line,
//! `{"id", "task"?, "forecasts": [p, …], "outcome": true|false|null, "stop"?, "horizon"?}`. A forecast
//! that is null is missing; a policy says what is done about it.

use std::{collections::BTreeMap, path::Path};

use censoring::{StopClass, StopReason, Stopped};
use serde::{Deserialize, Deserializer, Serialize};
use trajectory_metrics::{CheckedRun, ForecastCounts, ForecastPolicy, Probability};

use crate::{
    files::json_lines::{self, InputError},
    traces::bare_numbers::{AnyNumber, marked},
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
           carry-forward  repeats the forecast before it; leaves the run out if there is none
           clip           moves what is outside to 0 or 1; refuses what is missing
outcome    true, false, or null if it is not known
stop       optional reason why the run ended. A run without an outcome is censored if a budget ended
           it (max_steps, max_tokens, max_time, max_cost), otherwise it is excluded and counted; one that
           completed is read as unjudged
horizon    optional number of steps that a censored run would have been scored over
Other fields are ignored.
"#;

#[derive(Deserialize)]
struct Row<F = Option<f64>> {
    id: String,
    task: Option<String>,
    forecasts: Vec<F>,
    // Named so that a missing outcome is an error, unlike one that is null.
    #[serde(deserialize_with = "nullable")]
    outcome: Option<bool>,
    stop: Option<StopReason>,
    horizon: Option<usize>,
}

impl From<Row<AnyNumber>> for Row {
    fn from(row: Row<AnyNumber>) -> Self {
        let Row { id, task, forecasts, outcome, stop, horizon } = row;
        let forecasts = forecasts.into_iter().map(AnyNumber::value).collect();
        Self { id, task, forecasts, outcome, stop, horizon }
    }
}

fn nullable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Option::deserialize(deserializer)
}

/// One run as its file gives it, checked.
#[derive(Clone, Debug)]
pub struct Run {
    /// Names the run; halves for cross-fitting follow its order.
    pub id: String,
    /// Names the task, which several runs may share.
    pub task: Option<String>,
    /// The file that the run stands in.
    pub file: String,
    /// The line that the run stands in, from 1; `None` for a run of a log.
    pub line: Option<usize>,
    forecasts: Vec<Probability>,
    outcome: Option<bool>,
    stop: Option<StopReason>,
    horizon: Option<usize>,
    /// It completed without an outcome; its stop is `unjudged`.
    unjudged: bool,
}

/// What a log says about one run of a stream.
pub(crate) struct LogRun {
    pub(crate) id: String,
    pub(crate) task: Option<String>,
    pub(crate) file: String,
    pub(crate) forecasts: Vec<Probability>,
    pub(crate) outcome: Option<bool>,
    pub(crate) stop: Option<StopReason>,
    pub(crate) horizon: Option<usize>,
}

impl Run {
    /// A run of a log, whose outcome and stop reason agree.
    pub(crate) fn of_log(run: LogRun) -> Self {
        let LogRun { id, task, file, forecasts, outcome, stop, horizon } = run;
        Self { id, task, file, line: None, forecasts, outcome, stop, horizon, unjudged: false }
    }

    /// The run as the censoring crate sees it.
    ///
    /// # Errors
    ///
    /// None for a run from [`read`], which has tried it.
    pub fn stopped(&self) -> Result<Stopped<'_>, censoring::Error> {
        let run = Stopped::new(&self.forecasts, self.outcome, self.stop.clone())?;
        match self.horizon {
            Some(horizon) => run.with_horizon(horizon),
            None => Ok(run),
        }
    }

    /// An error about a field of this run.
    #[must_use]
    pub fn error(&self, field: &str, problem: String) -> InputError {
        InputError {
            file: self.file.clone(),
            line: self.line,
            field: Some(field.to_owned()),
            problem,
        }
    }
}

/// The runs of a file that are kept, and what a policy did about their forecasts.
#[derive(Clone, Debug)]
pub struct TraceFile {
    /// The runs that are kept, in order.
    pub runs: Vec<Run>,
    missing: Missing,
    /// The first run that is left out, and why.
    first_left_out: Option<String>,
}

/// What was done about forecasts that are missing or outside [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// What to do about them.
    pub policy: ForecastPolicy,
    /// What was done.
    #[serde(flatten)]
    pub counts: ForecastCounts,
}

/// A report, and what was done about forecasts that are missing or outside [0, 1].
#[derive(Clone, Debug, Serialize)]
pub struct WithMissing<T> {
    /// The report.
    #[serde(flatten)]
    pub report: T,
    /// What was done.
    pub missing: Missing,
}

/// Reads and checks every run of a file.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the first thing that is wrong, or of the first
/// forecast that the policy refuses.
pub fn read(path: &Path, policy: ForecastPolicy) -> Result<TraceFile, InputError> {
    let mut counts = ForecastCounts::default();
    let (mut runs, mut first_left_out) = (Vec::new(), None);
    // JSON has no NaN and no infinity, so that only a policy other than the default reads a file with them.
    let lines: Vec<json_lines::Line<Row>> = match policy {
        ForecastPolicy::Refuse => json_lines::read(path)?,
        _ => json_lines::read_repaired::<_, Row<AnyNumber>>(path, marked)?,
    };
    for line in lines {
        match check(path, line, policy, &mut counts)? {
            Ok(run) => runs.push(run),
            Err(left_out) => first_left_out = first_left_out.or(Some(left_out)),
        }
    }
    Ok(TraceFile { runs, missing: Missing { policy, counts }, first_left_out })
}

/// The policy of this name, as an option spells it.
///
/// # Errors
///
/// One that lists the names.
pub fn policy(name: &str) -> Result<ForecastPolicy, &'static str> {
    let known = name.replace('-', "_").parse();
    known.map_err(|_| "there are refuse, leave-out, carry-forward and clip")
}

/// What was done about the forecasts of one or more files that were read with one policy.
#[must_use]
pub fn missing(files: &[&TraceFile]) -> Missing {
    let policy = files.first().map(|file| file.missing.policy).unwrap_or_default();
    let mut counts = ForecastCounts::default();
    files.iter().for_each(|file| counts.merge(file.missing.counts));
    Missing { policy, counts }
}

/// What to know about one or more files before figures on them are quoted: forecasts that were repaired,
/// runs that were left out, and reasons for a stop that are not known.
#[must_use]
pub fn notes(files: &[&TraceFile]) -> Vec<String> {
    let mut notes = Vec::new();
    let Missing { policy, counts } = missing(files);
    if counts.left_out_runs + counts.repaired_runs > 0 {
        let policy = policy.name().replace('_', "-");
        let mut note = format!(
            "forecasts that are missing or outside [0, 1], by --missing {policy}: {counts}"
        );
        if let Some(first) = files.iter().find_map(|file| file.first_left_out.as_ref()) {
            note.push_str(&format!(", the first because of {first}"));
        }
        notes.push(note);
    }
    let runs = files.iter().flat_map(|file| &file.runs);
    match runs.clone().filter(|run| run.unjudged).count() {
        0 => {}
        count => notes.push(format!(
            "outcome: {count} run{} completed without an outcome, read as unjudged and excluded",
            if count == 1 { "" } else { "s" }
        )),
    }
    notes.extend(unknown_stops(runs));
    notes
}

/// Says which reasons for a stop are not known, and what that means for their runs.
fn unknown_stops<'a>(runs: impl Iterator<Item = &'a Run>) -> Option<String> {
    let mut texts: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut all, mut excluded) = (0_u64, 0_u64);
    for run in runs {
        if let Some(StopReason::Other(text)) = &run.stop {
            *texts.entry(text).or_default() += 1;
            all += 1;
            excluded += u64::from(run.outcome.is_none());
        }
    }
    // The most frequent first, and few enough to read.
    let mut texts: Vec<(&str, u64)> = texts.into_iter().collect();
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

/// That no id stands twice in a file, for programs that look runs up by their ids.
///
/// # Errors
///
/// [`InputError`] at the first run whose id an earlier one has.
pub fn check_ids(runs: &[Run]) -> Result<(), InputError> {
    let mut lines = BTreeMap::new();
    for run in runs {
        if let Some(Some(line)) = lines.insert(&run.id, run.line) {
            return Err(run.error("id", format!("{:?} stands in line {line} already", run.id)));
        }
    }
    Ok(())
}

/// A run that is kept, or why it is left out.
fn check(
    path: &Path,
    line: json_lines::Line<Row>,
    policy: ForecastPolicy,
    counts: &mut ForecastCounts,
) -> Result<Result<Run, String>, InputError> {
    let Row { id, task, forecasts, outcome, stop, horizon } = line.value;
    let file = path.display().to_string();
    let completed = stop.as_ref().is_some_and(|stop| stop.class() == StopClass::Complete);
    let unjudged = outcome.is_none() && completed;
    let stop = if unjudged { Some(StopReason::Unjudged) } else { stop };
    let mut run = Run {
        id,
        task,
        file,
        line: Some(line.number),
        forecasts: Vec::new(),
        outcome,
        stop,
        horizon,
        unjudged,
    };
    match policy.check_run(&forecasts, counts) {
        Ok(CheckedRun::Kept(forecasts)) => run.forecasts = forecasts,
        Ok(CheckedRun::LeftOut { step, fault }) => {
            let (file, line) = (&run.file, line.number);
            return Ok(Err(format!("forecasts[{}] in {file}:{line}: {fault}", step - 1)));
        }
        Err(trajectory_metrics::Error::Forecast { step, fault }) => {
            let problem = format!("{fault}; --missing says what else can be done about it");
            return Err(run.error(&format!("forecasts[{}]", step - 1), problem));
        }
        Err(error) => return Err(run.error("forecasts", error.to_string())),
    }
    let wrong = run.stopped().err().map(|error| match &error {
        censoring::Error::TrajectoryMetrics(trajectory_metrics::Error::EmptyTrace { .. }) => {
            run.error("forecasts", "empty; give at least one forecast".to_owned())
        }
        censoring::Error::TrajectoryMetrics(
            trajectory_metrics::Error::Horizon { .. }
            | trajectory_metrics::Error::HorizonTooLong { .. },
        ) => run.error("horizon", error.to_string()),
        _ => run.error("outcome", error.to_string()),
    });
    wrong.map_or(Ok(Ok(run)), Err)
}
