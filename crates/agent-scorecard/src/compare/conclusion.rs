//! The conclusions of a comparison, in sentences that claim no more than their figures and intervals support.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use run_logs::Ungraded;
use scoring_rules::Level;
use trajectory_metrics::Figure;

use crate::{
    compare::{
        difference::{Difference, Sample, is_beyond},
        measures::{Mean, SCORE, TOKENS_RATIO, VERDICTS, means},
        settings::UngradedAs,
        side::Side,
        side_runs::Run,
    },
    confidence,
    report::{
        block::Column,
        sentence::{
            counted, ends_in_percent, percent_of, points, rounded_up, sentence, side_of, with_ends,
        },
    },
};

/// Returns the sentences on success and its differences, on limits and on confidence.
pub(super) fn sentences(
    sides: &[Side],
    limits: &[Limits],
    columns: &[Column],
    differences: &[Difference],
    is_partial: bool,
    level: Level,
) -> Vec<String> {
    let named = || sides.iter().zip(columns.iter().map(|column| column.name.as_str()));
    let mut others = named();
    let mut all = Vec::new();
    let mean = means(is_partial).next();
    let rate = |side: &Side| success(side, mean?, level);
    let succeeded_in = if is_partial { "scored" } else { "succeeded in" };
    if let Some((side, first)) = others.next() {
        let of_first = rate(side);
        if let (true, Some(rate)) = (differences.is_empty(), &of_first) {
            all.push(format!("{first} {succeeded_in} {rate}."));
        }
        for (difference, (side, second)) in differences.iter().zip(others) {
            all.push(match (&of_first, rate(side)) {
                (Some(first_rate), Some(second_rate)) => {
                    let verdict = verdict(difference, differences.len(), level);
                    let in_ = if is_partial { "" } else { "in " };
                    format!(
                        "{first} {succeeded_in} {first_rate}, {second} {in_}{second_rate}. {verdict}",
                        verdict = sentence(&verdict),
                    )
                }
                (rate, _) => {
                    let lacks = if rate.is_none() { first } else { second };
                    format!(
                        "It is not known whether {first} or {second} is better, because no run of {lacks} has an outcome."
                    )
                }
            });
        }
    }
    let beside = sides.iter().zip(columns).skip(1).take(differences.len());
    all.extend(beside.filter_map(|(side, column)| {
        repeated([&sides[0], side], [&columns[0].name, &column.name])
    }));
    let limits = limits.iter().zip(columns);
    all.extend(limits.filter_map(|(limits, column)| limits.sentence(&column.name, is_partial)));
    all.extend(differences.iter().filter_map(|difference| at_limit(difference, level)));
    all.extend(differences.iter().filter_map(|difference| of_shared(difference, level)));
    all.extend(differences.iter().filter_map(times_spent));
    all.extend(differences.iter().filter_map(detect));
    all.extend(sides.iter().zip(columns).filter_map(|(side, Column { name, block, .. })| {
        let runs = side.count(|run| run.grade.is_some() && run.confidence.is_some());
        let clause = confidence::clause(&VERDICTS, block, runs as u64, confidence::STATED)?;
        Some(format!("{name}: {clause}."))
    }));
    all
}

/// Formats a success rate, such as "65 % of 240 runs [59, 71]", and the number of runs without a known outcome.
fn success(side: &Side, mean: &Mean, level: Level) -> Option<String> {
    let found = side.mean(mean, level).ok()?;
    let n = side.count(|run| run.grade.is_some());
    let of = if mean.measure == SCORE.measure { "on average over" } else { "of" };
    let of = format!(" {of} {}", counted(n, "run"));
    let mut reasons: BTreeMap<Ungraded, usize> = BTreeMap::new();
    for reason in side.runs.iter().filter_map(|run| run.ungraded) {
        *reasons.entry(reason).or_default() += 1;
    }
    if reasons.is_empty() {
        return Some(percent_of(&found, &of, 1.0));
    }
    let lacking: Vec<String> =
        reasons.iter().map(|(reason, n)| format!("{n} {}", phrase(*reason))).collect();
    let rate_of_all = match side.of_all(level) {
        Some(Ok(ends)) => {
            format!(
                "; over all runs, whatever the missing grades are, {range}",
                range = ends_in_percent(&ends),
            )
        }
        _ => String::new(),
    };
    Some(format!(
        "{rate} ({ungraded} of {all} have no grade: {reasons}{rate_of_all})",
        rate = percent_of(&found, &format!("{of} with a grade"), 1.0),
        ungraded = side.runs.len() - n,
        all = side.runs.len(),
        reasons = lacking.join(", "),
    ))
}

/// Returns the reason why runs have no grade, in the form that follows their number in a sentence.
const fn phrase(reason: Ungraded) -> &'static str {
    match reason {
        Ungraded::Error => "ended with an error",
        Ungraded::AtLimit => "ended at a limit",
        Ungraded::Excluded => "excluded by the log",
        Ungraded::Missing => "planned and missing",
        _ => "without a score",
    }
}

