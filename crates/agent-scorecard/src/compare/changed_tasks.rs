//! Tests for tasks that changed between the first agent and another one.
//!
//! The trials of a task are independent given the task, so its two rates have an exact test, corrected for the number of
//! tasks with enough trials.
//!
//! Reference: Boschloo (1970), doi:10.1111/j.1467-9574.1970.tb00104.x; Benjamini and Hochberg (1995),
//! doi:10.1111/j.2517-6161.1995.tb02031.x; Tarone (1990), A modified Bonferroni method for discrete data, Biometrics 46,
//! 515-522, doi:10.2307/2531456 (tests that cannot reach the level do not count).

use std::{cmp::Ordering, collections::BTreeMap};

use scoring_rules::Level;
use trajectory_metrics::{Figure, NoInterval, Undefined, boschloo_test};

use crate::{
    compare::{
        difference::Difference,
        measures::SUCCESS,
        side::Side,
        verdict::{Verdict, correct, listed},
    },
    metrics::mean,
    natural::{natural, natural_order},
    report::{
        block::{Block, Field, MadeRows},
        sentence::counted,
    },
};

/// The maximum number of tasks in a table. Further tasks appear only in the JSON object.
const MOST_TASKS: usize = 30;

/// The counts of both agents on a task that both tried.
#[derive(Clone, Copy)]
struct Counts {
    trials: [u64; 2],
    successes: [u64; 2],
}

impl Counts {
    fn rate(&self, side: usize) -> f64 {
        self.successes[side] as f64 / self.trials[side] as f64
    }

    /// Returns the order of the second agent's rate relative to the first agent's.
    fn side(&self) -> Ordering {
        let [first, second] = [0, 1].map(|side| self.successes[side] * self.trials[1 - side]);
        second.cmp(&first)
    }

    /// Returns the p-value of equal rates; `None` if no outcome of these trials could be significant at this level.
    fn p_value(&self, level: Level) -> Option<f64> {
        let of = |successes| boschloo_test(self.trials, successes).ok();
        of([self.trials[0], 0]).filter(|least| *least <= 1.0 - level.get())?;
        of(self.successes)
    }
}

/// The result on a task that both agents tried.
#[derive(Default)]
struct Task {
    /// The trials and successes of the runs with a grade; `None` if one agent has none.
    counts: Option<Counts>,
    verdict: Verdict,
}

/// The tasks that both agents of a difference tried.
pub(super) struct Changes<'a> {
    names: [&'a str; 2],
    tasks: BTreeMap<&'a str, Task>,
    is_partial: bool,
}

/// Returns the tasks of each difference; all of them form one family of tests. Tasks with scores between 0 and 1 are not
/// tested.
pub(super) fn changes<'a>(
    differences: &[Difference<'a>],
    is_partial: bool,
    level: Level,
) -> Vec<Changes<'a>> {
    // Tasks have few trials, so that most outcomes have been seen.
    let mut known = BTreeMap::new();
    let mut changes: Vec<Changes<'a>> = Vec::new();
    for difference in differences {
        let mut tasks: BTreeMap<&str, Task> = BTreeMap::new();
        for (at, sample) in difference.readings().enumerate().filter(|_| !is_partial) {
            for (name, [trials, successes]) in sample.counts() {
                let counts = Counts { trials, successes };
                let task = tasks.entry(name).or_default();
                if at == 0 {
                    task.counts = Some(counts);
                }
                let key = (counts.trials, counts.successes);
                let p = *known.entry(key).or_insert_with(|| counts.p_value(level));
                // Of a million tasks tried once, nothing is kept.
                if p.is_some() || task.verdict.is_tested() {
                    task.verdict.push(at, p.map(|p| (p, counts.side())));
                }
            }
        }
        changes.push(Changes { names: difference.names, tasks, is_partial });
    }
    let tasks = changes.iter_mut().flat_map(|it| it.tasks.values_mut());
    let tested = tasks.map(|task| &mut task.verdict).filter(|verdict| verdict.is_tested());
    correct(tested.collect(), level);
    changes
}

