//! Logs as files of the other subcommands, or as trajectories in ATIF.

use std::{collections::BTreeSet, error::Error, path::Path};

use run_logs::{Caller, ConfidenceStream, ForecastPolicy, LoggedRun, Run, StreamOptions, to_atif};
use serde_json::{Value, json};

use crate::{
    convert::options::{Kind, Options},
    files::{
        bundled,
        logs::{self, Judging, confidence_field},
    },
    output::{
        program::{self, Written},
        trajectories,
    },
    plain,
    progress::Progress,
};

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let log = options.log.clone().unwrap_or_else(|| bundled::path("demo_log.jsonl"));
    let runs = logs::open(&log, options.format)?.filter(|run| match (run, &options.model) {
        (Ok(run), Some(model)) => run.model.as_ref() == Some(model),
        _ => true,
    });
    if options.to == Kind::Atif {
        let mut progress = Progress::runs(&log.display().to_string());
        return atif(runs.inspect(|_| progress.add(1)), options.output.as_deref());
    }
    let Lines { lines, kept, n } = lines(&log, runs, &options)?;
    if kept == 0 {
        let (log, needs) = (log.display(), options.to.needs());
        return Err(format!("{log}: no run can be converted, as all lack {needs}").into());
    }
    let text = plain::json(lines.join("\n") + "\n");
    let mut written = match &options.output {
        None => Written::from(text),
        Some(path) => {
            program::write_file(path, text.as_bytes())?;
            Written::from(wrote(kept, path))
        }
    };
    if kept < n {
        let (left_out, needs) = (n - kept, options.to.needs());
        let counted = match options.to {
            Kind::Problems => "",
            _ => "; their lines say why, and reports count them",
        };
        let remark = format!("{left_out} of {n} runs lack {needs} and are left out{counted}");
        written.remarks.push(remark);
    }
    Ok(written)
}

fn wrote(runs: usize, to: &Path) -> String {
    format!("wrote {runs} runs to {}\n", plain::line(&to.display().to_string()))
}

/// A trajectory per run: a single one as text, several as files of a folder. Nothing is written before all runs
/// are read.
fn atif(
    runs: impl Iterator<Item = Result<Run, run_logs::Error>>,
    folder: Option<&Path>,
) -> Result<Written, Box<dyn Error>> {
    let texts = runs.map(|run| run.map(|run| (plain::json(to_atif(&run)), run.id)));
    let texts: Vec<(String, String)> = texts.collect::<Result<_, _>>()?;
    match (folder, &texts[..]) {
        (Some(folder), _) => {
            let n = trajectories::write(folder, texts.into_iter().map(|(text, id)| (id, text)))?;
            Ok(wrote(n, folder).into())
        }
        (None, [(text, _)]) => Ok((text.clone() + "\n").into()),
        (None, _) => {
            let problem = "give --output FOLDER for the trajectories of";
            Err(format!("--to atif: {problem} {} runs", texts.len()).into())
        }
    }
}

/// What is written of a log: a line per run that can be converted and, except for problems, one per run that is left
/// out, with the reason.
struct Lines {
    lines: Vec<String>,
    /// Number of lines of runs that could be converted.
    kept: usize,
    /// Number of all runs.
    n: usize,
}

/// The lines of a log. One run is held at a time.
fn lines(
    log: &Path,
    runs: impl Iterator<Item = Result<Run, run_logs::Error>>,
    options: &Options,
) -> Result<Lines, Box<dyn Error>> {
    let judging = Judging { at_limit: options.at_limit, scorer: options.scorer.clone() };
    let mut made = Vec::new();
    let runs = runs.inspect(|run| {
        if let (Kind::Paths, Ok(run)) = (options.to, run) {
            made.push(calls(run));
        }
    });
    let field = confidence_field(options.confidence, options.confidence_pattern.as_deref())?;
    let streams = StreamOptions { confidence: field, ..StreamOptions::default() };
    let table = judging.table(log, runs, &streams)?;
    let rows = table.rows();
    if let (0, Some(model)) = (rows.len(), &options.model) {
        return Err(format!("{}: no run is of the model {model:?}", log.display()).into());
    }
    let models: BTreeSet<&str> = rows.iter().filter_map(|row| row.model.as_deref()).collect();
    if models.len() > 1 && options.to != Kind::Paths {
        // Their lines name no model, and the next report would take them for one.
        let (log, n, names) = (log.display(), models.len(), Vec::from_iter(models).join(", "));
        return Err(format!(
            "{log}: the runs are of {n} models; choose one of them with --model: {names}"
        )
        .into());
    }
    let lines: Vec<Value> = match options.to {
        Kind::Traces => {
            // What the policy refuses is an error.
            table.stream(options.stream, options.missing)?;
            rows.iter().map(|row| trace(row, options.stream, options.missing)).collect()
        }
        Kind::Rollouts => {
            let of = |row| rollout(row).unwrap_or_else(|reason| left_out(row, "success", reason));
            rows.iter().map(of).collect()
        }
        Kind::Problems => rows.iter().filter_map(problem).collect(),
        Kind::Paths | Kind::Atif => {
            let of = |(made, row)| {
                paths(made, row).unwrap_or_else(|reason| left_out(row, "success", reason))
            };
            made.into_iter().zip(rows).map(of).collect()
        }
    };
    let kept = lines.iter().filter(|line| line.get("left_out").is_none()).count();
    let lines = lines.iter().map(Value::to_string).collect();
    Ok(Lines { lines, kept, n: rows.len() })
}

