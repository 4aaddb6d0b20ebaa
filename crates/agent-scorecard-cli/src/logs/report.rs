//! What logs hold, run by run: the rows of the program `logs`.

use std::path::Path;

use run_logs::{Error, Format, Run};
use serde::Serialize;
use serde_json::{Map, Value};
use trajectory_metrics::tool_calls;

use crate::{
    files::logs::{Contents, open},
    progress::Progress,
};

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LogRow {
    /// The file or folder, as named by the caller, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The name of the run within its log.
    pub id: String,
    /// The task.
    pub task: Option<String>,
    /// The repetition, of inspect_ai.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub epoch: Option<u64>,
    /// The repetition, of other formats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trial: Option<u64>,
    /// The model of the agent.
    pub model: Option<String>,
    /// The values of the scorers; null for one that gave none.
    pub scores: Map<String, Value>,
    /// The outcome, where the log itself has one.
    pub outcome: Option<bool>,
    /// Why the run ended.
    pub stop: Option<String>,
    /// The limit that ended it.
    pub limit: Option<LogLimit>,
    /// Whether an error ended it.
    pub error: bool,
    /// Why the log does not count it.
    pub excluded: Option<String>,
    /// What it used in all.
    pub usage: LogUsage,
    /// The calls of the agent and its subagents, in their order.
    pub tool_calls: Vec<LogCall>,
    /// Calls of a model by the agent and its subagents that returned a reply.
    pub n_model_calls: u64,
    /// Such calls that failed.
    pub n_failed_calls: usize,
}

/// A limit that ended a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LogLimit {
    /// Its kind, as the log names it.
    #[serde(rename = "type")]
    pub kind: String,
    /// The limit, if the log has the number.
    pub limit: Option<f64>,
}

/// What a run used; null for what the log does not say.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LogUsage {
    /// Cached tokens included.
    pub input_tokens: Option<u64>,
    /// The part of the input that was read from a cache.
    pub cached_tokens: Option<u64>,
    /// Tokens of the replies.
    pub output_tokens: Option<u64>,
    /// The cost in US dollars.
    pub cost_usd: Option<f64>,
}

/// A tool call: arguments that are no object are a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct LogCall {
    /// The tool.
    pub name: String,
    /// What it was called with.
    pub arguments: Value,
}

/// The runs of a file or folder.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LogReport {
    /// The format; `several` for a folder whose files have different ones.
    pub format: &'static str,
    /// The number of runs.
    pub n_runs: usize,
    /// The runs, in the order of the log.
    pub runs: Vec<LogRow>,
    /// Several formats, names that stand for several runs, files that were left out, and values that
    /// JSON cannot hold.
    pub notes: Vec<String>,
}

/// Reads a log or a folder of logs.
///
/// # Errors
///
/// That of the reader, with file, sample and field.
pub(crate) fn read(path: &Path, format: Format) -> Result<LogReport, Error> {
    let mut runs = open(path, format)?;
    let (mut rows, mut notes) = (Vec::new(), Vec::new());
    let mut contents = Contents::default();
    let mut progress = Progress::runs(&path.display().to_string());
    while let Some(run) = runs.next() {
        let run = run?;
        progress.add(1);
        contents.add(&run, runs.format());
        rows.push(row(&run, runs.format(), &mut notes));
    }
    let (format, noted) = contents.finish(&runs);
    notes.extend(noted);
    Ok(LogReport { format, n_runs: rows.len(), runs: rows, notes })
}

fn row(run: &Run, format: Format, notes: &mut Vec<String>) -> LogRow {
    let is_epoch = format == Format::Inspect;
    let mut scores = Map::new();
    for (name, score) in &run.scores {
        if matches!(score.value, tool_calls::Value::Null) {
            notes.push(format!("run {}: score {name} is null, as it was not scored", run.id));
        }
        scores.insert(name.clone(), json(&score.value));
    }
    let replies = || run.agent_turns().filter_map(|turn| turn.reply.as_ref());
    let calls = replies()
        .flat_map(|reply| &reply.tool_calls)
        .map(|call| LogCall { name: call.name.clone(), arguments: json(&call.arguments.value()) });
    LogRow {
        file: None,
        id: run.id.clone(),
        task: run.task.clone(),
        epoch: run.trial.filter(|_| is_epoch),
        trial: run.trial.filter(|_| !is_epoch),
        model: run.model.clone(),
        scores,
        outcome: run.outcome,
        stop: run.stop.as_ref().map(ToString::to_string),
        limit: run
            .limit
            .as_ref()
            .map(|limit| LogLimit { kind: limit.kind.clone(), limit: limit.limit }),
        error: run.error.is_some(),
        excluded: run.excluded.clone(),
        usage: LogUsage {
            input_tokens: run.usage.input_tokens,
            cached_tokens: run.usage.cached_tokens,
            output_tokens: run.usage.output_tokens,
            cost_usd: run.usage.cost_usd,
        },
        tool_calls: calls.collect(),
        n_model_calls: run.n_model_calls(),
        n_failed_calls: run.agent_turns().filter(|turn| turn.reply.is_none()).count(),
    }
}

/// A value as JSON; numbers that are not finite are null, and integers beyond 64 bits are text.
pub(crate) fn json(value: &tool_calls::Value) -> Value {
    match value {
        tool_calls::Value::Null => Value::Null,
        tool_calls::Value::Bool(value) => (*value).into(),
        tool_calls::Value::Integer(number) => i64::try_from(*number)
            .map(Value::from)
            .or_else(|_| u64::try_from(*number).map(Value::from))
            .unwrap_or_else(|_| number.to_string().into()),
        tool_calls::Value::Real(number) => (*number).into(),
        tool_calls::Value::Text(text) => text.as_str().into(),
        tool_calls::Value::List(values) => values.iter().map(json).collect(),
        tool_calls::Value::Map(values) => {
            Value::Object(values.iter().map(|(key, value)| (key.clone(), json(value))).collect())
        }
    }
}