impl Changes<'_> {
    /// Returns the number of tasks that have enough trials.
    pub(super) fn n_tested(&self) -> usize {
        self.tasks.values().filter(|task| task.verdict.is_tested()).count()
    }

    fn count(&self, test: impl Fn(&Verdict) -> bool) -> usize {
        self.tasks.values().filter(|task| test(&task.verdict)).count()
    }

    /// Returns the raw and the adjusted p-value of a task.
    fn p_values(&self, task: &str) -> [Option<f64>; 2] {
        self.tasks.get(task).map_or([None; 2], |task| task.verdict.p_values())
    }

    /// Returns the numbers of tasks that changed, for the difference.
    pub(super) fn fields(&self) -> ([Field; 3], Option<String>) {
        let n_tested = self.n_tested();
        let count = |key, label, test: fn(&Verdict) -> bool| match n_tested {
            0 => Field::json(key, ()),
            _ => Field::shown(key, label, self.count(test)),
        };
        let fields = [
            Field::json("n_tasks_tested", n_tested),
            count("tasks_worse", "tasks that are worse beyond noise", Verdict::is_worse),
            count("tasks_better", "tasks that are better beyond noise", |it| {
                it.is_told(Ordering::Greater)
            }),
        ];
        let reason = match self.is_partial {
            true => {
                "some scores are between 0 and 1, but the test needs successes and failures; --success-at sets the lowest score that counts as a success"
            }
            false => "no task has enough trials of both agents",
        };
        let note = format!("tasks_worse and tasks_better: undefined, because {reason}");
        (fields, (n_tested == 0).then_some(note))
    }

    /// States which tasks changed, or that no task has enough trials for a test.
    pub(super) fn sentence(&self, difference: &Difference<'_>) -> Option<String> {
        let [first, second] = self.names;
        let told = |side| {
            let tasks = self.tasks.iter().filter(move |(_, task)| task.verdict.is_told(side));
            let mut tasks: Vec<(&str, Counts)> =
                tasks.filter_map(|(name, task)| Some((*name, task.counts?))).collect();
            tasks.sort_by_cached_key(|(name, _)| natural(name));
            tasks
        };
        let [worse, better] = [Ordering::Less, Ordering::Greater].map(told);
        let (n, n_tested) = (self.tasks.len(), self.n_tested());
        if n_tested == 0 {
            return self.untold();
        }
        if worse.is_empty() && better.is_empty() {
            let perhaps_worse = self.count(Verdict::is_worse);
            return (perhaps_worse > 0).then(|| {
                format!(
                    "Depending on the outcomes of the runs without a grade, {second} may be worse than {first} beyond noise on {perhaps_worse} of {tasks}; tasks_worse includes these tasks (--ungraded sets how runs without a grade count).",
                    tasks = counted(n, "task"),
                )
            });
        }
        let of = [first, second];
        let clauses: Vec<String> = [(&worse, Ordering::Less), (&better, Ordering::Greater)]
            .into_iter()
            .filter(|(tasks, _)| !tasks.is_empty())
            .enumerate()
            .map(|(at, (tasks, side))| {
                let counts: Vec<Counts> = tasks.iter().map(|(_, counts)| *counts).collect();
                let names = listed(&tasks.iter().map(|(name, _)| *name).collect::<Vec<_>>());
                let [from, to] = [0, 1].map(|it| {
                    let with = if at == 0 { format!(" with {}", of[it]) } else { String::new() };
                    format!("{}{with}", rates(&counts, it, (it == 0) == side.is_lt(), at + it == 0))
                });
                let of_tasks =
                    if at == 0 { format!(" of {}", counted(n, "task")) } else { String::new() };
                let changed = tasks.len();
                format!("{changed}{of_tasks} ({names}) went from {from} to {to}")
            })
            .collect();
        let number_of_tests = match n_tested == n {
            true => "the number of tasks".to_owned(),
            false => format!("the {} with enough trials", counted(n_tested, "task")),
        };
        Some(format!(
            "{changed_tasks}, beyond noise after correction for {number_of_tests}{hidden_by_rate}.",
            changed_tasks = clauses.join(", and "),
            hidden_by_rate = hidden(difference, !worse.is_empty(), !better.is_empty()),
        ))
    }

    /// States the numbers of tasks with different rates, if there are too few trials to test any task.
    fn untold(&self) -> Option<String> {
        let counts = || self.tasks.values().filter_map(|task| task.counts);
        let [lost, gained] = [Ordering::Less, Ordering::Greater]
            .map(|side| counts().filter(|it| it.side() == side).count());
        if lost + gained == 0 {
            return None;
        }
        let [first, second] = self.names;
        Some(match counts().all(|it| it.trials == [1, 1]) {
            true => format!(
                "{tasks_were} solved only by {first}, {gained} only by {second}; with one trial of each agent, it is not known which of these tasks really changed.",
                tasks_were =
                    if lost == 1 { "1 task was".to_owned() } else { format!("{lost} tasks were") },
            ),
            false => format!(
                "{first} did better on {tasks}, {second} on {gained}; each task has too few trials to tell which of these tasks really changed.",
                tasks = counted(lost, "task"),
            ),
        })
    }
}

