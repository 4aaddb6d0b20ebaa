//! Summaries of the runs of logs by model and by task, in natural order.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    io,
};

use ::csv::{IntoInnerError, Writer};
use run_logs::{LoggedRun, Usage, json_lines::RunCounts};
use scoring_rules::ExactSum;
use serde_json::Value as Json;

use crate::{
    natural::natural_order,
    report::{
        block::{Block, Field, MadeRows, Report, Value},
        key,
        sentence::counted,
    },
};

/// The maximum number of tasks in a table. Further tasks appear only in the JSON object.
const MOST_TASKS: usize = 30;

fn task(run: &LoggedRun) -> &str {
    run.task.as_deref().unwrap_or_default()
}

fn model(run: &LoggedRun) -> &str {
    run.model.as_deref().unwrap_or_default()
}

/// Returns the positions of the runs of a file in the order of task, name and trial.
pub(super) fn order<'a>(runs: impl Iterator<Item = &'a LoggedRun>) -> Vec<u32> {
    natural_order(runs.map(|run| {
        let trial = run.trial.map_or(String::new(), |trial| trial.to_string());
        [Cow::Borrowed(task(run)), run.id.as_str().into(), trial.into()]
    }))
}

/// Returns the lists `models` and `tasks`: runs, successes, limits, tokens and cost of each model, and of each task and
/// model. Models are shown if there are several models or tasks, and tasks if there are at most 30. With more tasks,
/// their evaluations are shown: inspect_ai puts the evaluation in front of the slash of a sample's name. A sum leaves
/// out runs with an unknown number, and a note counts them.
pub(super) fn summary(runs: &[&LoggedRun], notes: &mut Vec<String>) -> [Field; 2] {
    let unknown_tokens = runs.iter().filter(|run| run.usage.output_tokens.is_none()).count();
    let unknown_cost = runs.iter().filter(|run| run.usage.cost_usd.is_none()).count();
    for (unknown, amount) in [(unknown_tokens, "number of output tokens"), (unknown_cost, "cost")] {
        if unknown > 0 && unknown < runs.len() {
            notes.push(format!(
                "sums leave out {runs} whose {amount} is not known",
                runs = counted(unknown, "run"),
            ));
        }
    }
    let models = groups(runs, |run| ("", model(run)));
    let mut tasks = groups(runs, |run| (task(run), model(run)));
    let n_tasks = |groups: &Groups<'_>| {
        groups.iter().map(|((task, _), _)| task).collect::<BTreeSet<_>>().len()
    };
    let mut title = "By task";
    if n_tasks(&tasks) > MOST_TASKS {
        let evaluation =
            |run| task(run).split_once('/').map_or(task(run), |(evaluation, _)| evaluation);
        (title, tasks) = ("By evaluation", groups(runs, |run| (evaluation(run), model(run))));
    }
    if tasks.len() == 1 {
        title = "All runs";
    }
    let [are_several, are_few] = [runs.len() > 1, n_tasks(&tasks) <= MOST_TASKS];
    let (of_models, is_shown) = match models.len() {
        0 | 1 => ("All runs", are_several && tasks.len() > 1),
        _ => ("By model", true),
    };
    [
        list("models", of_models, is_shown, models),
        list("tasks", title, are_several && are_few, tasks),
    ]
}

/// Runs by task and model, in natural order.
type Groups<'a> = Vec<((&'a str, &'a str), Vec<&'a LoggedRun>)>;

fn groups<'a>(
    runs: &[&'a LoggedRun],
    key: impl Fn(&'a LoggedRun) -> (&'a str, &'a str),
) -> Groups<'a> {
    let mut groups: BTreeMap<(&str, &str), Vec<&LoggedRun>> = BTreeMap::new();
    for run in runs {
        groups.entry(key(run)).or_default().push(run);
    }
    let mut groups: Groups<'_> = groups.into_iter().collect();
    let order = natural_order(groups.iter().map(|((task, model), _)| [task, model]));
    order.into_iter().map(|at| std::mem::take(&mut groups[at as usize])).collect()
}

/// The summary of a group of runs. There may be as many groups as runs.
struct Sums {
    task: String,
    model: String,
    counts: RunCounts,
    tokens: [Option<u64>; 2],
    cost: Option<f64>,
}

