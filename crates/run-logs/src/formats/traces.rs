use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    io::Read,
};

use censoring::{StopClass, StopReason};
use rayon::prelude::*;
use scoring_rules::Probability;
use serde::Serialize;
use trajectory_metrics::{CheckedRun, ForecastCounts, ForecastFault, ForecastPolicy};

use crate::{
    formats::{
        models::model_of,
        steps::{Part, Source, TableRun, TableRuns, TraceSource},
        trace_line::{FIELDS, Line, parse_bare},
        trace_rules::TraceRules,
        trace_runs::{TraceRun, TraceRuns},
    },
    json_lines::{
        columns::FORECAST,
        fields::Given,
        parsing::{InputError, parse_line},
        parts::fold,
        run_counts::RunCounts,
        table::keys,
    },
    values::{
        account::Account,
        confidence_scale::{ConfidenceScale, SeenConfidences},
    },
};

/// The policy for forecasts that are missing or outside [0, 1], and the numbers of runs and forecasts that it affects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Missing {
    /// The policy.
    pub policy: ForecastPolicy,
    /// The numbers of runs and forecasts that the policy keeps, repairs or leaves out.
    #[serde(flatten)]
    pub counts: ForecastCounts,
}

impl fmt::Display for Missing {
    /// Writes the note of a report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { policy, counts } = self;
        let policy = policy.to_string().replace('_', "-");
        write!(
            f,
            "forecasts that are missing or outside [0, 1], treated by --missing {policy}: {counts}"
        )
    }
}

/// The run counts of a file of traces, and notes about the file.
#[derive(Clone, Debug, Default)]
pub struct TraceRemarks {
    runs: RunCounts,
    /// The account of the log, if the runs come from a log.
    log: Option<Account>,
    missing: Missing,
    /// The rules by which a file was read.
    rules: Option<TraceRules>,
    /// Runs that are left out because of their forecasts.
    without_forecasts: u64,
    /// The first run that is left out, and the reason.
    first_left_out: Option<String>,
    /// Whether the table has no column of confidences.
    lacks_column: bool,
    /// Runs that completed without an outcome.
    unjudged: u64,
    /// Runs by a reason for a stop that is not known.
    unknown_stops: BTreeMap<String, u64>,
    /// The number of runs with an unknown reason for a stop and without an outcome.
    unknown_without_outcome: u64,
    /// The confidences as written.
    seen: SeenConfidences,
    /// The first forecast that the policy refuses while the scale of all confidences is in doubt.
    refused: Option<InputError>,
    /// Columns or fields that are not read.
    not_read: BTreeSet<String>,
    /// Tasks whose names look alike.
    alike: Vec<String>,
    /// Further notes.
    others: Vec<String>,
}

/// Texts in a note.
const MOST_TEXTS: usize = 8;

impl TraceRemarks {
    /// Returns the counts of all runs, including runs that were left out when the file was made.
    #[must_use]
    pub const fn runs(&self) -> &RunCounts {
        &self.runs
    }

    /// Returns the treatment of missing or invalid forecasts of the file.
    #[must_use]
    pub const fn missing(&self) -> Missing {
        self.missing
    }

    /// Returns the counts of the runs: found, kept and left out.
    #[must_use]
    pub fn account(&self) -> Account {
        let mut account = self.runs.account(self.log.as_ref());
        if let (None, Some(rules)) = (&self.log, self.rules) {
            account.success = rules.success();
            account.at_limit = rules.at_limit.unwrap_or_default().name().to_owned();
            account.rules.extend(rules.stated());
        }
        account.leave_out("no_forecast", self.without_forecasts);
        account.columns_not_read.extend(self.not_read.iter().cloned());
        account.similar_names.extend(self.alike.iter().cloned());
        account
    }

    /// Adds notes about the runs, in addition to the notes that come from the lines of the file.
    pub fn add_notes(&mut self, notes: impl IntoIterator<Item = String>) {
        self.others.extend(notes);
    }

    /// Sets the log of the runs, and the treatment of forecasts.
    pub(crate) fn set_log(&mut self, log: Account, policy: ForecastPolicy, counts: ForecastCounts) {
        self.log = Some(log);
        self.missing = Missing { policy, counts };
    }

    /// Counts a run that is kept.
    pub(crate) fn count(&mut self, run: &TraceRun) {
        self.count_outcome(run.outcome, run.grade.is_some(), run.stop.as_ref());
        self.count_stop(run.outcome, run.stop.as_ref());
    }