/// Relates the difference over all tasks to the tasks that are worse or better.
fn hidden(difference: &Difference<'_>, is_worse: bool, is_better: bool) -> &'static str {
    let Ok(found) = difference.of_success().1 else { return "" };
    let is_said = difference.is_beyond_noise == Some(true) && (found.value < 0.0) == is_worse;
    match () {
        () if is_said => "",
        () if is_worse && is_better => "; the overall rate hides the losses",
        () if (found.value < 0.0) != is_worse || found.value == 0.0 => {
            "; the overall rate hides this change"
        }
        () => "; the overall rate alone does not show this change",
    }
}

/// Formats the success rate of one agent on a task, such as "5 of 5", or a bound on its rates on several tasks, such as
/// "at least 4 of 5" or "at most 20 %".
fn rates(counts: &[Counts], side: usize, is_high: bool, is_first: bool) -> String {
    let worst = |a: &&Counts, b: &&Counts| {
        let order = a.rate(side).total_cmp(&b.rate(side));
        if is_high { order } else { order.reverse() }
    };
    let Some(end) = counts.iter().min_by(worst) else { return String::new() };
    let all_have = |test: &dyn Fn(&Counts) -> bool| counts.iter().all(test);
    let beyond = match (all_have(&|it| it.rate(side) == end.rate(side)), is_high) {
        (true, _) => "",
        (false, true) => "at least ",
        (false, false) => "at most ",
    };
    if all_have(&|it| it.trials[side] == end.trials[side]) {
        let what = if is_first { " successes" } else { "" };
        return format!("{beyond}{} of {}{what}", end.successes[side], end.trials[side]);
    }
    let percent = 100.0 * end.rate(side);
    let percent = if is_high { percent.floor() } else { percent.ceil() };
    let what = if is_first { "a success rate of " } else { "" };
    format!("{what}{beyond}{percent:.0} %")
}

/// Returns the success rate of each agent on each task, and whether it changed.
pub(super) fn rows(
    sides: &[Side],
    names: &[String],
    changes: &[Changes<'_>],
    level: Level,
) -> Field {
    let of_sides: Vec<Vec<(&str, [u64; 2])>> = sides.iter().map(Side::tasks).collect();
    let mut tasks: Vec<&str> = of_sides.iter().flatten().map(|(task, _)| *task).collect();
    tasks.sort_unstable();
    tasks.dedup();
    // A million tasks are stored flat: for each task, the counts of each agent.
    let mut counts = vec![[0; 2]; tasks.len() * sides.len()];
    for (side, of_side) in of_sides.iter().enumerate() {
        let mut at = 0;
        for (task, of_task) in of_side {
            while tasks[at] != *task {
                at += 1;
            }
            counts[at * sides.len() + side] = *of_task;
        }
    }
    drop(of_sides);
    let (n_sides, n_differences) = (sides.len(), changes.len());
    let order = natural_order(tasks.iter().map(|task| [task]));
    let places = || order.iter().map(|&at| at as usize);
    let counts: Vec<[u64; 2]> =
        places().flat_map(|at| counts[at * n_sides..][..n_sides].iter().copied()).collect();
    let p_values: Vec<[Option<f64>; 2]> = places()
        .flat_map(|at| changes.iter().map(move |it| (it, at)))
        .map(|(it, at)| it.p_values(tasks[at]))
        .collect();
    let (mut text, mut ends) = (String::new(), vec![0]);
    for at in places() {
        text.push_str(tasks[at]);
        ends.push(text.len());
    }
    let is_shown = (2..=MOST_TASKS).contains(&tasks.len());
    let names = names.to_vec();
    let is_tested = changes.iter().any(|it| it.n_tested() > 0);
    let row = move |at: usize| {
        let task = &text[*ends.get(at)?..*ends.get(at + 1)?];
        let counts = &counts[at * n_sides..][..n_sides];
        let p_values = &p_values[at * n_differences..][..n_differences];
        let of_side = |(name, &[runs, successes]): (&String, &[u64; 2])| {
            let rate = Field::figure(SUCCESS.measure, rate_of_task(runs, successes, level));
            let rate = rate.labelled(if is_shown { name.clone() } else { String::new() });
            Field::block(name.clone(), Block::of([Field::json("n_runs", runs), rate]))
        };
        let of_difference = |(name, [p, adjusted]): (&String, &[Option<f64>; 2])| {
            let label = match p_values.len() {
                1 => "adjusted p".to_owned(),
                _ => format!("adjusted p of {name}"),
            };
            let is_shown = is_shown && is_tested;
            let adjusted = Field::shown_if("adjusted_p_value", label, *adjusted, is_shown);
            Field::block(name.clone(), Block::of([Field::json("p_value", *p), adjusted]))
        };
        let beside = Block::of(names.iter().zip(counts).map(of_side));
        let mut block = Block::of([Field::shown_if("task", "task", task, is_shown)]);
        block.fields.push(Field::block("sides", beside));
        if !p_values.is_empty() {
            let differences = names[1..].iter().zip(p_values).map(of_difference);
            block.fields.push(Field::block("differences", Block::of(differences)));
        }
        Some(block)
    };
    if is_shown {
        return Field::rows("tasks", "Success rate by task", (0..).map_while(row).collect());
    }
    Field::made("tasks", MadeRows::new("", row))
}

/// Returns the success rate of the runs of a task, which are independent given the task.
fn rate_of_task(runs: u64, successes: u64, level: Level) -> Result<Figure, Undefined> {
    let rows: Vec<u64> = (0..runs).collect();
    let outcomes: Vec<f64> = rows.iter().map(|row| f64::from(*row < successes)).collect();
    let found = mean(&SUCCESS.measure, &outcomes, &rows, level)?;
    // That few runs of one task have no interval needs no word in each cell.
    let interval = found.interval.map_err(|_| NoInterval::NotRequested);
    Ok(Figure { interval, standard_error: None, ..found })
}
