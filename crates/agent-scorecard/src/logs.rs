//! What do logs of agent evaluations hold, by model, by task and run by run?

mod prices;
mod summary;

use std::collections::BTreeMap;

pub use prices::{Price, Prices};
use run_logs::{AtLimit, Format, OutcomePolicy, Run};
use serde_json::{Map, Value as Json};
pub use summary::csv;
use trajectory_metrics::tool_calls;

use crate::report::{
    block::{Block, Field, Report, Value},
    picture::{Axis, Picture, Series},
    sentence::counted,
};

/// Bars of a picture, at most.
const MOST_BARS: usize = 6;

/// The runs of logs, of which nothing is kept but what the report shows.
///
/// ```
/// use agent_scorecard::{logs::Logs, run_logs::{Format, Run}};
///
/// let mut logs = Logs::default();
/// let mut run = Run::default();
/// (run.id, run.outcome) = ("a".to_owned(), Some(true));
/// logs.update(&run, Format::Atif, None);
/// let report = logs.finish(Format::Atif.name(), Vec::new());
/// assert_eq!(report.together.number("n_runs"), Some(1.0));
/// // Of a single run there is nothing to sum up.
/// let [runs] = &report.tables()[..] else { panic!() };
/// assert_eq!(runs.title, "Runs");
/// assert_eq!(runs.rows[0].cells[0].plain(), "a");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Logs {
    rows: Vec<Block>,
    endings: BTreeMap<String, u64>,
    calls: BTreeMap<String, u64>,
    notes: Vec<String>,
    prices: Option<Prices>,
    /// The runs of each model that has no price.
    unpriced: BTreeMap<String, u64>,
}

impl Logs {
    /// Takes the cost of runs whose log has none from these prices.
    #[must_use]
    pub fn with_prices(self, prices: Prices) -> Self {
        Self { prices: Some(prices), ..self }
    }

    /// Adds a run of a log in this format; `file` names the log if there are several. The outcome is that of the log, or
    /// what its only scorer says of a run that no limit ended.
    pub fn update(&mut self, run: &Run, format: Format, file: Option<&str>) {
        let replies = || run.agent_turns().filter_map(|turn| turn.reply.as_ref());
        let calls = replies().flat_map(|reply| &reply.tool_calls);
        let mut scores = Map::new();
        for (name, score) in &run.scores {
            if matches!(score.value, tool_calls::Value::Null) {
                let note = format!("run {}: score {name} is null, as it was not scored", run.id);
                self.notes.push(note);
            }
            scores.insert(name.clone(), json(&score.value));
        }
        let judgement = || OutcomePolicy::new(AtLimit::Censored).judgement(run).ok()?.outcome;
        let outcome = run.outcome.or_else(judgement);
        let stop = run.stop.as_ref().map(ToString::to_string);
        let limit = run.limit.as_ref();
        let ending = match (limit, &stop, outcome) {
            (Some(limit), ..) => limit.kind.clone(),
            (None, Some(stop), _) => stop.clone(),
            _ if run.error.is_some() => "error".to_owned(),
            (.., Some(true)) => "success".to_owned(),
            (.., Some(false)) => "failure".to_owned(),
            _ => "unknown".to_owned(),
        };
        *self.endings.entry(ending).or_default() += 1;
        let mut made = Vec::new();
        for call in calls {
            *self.calls.entry(call.name.clone()).or_default() += 1;
            let call = [
                ("name".to_owned(), Json::from(call.name.as_str())),
                ("arguments".to_owned(), json(&call.arguments.value())),
            ];
            made.push(Json::Object(Map::from_iter(call)));
        }

        let mut row = Block::default();
        row.fields.extend(file.map(|file| Field::shown("file", "file", file)));
        row.fields.push(Field::shown("id", "run", run.id.as_str()));
        // inspect_ai calls its trials epochs.
        let trial = if format == Format::Inspect { "epoch" } else { "trial" };
        row.fields.extend(run.trial.map(|number| Field::shown(trial, trial, number)));
        let limit = limit.map(|limit| {
            let kind = Field::shown("type", "limit", limit.kind.as_str());
            Block::of([kind, Field::json("limit", limit.limit)])
        });
        let priced = |prices: &Prices| {
            let found = prices.cost_usd(run);
            let model = found.as_ref().err().filter(|model| !model.is_empty());
            for model in model.into_iter() {
                *self.unpriced.entry(model.clone()).or_default() += 1;
            }
            found.ok()
        };
        let cost_usd = run.usage.cost_usd.or_else(|| self.prices.as_ref().and_then(priced));
        let usage = [
            Field::shown("input_tokens", "input tokens", run.usage.input_tokens),
            Field::json("cached_tokens", run.usage.cached_tokens),
            Field::shown("output_tokens", "output tokens", run.usage.output_tokens),
            Field::shown("cost_usd", "cost in USD", cost_usd),
        ];
        let failed = run.agent_turns().filter(|turn| turn.reply.is_none()).count();
        row.fields.extend([
            Field::shown("task", "task", run.task.as_deref()),
            Field::shown("model", "model", run.model.as_deref()),
            Field::shown("outcome", "success", outcome),
            Field::shown("scores", "scores", scores),
            Field::shown("stop", "stop", stop),
            Field::block("limit", limit),
            Field::shown("error", "error", run.error.is_some()),
            Field::json("excluded", run.excluded.as_deref()),
            Field::shown("n_model_calls", "model calls", run.n_model_calls()),
            Field::json("n_failed_calls", failed),
            Field::shown("n_tool_calls", "tool calls", made.len()),
            Field::json("tool_calls", made),
            Field::block("usage", Block::of(usage)),
        ]);
        self.rows.push(row);
    }

