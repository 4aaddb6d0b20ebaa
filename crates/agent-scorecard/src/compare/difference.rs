use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use scoring_rules::{Interval, Level};
use trajectory_metrics::{
    Arm, Better, Figure, NoInterval, Undefined,
    estimates::{self, SHARE},
};

use crate::{
    compare::{
        measures::{
            BRIER, COST_RATIO, GRADE, LEAST, MOST, Mean, NO_LOGARITHM, TOKENS_RATIO, Value, means,
            of_all,
        },
        side::Side,
        side_runs::Run,
    },
    report::{
        block::{Block, Field, Position},
        sentence::side_of,
    },
};

/// The power of the test for which the number of tasks is stated.
const POWER: f64 = 0.8;
/// The smallest difference for which a number of tasks is stated, and the largest number that is stated.
const LEAST_DIFFERENCE: f64 = 0.01;
const MOST_TASKS_NEEDED: u64 = 100_000;

/// The difference between one agent and the first agent.
pub(super) struct Difference<'a> {
    /// The measures with a value for both agents; the measure of success comes first.
    found: Vec<(&'static Mean, Sample<'a>, Result<Figure, Undefined>)>,
    /// The differences under the lowest and the highest missing grades for the second agent. `None` if all runs have a
    /// grade.
    ends: Option<[Sample<'a>; 2]>,
    /// The difference of success rates with runs at a limit counted as failures; `None` if none of them succeeded.
    at_limit_failed: Option<Sample<'a>>,
    /// The names of both agents, the first one first.
    pub(super) names: [&'a str; 2],
    /// The number of tasks per agent needed to find a difference of the observed size, and one at the far bound of the
    /// interval.
    pub(super) tasks_needed: [Option<u64>; 2],
    /// The difference in points given by `--detect`, and the number of tasks needed to find it.
    pub(super) detect: Option<(f64, Option<u64>)>,
    /// The difference over the shared tasks, where all runs count and some tasks are shared.
    of_shared: Option<Sample<'a>>,
    /// Whether the difference of success rates is beyond noise, after the correction for several comparisons;
    /// `None` if it has no interval.
    pub(super) is_beyond_noise: Option<bool>,
    /// Whether the second agent is worse under at least one assumption about the runs without a grade.
    pub(super) is_worse: Option<bool>,
}

/// The tasks that a difference includes.
#[derive(Clone, Copy)]
pub(super) struct Tasks<'a> {
    /// The tasks of the runs that each agent loses because these runs are excluded.
    pub(super) dropped: [&'a BTreeSet<String>; 2],
    /// Whether only tasks that both agents tried count.
    pub(super) are_shared: bool,
}

/// The values of both agents that a difference compares. Each task counts once in the mean of an agent, regardless of
/// its number of runs.
pub(super) struct Sample<'a> {
    /// The second agent's mean minus the first agent's.
    found: Result<estimates::Difference, Undefined>,
    counts: Vec<(&'a str, [[u64; 2]; 2])>,
    n_shared: usize,
    /// The number of tasks of each agent with a known value.
    n_tasks: [usize; 2],
    /// The number of runs of each agent in the difference.
    n_runs: [usize; 2],
    /// Whether some tasks have more runs than others.
    is_uneven: bool,
    /// Whether no run of an agent has a task.
    lacks_tasks: bool,
}

impl<'a> Sample<'a> {
    /// Collects the values of all runs, except for tasks that both agents tried and for which one of them has no value.
    /// With `are_shared`, only tasks that both agents tried count.
    pub(super) fn of(
        sides: [&'a Side; 2],
        of: [Value; 2],
        range: [f64; 2],
        Tasks { dropped, are_shared }: Tasks<'_>,
    ) -> Self {
        let mut all: BTreeMap<&str, [Vec<f64>; 2]> = BTreeMap::new();
        for (at, (side, value)) in sides.into_iter().zip(of).enumerate() {
            // If the log does not state the task of a planned run, the run is assigned to the other agent's task with
            // the fewest runs of this agent. Excluded from the pairs, it could hide a loss.
            let mut own: BTreeMap<&str, usize> =
                sides[1 - at].named().map(|run| (run.task, 0)).collect();
            side.named().for_each(|run| *own.entry(run.task).or_default() += 1);
            let mut fewest: BTreeSet<_> =
                own.into_iter().map(|(task, runs)| (runs, task)).collect();
            for run in side.runs.iter() {
                let Some(value) = value(&run) else { continue };
                let of_other = if run.is_unnamed { fewest.pop_first() } else { None };
                let task = of_other.map_or(run.task, |(runs, task)| {
                    fewest.insert((runs + 1, task));
                    task
                });
                all.entry(task).or_default()[at].push(value);
            }
        }
        let [first, second] =
            sides.map(|side| side.runs.iter().map(|run| run.task).collect::<BTreeSet<&str>>());
        all.retain(|task, it| {
            let is_tried = (first.contains(task) || dropped[0].contains(*task))
                && (second.contains(task) || dropped[1].contains(*task));
            it.iter().all(|values| !values.is_empty()) || !(is_tried || are_shared)
        });
        let n_tasks = [0, 1].map(|at| all.values().filter(|it| !it[at].is_empty()).count());
        let sizes = || all.values().flatten().map(Vec::len).filter(|runs| *runs > 0);
        let (mut values, mut arms, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
        for (task, both) in &all {
            for (arm, own) in [Arm::First, Arm::Second].into_iter().zip(both) {
                arms.resize(arms.len() + own.len(), arm);
                tasks.resize(tasks.len() + own.len(), *task);
                values.extend(own);
            }
        }
        let of_task = |both: &[Vec<f64>; 2]| {
            let successes = |own: &Vec<f64>| own.iter().filter(|value| **value == 1.0).count();
            [[0, 1].map(|at| both[at].len() as u64), [0, 1].map(|at| successes(&both[at]) as u64)]
        };
        let both_tried = all.iter().filter(|(_, both)| both.iter().all(|own| !own.is_empty()));
        let counts = both_tried.map(|(task, both)| (*task, of_task(both))).collect();
        let found = match n_tasks {
            [0, 0] => Err(Undefined::new("no task has a value for each of the two agents")),
            _ if values.contains(&f64::NEG_INFINITY) => Err(Undefined::new(NO_LOGARITHM)),
            _ => estimates::Difference::new(&values, &arms, &tasks, range)
                .map_err(|error| Undefined::new(error.to_string())),
        };
        Self {
            found,
            counts,
            n_shared: n_tasks[0] + n_tasks[1] - all.len(),
            n_tasks,
            n_runs: [0, 1].map(|at| all.values().map(|it| it[at].len()).sum()),
            is_uneven: sizes().any(|runs| Some(runs) != sizes().next()),
            lacks_tasks: sides
                .iter()
                .any(|side| side.without_task > 0 && side.without_task >= side.runs.len()),
        }
    }

    /// Returns whether both agents tried all tasks.
    pub(super) fn is_paired(&self) -> bool {
        self.n_shared > 0 && self.n_tasks == [self.n_shared; 2]
    }

    /// Returns the trials and the successes of both agents on each task that both tried; a value of 1 is a success.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&'a str, [[u64; 2]; 2])> {
        self.counts.iter().copied()
    }

    /// Returns the smaller one of the agents' numbers of tasks in the difference.
    pub(super) fn fewest_tasks(&self) -> usize {
        self.n_tasks[0].min(self.n_tasks[1])
    }

    /// Returns the second agent's mean minus the first agent's.
    pub(super) fn figure(&self, level: Level) -> Result<Figure, Undefined> {
        self.found.as_ref().map(|found| found.figure(level)).map_err(Undefined::clone)
    }

    /// Returns the direction of the difference, if its interval excludes 0.
    pub(super) fn side(&self, level: Level) -> Option<Ordering> {
        side_of(&self.figure(level).ok()?, 0.0).filter(|side| side.is_ne())
    }

    /// Returns the number of tasks per agent needed to find a difference of this size at this level.
    fn tasks_needed(&self, level: Level, size: f64) -> Option<u64> {
        if size < LEAST_DIFFERENCE {
            return None;
        }
        let found = self.found.as_ref().ok()?;
        found.clusters_needed(level, POWER, size).ok()?.filter(|it| *it <= MOST_TASKS_NEEDED)
    }

    /// Names the runs that the difference covers, for a sentence.
    pub(super) fn over(&self) -> String {
        let each = if self.is_uneven { ", each task counting once" } else { "" };
        match self.n_shared {
            1 if self.is_paired() => "on the task that both agents have,".to_owned(),
            n if self.is_paired() => {
                let each = if self.is_uneven { ", each counting once" } else { "" };
                format!("on the {n} tasks that both agents have{each},")
            }
            0 if self.lacks_tasks => format!("over all runs{each}, because runs have no task,"),
            0 => format!("over all runs{each}, because no task is shared,"),
            1 => format!("over all runs{each}, with one task in common,"),
            n => format!(
                "over all runs{each}, with {n} tasks in common (--shared compares only these),"
            ),
        }
    }
}

impl<'a> Difference<'a> {
    /// Computes the second agent's values minus the first agent's.
    pub(super) fn new(
        sides: [&'a Side; 2],
        names: [&'a str; 2],
        is_partial: bool,
        tasks: Tasks<'a>,
        detect: Option<f64>,
        level: Level,
    ) -> Self {
        let of = |mean: &'static Mean| {
            let has = |side: &Side| side.runs.iter().any(|run| (mean.value)(&run).is_some());
            // What one side lacks is no figure of theirs, except success, which was asked for.
            let is_wanted = sides.iter().all(|side| has(side)) || mean.is_success();
            let sample = is_wanted.then(|| Sample::of(sides, [mean.value; 2], mean.range, tasks));
            // Nor is a value that is left on one side only.
            let sample = sample.filter(|it| !it.n_runs.contains(&0) || mean.is_success())?;
            let found = sample.figure(level);
            let figure = found.map(|it| if mean.times.is_some() { it.exp() } else { it });
            Some((mean, sample, figure))
        };
        let found = means(is_partial).filter_map(of).collect();
        let is_ungraded = |side: &&Side| side.runs.iter().any(|run| run.grade.is_none());
        let of = |values| Sample::of(sides, values, SHARE, tasks);
        let ends = sides.iter().any(is_ungraded).then(|| [of([MOST, LEAST]), of([LEAST, MOST])]);
        let passed = |run: Run<'_>| run.fails_at_limit() && run.grade > Some(0.0);
        let is_changed = sides.iter().any(|side| side.runs.iter().any(passed));
        let failed: Value = |run| if run.fails_at_limit() { Some(0.0) } else { run.grade };
        Self {
            found,
            ends,
            at_limit_failed: is_changed.then(|| of([failed; 2])),
            names,
            tasks_needed: [None; 2],
            detect: detect.map(|points| (points, None)),
            of_shared: (!tasks.are_shared)
                .then(|| Sample::of(sides, [GRADE; 2], SHARE, Tasks { are_shared: true, ..tasks })),
            is_beyond_noise: None,
            is_worse: None,
        }
    }

    /// Returns the difference over the runs with a grade, and the differences over all runs for the lowest and the
    /// highest possible missing grades.
    pub(super) fn readings(&self) -> impl Iterator<Item = &Sample<'a>> {
        std::iter::once(self.of_success().0).chain(self.ends.iter().flatten())
    }

    /// Returns the direction of the difference, if it excludes 0 for all possible missing grades.
    fn beyond(&self, level: Level) -> Option<Ordering> {
        let mut sides = self.readings().map(|sample| sample.side(level));
        let first = sides.next()??;
        sides.all(|side| side == Some(first)).then_some(first)
    }

    /// Returns the interval of the difference over all runs for all possible missing grades; `None` if all runs have a
    /// grade.
    pub(super) fn of_all(&self, level: Level) -> Option<Result<Interval, NoInterval>> {
        let [least, most] = self.ends.as_ref()?;
        let ends =
            estimates::between(|level| least.figure(level), |level| most.figure(level), level);
        Some(ends.unwrap_or(Err(NoInterval::Constant)))
    }

    /// Returns the difference of success rates, and its sample.
    pub(super) fn of_success(&self) -> (&Sample<'a>, &Result<Figure, Undefined>) {
        let (_, sample, figure) = &self.found[0];
        (sample, figure)
    }

    /// Returns the agent with more successes in the difference.
    pub(super) fn better(&self) -> &str {
        let is_second = self.of_success().1.as_ref().is_ok_and(|found| found.value > 0.0);
        self.names[usize::from(is_second)]
    }

    /// Converts an interval of the second agent minus the first to one of the better agent minus the other.
    pub(super) fn towards_better(&self, ends: Interval) -> Interval {
        match self.better() == self.names[1] {
            true => ends,
            false => Interval::between(-ends.high(), -ends.low()),
        }
    }

    /// Returns the difference of success if runs at a limit count as failures, provided that this changes it.
    pub(super) fn at_limit_failed(&self, level: Level) -> Option<Figure> {
        self.at_limit_failed.as_ref()?.figure(level).ok()
    }

    /// Returns the number of shared tasks and the difference over them, if its conclusion differs from that over all
    /// runs.
    pub(super) fn of_shared(&self, level: Level) -> Option<(usize, Figure)> {
        let (sample, found) = self.of_success();
        let of_shared = self.of_shared.as_ref().filter(|it| it.n_shared > 0 && !sample.is_paired());
        let figure = of_shared?.figure(level).ok()?;
        let says = |figure: &Figure| side_of(figure, 0.0);
        let is_other = says(&figure).is_some() && says(&figure) != says(found.as_ref().ok()?);
        is_other.then_some((sample.n_shared, figure))
    }

    /// Returns the ratio of the second agent's use to the first agent's for a typical run, with its sample. The unit is
    /// US dollars, or tokens if these are known for more tasks.
    pub(super) fn times_spent(&self) -> Option<(&'static str, &Sample<'a>, Figure)> {
        let of = |key| {
            let found = self.found.iter().find(|it| it.0.times.is_some_and(|it| it.key == key));
            let (_, sample, figure) = found?;
            let figure = figure.as_ref().ok().filter(|it| it.interval.is_ok())?;
            Some((key, sample, *figure))
        };
        let (cost, tokens) = (of(COST_RATIO), of(TOKENS_RATIO));
        let n = |found: &Option<(_, &Sample<'a>, _)>| {
            found.as_ref().map_or(0, |it| it.1.fewest_tasks())
        };
        if n(&cost) >= n(&tokens) { cost } else { tokens }
    }

    /// Describes how the runs of both agents are paired.
    pub(super) fn pairing(&self) -> String {
        let sample = self.of_success().0;
        sample.over().trim_end_matches(',').to_owned()
    }

    /// Returns the measures for which the interval of the difference excludes 0, or of the ratio 1. The Brier score is
    /// excluded, because most of its difference can come from different success rates. Means of use are excluded,
    /// because a few runs may dominate them; the typical run covers these. Measures are also excluded if the agents
    /// differ in the other direction over all their tasks, because the value of the worse agent would be marked.
    pub(super) fn decided(
        &self,
        of_side: impl Fn(usize, &str) -> Option<f64>,
    ) -> Vec<&'static str> {
        let decided = self.found.iter().filter(|(mean, _, found)| {
            let measure = mean.measure;
            // Where nothing is gained or lost; of a ratio, its logarithm.
            let gained = |found: &Figure| match mean.times {
                Some(_) => found.value.ln(),
                None => found.value,
            };
            measure.better != Better::Neither
                && measure != BRIER.measure
                && !mean.is_spending()
                && (!mean.is_success() || self.is_beyond_noise == Some(true))
                && found.as_ref().is_ok_and(|found| {
                    let sides = of_side(1, measure.key).zip(of_side(0, measure.key));
                    let apart = sides.map_or(0.0, |(second, first)| second - first);
                    let even = if mean.times.is_some() { 1.0 } else { 0.0 };
                    side_of(found, even).is_some_and(Ordering::is_ne) && apart * gained(found) > 0.0
                })
        });
        decided.map(|(mean, ..)| mean.measure.key).collect()
    }

    pub(super) fn block(&self, title: String, level: Level) -> Block {
        let (sample, success) = self.of_success();
        let is_better = self.is_beyond_noise.map(|is_beyond| {
            let found = success.as_ref().ok().and_then(|found| side_of(found, 0.0));
            is_beyond && found == Some(Ordering::Greater)
        });
        let key = |mean: &Mean| mean.times.unwrap_or(mean.measure).key;
        let counts = self.found.iter().map(|(mean, sample, _)| {
            Field::block(
                key(mean),
                Block::of([
                    Field::json("n_tasks", sample.n_tasks.to_vec()),
                    Field::json("n_runs", sample.n_runs.to_vec()),
                ]),
            )
        });
        let mut block = Block::of([
            Field::json("of", self.names[1]),
            Field::json("minus", self.names[0]),
            Field::json("is_paired", sample.is_paired()),
            Field::json("n_shared_tasks", sample.n_shared),
            Field::json("is_beyond_noise", self.is_beyond_noise),
            Field::json("is_worse", self.is_worse),
            Field::json("is_better", is_better),
            Field::json("n_tasks_needed", self.tasks_needed[0]),
            Field::json("n_tasks_needed_at_best", self.tasks_needed[1]),
            Field::json("n_tasks_to_detect", self.detect.and_then(|(_, tasks)| tasks)),
        ]);
        block.title = title;
        for (at, (mean, _, found)) in self.found.iter().enumerate() {
            let measure = mean.times.unwrap_or_else(|| mean.measure.of_difference());
            block.fields.push(Field::figure(measure, found.clone()));
            if let (0, Some(ends)) = (at, self.of_all(level)) {
                let ends = ends.map_err(|reason| Undefined::new(reason.to_string()));
                block.fields.push(Field::bounds(of_all(mean.measure).of_difference(), ends));
            }
        }
        block.fields.push(Field::block("counts", Block::of(counts)));
        block.push_reasons();
        for (mean, other, _) in &self.found[1..] {
            if (other.n_runs, other.n_shared) != (sample.n_runs, sample.n_shared) {
                let [first, second] = other.n_runs;
                block.say(
                    Position::Note,
                    [format!(
                        "{measure}: {on_tasks} computed from the agents' {first} and {second} runs with a value",
                        measure = key(mean),
                        on_tasks = other.over(),
                    )],
                );
            }
        }
        block
    }
}

/// Returns whether a figure has an interval that excludes 0.
pub(super) fn is_beyond(figure: &Figure) -> bool {
    side_of(figure, 0.0).is_some_and(Ordering::is_ne)
}

/// Marks the differences of success rates that are beyond noise, with Holm's correction: in order of decreasing
/// evidence, each is tested at the error rate divided by the number of remaining differences. The others get the number
/// of tasks needed.
pub(super) fn holm(differences: &mut [Difference<'_>], level: Level) {
    let stricter =
        |left: usize| Level::new(1.0 - (1.0 - level.get()) / left as f64).unwrap_or(level);
    for difference in differences.iter_mut() {
        let (_, found) = difference.of_success();
        let has_interval = found.as_ref().is_ok_and(|found| found.interval.is_ok());
        difference.is_beyond_noise = has_interval.then_some(false);
    }
    for left in (1..=differences.len()).rev() {
        let next = differences.iter_mut().find(|difference| {
            difference.is_beyond_noise == Some(false) && difference.beyond(stricter(left)).is_some()
        });
        let Some(difference) = next else { break };
        difference.is_beyond_noise = Some(true);
    }
    let strictest = stricter(differences.len());
    for difference in differences {
        if let Some((points, _)) = difference.detect {
            let tasks = difference.of_success().0.tasks_needed(strictest, points / 100.0);
            difference.detect = Some((points, tasks));
        }
        let is_worse = difference.beyond(level) == Some(Ordering::Less);
        // A gate fails safe: some reading of the runs without a grade is enough.
        let by_some = difference.ends.is_some()
            && difference.readings().any(|it| it.side(level) == Some(Ordering::Less));
        difference.is_worse =
            difference.is_beyond_noise.map(|is_beyond| is_beyond && is_worse || by_some);
        if difference.is_beyond_noise == Some(false) {
            let (sample, found) = difference.of_success();
            let Ok(found) = found else { continue };
            // Fewer tasks than there are did not find it.
            let more = sample.fewest_tasks() as u64 + 1;
            let ends = found.interval.map_or(0.0, |ends| ends.high().max(-ends.low()));
            difference.tasks_needed = [found.value.abs(), ends]
                .map(|size| sample.tasks_needed(strictest, size).filter(|needed| *needed >= more));
        }
    }
}
