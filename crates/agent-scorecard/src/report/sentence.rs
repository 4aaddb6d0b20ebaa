//! Formats numbers and words for sentences about figures.

use std::{cmp::Ordering, fmt::Display};

use serde_json::Value as Json;
use trajectory_metrics::{Figure, Interval};

use crate::report::{
    block::{Block, Position, Report, Value},
    key,
    tables::{Place, figure_text},
};

/// The maximum number of clauses about single columns. Further clauses are left to the tables.
const MOST_CLAUSES: usize = 8;

/// Formats a share as percent: without decimals, or with up to three decimals if a number would otherwise look like 0.
pub(crate) fn percent_value(share: f64) -> String {
    in_percent(&share.into(), 1.0).0
}

/// Formats a percentage with its interval, such as "21 % [15, 28]".
pub(crate) fn percent(figure: &Figure) -> String {
    percent_of(figure, "", 1.0)
}

/// Formats a percentage with what it is of, such as "21 % of 240 runs [15, 28]", with enough decimals that no number below
/// a target is rounded up to it.
pub(crate) fn percent_of(figure: &Figure, of: &str, target: f64) -> String {
    let (value, interval) = in_percent(figure, target);
    format!("{value} %{of}{interval}")
}

/// Formats the absolute value of a difference in percentage points, such as "1 point" or "9.4 points [-0.2, 19.0]".
pub(crate) fn points(difference: &Figure) -> String {
    let (value, interval) = in_percent(&size(difference), 1.0);
    format!("{value} point{}{interval}", if value == "1" { "" } else { "s" })
}

/// Returns the absolute value of a difference, with the interval on the same side.
fn size(difference: &Figure) -> Figure {
    if difference.value >= 0.0 {
        return *difference;
    }
    let interval = difference.interval.map(|ends| Interval::between(-ends.high(), -ends.low()));
    Figure { value: -difference.value, interval, ..*difference }
}

/// Formats a share in percent, and its interval in brackets with a space in front, if it has one.
fn in_percent(figure: &Figure, target: f64) -> (String, String) {
    let ends = figure.interval.ok().map(|ends| [ends.low(), ends.high()]);
    let numbers = || std::iter::once(figure.value).chain(ends.into_iter().flatten());
    // A number must not look like 0 or, close to 100, like 100.
    let is_hidden = |number: f64| {
        let percent = 100.0 * number;
        let distance = percent.abs().min((100.0 - percent.abs()).abs());
        distance > 1e-9 && distance < 1.0
    };
    // Nor as if it had reached a target.
    let is_raised = |number: f64, decimals: usize| {
        let shown = format!("{:.decimals$}", 100.0 * number).parse();
        number < target - 1e-9 && shown.is_ok_and(|shown: f64| shown >= 100.0 * target)
    };
    let least = usize::from(numbers().any(is_hidden));
    let is_zero = |number: f64, decimals: usize| {
        let unit = 0.1_f64.powi(decimals as i32);
        decimals < 3 && number != 0.0 && 100.0 * number.abs() < 0.5 * unit
    };
    let is_clear =
        |decimals: &usize| !numbers().any(|it| is_raised(it, *decimals) || is_zero(it, *decimals));
    let decimals = (least..8).find(is_clear).unwrap_or(least);
    let shown = |number: f64| {
        let text = format!("{:.decimals$}", 100.0 * number);
        // A rounded number is no negative zero.
        if text.trim_matches(['-', '0', '.']).is_empty() { text.replace('-', "") } else { text }
    };
    let interval = ends.map(|ends| format!(" [{}, {}]", shown(ends[0]), shown(ends[1])));
    (shown(figure.value), interval.unwrap_or_default())
}

/// Formats an interval in percent, such as "[13, 93]".
pub(crate) fn ends_in_percent(ends: &Interval) -> String {
    let figure = Figure { interval: Ok(*ends), ..Figure::from(0.5 * (ends.low() + ends.high())) };
    in_percent(&figure, 1.0).1.trim().to_owned()
}

/// Formats a count, such as "1 run", "2 runs" or "2 prefixes".
pub(crate) fn counted(n: impl Display, what: &str) -> String {
    let n = n.to_string();
    let plural = if what.ends_with(['s', 'x']) { "es" } else { "s" };
    format!("{n} {what}{}", if n == "1" { "" } else { plural })
}

