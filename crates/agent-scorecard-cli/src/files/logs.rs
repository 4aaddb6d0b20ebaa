//! Reads logs of evaluations, bundled or not.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    error::Error,
    io::Cursor,
    path::{Path, PathBuf},
};

use agent_scorecard::{
    Position, Report, log_name,
    logs::Prices,
    options::{names, policy, read as read_field},
    traces::{LoggedColumn, TraceFile, UNKNOWN_MODEL},
    with_causes,
};
use run_logs::{
    ConfidenceField, ConfidenceReading, ConfidenceStream, FactRules, ForecastPolicy, Format,
    LineFields, LoggedRun, Outcomes, ReadOptions, Run, RunTable, Runs, RunsBy, StreamOptions,
    TraceRules, read_path, read_path_by,
};
use serde::{Deserialize, Deserializer};
use trajectory_metrics::tool_calls::Value;

use crate::{
    files::{
        bundled,
        source::{Source, at},
    },
    plain, progress,
};

/// The help text on `--outcomes`, for the subcommands that read logs.
pub(crate) const OUTCOMES: &str = include_str!("../help/outcomes.txt");

/// Opens a log or a folder of logs.
pub(crate) fn open(
    path: &Path,
    format: Format,
    judging: &Judging,
) -> Result<Runs<'static>, run_logs::Error> {
    let options = ReadOptions { runs_by: judging.runs_by, ..ReadOptions::default() };
    match bundled::content(path) {
        Some(content) => run_logs::read(Cursor::new(content), format, &options),
        None if judging.field.is_empty() => read_path(path, format, &options),
        None => read_path_by(path, &LineFields::new(&judging.field)?, &options),
    }
}

/// The options for judging runs of logs, and for finding the confidence that their replies state.
#[derive(Clone, Debug, Default, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Judging {
    /// How to read stated confidence in logs; lenient also accepts unclosed tags, a single number within other text,
    /// and fractions
    #[arg(long, default_value = "strict", value_parser = names::<ConfidenceReading>())]
    #[serde(deserialize_with = "read_field::name")]
    pub(crate) confidence: ConfidenceReading,
    /// Regular expression that finds the stated confidence in a reply, instead of forms such as
    /// <confidence>0.8</confidence>. Its first group is the number
    #[arg(long, value_name = "REGEX", value_parser = pattern, allow_hyphen_values = true)]
    #[serde(deserialize_with = "some_pattern")]
    confidence_pattern: Option<String>,
    /// The rules that derive facts from logs.
    #[command(flatten)]
    #[serde(skip)]
    pub rules: FactRules,
    /// File that adds outcomes or grades, expected calls, or horizons to the runs of logs (format: see below)
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    outcomes: Option<PathBuf>,
    /// What counts as a run in logs of spans: a trace, or all traces of a session
    #[arg(long, value_name = "UNIT", default_value = "trace", value_parser = names::<RunsBy>())]
    #[serde(deserialize_with = "read_field::name")]
    runs_by: RunsBy,
    /// For JSON Lines of another program, one run per line: the field that holds a fact, such as
    /// outcome=metadata.result. Facts are id, task, trial, model, outcome, stop, reply, input_tokens, output_tokens,
    /// cost_usd and seconds; logs --suggest FILE proposes the fields. The option may be repeated
    #[arg(long, value_name = "FACT=PATH", value_parser = line_field)]
    field: Vec<String>,
    /// Whether the report needs only totals of runs.
    #[arg(skip)]
    #[serde(skip)]
    totals_only: bool,
    /// The outcomes, once they have been read.
    #[arg(skip)]
    #[serde(skip)]
    joined: RefCell<Option<Outcomes>>,
    /// Prices for runs whose log has no cost.
    #[arg(skip)]
    #[serde(skip)]
    prices: RefCell<Option<Prices>>,
}

impl Judging {
    /// Returns the rules for reading files of traces and tables.
    pub(crate) const fn rules_of_traces(&self, missing: ForecastPolicy) -> TraceRules {
        let FactRules { percent, repeats, success_at, score_range, at_limit, .. } = self.rules;
        TraceRules { missing, scale: percent, repeats, success_at, score_range, at_limit }
    }

    /// Reads outcomes and other data that the logs of runs do not contain.
    ///
    /// # Errors
    ///
    /// [`InputError`](run_logs::json_lines::InputError) that names the source.
    pub fn set_outcomes(&mut self, source: &Source) -> Result<(), Box<dyn Error>> {
        *self.joined.get_mut() = Some(source.read_by(Outcomes::read)?);
        Ok(())
    }

