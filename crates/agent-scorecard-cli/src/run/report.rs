//! What `run` prints.

use std::collections::BTreeMap;

use agent_benchmarks::Figure;
use serde::Serialize;
use trajectory_metrics::{NamedEstimate, NoInterval};

use crate::{output::table::Layout, plain};
use agent_scorecard::no_interval;

/// The report on a benchmark.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct RunReport {
    pub(crate) benchmark: &'static str,
    pub(crate) model: String,
    /// Runs that are in the figures or were left out of them.
    pub(crate) n_runs: usize,
    /// Tokens of all answers, those of earlier calls included.
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost_usd: Option<f64>,
    pub(crate) rows: Vec<Row>,
    pub(crate) notes: Vec<String>,
}

/// The figures of one setting.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) setting: String,
    pub(crate) counts: BTreeMap<&'static str, usize>,
    pub(crate) metrics: BTreeMap<String, Option<Value>>,
}

/// A figure with its interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Value {
    value: f64,
    ci_low: Option<f64>,
    ci_high: Option<f64>,
    #[serde(skip)]
    no_interval: Option<NoInterval>,
}

impl From<Figure> for Value {
    fn from(figure: Figure) -> Self {
        Self {
            value: figure.value,
            ci_low: figure.interval.ok().map(|interval| interval.low()),
            ci_high: figure.interval.ok().map(|interval| interval.high()),
            no_interval: figure.interval.err(),
        }
    }
}

impl Value {
    /// A value without an interval.
    pub(crate) const fn alone(value: f64) -> Self {
        Self { value, ci_low: None, ci_high: None, no_interval: None }
    }

    /// The value of an estimate; `None` if it is undefined.
    pub(crate) fn of(estimate: &NamedEstimate) -> Option<Self> {
        let value = *estimate.value.as_ref().ok().filter(|value| value.is_finite())?;
        let interval = estimate.interval.as_ref().and_then(|interval| interval.as_ref().ok());
        Some(Self {
            value,
            ci_low: interval.map(|interval| interval.interval.low()),
            ci_high: interval.map(|interval| interval.interval.high()),
            no_interval: match &estimate.interval {
                Some(Err(trajectory_metrics::Error::NoInterval(why))) => Some(*why),
                _ => None,
            },
        })
    }
}

impl Row {
    /// Why figures of the row have no interval.
    pub(crate) fn notes(&self) -> Vec<String> {
        let missing = self.metrics.iter();
        let missing =
            missing.filter_map(|(name, value)| Some((name, value.as_ref()?.no_interval?)));
        no_interval::notes(&self.setting, missing)
    }
}

impl RunReport {
    pub(crate) fn table(&self, layout: Layout) -> String {
        let mut header = vec![String::new()];
        header.extend(self.rows.iter().map(|row| row.setting.clone()));
        let mut rows = vec![header];
        let names = |of: fn(&Row) -> Vec<&str>| {
            let mut names: Vec<&str> = self.rows.iter().flat_map(of).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        for name in names(|row| row.metrics.keys().map(String::as_str).collect()) {
            let cells = self.rows.iter().map(|row| match row.metrics.get(name) {
                Some(Some(Value { value, ci_low: Some(low), ci_high: Some(high), .. })) => {
                    format!("{value:.3} [{low:.3}, {high:.3}]")
                }
                Some(Some(Value { value, .. })) => format!("{value:.3}"),
                _ => "undefined".to_owned(),
            });
            let of = if name.ends_with("average_precision") { " of failures" } else { "" };
            rows.push(std::iter::once(format!("{name}{of}")).chain(cells).collect());
        }
        for name in names(|row| row.counts.keys().copied().collect()) {
            let count = |row: &Row| row.counts.get(name).map_or(String::new(), ToString::to_string);
            rows.push(
                std::iter::once(name.to_owned()).chain(self.rows.iter().map(count)).collect(),
            );
        }
        let cost = self.cost_usd.map_or(String::new(), |cost| format!(", {cost:.4} US dollars"));
        let mut text = format!(
            "{} with {}: {} runs, {} tokens of prompts and {} of replies{cost}\n\n{}",
            self.benchmark,
            plain::line(&self.model),
            self.n_runs,
            self.input_tokens,
            self.output_tokens,
            layout.table(&rows),
        );
        for note in &self.notes {
            text.push_str(&plain::note(note));
        }
        text
    }
}