    fn count_outcome(
        &mut self,
        outcome: Option<bool>,
        is_partial: bool,
        stop: Option<&StopReason>,
    ) {
        match is_partial {
            true => self.runs.add_partial(stop),
            false => self.runs.add(outcome, stop),
        }
    }

    /// Counts a run that is left out for this reason.
    pub(crate) fn count_left_out(
        &mut self,
        outcome: Option<bool>,
        stop: Option<&StopReason>,
        reason: &str,
    ) {
        self.runs.add_left_out(outcome, stop, reason);
    }

    fn count_stop(&mut self, outcome: Option<bool>, stop: Option<&StopReason>) {
        if let Some(StopReason::Other(text)) = stop {
            *self.unknown_stops.entry(text.clone()).or_default() += 1;
            self.unknown_without_outcome += u64::from(outcome.is_none());
        }
    }

    /// Adds remarks on another file that was read with the same policy.
    pub fn merge(&mut self, other: Self) {
        self.runs.append(&other.runs);
        self.rules = self.rules.or(other.rules);
        self.missing.policy = other.missing.policy;
        self.missing.counts.merge(other.missing.counts);
        self.without_forecasts += other.without_forecasts;
        self.first_left_out = self.first_left_out.take().or(other.first_left_out);
        self.lacks_column |= other.lacks_column;
        self.unjudged += other.unjudged;
        for (text, count) in other.unknown_stops {
            *self.unknown_stops.entry(text).or_default() += count;
        }
        self.unknown_without_outcome += other.unknown_without_outcome;
        self.seen.merge(other.seen);
        self.refused = self.refused.take().or(other.refused);
        self.not_read.extend(other.not_read);
        self.alike.extend(other.alike);
        self.others.extend(other.others);
    }

