//! Logs that the crate run-logs reads, as streams of confidence.

use std::{collections::BTreeSet, error::Error, path::Path};

use run_logs::{ConfidenceStream, Format, MissingTurns, RunTable, StreamOptions, StreamRuns};

use crate::{
    files::{
        bundled,
        logs::{Contents, Judging, open},
    },
    traces::trace_file::{LogRun, Run},
};

/// The help on logs, for the programs that read them.
pub(crate) const HELP: &str = r#"
A FILE may also be a log of an evaluation, or a folder of logs: exchanges recorded with a model
({"id", "task"?, "outcome", "turns": [{"request", "response"}]} per line), chats and responses in the forms of
OpenAI, Gemini and Ollama, and what else the crate run-logs reads. The form is recognized by the content.
A log has a report per stream of confidence, one value per model call:
token_probability     mean probability of the tokens of the reply
entropy               1 - H / ln 5; H is the mean entropy of the five most probable tokens
entropy_renormalised  the same with the five probabilities divided by their sum
action_…              the same of the text inside <action>…</action> only
stated_confidence     the number inside <confidence>…</confidence>, or of the field "confidence" in JSON
Options for logs:
--missing      leave-out (default) leaves a run out of a stream if one of its calls has no value; skip leaves
               out the calls that have none, and a run without any value
--confidence   strict (default) or lenient reading of stated confidence; lenient also reads what is not closed, text
               around the number and fractions, and moves what is outside [0, 1] to 0 or 1
--at-limit     what a limit that ended a run means for its outcome, if there is also a score: censored (default;
               the outcome is unknown) or scored
--scorer NAME  the scorer whose value is the outcome, where a log has several
"#;

/// How logs are read and judged.
#[derive(Clone, Debug)]
pub(crate) struct LogSettings {
    /// How the outcome follows from what a log says.
    pub judging: Judging,
    /// How streams are worked out.
    pub streams: StreamOptions<'static>,
    /// What happens to runs with missing values.
    pub missing: MissingTurns,
}

/// A log, or a folder of logs; of several models, the runs of one.
#[derive(Debug)]
pub(crate) struct LogFile {
    file: String,
    /// The model, if there are several.
    pub model: Option<String>,
    /// The format; `several` for a folder whose files have different ones.
    pub format: &'static str,
    table: RunTable,
    /// Several formats, names that stand for several runs, and files of a folder that were left out.
    pub notes: Vec<String>,
    missing: MissingTurns,
}

/// Reads a log, model by model; `None` if the file is no log, so that it may hold traces.
///
/// # Errors
///
/// Those of run-logs, which name file, line and field.
pub(crate) fn read(
    path: &Path,
    settings: &LogSettings,
) -> Result<Option<Vec<LogFile>>, Box<dyn Error>> {
    // What can be read only once is not looked at: a pipe holds traces.
    let is_log = bundled::content(path).is_some()
        || path.metadata().is_ok_and(|metadata| metadata.is_dir() || metadata.is_file());
    if !is_log {
        return Ok(None);
    }
    let mut runs = match open(path, Format::Auto) {
        Err(run_logs::Error::UnknownFormat { .. }) if !path.is_dir() => return Ok(None),
        runs => runs?,
    };
    let mut contents = Contents::default();
    let read = std::iter::from_fn(|| {
        let run = runs.next()?;
        if let Ok(run) = &run {
            contents.add(run, runs.format());
        }
        Some(run)
    });
    let table = settings.judging.table(path, read, &settings.streams)?;
    let (format, notes) = contents.finish(&runs);
    let file = path.display().to_string();
    let log = |model, table| {
        let (file, notes) = (file.clone(), notes.clone());
        LogFile { file, model, format, table, notes, missing: settings.missing }
    };
    // A run that ended before a reply names no model.
    let models: BTreeSet<&String> =
        table.rows().iter().filter_map(|row| row.model.as_ref()).collect();
    if models.len() <= 1 {
        return Ok(Some(vec![log(None, table)]));
    }
    let of_model = |(model, table): (Option<String>, _)| {
        log(Some(model.unwrap_or_else(|| "unknown model".to_owned())), table)
    };
    Ok(Some(table.by_model().into_iter().map(of_model).collect()))
}

impl LogFile {
    /// The file as named by the caller.
    pub(crate) fn file(&self) -> &str {
        &self.file
    }

    /// How many runs the log has.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.table.rows().len()
    }

    /// The runs that have a stream, and those that are left out.
    #[must_use]
    pub(crate) fn stream(&self, stream: ConfidenceStream) -> (Vec<Run>, StreamRuns) {
        let found = self.table.stream(stream, self.missing);
        let rows = self.table.rows();
        let runs = found.runs().iter().filter_map(|run| {
            let row = rows.get(run.row)?;
            Some(Run::of_log(LogRun {
                id: row.id.clone(),
                task: row.task.clone(),
                file: self.file.clone(),
                forecasts: run.forecasts.clone(),
                outcome: row.outcome,
                stop: row.stop.clone(),
                horizon: run.horizon,
            }))
        });
        (runs.collect(), found)
    }

    /// The left-out runs that have a value at some model call.
    pub(crate) fn partial(&self, stream: ConfidenceStream) -> u64 {
        let runs = |missing| self.table.stream(stream, missing).runs().len() as u64;
        runs(MissingTurns::SkipTurn) - runs(self.missing)
    }

    /// The name of a run.
    pub(crate) fn id(&self, row: usize) -> Option<&str> {
        self.table.rows().get(row).map(|row| row.id.as_str())
    }
}