/// Formats a number rounded up to two digits, with commas between thousands.
pub(crate) fn rounded_up(number: u64) -> String {
    let mut unit = 1;
    while number / unit >= 100 {
        unit *= 10;
    }
    let digits = (number.div_ceil(unit) * unit).to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a figure with its interval, if there is one, as in tables: "-0.539 [-0.587, -0.491]".
pub(crate) fn with_ends(figure: &Figure) -> String {
    let value = figure_text(figure, figure.value);
    figure.interval.map_or(value.clone(), |ends| {
        let [low, high] = [ends.low(), ends.high()].map(|end| figure_text(figure, end));
        format!("{value} [{low}, {high}]")
    })
}

/// Formats the absolute value of a difference with its interval, as in tables.
pub(crate) fn size_with_ends(difference: &Figure) -> String {
    with_ends(&size(difference))
}

/// Returns the position of a figure's interval relative to a number, or equal if the interval contains the number;
/// `None` without an interval.
pub(crate) fn side_of(figure: &Figure, number: f64) -> Option<Ordering> {
    let ends = figure.interval.ok()?;
    Some(match (ends.low() > number, ends.high() < number) {
        (true, _) => Ordering::Greater,
        (_, true) => Ordering::Less,
        _ => Ordering::Equal,
    })
}

/// Lists the numbers of excluded runs with their reasons, such as "left out: 56 runs that a budget cut off"; `None` if
/// there are none.
pub(crate) fn left_out<R: Display>(counts: impl IntoIterator<Item = (u64, R)>) -> Option<String> {
    let counts = counts.into_iter().filter(|(n, _)| *n > 0);
    let counts = counts.map(|(n, reason)| format!("{} {reason}", counted(n, "run")));
    let counts: Vec<String> = counts.collect();
    (!counts.is_empty()).then(|| format!("left out: {}", counts.join(", ")))
}

/// Lists the runs that an earlier command left out of the lines of a file.
fn left_out_before(block: &Block) -> Option<String> {
    let Some(Value::Json(Json::Object(reasons))) = block.get(key::left_out) else { return None };
    let reasons = reasons
        .iter()
        .map(|(reason, n)| (n.as_u64().unwrap_or(0), format!("({})", reason.replace('_', " "))));
    left_out(reasons).map(|clause| clause.replacen("left out", "left out before", 1))
}

/// Turns a clause into a sentence.
pub(crate) fn sentence(clause: &str) -> String {
    let mut characters = clause.chars();
    let first = characters.next().into_iter().flat_map(char::to_uppercase);
    format!("{}.", first.chain(characters).collect::<String>())
}

impl Report {
    /// Returns what the bootstraps of its columns resample: tasks or runs.
    pub(crate) fn resampled_units(&self) -> &'static str {
        let places = self.places();
        let by_task = |is: bool| {
            let is = Value::Json(is.into());
            places.iter().any(|place| place.block.get(key::clustered_by_task) == Some(&is))
        };
        match (by_task(true), by_task(false)) {
            (true, true) => "tasks or runs",
            (true, false) => "tasks",
            _ => "runs",
        }
    }

    /// Turns the conclusions of the columns and their parts into sentences. The sentences of each column come first,
    /// under its name unless no other column has any. The sentences that hold for every column follow.
    pub(crate) fn conclude(&mut self) {
        let places = self.places().into_iter().map(|Place { name, block, .. }| {
            (
                name,
                block
                    .said(Position::Conclusion)
                    .map(str::to_owned)
                    .chain(left_out_before(block))
                    .collect(),
            )
        });
        let mut places: Vec<(String, Vec<String>)> = places.collect();
        places.retain(|(_, clauses)| !clauses.is_empty());
        let (mut own, mut shared) = (Vec::new(), Vec::new());
        for (name, clauses) in &places {
            for clause in clauses {
                if places.len() == 1 {
                    own.push(sentence(clause));
                } else if !places.iter().all(|(_, others)| others.contains(clause)) {
                    own.push(format!("{name}: {clause}."));
                } else if !shared.contains(&sentence(clause)) {
                    shared.push(sentence(clause));
                }
            }
        }
        let more = own.len().saturating_sub(MOST_CLAUSES);
        own.truncate(MOST_CLAUSES);
        own.extend(shared);
        if more > 0 {
            own.push(format!(
                "Left out here: {sentences}, whose figures are in the tables.",
                sentences = counted(more, "sentence"),
            ));
        }
        self.conclusion = own;
    }
}