    /// Returns the same options for a report that needs only totals of runs.
    pub(crate) fn of_totals(&self) -> Self {
        Self { totals_only: true, ..self.clone() }
    }

    /// Returns whether there are outcomes in addition to the logs.
    pub(crate) fn has_outcomes(&self) -> bool {
        self.outcomes.is_some() || self.joined.borrow().is_some()
    }

    /// Reads the prices of models for runs without a cost in their log.
    ///
    /// # Errors
    ///
    /// [`InputError`](run_logs::json_lines::InputError) that names the file.
    pub fn set_prices(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        *self.prices.borrow_mut() = Some(Source::from(path.to_owned()).read_by(Prices::read)?);
        Ok(())
    }

    /// Returns the table of the runs of a log.
    ///
    /// # Errors
    ///
    /// A line that names the log: the first error among the runs, or that the option `--scorer` is needed, or
    /// names a scorer that no run has.
    pub(crate) fn table(
        &self,
        path: &Path,
        runs: impl Iterator<Item = Result<Run, run_logs::Error>>,
    ) -> Result<RunTable, String> {
        let log = path;
        let path = path.display();
        let rules = &self.rules;
        let confidence = confidence_field(self.confidence, self.confidence_pattern.as_deref());
        let confidence = confidence.map_err(|error| error.to_string())?;
        let totals_only = self.totals_only;
        let streams = StreamOptions { confidence, totals_only, ..StreamOptions::default() };
        let mut outcomes = self.joined.borrow_mut();
        if let (None, Some(path)) = (&*outcomes, &self.outcomes) {
            let read = Source::from(path.clone()).read_by(Outcomes::read);
            *outcomes = Some(read.map_err(|error| error.to_string())?);
        }
        let mut scorers = BTreeSet::new();
        let mut prices = self.prices.borrow_mut();
        let runs = runs.map(|run| {
            let mut run = run?;
            prices.iter_mut().for_each(|prices| prices.price(&mut run));
            for (name, score) in &run.scores {
                if let Value::Map(parts) = &score.value {
                    scorers.extend(parts.keys().map(|part| format!("{name}.{part}")));
                } else if !scorers.contains(name) {
                    scorers.insert(name.clone());
                }
            }
            Ok::<Run, run_logs::Error>(run)
        });
        let table = match &mut *outcomes {
            Some(outcomes) => {
                outcomes.set_log(log);
                RunTable::with_outcomes(runs, outcomes, rules, &streams)
            }
            None => RunTable::new(runs, rules, &streams),
        };
        let table = table.map_err(|error| match error {
            run_logs::Error::Undefined { .. } => format!("{path}: {error}"),
            error => with_causes(&error),
        })?;
        let is = |name: &String, scorer: &String| {
            name == scorer || name.split_once('.').is_some_and(|(_, part)| part == scorer)
        };
        match &rules.scorer {
            Some(scorer) if !scorers.is_empty() && !scorers.iter().any(|it| is(it, scorer)) => {
                let known = Vec::from_iter(scorers).join(", ");
                Err(format!("--scorer: no run of {path} has {scorer:?}; known scorers: {known}"))
            }
            _ => Ok(table),
        }
    }

    /// Returns notes on the outcomes, after all logs have been read.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.joined.borrow().iter().flat_map(Outcomes::notes).collect()
    }

    /// Adds notes on the outcomes and prices to a report, after all logs have been read.
    pub(crate) fn finish(&self, report: &mut Report) {
        let prices = self.prices.borrow();
        let notes = self.notes().into_iter().chain(prices.iter().flat_map(Prices::notes));
        report.together.say(Position::Note, notes);
        if let (Some(prices), Some(account)) = (&*prices, &mut report.account) {
            account.models_without_price = prices.models_without_price();
        }
    }
}