    /// The report on all runs. `format` is that of the logs, or a word for several; `notes` come last.
    #[must_use]
    pub fn finish(self, format: &'static str, notes: Vec<String>) -> Report {
        let Self { mut rows, endings, calls, notes: mut all, unpriced, .. } = self;
        all.extend(notes);
        all.extend(unpriced.iter().map(|(model, n)| {
            format!(
                "no price of the model {model}: the cost of {} is not known",
                counted(*n as usize, "run")
            )
        }));
        summary::sort(&mut rows);
        let endings = picture(endings, "Endings: how did the runs end?", "how a run ended", "runs");
        let calls = picture(calls, "Tools: which were called most?", "tool", "calls");
        let conclusion = conclusion(&rows);
        let lead = format!("{}, format {format}", counted(rows.len(), "run"));
        let mut together =
            Block::of([Field::json("format", format), Field::json("n_runs", rows.len())]);
        together.fields.extend(summary::summary(&rows, &mut all));
        together.fields.push(Field::rows("runs", "Runs", rows));
        together.notes = Some(all);
        together.draw([("calls", calls), ("endings", endings)]);
        Report {
            title: "What is in this log".to_owned(),
            conclusion,
            lead,
            together,
            main_pictures: vec!["calls", "endings"],
            ..Report::default()
        }
    }
}

/// How the runs of all models and tasks ended.
fn conclusion(rows: &[Block]) -> Vec<String> {
    if rows.is_empty() {
        return Vec::new();
    }
    let is = |row: &&Block, value: Json| row.get("outcome") == Some(&Value::Json(value));
    let count = |value: Option<bool>| rows.iter().filter(|row| is(row, value.into())).count();
    let [succeeded, failed, unknown] = [Some(true), Some(false), None].map(count);
    let at_limit = rows.iter().filter(|row| row.inner("limit").is_some()).count();
    let mut sentence =
        format!("Of {}, {succeeded} succeeded and {failed} failed", counted(rows.len(), "run"));
    if unknown > 0 {
        sentence.push_str(&format!("; whether {unknown} did is not known"));
    }
    if at_limit > 0 {
        sentence.push_str(&format!("; a limit ended {at_limit}"));
    }
    vec![sentence + "."]
}

/// The most frequent names, and how often the others occur together.
fn picture(counts: BTreeMap<String, u64>, title: &str, x: &str, y: &str) -> Picture {
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

/// A value of a log as JSON: numbers that are not finite are null, and integers beyond 64 bits are text.
#[must_use]
pub fn json(value: &tool_calls::Value) -> Json {
    match value {
        tool_calls::Value::Null => Json::Null,
        tool_calls::Value::Bool(value) => (*value).into(),
        tool_calls::Value::Integer(number) => i64::try_from(*number)
            .map(Json::from)
            .or_else(|_| u64::try_from(*number).map(Json::from))
            .unwrap_or_else(|_| number.to_string().into()),
        tool_calls::Value::Real(number) => (*number).into(),
        tool_calls::Value::Text(text) => text.as_str().into(),
        tool_calls::Value::List(values) => values.iter().map(json).collect(),
        tool_calls::Value::Map(values) => {
            Json::Object(values.iter().map(|(key, value)| (key.clone(), json(value))).collect())
        }
    }
}

/// What a report names in place of a format if there are several.
pub const SEVERAL: &str = "several";

/// The format that all reports have, or `several`.
#[must_use]
pub fn common_format(formats: impl IntoIterator<Item = &'static str>) -> &'static str {
    let mut formats = formats.into_iter();
    let first = formats.next().unwrap_or(Format::Auto.name());
    if formats.all(|format| format == first) { first } else { SEVERAL }
}
