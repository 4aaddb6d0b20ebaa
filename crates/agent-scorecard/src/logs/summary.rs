//! Runs of logs by model and by task, in the order in which people count.

use std::collections::{BTreeMap, BTreeSet};

use scoring_rules::ExactSum;
use serde_json::Value as Json;

use crate::report::{
    block::{Block, Field, Report, Value},
    sentence::counted,
};

/// More tasks are not shown, and stand in the JSON object alone.
const MOST_TASKS: usize = 30;

/// A text of a row; empty if there is none.
fn text<'a>(row: &'a Block, key: &str) -> &'a str {
    match row.get(key) {
        Some(Value::Json(Json::String(text))) => text,
        _ => "",
    }
}

/// The parts of a name, by which task-2 comes before task-10: numbers by their size, and before letters.
fn natural(name: &str) -> Vec<(bool, usize, String)> {
    let mut parts: Vec<(bool, usize, String)> = Vec::new();
    for character in name.chars() {
        let is_text = !character.is_ascii_digit();
        match parts.last_mut() {
            // Zeros in front of a number change nothing.
            Some((false, _, part)) if !is_text && part == "0" => *part = character.to_string(),
            Some((known, length, part)) if *known == is_text => {
                part.push(character);
                *length += usize::from(!is_text);
            }
            _ => parts.push((is_text, usize::from(!is_text), character.to_string())),
        }
    }
    parts
}

/// Puts the runs of each file in the order of their tasks, names and trials.
pub(super) fn sort(rows: &mut [Block]) {
    for file in rows.chunk_by_mut(|a, b| text(a, "file") == text(b, "file")) {
        file.sort_by_cached_key(|row| {
            let trial = row.count("trial").max(row.count("epoch"));
            (natural(text(row, "task")), natural(text(row, "id")), trial)
        });
    }
}

/// The lists `models` and `tasks`: runs, successes, limits, tokens and cost of each model, and of each task and model.
/// Models are shown if there are several, tasks if they are at most 30; of more tasks, what inspect_ai has in front of the
/// slash of a sample's name, its evaluation. A sum leaves out runs of which the number is not known, and a note counts
/// them.
pub(super) fn summary(rows: &[Block], notes: &mut Vec<String>) -> [Field; 2] {
    for (key, of) in [("output_tokens", "output tokens"), ("cost_usd", "cost")] {
        let unknown = rows.iter().filter(|row| used(row, key).is_none()).count();
        if unknown > 0 && unknown < rows.len() {
            let runs = counted(unknown, "run");
            notes.push(format!("sums are without {runs} whose {of} is not known"));
        }
    }
    let model = |row| ("", text(row, "model"));
    let task = |row| (text(row, "task"), text(row, "model"));
    let evaluation = |row| {
        let (task, model) = task(row);
        (task.split_once('/').map_or(task, |(evaluation, _)| evaluation), model)
    };
    let (models, mut tasks) = (groups(rows, model), groups(rows, task));
    let n_tasks = |groups: &Groups<'_>| {
        groups.iter().map(|((task, _), _)| task).collect::<BTreeSet<_>>().len()
    };
    let mut title = "By task";
    if n_tasks(&tasks) > MOST_TASKS {
        (title, tasks) = ("By evaluation", groups(rows, evaluation));
    }
    if tasks.len() == 1 {
        title = "All runs";
    }
    let is_shown = rows.len() > 1 && n_tasks(&tasks) <= MOST_TASKS;
    [list("models", "By model", models.len() > 1, models), list("tasks", title, is_shown, tasks)]
}

/// Runs by task and model, in natural order.
type Groups<'a> = Vec<((&'a str, &'a str), Vec<&'a Block>)>;