impl Sums {
    fn of(((task, model), runs): ((&str, &str), Vec<&LoggedRun>)) -> Self {
        let tokens = |of: fn(&Usage) -> Option<u64>| {
            runs.iter().filter_map(|run| of(&run.usage)).reduce(u64::saturating_add)
        };
        let costs = || runs.iter().filter_map(|run| run.usage.cost_usd);
        Self {
            task: task.to_owned(),
            model: model.to_owned(),
            counts: runs.iter().copied().collect(),
            tokens: [tokens(|usage| usage.input_tokens), tokens(|usage| usage.output_tokens)],
            cost: costs().next().map(|_| costs().collect::<ExactSum>().value()),
        }
    }
}

fn list(key: &'static str, title: &str, is_shown: bool, groups: Groups<'_>) -> Field {
    let field = move |key: &'static str, label: &'static str, value: Json| {
        Field::shown_if(key, label, value, is_shown)
    };
    let is_partial = groups.iter().flat_map(|(_, runs)| runs).any(|run| run.is_partial());
    let name = |name: &str| if name.is_empty() { Json::Null } else { name.into() };
    let row = move |sums: &Sums| {
        let mut ends = Block::default();
        ends.extend_json(&sums.counts);
        let names =
            [field("task", "task", name(&sums.task)), field("model", "model", name(&sums.model))];
        let counts = [
            ("n_runs", "runs"),
            ("n_succeeded", "succeeded"),
            ("n_failed", "failed"),
            ("n_unknown", "not known"),
            ("n_partial", if is_partial { "succeeded in part" } else { "" }),
            ("n_at_limit", "not known at a limit"),
        ]
        .map(|(key, label)| field(key, label, ends.count(key).into()));
        let [input, output] = sums.tokens;
        let used = [
            field("input_tokens", "input tokens", input.into()),
            field("output_tokens", "output tokens", output.into()),
            field("cost_usd", "cost in USD", sums.cost.into()),
        ];
        let names = names.into_iter().skip(usize::from(key == "models"));
        Block::of(names.chain(counts).chain(used))
    };
    let sums: Vec<Sums> = groups.into_iter().map(Sums::of).collect();
    if is_shown {
        return Field::rows(key, title, sums.iter().map(row).collect());
    }
    Field::made(key, MadeRows::new("", move |at| sums.get(at).map(row)))
}

/// Returns the runs in a report on logs as CSV (RFC 4180), one row per run. Each value of the JSON object has a
/// column; inner objects have names such as `usage.input_tokens`. Lists and objects are JSON, and unknown values are
/// empty.
///
/// # Errors
///
/// Errors of writing CSV into memory: none are known.
pub fn csv(report: &Report) -> io::Result<Vec<u8>> {
    let rows = || {
        let rows = match report.together.get(key::runs) {
            Some(Value::Made(rows)) => Some(rows.iter()),
            _ => None,
        };
        rows.into_iter().flatten().map(|row| cells(&row, ""))
    };
    let mut columns: Vec<String> = Vec::new();
    for (column, _) in rows().flatten() {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let mut csv = Writer::from_writer(Vec::new());
    csv.write_record(&columns)?;
    for cells in rows() {
        let cell = |column: &String| {
            let found = cells.iter().find(|(key, _)| key == column);
            found.map_or("", |(_, text)| text)
        };
        csv.write_record(columns.iter().map(cell))?;
    }
    csv.into_inner().map_err(IntoInnerError::into_error)
}

/// Returns a text with an apostrophe in front if spreadsheets would run it as a formula.
fn inert(text: &str) -> String {
    let starts = ['=', '+', '-', '@', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}', '\u{ff20}', '\t', '\r'];
    let is_run = text.starts_with(starts) || text.trim_start().starts_with(starts);
    let apostrophe = if is_run && text.parse::<f64>().is_err() { "'" } else { "" };
    format!("{apostrophe}{text}")
}

/// Returns the values of a row by their columns.
fn cells(row: &Block, prefix: &str) -> Vec<(String, String)> {
    let of_field = |Field { key, value, .. }: &Field| {
        let column = format!("{prefix}{key}");
        match value {
            Value::Block(inner) => cells(inner, &format!("{column}.")),
            Value::Json(Json::Null) => vec![(column, String::new())],
            Value::Json(Json::String(text)) => vec![(column, inert(text))],
            Value::Json(value) => vec![(column, value.to_string())],
            _ => Vec::new(),
        }
    };
    row.fields.iter().flat_map(of_field).collect()
}
