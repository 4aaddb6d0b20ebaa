//! Tests for groups of tasks, and for tools, that changed between the first agent and another one.
//!
//! Names give the groups: `airline/4` is of `airline`, `django__django-123` of `django`. The tasks of a group are drawn from
//! those that one wants to know about, so that a group is tested by the interval of its difference, as all tasks are.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use run_logs::StepKind;
use scoring_rules::Level;
use trajectory_metrics::{Figure, Measure, Undefined, estimates::SHARE};

use crate::{
    compare::{
        difference::{Difference, Sample, Tasks},
        measures::GRADE,
        side::Side,
        side_runs::{Run, SideRun},
        verdict::{Verdict, correct, listed},
    },
    metrics::measure,
    natural::natural,
    report::{
        block::{Block, Field},
        sentence::{counted, points},
    },
};

/// The separators between the parts of a task's name.
const SEPARATORS: [&str; 3] = ["/", "__", ":"];

/// What is tested: the success on groups of tasks, or the calls of tools that worked.
pub(super) struct Of {
    /// The key of the rows, and the words for one of them, for all of them, and before their names.
    key: &'static str,
    word: &'static str,
    all: &'static str,
    on: &'static str,
    /// The end of the title of the rows.
    by: &'static str,
    /// The keys and the labels of their numbers that are worse and better.
    counts: [[&'static str; 2]; 2],
}

pub(super) const TASKS: Of = Of {
    key: "groups",
    word: "group",
    all: " of tasks",
    on: "on",
    by: "by group of tasks",
    counts: [
        ["groups_worse", "groups of tasks that are worse beyond noise"],
        ["groups_better", "groups of tasks that are better beyond noise"],
    ],
};
pub(super) const TOOLS: Of = Of {
    key: "tools",
    word: "tool",
    all: "",
    on: "with the calls of",
    by: "by tool: calls that worked",
    counts: [
        ["tools_worse", "tools whose calls fail more often, beyond noise"],
        ["tools_better", "tools whose calls fail less often, beyond noise"],
    ],
};

/// The calls of a tool that worked.
pub(super) const WORKED: Measure = measure! { "calls_worked", "calls that worked", Higher, in [0.0, 1.0],
"Mean over runs of the share of this tool's calls that worked, among the calls whose result is known." };

/// A group of tasks, or a tool, in a difference.
pub(super) struct Group {
    name: String,
    n_tasks: usize,
    /// The second agent's mean minus the first agent's.
    difference: Result<Figure, Undefined>,
    verdict: Verdict,
}

impl Group {
    /// Tests a difference, of which the first reading is over the runs with a grade.
    fn tested(name: &str, readings: &[&Sample<'_>], level: Level) -> Option<Self> {
        let (name, sample) = (name.to_owned(), readings.first()?);
        let mut verdict = Verdict::default();
        readings.iter().enumerate().for_each(|(at, it)| verdict.push(at, p_value(it, level)));
        let (n_tasks, difference) = (sample.fewest_tasks(), sample.figure(level));
        // Under at least one assumption about the runs without a grade: a group without grades for one agent must not
        // pass a gate.
        verdict.is_tested().then_some(Self { name, n_tasks, difference, verdict })
    }

    /// Returns the tools that both agents used so often that the difference has an interval.
    pub(super) fn tools<'a>(sides: [&'a Side; 2], are_shared: bool, level: Level) -> Vec<Self> {
        let names = |side: &'a Side| -> BTreeSet<&'a str> {
            side.runs.iter().flat_map(|run| known_calls(&run)).map(|(name, _)| name).collect()
        };
        let [first, second] = sides.map(names);
        let none = BTreeSet::new();
        let tasks = Tasks { dropped: [&none, &none], are_shared };
        let of = |name: &&str| {
            // A run without calls of the tool has no value, which is no failure.
            let both = sides.map(|side| Side {
                runs: side
                    .named()
                    .map(|run| SideRun {
                        task: run.task.to_owned(),
                        grade: known_calls(&run)
                            .find(|(of, _)| of == name)
                            .map(|(_, worked)| worked),
                        ..SideRun::default()
                    })
                    .collect(),
                ..Side::default()
            });
            let sample = Sample::of([&both[0], &both[1]], [GRADE; 2], SHARE, tasks);
            Self::tested(name, &[&sample], level)
        };
        let mut tools: Vec<Self> = first.intersection(&second).filter_map(of).collect();
        tools.sort_by_cached_key(|tool| natural(&tool.name));
        tools
    }

    /// Returns the groups that have an interval; none unless names give several.
    pub(super) fn all(
        sides: [&Side; 2],
        names: [&str; 2],
        is_partial: bool,
        tasks: Tasks<'_>,
        level: Level,
    ) -> Vec<Self> {
        let named = |side: usize| sides[side].runs.iter().filter(|run| !run.is_unnamed);
        let group_of = groups_of(named(0).chain(named(1)).map(|run| run.task).collect());
        let mut groups: BTreeMap<&str, [Side; 2]> = BTreeMap::new();
        for side in [0, 1] {
            for run in named(side) {
                if let Some(group) = group_of.get(run.task) {
                    groups.entry(group).or_default()[side].runs.push(of_grade(&run));
                }
            }
        }
        let of = |(name, mut both): (&str, [Side; 2])| {
            for (own, side) in both.iter_mut().zip(sides) {
                // They may be of any group.
                own.runs.extend(
                    side.runs.iter().filter(|run| run.is_unnamed).map(|run| of_grade(&run)),
                );
            }
            let difference =
                Difference::new([&both[0], &both[1]], names, is_partial, tasks, None, level);
            Self::tested(name, &difference.readings().collect::<Vec<_>>(), level)
        };
        let mut groups: Vec<Self> = groups.into_iter().filter_map(of).collect();
        groups.sort_by_cached_key(|group| natural(&group.name));
        groups
    }
}

/// Returns the tools of a run with the share of their calls that worked, of those whose result is known.
fn known_calls<'a>(run: &Run<'a>) -> impl Iterator<Item = (&'a str, f64)> + use<'a> {
    run.steps.iter().filter(|step| step.n_known > 0).filter_map(|step| match &step.kind {
        StepKind::Tool(name) => {
            Some((name.as_str(), 1.0 - step.n_failed as f64 / step.n_known as f64))
        }
        _ => None,
    })
}

/// Returns a run with only the fields that determine its grade.
fn of_grade(run: &Run<'_>) -> SideRun {
    let &Run { task, grade, ungraded, is_unnamed, .. } = run;
    SideRun { task: task.to_owned(), grade, ungraded, is_unnamed, ..SideRun::default() }
}

/// Returns the group of each task that has one. A group is the first part of the name that differs between tasks, if
/// another part follows. Empty if all tasks are of one group.
fn groups_of(names: BTreeSet<&str>) -> BTreeMap<&str, &str> {
    let mut rests: Vec<(&str, &str)> = names.into_iter().map(|name| (name, name)).collect();
    loop {
        let parts: Vec<Option<(&str, &str)>> = rests.iter().map(|(_, rest)| part(rest)).collect();
        let groups: BTreeSet<&str> = parts.iter().flatten().map(|(group, _)| *group).collect();
        if groups.len() == 1 && parts.iter().all(Option::is_some) {
            let next = rests.iter().zip(parts);
            rests = next.filter_map(|((name, _), part)| Some((*name, part?.1))).collect();
            continue;
        }
        let of = rests.iter().zip(parts).filter_map(|((name, _), part)| Some((*name, part?.0)));
        return if groups.len() > 1 { of.collect() } else { BTreeMap::new() };
    }
}

/// Returns the first part of a name and the rest after the separator.
fn part(name: &str) -> Option<(&str, &str)> {
    let ends = SEPARATORS.iter().filter_map(|separator| name.split_once(separator));
    ends.filter(|(part, rest)| !part.is_empty() && !rest.is_empty())
        .min_by_key(|(part, _)| part.len())
}

/// Returns the p-value of no difference, which is one minus the level of the interval that ends at 0, and the direction
/// of the difference. `None` without an interval.
fn p_value(sample: &Sample<'_>, level: Level) -> Option<(f64, Ordering)> {
    sample.figure(level).ok()?.interval.ok()?;
    let side = |p: f64| sample.side(Level::new(1.0 - p).ok()?);
    let (mut low, mut high) = (1e-12, 1.0);
    if let Some(side) = side(low) {
        return Some((low, side));
    }
    let mut found = Ordering::Equal;
    for _ in 0..40 {
        let middle = (low * high).sqrt();
        match side(middle) {
            Some(side) => (high, found) = (middle, side),
            None => low = middle,
        }
    }
    Some((high, found))
}

/// Corrects the p-values of the groups of all differences for their number.
pub(super) fn correct_all(groups: &mut [Vec<Group>], level: Level) {
    correct(groups.iter_mut().flatten().map(|group| &mut group.verdict).collect(), level);
}

/// Returns the numbers of groups that changed, for the difference.
pub(super) fn fields(groups: &[Group], of: &Of) -> Vec<Field> {
    let [[worse, worse_label], [better, better_label]] = of.counts;
    let n = |test: fn(&Verdict) -> bool| groups.iter().filter(|it| test(&it.verdict)).count();
    match groups {
        [] => Vec::new(),
        _ => vec![
            Field::shown(worse, worse_label, n(Verdict::is_worse)),
            Field::shown(better, better_label, n(|it| it.is_told(Ordering::Greater))),
        ],
    }
}

/// Returns the sentence on the groups that changed.
pub(super) fn sentence(groups: &[Group], second: &str, of: &Of) -> Option<String> {
    let told = |side| {
        let told = groups.iter().filter(|group| group.verdict.is_told(side));
        let told = told.filter_map(|Group { name, difference, .. }| {
            let by = points(difference.as_ref().ok()?);
            Some(format!("{name} (by {by})"))
        });
        told.collect::<Vec<_>>()
    };
    let clause = |(side, word)| {
        let told: Vec<String> = told(side);
        (!told.is_empty()).then(|| format!("{word} {} {}", of.on, listed(&told)))
    };
    let all = format!("{}{}", counted(groups.len(), of.word), of.all);
    let clauses = [(Ordering::Less, "worse"), (Ordering::Greater, "better")];
    let clauses: Vec<String> = clauses.into_iter().filter_map(clause).collect();
    let perhaps_worse = groups.iter().filter(|group| group.verdict.is_worse()).count();
    if clauses.is_empty() && perhaps_worse > 0 {
        return Some(format!(
            "Depending on the outcomes of the runs without a grade, {second} may be worse beyond noise on {perhaps_worse} of {all}; {key} includes these {group}s (--ungraded sets how runs without a grade count).",
            key = of.counts[0][0],
            group = of.word,
        ));
    }
    (!clauses.is_empty()).then(|| {
        format!(
            "Among {all}, {second} is {changes}, beyond noise after correction for the number of {group}s.",
            changes = clauses.join(", and "),
            group = of.word,
        )
    })
}

/// Returns the groups of all differences, each with the name of the second agent.
pub(super) fn rows(
    groups: &[Vec<Group>],
    names: &[String],
    measure: Measure,
    of: &Of,
) -> Option<Field> {
    let (measure, word) = (measure.of_difference(), of.word);
    let is_one = groups.len() == 1;
    let row = |(second, group): (&String, &Group)| {
        let [p, adjusted] = group.verdict.p_values();
        Block::of([
            Field::shown(word, word, group.name.as_str()),
            Field::shown("of", if is_one { "" } else { "agent" }, second.as_str()),
            Field::shown("n_tasks", "tasks", group.n_tasks),
            Field::figure(measure, group.difference.clone()),
            Field::json("p_value", p),
            Field::shown("adjusted_p_value", "adjusted p", adjusted),
            Field::json("is_worse", group.verdict.is_worse()),
            Field::json("is_better", group.verdict.is_told(Ordering::Greater)),
        ])
    };
    let of_each = groups.iter().zip(&names[1..]);
    let rows = of_each.flat_map(|(groups, of)| groups.iter().map(move |group| (of, group)));
    let rows: Vec<Block> = rows.map(row).collect();
    let title = match names {
        [first, second] => format!("{second} minus {first}, {}", of.by),
        _ => format!("Differences to {}, {}", names.first()?, of.by),
    };
    (!rows.is_empty()).then(|| Field::rows(of.key, title, rows))
}