    /// Returns notes to be read before figures are quoted: on repaired forecasts, on runs that were left out, and on
    /// unknown reasons for a stop.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let counts = self.missing.counts;
        if self.lacks_column {
            let names = FORECAST.names.join(", ");
            notes.push(format!("no column holds confidences; its name must be one of {names}"));
        } else if counts.left_out_runs + counts.repaired_runs > 0 {
            let mut note = self.missing.to_string();
            if let Some(first) = &self.first_left_out {
                note.push_str(&format!(", the first because of {first}"));
            }
            notes.push(note);
        }
        if self.unjudged > 0 {
            notes.push(format!(
                "outcome: {} run{} completed without an outcome, read as unjudged and excluded",
                self.unjudged,
                if self.unjudged == 1 { "" } else { "s" }
            ));
        }
        notes.extend(self.unknown_stops());
        notes.extend(self.others.iter().cloned());
        notes
    }

    /// Names the unknown reasons for a stop and their effect on the runs.
    fn unknown_stops(&self) -> Option<String> {
        let (all, excluded) =
            (self.unknown_stops.values().sum::<u64>(), self.unknown_without_outcome);
        // The most frequent first, and only a few.
        let mut texts: Vec<(&String, &u64)> = self.unknown_stops.iter().collect();
        texts.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
        let shown = texts.iter().take(MOST_TEXTS);
        let shown = shown.map(|(text, count)| format!("{text:?} ({count})"));
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

    /// Reads one line; `None` for a run that an earlier command left out. A line may name a model only if the lines were split by model; otherwise it is refused.
    fn read(
        &mut self,
        file: &str,
        number: usize,
        text: &[u8],
        rules: TraceRules,
        is_split: bool,
    ) -> Result<Option<TraceRun>, InputError> {
        let refuse_model = || {
            if is_split || model_of(file, number, text)?.is_none() {
                return Ok(());
            }
            let problem = "the start of the file names no model; name one in each line";
            Err(InputError::of_field(file, number, "model", problem))
        };
        let line = match serde_json::from_slice::<Line>(text) {
            Ok(line) if line.is_all_of(text) => line,
            _ if self.runs.take_left_out(file, number, text)? => {
                return refuse_model().map(|()| None);
            }
            _ => parse_line(file, number, text).or_else(|refused| {
                // JSON has no NaN and no infinity, so that they are read only under a policy other than refusal.
                let is_refused = rules.missing == ForecastPolicy::Refuse;
                let line = if is_refused { None } else { parse_bare(file, number, text) };
                line.ok_or(refused)
            })?,
        };
        if !line.is_all_of(text) {
            refuse_model()?;
            self.not_read
                .extend(keys(text).into_iter().filter(|key| !FIELDS.contains(&key.as_str())));
        }
        let field = |step: usize| (number, format!("forecasts[{step}]"));
        for (step, &forecast) in line.forecasts.iter().enumerate() {
            self.seen.add(forecast, || field(step));
        }
        self.keep(file, number, line, field, rules)
    }

    /// Keeps a run of this line, whose forecasts are in these lines and fields. The run has no forecasts if it is left out
    /// because of them. Returns `None` if one of them is refused once all lines are read.
    fn keep(
        &mut self,
        file: &str,
        number: usize,
        line: Line,
        place: impl Fn(usize) -> (usize, String),
        rules: TraceRules,
    ) -> Result<Option<TraceRun>, InputError> {
        let policy = rules.missing;
        let Line { id, task, forecasts, outcome, grade, stop, horizon, success_chance } = line;
        let wrong = |field: &str, problem| InputError::of_field(file, number, field, problem);
        let (outcome, grade) = match (outcome, grade) {
            // The grade is already on the scale from 0 to 1.
            (None, Some(grade)) => TraceRules { score_range: None, ..rules }
                .judged(Some(Given::Score(grade)), stop.as_ref())
                .map_err(|problem| wrong("grade", problem))?,
            (outcome, _) => {
                rules.judged(outcome, stop.as_ref()).map_err(|problem| wrong("outcome", problem))?
            }
        };
        self.count_outcome(outcome, grade.is_some(), stop.as_ref());
        let shares: Vec<Option<f64>> =
            forecasts.iter().map(|number| number.map(|it| rules.scale.share(it))).collect();
        let forecasts = match policy.check_run(&shares, &mut self.missing.counts) {
            Ok(CheckedRun::Kept(forecasts)) => forecasts,
            Ok(CheckedRun::LeftOut { step, fault }) => {
                let (line, field) = place(step - 1);
                let why = || format!("{field} in {file}:{line}: {fault}");
                self.first_left_out.get_or_insert_with(why);
                let line = Some(number);
                let run = TraceRun { id, task, outcome, grade, stop, line, ..TraceRun::default() };
                self.without_forecasts += 1;
                return Ok(Some(run));
            }
            Err(trajectory_metrics::Error::Forecast { step, fault, .. }) => {
                let problem = format!("{fault}; --missing offers other ways to treat it");
                let (line, field) = place(step - 1);
                let error = InputError::of_field(file, line, &field, problem);
                let is_in_doubt = rules.scale == ConfidenceScale::Checked;
                if is_in_doubt && matches!(fault, ForecastFault::OutOfRange(_)) {
                    self.refused.get_or_insert(error);
                    return Ok(None);
                }
                return Err(error);
            }
            Err(error) => return Err(wrong("forecasts", error.to_string())),
        };
        let is_unjudged = outcome.is_none()
            && grade.is_none()
            && stop.as_ref().is_some_and(|stop| stop.class() == StopClass::Complete);
        self.unjudged += u64::from(is_unjudged);
        self.count_stop(outcome, stop.as_ref());
        let success_chance = success_chance.map(Probability::new).transpose();
        let run = TraceRun {
            id,
            task,
            forecasts,
            outcome,
            grade,
            stop: if is_unjudged { Some(StopReason::Unjudged) } else { stop },
            horizon: horizon.filter(|_| policy != ForecastPolicy::Skip),
            success_chance: success_chance
                .map_err(|error| wrong("success_chance", error.to_string()))?,
            line: Some(number),
        };
        run.check(file)?;
        Ok(Some(run))
    }
}