fn verdict(difference: &Difference, n_comparisons: usize, level: Level) -> String {
    let (sample, found) = difference.of_success();
    let found = match found {
        Ok(found) => found,
        Err(reason) => {
            return format!("it is not known whether the agents differ, because {reason}");
        }
    };
    let on_tasks = sample.over();
    let of_graded_runs = match difference.of_all(level) {
        Some(_) => " of the runs with a grade,",
        None => "",
    };
    let lead = ahead(difference.names, found);
    match (difference.is_beyond_noise, &found.interval) {
        (Some(true), _) => {
            let also = match of_graded_runs {
                "" => "",
                _ => ", whatever the missing grades are",
            };
            let is_better = lead.replacen("is ahead", "is better", 1);
            return format!("{on_tasks}{of_graded_runs} {is_better}, beyond noise{also}");
        }
        (_, Err(reason)) => {
            return format!(
                "{on_tasks}{of_graded_runs} {lead}; it is not known whether this is noise: {reason}"
            );
        }
        _ => {}
    }
    if let Some(of_all) = difference.of_all(level) {
        let is_apart = of_all.as_ref().is_ok_and(|ends| !ends.contains(0.0));
        let over_all = of_all.map_or_else(
            |_| String::new(),
            |ends| {
                let ends = difference.towards_better(ends);
                let by = if is_even(found) { "" } else { "by " };
                format!(
                    ", and over all runs, whatever the missing grades are, {by}{range} points",
                    range = ends_in_percent(&ends),
                )
            },
        );
        let alone = match is_beyond(found) {
            true if n_comparisons > 1 => {
                ", which would be beyond noise for these runs as the only comparison"
            }
            true => ", which is beyond noise for these runs",
            false => "",
        };
        // Of three readings of the runs without a grade, some may find a difference.
        let conclusion = match is_apart || is_beyond(found) || difference.is_worse == Some(true) {
            true => "whether the agents differ depends on the runs without a grade",
            false => "they cannot be told apart",
        };
        let worse = match difference.is_worse {
            Some(true) => format!(
                "; {second} may be worse, depending on the missing grades, so is_worse is true as a precaution (--ungraded sets how runs without a grade count)",
                second = difference.names[1],
            ),
            _ => String::new(),
        };
        return format!(
            "{on_tasks} {conclusion}: of the runs with a grade, {lead}{alone}{over_all}{worse}"
        );
    }
    let corrected = match is_beyond(found) {
        true => {
            format!(
                ", which would be beyond noise as the only comparison, but not as one of {n_comparisons}"
            )
        }
        false => String::new(),
    };
    let [needed, at_best] = difference.tasks_needed;
    let needed = needed.map_or_else(String::new, |needed| {
        let at_best = at_best.map_or_else(String::new, |at_best| {
            format!(
                ", and about {fewer_tasks} if the difference is as large as its interval allows",
                fewer_tasks = rounded_up(at_best),
            )
        });
        let shared_or_per_agent = of_whom(sample);
        format!(
            "; if the true difference is that large, about {tasks} tasks {shared_or_per_agent} would be needed to find it{at_best}",
            tasks = rounded_up(needed),
        )
    });
    format!("{on_tasks} they cannot be told apart: {lead}{corrected}{needed}")
}

