use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use scoring_rules::{Interval, Level};
use trajectory_metrics::{Arm, Better, ClusterEstimate, Figure, Measure, NoInterval, Undefined};

use crate::{
    compare::side::{BRIER_OF_LAST, LEAST, MOST, Mean, Side, SideRun, Value, means, of_all},
    confidence::{known, mean},
    report::{
        block::{Block, Field},
        sentence::side_of,
    },
};

/// The chance to find a difference that the number of tasks is stated for.
const POWER: f64 = 0.8;
/// No number of tasks is stated for a smaller difference, nor one that is larger, nor one so small that half a task more on
/// either side, which intervals allow for, takes a part of the power.
const LEAST_DIFFERENCE: f64 = 0.01;
const MOST_TASKS_NEEDED: u64 = 100_000;
const FEWEST_TASKS_NEEDED: u64 = 15;

/// What a side has more than the first one.
pub(super) struct Difference<'a> {
    /// The measures that both sides know; that of success comes first.
    found: Vec<(Measure, Sample<'a>, Result<Figure, Undefined>)>,
    /// The differences if the runs without a grade had been the worst for the second side, and the best. `None` if all
    /// runs have a grade.
    ends: Option<[Sample<'a>; 2]>,
    /// The difference of success if runs at a limit are failures; `None` if none of them succeeded.
    at_limit_failed: Option<Sample<'a>>,
    /// The names of both sides, the first one first.
    pub(super) names: [&'a str; 2],
    /// The number of tasks of each side with which a difference of this size would be found.
    pub(super) tasks_needed: Option<u64>,
    /// Whether the difference of success rates is beyond noise, after the correction for several comparisons;
    /// `None` if it has no interval.
    pub(super) is_beyond_noise: Option<bool>,
    /// Whether the second side is worse by some reading of the runs without a grade.
    pub(super) is_worse: Option<bool>,
}

/// Which tasks count.
#[derive(Clone, Copy)]
pub(super) struct Tasks<'a> {
    /// The tasks of the runs that a side no longer has, as they count for nothing.
    pub(super) dropped: [&'a BTreeSet<String>; 2],
    /// Whether only those count that both sides tried.
    pub(super) are_shared: bool,
}

/// The values of both sides that a difference is made of. Each task counts once in the mean of a side, however many runs of
/// it there are.
pub(super) struct Sample<'a> {
    values: Vec<f64>,
    arms: Vec<Arm>,
    tasks: Vec<&'a str>,
    largest_difference: Option<f64>,
    n_shared: usize,
    /// Tasks of each side of which a value is known.
    n_tasks: [usize; 2],
    /// Runs of each side in the difference.
    n_runs: [usize; 2],
    /// Whether some tasks have more runs than others.
    is_uneven: bool,
}

impl<'a> Sample<'a> {
    /// The values of all runs, but those of tasks that both sides tried and of which one has no value; with `are_shared`
    /// alone those of the tasks that both tried.
    fn of(
        sides: [&'a Side; 2],
        of: [Value; 2],
        largest_difference: Option<f64>,
        Tasks { dropped, are_shared }: Tasks<'a>,
    ) -> Self {
        let mut all: BTreeMap<&str, [Vec<f64>; 2]> = BTreeMap::new();
        for (at, (side, value)) in sides.into_iter().zip(of).enumerate() {
            // A planned run of which the log does not say the task is taken for one of the task that the other side has
            // and this one has least runs of: left out of the pairs, it could hide a loss.
            let named = |side: &'a Side| side.runs.iter().filter(|run| !run.is_unnamed);
            let mut own: BTreeMap<&str, usize> =
                named(sides[1 - at]).map(|run| (run.task.as_str(), 0)).collect();
            named(side).for_each(|run| *own.entry(&run.task).or_default() += 1);
            let mut fewest: BTreeSet<_> =
                own.into_iter().map(|(task, runs)| (runs, task)).collect();
            for run in &side.runs {
                let Some(value) = value(run) else { continue };
                let of_other = if run.is_unnamed { fewest.pop_first() } else { None };
                let task = of_other.map_or(run.task.as_str(), |(runs, task)| {
                    fewest.insert((runs + 1, task));
                    task
                });
                all.entry(task).or_default()[at].push(value);
            }
        }
        let [first, second] = sides
            .map(|side| side.runs.iter().map(|run| run.task.as_str()).collect::<BTreeSet<&str>>());
        all.retain(|task, it| {
            let is_tried = (first.contains(task) || dropped[0].contains(*task))
                && (second.contains(task) || dropped[1].contains(*task));
            it.iter().all(|values| !values.is_empty()) || !(is_tried || are_shared)
        });
        let n_tasks = [0, 1].map(|at| all.values().filter(|it| !it[at].is_empty()).count());
        let counts = || all.values().flatten().map(Vec::len).filter(|runs| *runs > 0);
        let mut sample = Self {
            values: Vec::new(),
            arms: Vec::new(),
            tasks: Vec::new(),
            largest_difference,
            n_shared: n_tasks[0] + n_tasks[1] - all.len(),
            n_tasks,
            n_runs: [0, 1].map(|at| all.values().map(|it| it[at].len()).sum()),
            is_uneven: counts().any(|runs| Some(runs) != counts().next()),
        };
        for (task, both) in all {
            for (arm, values) in [Arm::First, Arm::Second].into_iter().zip(both) {
                sample.arms.resize(sample.arms.len() + values.len(), arm);
                sample.tasks.resize(sample.tasks.len() + values.len(), task);
                sample.values.extend(values);
            }
        }
        sample
    }

    /// Whether both sides have all tasks.
    pub(super) fn is_paired(&self) -> bool {
        self.n_tasks == [self.n_shared; 2]
    }

    /// The trials and the successes of both sides on each task that both tried; a value of 1 is a success.
    pub(super) fn counts(&self) -> impl Iterator<Item = (&'a str, [[u64; 2]; 2])> {
        let rows: Vec<usize> = (0..self.values.len()).collect();
        let of_task = |own: &[usize]| {
            let mut counts = [[0; 2]; 2];
            for &row in own {
                let side = usize::from(self.arms[row] == Arm::Second);
                counts[0][side] += 1;
                counts[1][side] += u64::from(self.values[row] == 1.0);
            }
            (self.tasks[own[0]], counts)
        };
        let tasks = rows.chunk_by(|a, b| self.tasks[*a] == self.tasks[*b]).map(of_task);
        tasks.filter(|(_, [trials, _])| !trials.contains(&0)).collect::<Vec<_>>().into_iter()
    }

    /// The mean of each side on each of its tasks.
    fn means(&self) -> (Vec<f64>, Vec<Arm>, Vec<&'a str>) {
        let rows: Vec<usize> = (0..self.values.len()).collect();
        let of = |row: usize| (self.tasks[row], self.arms[row]);
        let means = rows.chunk_by(|a, b| of(*a) == of(*b)).map(|rows| {
            let own: Vec<f64> = rows.iter().map(|row| self.values[*row]).collect();
            // Values of runs are finite, and there is one.
            let mean = mean::<&str>(&own, None).map_or(f64::NAN, |mean| mean.value);
            (mean, self.arms[rows[0]], self.tasks[rows[0]])
        });
        let (mut values, mut arms, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
        for (value, arm, task) in means {
            values.push(value);
            arms.push(arm);
            tasks.push(task);
        }
        (values, arms, tasks)
    }

    /// The mean over tasks of the second side minus that of the first.
    fn estimate(&self) -> Result<ClusterEstimate, trajectory_metrics::Error> {
        let (values, arms, tasks) = self.means();
        ClusterEstimate::difference(&values, &arms, None, &tasks)
    }

    fn ends(&self, level: Level) -> Result<Interval, NoInterval> {
        let Some(most) = self.largest_difference else {
            let found = self.estimate().map_err(|_| NoInterval::Constant)?;
            return found.interval(level).map_err(|_| NoInterval::Constant);
        };
        // On the scale from 0 to 1; values are within 1 - most and 1.
        let shares: Vec<f64> =
            self.values.iter().map(|value| (value + (most - 1.0)) / most).collect();
        let found = ClusterEstimate::proportion_difference(&shares, &self.arms, &self.tasks, level);
        let ends = found.map_err(|_| NoInterval::Constant)?.interval?;
        Ok(Interval::between(most * ends.low(), most * ends.high()))
    }

    /// The side to which the interval leaves out 0.
    pub(super) fn side(&self, level: Level) -> Option<Ordering> {
        let ends = self.ends(level).ok().filter(|ends| !ends.contains(0.0))?;
        ends.low().partial_cmp(&0.0)
    }

    /// The smaller number of tasks of a side in the difference.
    pub(super) fn fewest_tasks(&self) -> usize {
        self.n_tasks[0].min(self.n_tasks[1])
    }

    /// The second side minus the first. With a single task it has no interval, and is known all the same.
    fn figure(&self, level: Level) -> Result<Figure, Undefined> {
        if self.n_tasks == [0; 2] {
            return Err(Undefined::new("no task has a run with a value on both sides"));
        }
        let enough = NoInterval::check_clusters(self.fewest_tasks(), level);
        let figure = match self.estimate() {
            Err(_) if self.fewest_tasks() == 1 => {
                let (values, arms, _) = self.means();
                let of = |arm| {
                    let values = values.iter().zip(&arms).filter(|(_, it)| **it == arm);
                    mean::<&str>(&values.map(|(value, _)| *value).collect::<Vec<_>>(), None)
                };
                Figure::from(of(Arm::Second)?.value - of(Arm::First)?.value)
            }
            found => known(found.map(|found| found.figure(level)))?,
        };
        Ok(Figure { interval: enough.and_then(|()| self.ends(level)), ..figure })
    }

    /// The number of tasks of each side with which a difference of this size would be found at this level.
    fn tasks_needed(&self, level: Level) -> Option<u64> {
        let mut found = self.estimate().ok()?;
        if !self.is_paired() {
            // As if both sides had as many tasks as the one with fewer, and shared none.
            let n = self.fewest_tasks() as f64;
            let (values, arms, own) = self.means();
            let variance = |arm: Arm, tasks: usize| {
                let rows = || (0..values.len()).filter(|row| arms[*row] == arm);
                let values: Vec<f64> = rows().map(|row| values[row]).collect();
                let own: Vec<&str> = rows().map(|row| own[row]).collect();
                let mean = ClusterEstimate::mean(&values, None, &own).ok()?;
                Some(mean.standard_error.powi(2) * tasks as f64 / n)
            };
            let [first, second] = self.n_tasks;
            let sum = variance(Arm::First, first)? + variance(Arm::Second, second)?;
            found.standard_error = sum.sqrt();
            found.clusters = self.fewest_tasks();
            found.degrees_of_freedom = 2.0 * (n - 1.0);
        }
        let is_sensible = found.estimate.abs() >= LEAST_DIFFERENCE;
        let needed = found.clusters_needed(level, POWER).ok().flatten().filter(|_| is_sensible)?;
        let least = FEWEST_TASKS_NEEDED.max(self.fewest_tasks() as u64 + 1);
        (least..=MOST_TASKS_NEEDED).contains(&needed).then_some(needed)
    }

    /// Over which runs the difference is, for a sentence.
    pub(super) fn over(&self) -> String {
        let each = if self.is_uneven { ", each task counting once" } else { "" };
        match self.n_shared {
            1 if self.is_paired() => "on the task that both have,".to_owned(),
            n if self.is_paired() => {
                let each = if self.is_uneven { ", each counting once" } else { "" };
                format!("on the {n} tasks that both have{each},")
            }
            0 => format!("over all runs{each}, as no task is shared,"),
            1 => format!("over all runs{each}, with one task in common,"),
            n => format!(
                "over all runs{each}, with {n} tasks in common (--shared compares on these),"
            ),
        }
    }
}

impl<'a> Difference<'a> {
    /// The second side minus the first.
    pub(super) fn new(
        sides: [&'a Side; 2],
        names: [&'a str; 2],
        is_partial: bool,
        tasks: Tasks<'a>,
        level: Level,
    ) -> Self {
        let of = |mean: &Mean| {
            let has = |side: &Side| side.runs.iter().any(|run| (mean.value)(run).is_some());
            // What one side lacks is no figure of theirs, except success, which was asked for.
            let is_wanted =
                sides.iter().all(|side| has(side)) || mean.largest_difference == Some(1.0);
            is_wanted.then(|| {
                let most = mean.largest_difference;
                let sample = Sample::of(sides, [mean.value; 2], most, tasks);
                let figure = sample.figure(level);
                (mean.measure, sample, figure)
            })
        };
        let found = means(is_partial).filter_map(of).collect();
        let is_ungraded = |side: &&Side| side.runs.iter().any(|run| run.grade.is_none());
        let of = |values| Sample::of(sides, values, Some(1.0), tasks);
        let ends = sides.iter().any(is_ungraded).then(|| [of([MOST, LEAST]), of([LEAST, MOST])]);
        let passed = |run: &SideRun| run.fails_at_limit() && run.grade > Some(0.0);
        let is_changed = sides.iter().any(|side| side.runs.iter().any(passed));
        let failed: Value = |run| if run.fails_at_limit() { Some(0.0) } else { run.grade };
        Self {
            found,
            ends,
            at_limit_failed: is_changed.then(|| of([failed; 2])),
            names,
            tasks_needed: None,
            is_beyond_noise: None,
            is_worse: None,
        }
    }

    /// The difference of the runs with a grade, and those of all runs at either end of what the others could have been.
    pub(super) fn readings(&self) -> impl Iterator<Item = &Sample<'a>> {
        std::iter::once(self.of_success().0).chain(self.ends.iter().flatten())
    }

    /// The side to which the difference leaves out 0, whatever the runs without a grade would have been.
    fn beyond(&self, level: Level) -> Option<Ordering> {
        let mut sides = self.readings().map(|sample| sample.side(level));
        let first = sides.next()??;
        sides.all(|side| side == Some(first)).then_some(first)
    }

    /// The interval of the difference over all runs, whatever those without a grade would have been; `None` if all
    /// have one.
    pub(super) fn of_all(&self, level: Level) -> Option<Result<Interval, NoInterval>> {
        let [least, most] = self.ends.as_ref()?;
        let ends = |sample: &Sample<'_>, level| {
            NoInterval::check_clusters(sample.fewest_tasks(), level)?;
            sample.ends(level)
        };
        let of = || {
            let estimate = |it: &Sample<'_>| it.estimate().map_err(|_| NoInterval::Constant);
            ends(least, level)?;
            let level = ClusterEstimate::bounds_level(&estimate(least)?, &estimate(most)?, level);
            Ok(Interval::between(least.ends(level)?.low(), most.ends(level)?.high()))
        };
        Some(of())
    }

    /// The difference of success rates, and what it is over.
    pub(super) fn of_success(&self) -> (&Sample<'a>, &Result<Figure, Undefined>) {
        let (_, sample, figure) = &self.found[0];
        (sample, figure)
    }

    /// The side that succeeds more often in the difference.
    pub(super) fn better(&self) -> &str {
        let is_second = self.of_success().1.as_ref().is_ok_and(|found| found.value > 0.0);
        self.names[usize::from(is_second)]
    }

    /// An interval of the second side minus the first, as one of the better side minus the other.
    pub(super) fn towards_better(&self, ends: Interval) -> Interval {
        match self.better() == self.names[1] {
            true => ends,
            false => Interval::between(-ends.high(), -ends.low()),
        }
    }

    /// The difference of success if runs at a limit are failures, where that changes it.
    pub(super) fn at_limit_failed(&self, level: Level) -> Option<Figure> {
        self.at_limit_failed.as_ref()?.figure(level).ok()
    }

    /// How the runs of both sides belong together.
    pub(super) fn pairing(&self) -> String {
        let sample = self.of_success().0;
        sample.over().trim_end_matches(',').to_owned()
    }

    /// The measures of which the interval of the difference leaves out 0. The Brier score is none of them, as most of a
    /// difference of it can be that one side succeeds more often; nor are those of which the sides, over all their tasks,
    /// differ in the other direction: there the value of the worse side would be marked.
    pub(super) fn decided(
        &self,
        of_side: impl Fn(usize, &str) -> Option<f64>,
    ) -> Vec<&'static str> {
        let decided = self.found.iter().filter(|(measure, _, found)| {
            let is_success = *measure == self.found[0].0;
            measure.better != Better::Neither
                && measure.key != BRIER_OF_LAST
                && (!is_success || self.is_beyond_noise == Some(true))
                && found.as_ref().is_ok_and(|found| {
                    let sides = of_side(1, measure.key).zip(of_side(0, measure.key));
                    let apart = sides.map_or(0.0, |(second, first)| second - first);
                    is_beyond(found) && apart * found.value > 0.0
                })
        });
        decided.map(|(measure, ..)| measure.key).collect()
    }

    pub(super) fn block(&self, title: String, level: Level) -> Block {
        let (sample, success) = self.of_success();
        let is_better = self.is_beyond_noise.map(|is_beyond| {
            let found = success.as_ref().ok().and_then(|found| side_of(found, 0.0));
            is_beyond && found == Some(Ordering::Greater)
        });
        let counts = self.found.iter().map(|(measure, sample, _)| {
            Field::block(
                measure.key,
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
            Field::json("n_tasks_needed", self.tasks_needed),
        ]);
        block.title = title;
        for (at, (measure, _, found)) in self.found.iter().enumerate() {
            block.fields.push(Field::figure(measure.of_difference(), found.clone()));
            if let (0, Some(ends)) = (at, self.of_all(level)) {
                let ends = ends.map_err(|reason| Undefined::new(reason.to_string()));
                block.fields.push(Field::bounds(of_all(*measure).of_difference(), ends));
            }
        }
        block.fields.push(Field::block("counts", Block::of(counts)));
        block.push_reasons();
        for (measure, other, _) in &self.found[1..] {
            if (other.n_runs, other.n_shared) != (sample.n_runs, sample.n_shared) {
                let [first, second] = other.n_runs;
                block.notes.get_or_insert_default().push(format!(
                    "{}: {} {first} and {second} runs with a value",
                    measure.key,
                    other.over()
                ));
            }
        }
        block
    }
}

/// Whether a figure has an interval that leaves out 0.
pub(super) fn is_beyond(figure: &Figure) -> bool {
    side_of(figure, 0.0).is_some_and(Ordering::is_ne)
}

/// Marks the differences of success rates that are beyond noise, after Holm: from the clearest on, each has to
/// be so at an error rate that those that are left share. The others get the number of tasks that would be needed.
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
        let is_worse = difference.beyond(level) == Some(Ordering::Less);
        // A gate fails safe: some reading of the runs without a grade is enough.
        let by_some = difference.ends.is_some()
            && difference.readings().any(|it| it.side(level) == Some(Ordering::Less));
        difference.is_worse =
            difference.is_beyond_noise.map(|is_beyond| is_beyond && is_worse || by_some);
        if difference.is_beyond_noise == Some(false) {
            difference.tasks_needed = difference.of_success().0.tasks_needed(strictest);
        }
    }
}