/// Reads and checks the runs of a file of traces, in parts that are read on all threads. `add` adds a run to the value
/// `P` of its part; a run that is left out because of its forecasts is added without forecasts. `finish` turns the
/// value of a part into a result, and `take` receives the results in the order of the file. `file` names the source in
/// errors. See [`TraceFile::read`] for the format and [`fold`] for the order.
///
/// # Errors
///
/// The errors of [`TraceFile::read`], of `add` and of `finish`; the first in the order of the file. A forecast outside [0, 1]
/// that the policy refuses comes after all others.
pub fn fold_traces<P: Default, T: Send, E: From<InputError> + Send>(
    file: &str,
    source: TraceSource<'_>,
    add: impl Fn(&mut P, TraceRun) -> Result<(), E> + Sync,
    finish: impl Fn(P) -> Result<T, E> + Sync,
    mut take: impl FnMut(T),
) -> Result<TraceRemarks, E> {
    let TraceSource { rules, notes, not_read, alike, runs, .. } = source;
    let mut all = TraceRemarks::default();
    let mut all_lacks = false;
    let finish = |(remarks, part)| Ok((remarks, finish(part)?));
    let mut merge = |(remarks, part)| {
        all.merge(remarks);
        take(part);
    };
    match runs {
        Source::Lines(lines, numbers) => {
            let add = |part: &mut (TraceRemarks, P), number: usize, line: &[u8]| {
                let number = numbers.as_ref().map_or(number, |numbers| numbers[number - 1]);
                let run = part.0.read(file, number, line, rules, numbers.is_some())?;
                run.map_or(Ok(()), |run| add(&mut part.1, run))
            };
            fold(file, lines, add, finish, merge)?;
            rules.check_scale(file, &all.seen)?;
        }
        Source::Table(mut table) => {
            all_lacks = table.column().is_none();
            let column = table.column().unwrap_or(FORECAST.names[1]).to_owned();
            let keep = |table: &TableRuns, taken: &Part, at: usize| {
                let mut part = (TraceRemarks::default(), P::default());
                for TableRun { line, number, steps } in table.runs_from(taken, at).take(PART) {
                    let place =
                        |step: usize| (steps.get(step).copied().unwrap_or(number), column.clone());
                    if let Some(run) = part.0.keep(file, number, line, place, rules)? {
                        add(&mut part.1, run)?;
                    }
                }
                finish(part)
            };
            loop {
                let taken = table.take(PART * rayon::current_num_threads());
                if taken.len() == 0 {
                    break;
                }
                let parts = (0..taken.len()).into_par_iter().step_by(PART);
                let some: Vec<Result<_, E>> = parts.map(|at| keep(&table, &taken, at)).collect();
                some.into_iter().try_for_each(|part| part.map(&mut merge))?;
            }
        }
    }
    if let Some(refused) = all.refused.take() {
        return Err(refused.into());
    }
    all.lacks_column = all_lacks;
    all.missing.policy = rules.missing;
    all.rules = Some(rules);
    all.not_read.extend(not_read);
    all.alike.extend(alike);
    all.add_notes(notes.into_iter().chain(rules.scale.note(&all.seen)));
    Ok(all)
}

/// The number of runs of a table in a thread's part.
const PART: usize = 1 << 10;

/// The kept runs of a file of traces, with facts about the file.
#[derive(Clone, Debug)]
pub struct TraceFile {
    /// The file as named by the caller.
    pub file: String,
    /// The name of the file in reports; if it is empty, reports use the name of the model or of the file.
    pub name: String,
    /// The model, if the runs come from a log of several models.
    pub model: Option<String>,
    /// The runs that are kept, in order.
    pub runs: TraceRuns,
    /// The runs that are left out because a forecast is missing or outside [0, 1]. They have no forecasts.
    pub without_forecasts: TraceRuns,
    /// Remarks about the file, in addition to the runs that are kept.
    pub remarks: TraceRemarks,
}

impl TraceFile {
    /// Creates a file under this name from runs that were not read from a file.
    #[must_use]
    pub fn new(file: impl Into<String>, runs: impl IntoIterator<Item = TraceRun>) -> Self {
        let mut remarks = TraceRemarks::default();
        let count = |run: &TraceRun| remarks.runs.add(run.outcome, run.stop.as_ref());
        let runs: TraceRuns = runs.into_iter().inspect(count).collect();
        remarks.missing.counts.runs = runs.len() as u64;
        let (name, model, without_forecasts) = Default::default();
        Self { file: file.into(), name, model, runs, without_forecasts, remarks }
    }