/// The line of a run with its forecasts, or with the reason why it has none.
pub(crate) fn trace(row: &LoggedRun, stream: ConfidenceStream, policy: ForecastPolicy) -> Value {
    let mut line = named(row);
    line["outcome"] = json!(row.outcome);
    set(&mut line, "stop", row.stop.as_ref().map(ToString::to_string));
    match row.forecasts(stream, policy) {
        Ok(forecasts) => {
            line["forecasts"] = forecasts.iter().map(|p| p.get()).collect();
            set(&mut line, "horizon", row.horizon.filter(|_| policy != ForecastPolicy::Skip));
        }
        Err((_, reason)) => line["left_out"] = json!(reason.name()),
    }
    line
}

/// The line of a run that the readers of the file count and do not score.
fn left_out(row: &LoggedRun, outcome: &str, reason: &str) -> Value {
    let mut line = named(row);
    line[outcome] = json!(row.outcome);
    set(&mut line, "stop_reason", row.stop.as_ref().map(ToString::to_string));
    line["left_out"] = json!(reason);
    line
}

/// The name and the task of a run. A run without a task is a task of its own, with its trials.
fn named(row: &LoggedRun) -> Value {
    json!({ "id": row.name(), "task": row.task.as_deref().unwrap_or(&row.id) })
}

fn set<T: Into<Value>>(line: &mut Value, key: &str, value: Option<T>) {
    if let Some(value) = value {
        line[key] = value.into();
    }
}

fn rollout(row: &LoggedRun) -> Result<Value, &'static str> {
    let success = row.outcome.ok_or("no_outcome")?;
    if row.turn_usage.is_empty() {
        return Err("no_turn");
    }
    let turns = row.turn_usage.iter().zip(row.fresh_input_tokens()).map(|(turn, fresh)| {
        json!({
            "input_tokens": turn.input_tokens,
            "fresh_input_tokens": fresh,
            "output_tokens": turn.output_tokens,
            "cost_usd": turn.cost_usd,
        })
    });
    let mut line = named(row);
    line["turns"] = turns.collect();
    line["success"] = json!(success);
    set(&mut line, "stop_reason", row.stop.as_ref().map(ToString::to_string));
    Ok(line)
}

fn problem(row: &LoggedRun) -> Option<Value> {
    let (solved, tokens) = (row.outcome?, row.usage.output_tokens.filter(|&tokens| tokens > 0)?);
    Some(json!({ "problem": row.name(), "solved": solved, "output_tokens": tokens }))
}

/// The calls of the agent and its subagents, and those that the task expects of the agent; `None` if it expects
/// none.
fn calls(run: &Run) -> Option<[Value; 2]> {
    let expected: Vec<Value> = run
        .expected_calls
        .iter()
        .filter(|expected| expected.caller == Caller::Agent)
        .map(|expected| {
            json!({ "name": expected.call.name, "args": agent_scorecard::logs::json(&expected.call.arguments) })
        })
        .collect();
    if expected.is_empty() {
        return None;
    }
    let replies = run.agent_turns().filter_map(|turn| turn.reply.as_ref());
    let calls = replies.flat_map(|reply| &reply.tool_calls).map(|call| {
        let mut made = json!({ "name": call.name, "args": agent_scorecard::logs::json(&call.arguments.value()) });
        set(&mut made, "ok", call.ok);
        made
    });
    Some([calls.collect(), expected.into()])
}

fn paths(calls: Option<[Value; 2]>, row: &LoggedRun) -> Result<Value, &'static str> {
    let success = row.outcome.ok_or("no_outcome")?;
    let [calls, expected] = calls.ok_or("no_expected_calls")?;
    let mut line = named(row);
    set(&mut line, "model", row.model.as_deref());
    line["agent_calls"] = calls;
    line["expected_calls"] = expected;
    line["success"] = json!(success);
    Ok(line)
}
