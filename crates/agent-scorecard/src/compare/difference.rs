use std::collections::BTreeSet;

use scoring_rules::Level;
use trajectory_metrics::{Arm, Better, ClusterEstimate, Figure, Measure, Undefined};

use crate::{
    compare::{
        settings::CompareOptions,
        side::{MEANS, Mean, Side},
    },
    confidence::{figure, known},
    report::block::{Block, Field},
};

/// What a side has more than the first one.
pub(super) struct Difference<'a> {
    sides: [&'a Side; 2],
    /// That of success comes first.
    found: Vec<(Measure, Result<Figure, Undefined>)>,
    n_shared: usize,
    n_tasks: [usize; 2],
    /// The number of all tasks, and that with which a difference of this size would be found.
    pub(super) tasks_needed: Option<[u64; 2]>,
    /// Whether the difference of success rates is beyond noise, after the correction for several comparisons.
    pub(super) is_beyond_noise: bool,
}

/// The values of both sides in one list, with arms and tasks.
fn rows<'a>([first, second]: [&'a Side; 2], mean: &Mean) -> (Vec<f64>, Vec<Arm>, Vec<&'a str>) {
    let (mut values, mut tasks) = first.values(mean.value);
    let mut arms = vec![Arm::First; values.len()];
    let (of_second, tasks_of_second) = second.values(mean.value);
    values.extend(of_second);
    tasks.extend(tasks_of_second);
    arms.resize(values.len(), Arm::Second);
    (values, arms, tasks)
}

/// The second side minus the first.
fn difference(sides: [&Side; 2], mean: &Mean, level: Level) -> Result<Figure, Undefined> {
    let (values, arms, tasks) = rows(sides, mean);
    match mean.is_share {
        true => known(ClusterEstimate::proportion_difference(&values, &arms, &tasks, level)),
        false => figure(ClusterEstimate::difference(&values, &arms, None, &tasks), level),
    }
}

impl<'a> Difference<'a> {
    /// The second side minus the first.
    pub(super) fn new(sides: [&'a Side; 2], options: &CompareOptions) -> Self {
        let of = |mean: &Mean| {
            let has = |side: &Side| side.runs.iter().any(|run| (mean.value)(run).is_some());
            // What one side lacks is no figure of theirs, except success, which was asked for.
            let is_wanted = sides.iter().all(|side| has(side)) || mean.measure == MEANS[0].measure;
            is_wanted.then(|| (mean.measure, difference(sides, mean, options.level)))
        };
        let (values, arms, tasks) = rows(sides, &MEANS[0]);
        let success = ClusterEstimate::difference(&values, &arms, None, &tasks).ok();
        let needed = success.and_then(|it| {
            let needed = it.clusters_needed(options.level, options.power).ok()??;
            Some([it.clusters as u64, needed])
        });
        let tasks = sides.map(|side| side.tasks().into_keys().collect::<BTreeSet<&str>>());
        Self {
            sides,
            found: MEANS.iter().filter_map(of).collect(),
            n_shared: tasks[0].intersection(&tasks[1]).count(),
            n_tasks: tasks.map(|tasks| tasks.len()),
            tasks_needed: needed,
            is_beyond_noise: false,
        }
    }

    /// The difference of success rates.
    pub(super) fn of_success(&self) -> Result<Figure, Undefined> {
        self.found[0].1.clone()
    }

    /// How the runs of both sides belong together.
    pub(super) fn pairing(&self) -> String {
        match (self.n_shared, self.n_tasks) {
            (0, _) => "not paired, as no task is shared".to_owned(),
            (shared, [first, second]) if first == shared && second == shared => {
                format!("paired by {shared} shared tasks")
            }
            (shared, [first, second]) => {
                format!("paired by {shared} shared tasks of {first} and {second}")
            }
        }
    }

    /// The measures of which the interval of the difference leaves out 0.
    pub(super) fn decided(&self) -> Vec<&'static str> {
        let decided = self.found.iter().filter(|(measure, found)| {
            measure.better != Better::Neither && found.as_ref().is_ok_and(is_beyond)
        });
        decided.map(|(measure, _)| measure.key).collect()
    }

    pub(super) fn block(&self, name: &str, first: &str, title: String) -> Block {
        let mut block = Block::of([
            Field::json("of", name),
            Field::json("minus", first),
            Field::json("n_shared_tasks", self.n_shared),
            Field::json("is_beyond_noise", self.is_beyond_noise),
            Field::json("n_tasks_needed", self.tasks_needed.map(|[_, needed]| needed)),
        ]);
        block.title = title;
        block.fields.extend(
            self.found.iter().map(|(measure, found)| Field::figure(*measure, found.clone())),
        );
        block.push_reasons();
        block
    }
}

/// Whether a figure has an interval that leaves out 0.
pub(super) fn is_beyond(figure: &Figure) -> bool {
    figure.interval.is_ok_and(|ends| ends.low() > 0.0 || ends.high() < 0.0)
}

/// Marks the differences of success rates that are beyond noise, after Holm: from the clearest on, each has to
/// be so at an error rate that those that are left share.
pub(super) fn holm(differences: &mut [Difference<'_>], level: Level) {
    for left in (1..=differences.len()).rev() {
        let Ok(stricter) = Level::new(1.0 - (1.0 - level.get()) / left as f64) else { return };
        let next = differences.iter_mut().find(|difference| {
            let found = || self::difference(difference.sides, &MEANS[0], stricter);
            !difference.is_beyond_noise && found().as_ref().is_ok_and(is_beyond)
        });
        match next {
            Some(difference) => difference.is_beyond_noise = true,
            None => return,
        }
    }
}