fn of_whom(sample: &Sample<'_>) -> &'static str {
    if sample.is_paired() { "that both agents have" } else { "per agent" }
}

/// Returns the clause on the difference over the shared tasks, if its conclusion differs from that over all runs.
fn of_shared(difference: &Difference, level: Level) -> Option<String> {
    let (n, found) = difference.of_shared(level)?;
    let noise = if is_beyond(&found) { "" } else { ", which may be noise" };
    Some(format!(
        "On the {tasks} that both agents have (--shared), {lead}{noise}.",
        tasks = counted(n, "task"),
        lead = ahead(difference.names, &found),
    ))
}

/// Returns the clause on the ratio of the second agent's use to the first agent's, for a typical run.
fn times_spent(difference: &Difference) -> Option<String> {
    let (key, sample, found) = difference.times_spent()?;
    let [uses, as_much] = match key {
        TOKENS_RATIO => ["uses", "as many tokens"],
        _ => ["costs", "as much"],
    };
    let noise = match side_of(&found, 1.0)? {
        Ordering::Equal => ", which may be noise",
        _ => "",
    };
    let [first, second] = difference.names;
    Some(sentence(&format!(
        "{on_tasks} a typical run of {second} {uses} {ratio} times {as_much} as one of {first}{noise}",
        on_tasks = sample.over(),
        ratio = with_ends(&found)
    )))
}

/// Returns the clause on the number of tasks needed to find the given difference.
fn detect(difference: &Difference) -> Option<String> {
    let (points, tasks) = difference.detect?;
    let [first, second] = difference.names;
    let of = format!("a difference of {points} points between {first} and {second}");
    Some(match tasks {
        Some(tasks) => format!(
            "To find {of} with a probability of 80 %, about {tasks} tasks {shared_or_per_agent} would be needed.",
            tasks = rounded_up(tasks),
            shared_or_per_agent = of_whom(difference.of_success().0),
        ),
        None => format!("The number of tasks needed to find {of} is not known."),
    })
}

/// Returns whether the difference is zero up to rounding: a rounding residue of equal rates is not a lead.
fn is_even(found: &Figure) -> bool {
    found.value.abs() < 1e-12
}

/// Formats a lead, such as "beta is ahead by 9 points [-2, 20]".
fn ahead([first, second]: [&str; 2], found: &Figure) -> String {
    // For equal rates, the interval is the one of the second minus the first, whatever the sign of the rounding residue.
    let value = if is_even(found) { 0.0 } else { found.value };
    let size = points(&Figure { value, ..*found });
    match found.value {
        _ if is_even(found) => format!("the difference is {size}"),
        value if value < 0.0 => format!("{first} is ahead by {size}"),
        _ => format!("{second} is ahead by {size}"),
    }
}

/// Returns the clause on the difference with runs at a limit counted as failures, if this decides whether it is beyond
/// noise.
fn at_limit(difference: &Difference, level: Level) -> Option<String> {
    let failed = difference.at_limit_failed(level)?;
    let found = difference.of_success().1.as_ref().ok()?;
    if side_of(found, 0.0) == side_of(&failed, 0.0) {
        return None;
    }
    let [first, second] = difference.names;
    let noise = if is_beyond(&failed) { "" } else { ", which may be noise" };
    Some(format!(
        "Whether {first} and {second} differ depends on how runs at a limit count: if they count as failures (--at-limit failed), {lead} over the runs with a grade{noise}.",
        lead = ahead(difference.names, &failed),
    ))
}

/// The runs of one agent at a limit that `--at-limit failed` would count as failures.
pub(super) struct Limits {
    graded: usize,
    /// The number of these runs with a grade above 0.
    passed: usize,
    ungraded: usize,
    /// Whether other runs at a limit have a grade from outside the log.
    has_given: bool,
    /// The success rate, in percent, with all of these runs as failures.
    as_failures: f64,
}

impl Limits {
    /// Counts the runs of one agent at a limit, before the treatment of runs without a grade is applied.
    pub(super) fn of(side: &Side, ungraded: UngradedAs) -> Self {
        let n = |test: fn(&Run<'_>) -> bool| side.count(|run| run.fails_at_limit() && test(run));
        let counts = |run: &Run<'_>| {
            run.grade.is_some() || run.fails_at_limit() || ungraded == UngradedAs::Failed
        };
        let kept = side.runs.iter().filter(|run| !run.fails_at_limit());
        let sum: f64 = kept.filter_map(|run| run.grade).sum();
        Self {
            graded: n(|run| run.grade.is_some()),
            passed: n(|run| run.grade > Some(0.0)),
            ungraded: n(|run| run.grade.is_none()),
            has_given: side
                .runs
                .iter()
                .any(|run| run.is_at_limit && run.is_settled && run.grade.is_some()),
            as_failures: 100.0 * sum / side.count(counts) as f64,
        }
    }

    /// States the effect of these runs on the success rate, if there are successes among them.
    fn sentence(&self, name: &str, is_partial: bool) -> Option<String> {
        let Self { graded, passed, ungraded, has_given, as_failures } = self;
        (*passed > 0).then(|| {
            format!(
                "A limit ended {runs}, {passed} of them {successes}, and these grades count; if {they} counted as failures (--at-limit failed), the {rate} would be {as_failures:.0} %.",
                runs = match has_given {
                    false => format!("{} of {name}", counted(*graded, "graded run")),
                    true => format!(
                        "{runs} of {name} that the log graded",
                        runs = counted(*graded, "run"),
                    ),
                },
                successes = if is_partial { "with a score above 0" } else { "successes" },
                they = match ungraded {
                    0 => "they".to_owned(),
                    n => format!("they and the {n} at a limit without a grade"),
                },
                rate = if is_partial { "mean score" } else { "success rate" },
            )
        })
    }
}

/// Returns a note if two columns hold runs of one evaluation, such as a retry or a copy.
fn repeated([first, second]: [&Side; 2], names: [&str; 2]) -> Option<String> {
    let of = |side: &Side| {
        let all = side.account.evaluations.iter();
        all.filter_map(|it| Some((it.task_id.clone()?, it.model.clone()))).collect::<BTreeSet<_>>()
    };
    (!of(first).is_disjoint(&of(second))).then(|| {
        let [first, second] = names;
        format!(
            "{first} and {second} contain runs of the same evaluation, for example after a retry or a copy; give them as one folder, so that each run counts once."
        )
    })
}