    /// Reads a file of traces from its bytes. Each line is a run:
    /// `{"id", "task"?, "model"?, "forecasts": [p, …], "outcome": true|false|null, "grade"?, "stop"?, "horizon"?,
    /// "success_chance"?}`. A forecast that is null is missing; the policy decides its treatment. Other fields are listed in the
    /// remarks. A line with a field `left_out` is a
    /// run that was left out ([`RunCounts`]).
    ///
    /// A table with a row per step is read, too: comma-separated values (by a name that ends in .csv, or by a header with a
    /// column of forecasts), or JSON Lines without `forecasts`. Its columns are `id`, `task`, `model`, `trial` and `step`
    /// (optional), `forecast`, `confidence` or `probability`, and optionally the other fields of a run. The outcome is the first
    /// existing column of `outcome`, `correct`, `is_correct`, `success`, `passed`, `solved`, `resolved`, `score`, `reward` and
    /// `label`. The rows with the same id, trial and model form a run, in the order of their steps. The line of the run is the
    /// line of its first row. A row without an id is a separate run.
    ///
    /// # Errors
    ///
    /// [`InputError`] with file, line and field of the first problem, or of the first forecast that the policy refuses; also for
    /// a file of several models, which [`TraceFile::read_all`] reads.
    ///
    /// ```
    /// use run_logs::{ForecastPolicy, TraceFile, json_lines::InputError};
    ///
    /// let lines = r#"
    /// {"id": "a", "forecasts": [0.6, 0.9], "outcome": true, "stop": "completed"}
    /// {"id": "b", "forecasts": [0.5, null], "outcome": null, "stop": "max_steps", "horizon": 5}
    /// "#;
    /// let read = |policy| TraceFile::read("runs.jsonl", lines.as_bytes(), policy);
    /// let found = read(ForecastPolicy::CarryForward)?;
    /// assert_eq!((found.runs.len(), found.runs.forecasts(1)[1].get()), (2, 0.5));
    /// assert_eq!(found.remarks.missing().counts.carried, 1);
    ///
    /// let refused = read(ForecastPolicy::Refuse).unwrap_err();
    /// assert_eq!((refused.line, refused.field.as_deref()), (Some(3), Some("forecasts[1]")));
    /// # Ok::<(), InputError>(())
    /// ```
    pub fn read(
        file: &str,
        source: impl Read,
        rules: impl Into<TraceRules>,
    ) -> Result<Self, InputError> {
        let mut models = Self::read_all(file, source, rules)?;
        match (models.pop(), models.len()) {
            (Some(only), 0) => Ok(only),
            (_, others) => {
                let problem =
                    format!("there are runs of {} models, which are read separately", others + 1);
                Err(InputError::of_field(file, 1, "model", problem))
            }
        }
    }

    /// Reads a file like [`TraceFile::read`], but returns the runs of each model separately.
    ///
    /// # Errors
    ///
    /// The errors of [`TraceFile::read`].
    ///
    /// ```
    /// use run_logs::{ForecastPolicy, TraceFile, json_lines::InputError};
    ///
    /// let table = b"id,model,confidence,correct\n1,a,0.9,1\n1,b,0.4,0\n2,a,0.6,0\n";
    /// let files = TraceFile::read_all("runs.csv", &table[..], ForecastPolicy::Refuse)?;
    /// let of: Vec<_> = files.iter().map(|it| (it.model.as_deref(), it.runs.len())).collect();
    /// assert_eq!(of, [(Some("a"), 2), (Some("b"), 1)]);
    /// assert_eq!(files[0].remarks.notes(), ["outcomes are those of the column correct"]);
    /// # Ok::<(), InputError>(())
    /// ```
    pub fn read_all(
        file: &str,
        source: impl Read,
        rules: impl Into<TraceRules>,
    ) -> Result<Vec<Self>, InputError> {
        let read = |source: TraceSource<'_>| {
            let (mut read, model) = (Self::new(file, []), source.model.clone());
            let add = |part: &mut [TraceRuns; 2], run: TraceRun| {
                part[usize::from(run.forecasts.is_empty())].push(run);
                Ok(())
            };
            let remarks = fold_traces(file, source, add, Ok, |[runs, without]| {
                read.runs.append(runs);
                read.without_forecasts.append(without);
            })?;
            Ok(Self { model, remarks, ..read })
        };
        TraceSource::all(file, source, rules)?.into_iter().map(read).collect()
    }

    /// Returns the counts of the runs: found, kept and left out.
    #[must_use]
    pub fn account(&self) -> Account {
        self.remarks.account()
    }

    /// Checks that no id is repeated in the file. Callers that look runs up by id need this.
    ///
    /// # Errors
    ///
    /// [`InputError`] at the first run with the id of an earlier run.
    pub fn check_ids(&self) -> Result<(), InputError> {
        let mut by_id: Vec<usize> = (0..self.runs.len()).collect();
        by_id.sort_unstable_by_key(|&at| (self.runs.id(at), at));
        let pairs = by_id.windows(2).filter(|pair| self.runs.id(pair[0]) == self.runs.id(pair[1]));
        let lines =
            pairs.filter_map(|pair| Some((pair[1], self.runs.without_lists(pair[0]).line?)));
        let Some((at, line)) = lines.min() else { return Ok(()) };
        let problem = format!("{:?} is already in line {line}", self.runs.id(at));
        Err(self.runs.without_lists(at).error(&self.file, "id", problem))
    }
}
