//! Summarizes logs of agent evaluations by model, by task and by run.

mod prices;
mod summary;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

pub use prices::{Price, Prices};
use run_logs::{
    Account, ConfidenceStream, ForecastPolicy, Format, LoggedRun, SuggestedField,
    json_lines::{RunCounts, json_value},
};
use serde_json::{Map, Value as Json, json};
pub use summary::csv;
use summary::{order, summary};
use trajectory_metrics::tool_calls::Value as Score;

use crate::{
    report::{
        block::{Block, Field, MadeRows, Position, Report},
        key,
        picture::{Axis, Picture, Series},
        sentence::counted,
    },
    steps,
    traces::{
        logged::{LoggedColumn, common_format},
        sureness::ADD,
    },
};

/// The maximum number of bars in a picture.
const MOST_BARS: usize = 6;

/// Returns the report on the runs of logs. If there are several files, each row names its file.
///
/// ```
/// use std::io::Cursor;
/// use agent_scorecard::{
///     logs::logs,
///     run_logs::{
///         Error, Format, FactRules, ReadOptions, RunTable, StreamOptions, read,
///     },
///     traces::LoggedColumn,
/// };
///
/// let log = br#"
///     {"id": "b", "task": "sums", "outcome": null, "stop": "max_steps", "turns": []}
///     {"id": "a", "task": "sums", "outcome": true, "turns": []}"#;
/// let runs = read(Cursor::new(log), Format::Auto, &ReadOptions::default())?;
/// let policy = FactRules::default();
/// let column = LoggedColumn {
///     file: "runs.jsonl".to_owned(),
///     name: String::new(),
///     model: None,
///     format: Format::Exchanges.name(),
///     table: RunTable::new(runs, &policy, &StreamOptions::default())?,
///     notes: Vec::new(),
///     last_reply: None,
/// };
/// let report = logs(&[column]);
/// assert_eq!(report.conclusion, ["Of 2 runs, 1 succeeded and 0 failed; the outcome of 1 is not known, because a limit ended 1 of them without a grade."]);
/// let [all, runs] = &report.tables()[..] else { panic!() };
/// assert_eq!((all.title.as_str(), runs.title.as_str()), ("All runs", "Runs"));
/// assert_eq!(runs.rows[0].cells[0].plain(), "a");
/// # Ok::<(), Error>(())
/// ```
#[must_use]
pub fn logs(logs: impl Into<Vec<LoggedColumn>>) -> Report {
    let shared = Arc::new(logs.into());
    let logs = shared.as_slice();
    let is_several = logs.windows(2).any(|pair| pair[0].file != pair[1].file);
    let (mut all, mut places, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    // The first column of each file, and what a trial is called there.
    let mut files: Vec<(usize, &str)> = Vec::new();
    for columns in logs.chunk_by(|a, b| a.file == b.file) {
        let Some(LoggedColumn { file, name, notes: noted, .. }) = columns.first() else { continue };
        let shown = if name.is_empty() { file } else { name };
        // inspect_ai calls its trials epochs.
        let is_inspect = common_format(columns) == Format::Inspect.name();
        let trial = if is_inspect { "epoch" } else { "trial" };
        let first = files.len();
        files.extend(columns.iter().map(|_| (first, trial)));
        let rows = || {
            (first..).zip(columns).flat_map(|(column, log)| {
                log.table.rows().iter().enumerate().map(move |(at, run)| (run, [column, at]))
            })
        };
        let order = order(rows().map(|(run, _)| run));
        let runs: Vec<(&LoggedRun, [usize; 2])> = rows().collect();
        let runs = order.into_iter().map(|at| runs[at as usize]);
        let (runs, of_runs): (Vec<&LoggedRun>, Vec<_>) = runs.unzip();
        places.extend(of_runs);
        all.extend(runs);
        let named =
            |note: &String| if is_several { format!("{shown}: {note}") } else { note.clone() };
        notes.extend(noted.iter().map(named));
        let doubt = columns.iter().find_map(|log| log.table.check_scale().err());
        notes.extend(doubt.map(|error| named(&error.to_string())));
    }
    for run in &all {
        let null = run.scores.iter().filter(|(_, value)| matches!(value, Score::Null));
        notes.extend(null.map(|(name, _)| {
            format!(
                "run {run}: score {name} is null, because the scorer did not score the run",
                run = run.id
            )
        }));
    }
    let endings = all.iter().map(|run| match (&run.stop, run.outcome) {
        (Some(stop), _) => stop.to_string(),
        (None, Some(true)) => "success".to_owned(),
        (None, Some(false)) => "failure".to_owned(),
        (None, None) => "error".to_owned(),
    });
    let endings = picture(endings, "Endings: how did the runs end?", "how a run ended", "runs");
    let calls = all.iter().flat_map(|run| steps::tools(run));
    let calls = calls.flat_map(|(name, n)| std::iter::repeat_n(name.to_owned(), n as usize));
    let calls = picture(calls, "Tools: which were called most?", "tool", "calls");
    let format = common_format(logs);
    let mut together = Block::of([Field::json("format", format)]);
    together.extend_json(&all.iter().copied().collect::<RunCounts>());
    let mut conclusion = conclusion(&all, &together);
    let problem = logs.iter().find_map(|log| log.table.problem());
    conclusion.extend(problem.map(|problem| format!("No run has a grade: {problem}.")));
    together.fields.extend(summary(&all, &mut notes));
    let has_ungraded = all.iter().any(|run| run.grade.is_none());
    let steps = all.iter().map(|run| run.steps.as_slice());
    together.fields.extend(steps::table(steps, has_ungraded));
    let columns = Arc::clone(&shared);
    let made = MadeRows::new("Runs", move |at| {
        let [column, at]: [usize; 2] = *places.get(at)?;
        let run = columns.get(column)?.table.rows().get(at)?;
        let (first, trial) = files[column];
        let LoggedColumn { file, name, .. } = &columns[first];
        let shown = if name.is_empty() { file } else { name };
        Some(row(run, is_several.then_some([shown, file]), trial))
    });
    together.fields.push(Field::made(key::runs, made));
    together.say(Position::Note, notes);
    together.draw([("calls", calls), ("endings", endings)]);
    let name = |log: &LoggedColumn| match (&log.model, is_several) {
        (Some(model), true) => format!("{} {model}", log.file),
        (Some(model), false) => model.clone(),
        (None, _) => log.file.clone(),
    };
    let accounts = logs.iter().map(|log| Account { name: name(log), ..log.account() });
    Report {
        title: "What is in this log".to_owned(),
        account: Some(Account::of_columns(accounts.collect())),
        conclusion,
        lead: format!("{}, format {format}", counted(all.len(), "run")),
        together,
        main_pictures: vec!["calls", "endings"],
        ..Report::default()
    }
}

/// Returns the table of the formats of logs: how to get a file, what is read, and what the log cannot tell.
///
/// ```
/// let report = agent_scorecard::logs::formats();
/// assert_eq!(report.tables()[0].rows[0].cells[0].plain(), "inspect");
/// ```
#[must_use]
pub fn formats() -> Report {
    let row = |format: &Format| {
        let about = format.about()?;
        Some(Block::of([
            Field::shown("format", "format", format.name()),
            Field::shown("source", "how to get it", about.source),
            Field::shown("reads", "what is read", about.reads),
            Field::shown("lacks", "what the log lacks, and where to get it", about.lacks),
        ]))
    };
    let rows = Format::ALL.iter().filter_map(row).collect();
    Report {
        title: "Which logs are read".to_owned(),
        together: Block::of([Field::rows("formats", "Formats of logs", rows)]),
        ..Report::default()
    }
}

/// Returns the report on an unknown JSON Lines file: which of its fields could state which fact about a run.
///
/// ```
/// use agent_scorecard::{logs::suggested, run_logs::LineFields};
///
/// let proposed = LineFields::suggest(&br#"{"name": "a", "metadata": {"result": true}}"#[..])?;
/// let report = suggested("runs.jsonl", &proposed);
/// assert_eq!(report.conclusion, ["Try: agent-scorecard logs runs.jsonl --field outcome=metadata.result"]);
/// # Ok::<(), agent_scorecard::run_logs::Error>(())
/// ```
#[must_use]
pub fn suggested(file: &str, proposed: &[SuggestedField]) -> Report {
    let row = |it: &SuggestedField| {
        Block::of([
            Field::shown("fact", "fact", it.fact.name()),
            Field::shown("path", "field", it.path.as_str()),
            Field::shown("n_lines", "lines with a value", it.n_lines),
            Field::shown("example", "first value", it.example.as_str()),
        ])
    };
    let best = proposed.chunk_by(|a, b| a.fact == b.fact).filter_map(|of_fact| of_fact.first());
    let best =
        best.map(|it| format!(" --field {}", quoted(&format!("{}={}", it.fact.name(), it.path))));
    let best: String = best.collect();
    let conclusion = match proposed {
        [] => {
            format!(
                "No field of {file} has a usual name, such as outcome or task; name the fields with --field FACT=PATH."
            )
        }
        _ => format!("Try: agent-scorecard logs {}{best}", quoted(file)),
    };
    Report {
        title: "Fields with the outcome, the cost and other facts of each run".to_owned(),
        conclusion: vec![conclusion],
        together: Block::of([Field::rows("fields", "Fields", proposed.iter().map(row).collect())]),
        ..Report::default()
    }
}

/// Returns a word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./=+:@%".contains(letter);
    match word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Returns the values that a report shows for a run. `trial` is the name of a trial in the log's format.
fn row(run: &LoggedRun, file: Option<[&String; 2]>, trial: &'static str) -> Block {
    let mut row = Block::default();
    if let Some([name, file]) = file {
        let named = (name != file).then(|| Field::shown("name", "log", name.as_str()));
        let label = if named.is_some() { "" } else { "file" };
        row.fields.extend(named);
        row.fields.push(Field::shown("file", label, file.as_str()));
    }
    row.fields.push(Field::shown("id", "run", run.id.as_str()));
    row.fields.extend(run.trial.map(|number| Field::shown(trial, trial, number)));
    let scores = run.scores.iter().map(|(name, value)| (name.clone(), json_value(value)));
    let limit = run.limit.as_ref().map(|limit| {
        let kind = Field::shown("type", "limit", limit.kind.as_str());
        Block::of([kind, Field::json("limit", limit.limit)])
    });
    let stated = run.forecasts(ConfidenceStream::StatedConfidence, ForecastPolicy::Skip);
    let stated = stated.ok().and_then(|stated| Some(stated.last()?.get()));
    let made = run.tool_calls.iter().map(|call| {
        let arguments = ("arguments".to_owned(), json_value(&call.arguments));
        Json::Object(Map::from_iter([("name".to_owned(), call.name.as_str().into()), arguments]))
    });
    let usage = [
        Field::shown("input_tokens", "input tokens", run.usage.input_tokens),
        Field::json("cached_tokens", run.usage.cached_tokens),
        Field::shown("output_tokens", "output tokens", run.usage.output_tokens),
        Field::shown("cost_usd", "cost in USD", run.usage.cost_usd),
    ];
    let others = run.other_usage.iter().map(|(role, used)| {
        let used = json!({
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "cost_usd": used.cost_usd,
        });
        (role.clone(), used)
    });
    row.fields.extend([
        Field::shown("task", "task", run.task.as_deref()),
        Field::shown("model", "model", run.model.as_deref()),
        Field::shown("outcome", "success", run.outcome),
        Field::shown("scores", "scores", Map::from_iter(scores)),
        Field::shown("confidence", "stated confidence", stated),
        Field::shown("stop", "stop", run.stop.as_ref().map(ToString::to_string)),
        Field::block("limit", limit),
        Field::shown("error", "error", run.has_error),
        Field::json("excluded", run.excluded.as_deref()),
        Field::shown("n_model_calls", "model calls", run.n_model_calls),
        Field::json("n_failed_calls", run.n_failed_calls),
        Field::shown("n_tool_calls", "tool calls", steps::tools(run).map(|(_, n)| n).sum::<u64>()),
        Field::shown_if("seconds", "seconds", run.seconds, run.seconds.is_some()),
        Field::json("tool_calls", made.collect::<Vec<Json>>()),
        Field::block("usage", Block::of(usage)),
        Field::json("other_usage", Map::from_iter(others)),
    ]);
    row
}

/// Returns the conclusions on how the runs of all models and tasks ended, with advice if no run has an outcome.
fn conclusion(runs: &[&LoggedRun], counts: &Block) -> Vec<String> {
    let [n, succeeded, failed, partial, unknown, at_limit] =
        ["n_runs", "n_succeeded", "n_failed", "n_partial", "n_unknown", "n_at_limit"]
            .map(|key| counts.count(key));
    if n == 0 {
        return Vec::new();
    }
    let mut ends =
        format!("Of {runs}, {succeeded} succeeded and {failed} failed", runs = counted(n, "run"));
    if partial > 0 {
        ends.push_str(&format!(", and {partial} succeeded in part"));
    }
    if unknown > 0 {
        ends.push_str(&format!("; the outcome of {unknown} is not known"));
    }
    if at_limit > 0 {
        ends.push_str(&format!(", because a limit ended {at_limit} of them without a grade"));
    }
    let mut conclusion = vec![ends + "."];
    if unknown == n && runs.iter().all(|run| run.scorer.is_none()) {
        let scorers: BTreeSet<&str> =
            runs.iter().flat_map(|run| run.scores.keys()).map(String::as_str).collect();
        let choose = match Vec::from_iter(scorers).as_slice() {
            scorers @ [first, _, ..] => format!(
                "say which scorer gives the outcome, such as --scorer {first} (scorers: {all}), or ",
                all = scorers.join(", "),
            ),
            _ => String::new(),
        };
        conclusion.push(format!("No run has an outcome: {choose}{ADD}."));
    }
    conclusion
}

/// Returns the most frequent names, and how often the others occur together.
fn picture(names: impl Iterator<Item = String>, title: &str, x: &str, y: &str) -> Picture {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    names.for_each(|name| *counts.entry(name).or_default() += 1);
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let others: u64 = counts.iter().skip(MOST_BARS).map(|(_, count)| count).sum();
    counts.truncate(MOST_BARS);
    if others > 0 {
        counts.push(("others".to_owned(), others));
    }
    let heights = counts.iter().map(|(_, count)| *count as f64);
    Picture {
        title: title.to_owned(),
        series: vec![Series::bars_of_categories(y, heights)],
        x: Axis::new(x).with_categories(counts.into_iter().map(|(name, _)| name).collect()),
        y: Axis::new(y),
        note: String::new(),
    }
}
