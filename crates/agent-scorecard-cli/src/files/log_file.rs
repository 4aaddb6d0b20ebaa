//! Reads logs as streams of confidence, with the crate run-logs.

use std::error::Error;

use agent_scorecard::{
    log_name,
    traces::{LoggedColumn, TraceFile, UNKNOWN_MODEL},
};
use run_logs::{ForecastPolicy, Format, LoggedRun, RunTable, Runs, TraceRules};

use crate::{
    files::{
        bundled,
        logs::{Contents, Judging, Streamed, open},
        source::Source,
    },
    output::program::at,
    plain,
};

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
        return trace_files(source, how.judging.rules_of_traces(how.missing.unwrap_or_default()));
    };
    let missing = how.missing.unwrap_or(ForecastPolicy::LeaveOut);
    logs.iter().try_for_each(check_scale)?;
    logs.iter().map(|log| Ok(log.traces(how.stream, missing)?)).collect()
}

/// Returns the runs of a file of traces, model by model.
///
/// # Errors
///
/// Errors of the reader of traces.
pub(crate) fn trace_files(
    source: &Source,
    rules: TraceRules,
) -> Result<Vec<TraceFile>, Box<dyn Error>> {
    let mut files = source.read_by(|file, source| TraceFile::read_all(file, source, rules))?;
    files.iter_mut().for_each(|file| source.given().clone_into(&mut file.name));
    Ok(files)
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
    let opened = is_log.then(|| open(path, Format::Auto));
    let runs = match opened {
        None | Some(Err(run_logs::Error::UnknownFormat { .. })) => {
            let problem = "is no log, and its lines have outcomes of their own";
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
    let mut contents = Contents::default();
    let mut last_reply = None;
    let read = std::iter::from_fn(|| {
        let run = runs.next()?;
        if let Ok(run) = &run {
            contents.add(runs.format());
            last_reply = last_reply.take().or_else(|| end_of_reply(run));
        }
        Some(run)
    });
    let mut table = judging.table(path, read)?;
    let file = path.display().to_string();
    table.add_logs(&file, &runs).map_err(|error| format!("{file}: {error}"))?;
    let (format, mut notes) = contents.finish(&runs);
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