/// The options for reading logs: the stream of confidence to read, the treatment of missing forecasts, and the rules
/// for judging runs.
#[derive(Debug, Default, clap::Args, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Streamed {
    /// Kind of confidence to read from logs. Each kind has one value for each model call
    #[arg(long, value_name = "NAME", default_value = "stated_confidence", value_parser = names::<ConfidenceStream>())]
    #[serde(deserialize_with = "read_field::name")]
    pub(crate) stream: ConfidenceStream,
    /// What to do about forecasts that are missing or outside [0, 1]: refuse, leave-out, skip, carry-forward,
    /// carry-forward-from=P or clip, as explained below (default: refuse; for logs leave-out)
    #[arg(long, value_name = "POLICY", value_parser = policy)]
    #[serde(deserialize_with = "read_field::missing")]
    pub(crate) missing: Option<ForecastPolicy>,
    /// How its runs are judged.
    #[command(flatten)]
    #[serde(skip)]
    pub judging: Judging,
}

/// Returns the reader of stated confidence in replies, which finds the usual forms or uses a regular expression.
fn confidence_field(
    reading: ConfidenceReading,
    pattern: Option<&str>,
) -> Result<ConfidenceField, run_logs::Error> {
    let field = ConfidenceField::new("confidence", reading);
    pattern.map_or(Ok(field.clone()), |pattern| field.with_pattern(pattern))
}

fn some_pattern<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    text.map(|text| pattern(&text)).transpose().map_err(serde::de::Error::custom)
}