fn groups<'a>(rows: &'a [Block], key: impl Fn(&'a Block) -> (&'a str, &'a str)) -> Groups<'a> {
    let mut groups: BTreeMap<(&str, &str), Vec<&Block>> = BTreeMap::new();
    for row in rows {
        groups.entry(key(row)).or_default().push(row);
    }
    let mut groups: Groups<'_> = groups.into_iter().collect();
    groups.sort_by_cached_key(|((task, model), _)| (natural(task), natural(model)));
    groups
}

/// A number of what a run used.
fn used(row: &Block, key: &str) -> Option<f64> {
    row.inner("usage")?.number(key)
}

fn list(key: &'static str, title: &str, is_shown: bool, groups: Groups<'_>) -> Field {
    let field = |key: &'static str, label: &'static str, value: Json| match is_shown {
        true => Field::shown(key, label, value),
        false => Field::json(key, value),
    };
    let name = |name: &str| if name.is_empty() { Json::Null } else { name.into() };
    let row = |((task, model), runs): ((&str, &str), Vec<&Block>)| {
        let count =
            |is: &dyn Fn(&Block) -> bool| Json::from(runs.iter().filter(|run| is(run)).count());
        let ended =
            |outcome: Json| count(&|run| run.get("outcome") == Some(&Value::Json(outcome.clone())));
        let sum = |key: &str| -> Option<f64> {
            let known: Vec<f64> = runs.iter().filter_map(|run| used(run, key)).collect();
            (!known.is_empty()).then(|| known.into_iter().collect::<ExactSum>().value())
        };
        let whole = |sum: Option<f64>| sum.map(|sum| sum as u64).into();
        let names = [field("task", "task", name(task)), field("model", "model", name(model))];
        let counts = [
            field("n_runs", "runs", runs.len().into()),
            field("n_succeeded", "succeeded", ended(true.into())),
            field("n_failed", "failed", ended(false.into())),
            field("n_unknown", "not known", ended(Json::Null)),
            field("n_at_limit", "ended by a limit", count(&|run| run.inner("limit").is_some())),
            field("input_tokens", "input tokens", whole(sum("input_tokens"))),
            field("output_tokens", "output tokens", whole(sum("output_tokens"))),
            field("cost_usd", "cost in USD", sum("cost_usd").into()),
        ];
        Block::of(names.into_iter().skip(usize::from(key == "models")).chain(counts))
    };
    Field::rows(key, if is_shown { title } else { "" }, groups.into_iter().map(row).collect())
}

/// The rows of the runs of a report on logs as CSV (RFC 4180): a column for each value that JSON has, of inner objects
/// `usage.input_tokens` and so on. Lists and objects are JSON, what is not known is empty.
#[must_use]
pub fn csv(report: &Report) -> String {
    let rows = match report.together.get("runs") {
        Some(Value::Rows { rows, .. }) => rows.as_slice(),
        _ => &[],
    };
    let cells: Vec<Vec<(String, String)>> = rows.iter().map(|row| cells(row, "")).collect();
    let mut columns: Vec<&str> = Vec::new();
    for (column, _) in cells.iter().flatten() {
        if !columns.contains(&column.as_str()) {
            columns.push(column);
        }
    }
    let quoted = |text: &str| match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    };
    let line =
        |texts: Vec<&str>| texts.into_iter().map(quoted).collect::<Vec<_>>().join(",") + "\n";
    let of_row = |cells: &Vec<(String, String)>| {
        let cell = |column: &&str| {
            let found = cells.iter().find(|(key, _)| key == column);
            found.map_or("", |(_, text)| text.as_str())
        };
        line(columns.iter().map(cell).collect())
    };
    std::iter::once(line(columns.clone())).chain(cells.iter().map(of_row)).collect()
}

/// The values of a row by their columns.
fn cells(row: &Block, prefix: &str) -> Vec<(String, String)> {
    let of_field = |Field { key, value, .. }: &Field| {
        let column = format!("{prefix}{key}");
        match value {
            Value::Block(inner) => cells(inner, &format!("{column}.")),
            Value::Json(Json::Null) => vec![(column, String::new())],
            Value::Json(Json::String(text)) => vec![(column, text.clone())],
            Value::Json(value) => vec![(column, value.to_string())],
            _ => Vec::new(),
        }
    };
    row.fields.iter().flat_map(of_field).collect()
}
