//! What a comparison comes to, in sentences that say no more than their figures and intervals.

use scoring_rules::Level;

use crate::{
    compare::{
        difference::{Difference, is_beyond},
        side::{SUCCESS, Side, UNCUT},
    },
    confidence,
    report::{
        block::Column,
        sentence::{Percent, counted, percent, rounded_up},
    },
};

/// The sentences: success and its differences, limits, confidence.
pub(super) fn sentences(
    sides: &[Side],
    columns: &[Column],
    differences: &[Difference],
    level: Level,
) -> Vec<String> {
    let named = || sides.iter().zip(columns.iter().map(|column| column.name.as_str()));
    let mut others = named();
    let mut all = Vec::new();
    if let Some((side, first)) = others.next() {
        let rate = success(side, level);
        if let (true, Some(rate)) = (differences.is_empty(), &rate) {
            all.push(format!("{first} succeeded in {rate}."));
        }
        for (difference, (side, second)) in differences.iter().zip(others) {
            all.push(match (&rate, success(side, level)) {
                (Some(rate), Some(other)) => {
                    let verdict = verdict(difference, differences.len());
                    format!("{first} succeeded in {rate}, {second} in {other}; {verdict}.")
                }
                (rate, _) => {
                    let lacks = if rate.is_none() { first } else { second };
                    format!(
                        "Whether {first} or {second} is better cannot be said, as no run of {lacks} has an outcome."
                    )
                }
            });
        }
    }
    all.extend(named().filter_map(|(side, name)| limits(side, name, level)));
    all.extend(sides.iter().zip(columns).filter_map(|(side, Column { name, block, .. })| {
        let runs = side.count(|run| run.outcome.is_some() && run.confidence.is_some());
        Some(format!("{name}: {}.", confidence::clause(block, runs as u64, confidence::STATED)?))
    }));
    all
}

/// "65 % of 240 runs [59, 71]"
fn success(side: &Side, level: Level) -> Option<String> {
    let Percent { value, interval } = Percent::of(&side.mean(&SUCCESS, level).ok()?);
    let n = side.count(|run| run.success().is_some());
    Some(format!("{value} % of {}{interval}", counted(n, "run")))
}

fn verdict(difference: &Difference, n: usize) -> String {
    let (sample, found) = difference.of_success();
    let found = match found {
        Ok(found) => found,
        Err(reason) => return format!("whether they differ cannot be said, as {reason}"),
    };
    let (over, size) = (sample.over(), Percent::of_size(found).points());
    match (difference.is_beyond_noise, &found.interval) {
        (Some(true), _) => {
            // The rates before this are over all tasks, so that they need not say which side is better on these.
            let better = match sample.left_out() {
                [0, 0] => String::new(),
                _ => format!(" in favour of {}", difference.better()),
            };
            return format!("{over} the difference of {size}{better} is beyond noise");
        }
        (_, Err(reason)) => {
            return format!(
                "{over} whether the difference of {size} is noise cannot be said: {reason}"
            );
        }
        _ => {}
    }
    let corrected = match is_beyond(found) {
        true => format!(", which would be beyond noise alone, but not as one of {n} comparisons"),
        false => String::new(),
    };
    let needed = difference.tasks_needed.map_or_else(String::new, |needed| {
        format!(
            "; if it really is that large, about {} tasks {} would be needed to find it",
            rounded_up(needed),
            if sample.is_paired { "that both have" } else { "for each" }
        )
    });
    format!("{over} they cannot be told apart: the difference is {size}{corrected}{needed}")
}

fn limits(side: &Side, name: &str, level: Level) -> Option<String> {
    let cut_off = side.count(|run| run.is_cut_off);
    let unknown = side.count(|run| run.success().is_none());
    let mut parts = Vec::new();
    if cut_off > 0 {
        let without = side.mean(&UNCUT, level).map_or_else(
            |_| String::new(),
            |rate| format!("; without them the rate is {}", percent(&rate)),
        );
        let verb = if cut_off == 1 { "counts as a failure" } else { "count as failures" };
        let runs = counted(cut_off, "run");
        parts.push(format!("A limit ended {runs} of {name}, which {verb}{without}."));
    }
    if unknown > 0 {
        let verb = if unknown == 1 { "is" } else { "are" };
        let runs = counted(unknown, "run");
        parts.push(format!("{runs} of {name} without an outcome {verb} left out."));
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}