/// Parses a regular expression as an option.
fn pattern(text: &str) -> Result<String, String> {
    let checked = confidence_field(ConfidenceReading::Strict, Some(text));
    checked.map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// Parses a fact and the path of its field as an option.
fn line_field(text: &str) -> Result<String, String> {
    let checked = LineFields::new([text]);
    checked.map(|_| text.to_owned()).map_err(|error| match error {
        run_logs::Error::Invalid { problem, .. } => problem.to_string(),
        error => error.to_string(),
    })
}

/// Files left out of a folder that a note names.
const MOST_LEFT_OUT: usize = 20;

/// Returns the name of the format of a log for a report, with notes on several formats and on files that were left out. The
/// counts are those of all runs, which must have been read.
fn contents(formats: &BTreeMap<Format, u64>, runs: &Runs<'_>) -> (&'static str, Vec<String>) {
    let (mut format, mut notes) = (runs.format().name(), Vec::new());
    if formats.len() > 1 {
        let counts = formats.iter().map(|(format, runs)| format!("{format} ({runs} runs)"));
        notes.push(format!("several formats: {}", counts.collect::<Vec<_>>().join(", ")));
        format = agent_scorecard::traces::SEVERAL;
    }
    let left_out = runs.unrecognized();
    notes.extend(left_out.iter().take(MOST_LEFT_OUT).map(|it| {
        let like = it.looks_like.as_ref().map(|like| format!(" (it looks like {like})"));
        let (path, like) = (it.path.display(), like.unwrap_or_default());
        format!("{path}: left out, its format is not recognized{like}")
    }));
    let more = left_out.len().saturating_sub(MOST_LEFT_OUT);
    if more > 0 {
        notes.push(format!(
            "{more} more files are left out, because their formats are not recognized"
        ));
    }
    (format, notes)
}

/// The help text on logs, for the subcommands that read them.
pub(crate) const HELP: &str = include_str!("../help/logs_as_traces.txt");

/// Returns the runs of a file of traces, or of a stream of a log, by model if there are several. By default, a trace
/// with missing forecasts is an error, and such runs of a log are left out.
///
/// # Errors
///
/// Errors of [`read`] and of [`LoggedColumn::traces`], and those of the reader of traces.
pub(crate) fn traces(source: &Source, how: &Streamed) -> Result<Vec<TraceFile>, Box<dyn Error>> {
    let Some(logs) = read(source, &how.judging)? else {
        let rules = how.judging.rules_of_traces(how.missing.unwrap_or_default());
        let mut files = source.read_by(|file, source| TraceFile::read_all(file, source, rules))?;
        files.iter_mut().for_each(|file| source.given().clone_into(&mut file.name));
        return Ok(files);
    };
    let missing = how.missing.unwrap_or(ForecastPolicy::LeaveOut);
    logs.iter().try_for_each(check_scale)?;
    logs.iter().map(|log| Ok(log.traces(how.stream, missing)?)).collect()
}

/// Checks that the scores of a log are within their scale.
pub(crate) fn check_scale(log: &LoggedColumn) -> Result<(), Box<dyn Error>> {
    log.table.check_scale().map_err(|error| at(&log.file, error.into()))
}

/// Reads a log, model by model; `None` if the file is not a log, so that it may hold traces.
///
/// # Errors
///
/// Errors of run-logs, which name file, line and field.
pub(crate) fn read(
    source: &Source,
    judging: &Judging,
) -> Result<Option<Vec<LoggedColumn>>, Box<dyn Error>> {
    let path = source.path();
    // What can be read only once is not looked at: a pipe holds traces.
    let is_log = source.is_file()
        && (bundled::content(path).is_some()
            || path.metadata().is_ok_and(|metadata| metadata.is_dir() || metadata.is_file()));
    let opened = is_log.then(|| open(path, Format::Auto, judging));
    let runs = match opened {
        None | Some(Err(run_logs::Error::UnknownFormat { .. })) => {
            let problem = "is not a log, and its lines have their own outcomes";
            return match judging.has_outcomes() {
                true => Err(format!("--outcomes: {} {problem}", path.display()).into()),
                false => Ok(None),
            };
        }
        Some(runs) => runs?,
    };
    models(source, runs, judging).map(Some)
}

/// Reads a log that is open, model by model.
///
/// # Errors
///
/// Errors of [`Judging::table`].
pub(crate) fn models(
    source: &Source,
    mut runs: Runs<'_>,
    judging: &Judging,
) -> Result<Vec<LoggedColumn>, Box<dyn Error>> {
    let (path, name) = (source.path(), source.given());
    let mut formats = BTreeMap::new();
    let mut last_reply = None;
    let bar = progress::runs(&path.display().to_string(), runs.progress());
    let read = std::iter::from_fn(|| {
        let run = runs.next()?;
        progress::next_run(&bar, runs.progress());
        if let Ok(run) = &run {
            *formats.entry(runs.format()).or_default() += 1;
            last_reply = last_reply.take().or_else(|| end_of_reply(run));
        }
        Some(run)
    });
    let mut table = judging.table(path, read)?;
    let file = path.display().to_string();
    table.add_logs(&file, &runs).map_err(|error| format!("{file}: {error}"))?;
    let (format, mut notes) = contents(&formats, &runs);
    notes.extend(table.scale_note());
    notes.extend(table.usage_notes());
    let log = |model: Option<String>, table: RunTable| {
        let (file, notes) = (file.clone(), notes.clone());
        let mut name = name.to_owned();
        if name.is_empty() && model.is_none() {
            let first = |of: fn(&LoggedRun) -> Option<&str>| table.rows().iter().find_map(of);
            let [model, task] =
                [first(|run| run.model.as_deref()), first(|run| run.task.as_deref())];
            name = log_name(&file, model, task).unwrap_or_default();
        }
        let last_reply = last_reply.clone();
        LoggedColumn { file, name, model, format, table, notes, last_reply }
    };
    // A run that ended before a reply names no model, and an evaluation that ended before a run does.
    if table.models().len() <= 1 {
        return Ok(vec![log(None, table)]);
    }
    let of_model = |(model, table): (Option<String>, _)| {
        log(Some(model.unwrap_or_else(|| UNKNOWN_MODEL.to_owned())), table)
    };
    let mut models: Vec<_> = table.by_model().into_iter().collect();
    // Runs that name no model come last.
    models.sort_by_key(|(model, _)| model.is_none());
    Ok(models.into_iter().map(of_model).collect())
}

/// Returns the name of a run and the last characters of its last reply, on one line.
fn end_of_reply(run: &run_logs::Run) -> Option<(String, String)> {
    let replies = run.agent_turns().filter_map(|turn| turn.reply.as_ref());
    let text = replies.map(|reply| reply.text.trim_end()).filter(|text| !text.is_empty()).last()?;
    let from = text.char_indices().rev().nth(199).map_or(0, |(at, _)| at);
    let end = text.get(from..).unwrap_or_default();
    Some((run.id.clone(), plain::line(end).into_owned()))
}

/// Returns the message that no stream was found, with the end of one reply and the forms that are read.
pub(crate) fn no_stream(log: &LoggedColumn) -> String {
    let ends = match &log.last_reply {
        Some((id, end)) => format!("the last reply of run {id} ends \"{end}\""),
        None => "no run has a reply with text".to_owned(),
    };
    format!(
        "{}: no reply has log-probabilities or states a confidence in a form that is read: {ends}; \
         the forms are <confidence>0.85</confidence>, a line \"Confidence: 85%\", and a field \
         \"confidence\" of a reply in JSON or of a call's arguments; --confidence lenient allows words \
         around the number, --confidence-pattern REGEX names another form",
        log.file
    )
}
