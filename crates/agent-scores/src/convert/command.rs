//! Logs as files of the other subcommands, or as trajectories in ATIF.

use std::{error::Error, fs, path::Path};

use run_logs::{Caller, LoggedRun, Run, StreamOptions, to_atif};
use serde_json::{Value, json};

use crate::{
    convert::options::{Kind, Options},
    files::{
        bundled,
        logs::{self, Judging},
    },
    logs::report,
    output::program::{self, Written},
    progress::Progress,
};

pub(crate) fn output(options: Options) -> Result<Written, Box<dyn Error>> {
    let log = options.log.clone().unwrap_or_else(|| bundled::path("demo_log.jsonl"));
    let mut progress = Progress::runs(&log.display().to_string());
    let runs = logs::open(&log, options.format)?.inspect(|_| progress.add(1));
    let runs: Vec<Run> = runs.collect::<Result<_, _>>()?;
    drop(progress);
    if options.to == Kind::Atif {
        return atif(&runs, options.output.as_deref());
    }
    let lines = lines(&log, &runs, &options)?;
    let left_out = runs.len() - lines.len();
    if lines.is_empty() {
        let (log, needs) = (log.display(), options.to.needs());
        return Err(format!("{log}: no run can be converted, as all lack {needs}").into());
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut written = match &options.output {
        None => Written::from(text),
        Some(path) => {
            program::write_file(path, text.as_bytes())?;
            Written::from(format!("wrote {} runs to {}\n", lines.len(), path.display()))
        }
    };
    if left_out > 0 {
        let (n, needs) = (runs.len(), options.to.needs());
        written.remarks.push(format!("{left_out} of {n} runs lack {needs} and are left out"));
    }
    Ok(written)
}

/// A trajectory per run: a single one as text, several as files of a folder.
fn atif(runs: &[Run], folder: Option<&Path>) -> Result<Written, Box<dyn Error>> {
    let (folder, n) = match (folder, runs) {
        (None, [run]) => return Ok((to_atif(run) + "\n").into()),
        (None, runs) => {
            let problem = "give --output FOLDER for the trajectories of";
            return Err(format!("--to atif: {problem} {} runs", runs.len()).into());
        }
        (Some(folder), runs) => (folder, runs.len()),
    };
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (number, run) in (1..).zip(runs) {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let safe: String =
            run.id.chars().map(|c| if is_plain(c) { c } else { '_' }).take(80).collect();
        let path = folder.join(format!("{number:05}-{safe}.json"));
        program::write_file(&path, to_atif(run).as_bytes())?;
    }
    Ok(format!("wrote {n} runs to {}\n", folder.display()).into())
}

/// A line per run that can be converted.
fn lines(log: &Path, runs: &[Run], options: &Options) -> Result<Vec<Value>, Box<dyn Error>> {
    let judging = Judging { at_limit: options.at_limit, scorer: options.scorer.clone() };
    let table = judging.table(log, runs.iter().cloned().map(Ok), &StreamOptions::default())?;
    let rows = table.rows();
    Ok(match options.to {
        Kind::Traces => {
            let found = table.stream(options.stream, options.missing);
            let of = |run: &run_logs::StreamRun| {
                let row = rows.get(run.row)?;
                let forecasts: Vec<f64> = run.forecasts.iter().map(|p| p.get()).collect();
                let mut line = named(row);
                line["forecasts"] = json!(forecasts);
                line["outcome"] = json!(row.outcome);
                set(&mut line, "stop", row.stop.as_ref().map(ToString::to_string));
                set(&mut line, "horizon", run.horizon);
                Some(line)
            };
            found.runs().iter().filter_map(of).collect()
        }
        Kind::Rollouts => rows.iter().filter_map(rollout).collect(),
        Kind::Problems => rows.iter().filter_map(problem).collect(),
        Kind::Paths | Kind::Atif => {
            runs.iter().zip(rows).filter_map(|(run, row)| paths(run, row)).collect()
        }
    })
}

/// The name and the task of a run; the name has the trial where the log counts trials.
fn named(row: &LoggedRun) -> Value {
    let id = row.trial.map_or_else(|| row.id.clone(), |trial| format!("{}#{trial}", row.id));
    let mut line = json!({ "id": id });
    set(&mut line, "task", row.task.as_deref());
    line
}

fn set<T: Into<Value>>(line: &mut Value, key: &str, value: Option<T>) {
    if let Some(value) = value {
        line[key] = value.into();
    }
}

fn rollout(row: &LoggedRun) -> Option<Value> {
    let success = row.outcome.filter(|_| !row.turn_usage.is_empty())?;
    let turns = row.turn_usage.iter().map(|turn| {
        json!({
            "input_tokens": turn.input_tokens,
            "output_tokens": turn.output_tokens,
            "cost_usd": turn.cost_usd,
        })
    });
    let mut line = named(row);
    line["turns"] = turns.collect();
    line["success"] = json!(success);
    set(&mut line, "stop_reason", row.stop.as_ref().map(ToString::to_string));
    Some(line)
}

fn problem(row: &LoggedRun) -> Option<Value> {
    let (solved, tokens) = (row.outcome?, row.usage.output_tokens.filter(|&tokens| tokens > 0)?);
    Some(json!({ "problem": named(row)["id"], "solved": solved, "output_tokens": tokens }))
}

/// The calls of the agent and its subagents beside those that the task expects of the agent.
fn paths(run: &Run, row: &LoggedRun) -> Option<Value> {
    let success = row.outcome?;
    let expected: Vec<Value> = run
        .expected_calls
        .iter()
        .filter(|expected| expected.caller == Caller::Agent)
        .map(|expected| {
            json!({ "name": expected.call.name, "args": report::json(&expected.call.arguments) })
        })
        .collect();
    if expected.is_empty() {
        return None;
    }
    let replies = run.agent_turns().filter_map(|turn| turn.reply.as_ref());
    let calls = replies.flat_map(|reply| &reply.tool_calls).map(|call| {
        let mut made = json!({ "name": call.name, "args": report::json(&call.arguments.value()) });
        set(&mut made, "ok", call.ok);
        made
    });
    let mut line = named(row);
    set(&mut line, "model", row.model.as_deref());
    line["agent_calls"] = calls.collect();
    line["expected_calls"] = json!(expected);
    line["success"] = json!(success);
    // The reader needs a task to count trials.
    if line.get("task").is_none() {
        line["task"] = json!(run.id);
    }
    Some(line)
}
