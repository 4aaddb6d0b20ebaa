use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hash, Hasher},
};

use trajectory_metrics::{Bootstrap, Seed};

use crate::{
    clusters::{ClusterBy, few_clusters},
    error::Error,
    texts::{Texts, distinct},
};

/// The id of a run, and its task if it names one.
pub(crate) type Name<'a> = (&'a str, Option<&'a str>);

/// The ids and tasks of many runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    ids: Texts,
    /// The tasks, with an empty text for a run without a task.
    tasks: Texts,
    has_task: Vec<bool>,
}

impl Names {
    pub(crate) fn push(&mut self, id: &str, task: Option<&str>) {
        self.ids.push(id);
        self.tasks.push(task.unwrap_or_default());
        self.has_task.push(task.is_some());
    }

    pub(crate) fn append(&mut self, other: &Self) {
        self.ids.append(&other.ids);
        self.tasks.append(&other.tasks);
        self.has_task.extend_from_slice(&other.has_task);
    }

    pub(crate) fn len(&self) -> usize {
        self.has_task.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.has_task.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Name<'_>> + Clone {
        let tasks = self.tasks.iter().zip(&self.has_task);
        let tasks = tasks.map(|(task, &has_task)| has_task.then_some(task));
        self.ids.iter().zip(tasks)
    }

    /// Returns the number of different ids of these and other runs.
    pub(crate) fn ids(&self, others: &Self) -> usize {
        distinct(self.ids.iter().chain(others.ids.iter()))
    }

    /// Returns the number of different tasks of these and other runs.
    pub(crate) fn tasks(&self, others: &Self) -> usize {
        distinct(self.iter().chain(others.iter()).filter_map(|(_, task)| task))
    }
}

/// A task with all its runs, or a run that names no task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Unit<'a> {
    /// A task, given by its name.
    Task(&'a str),
    /// A run, given by its id.
    Run(&'a str),
}

impl<'a> Unit<'a> {
    pub(crate) fn of((id, task): Name<'a>, by: ClusterBy) -> Self {
        let task = task.filter(|_| by != ClusterBy::Run);
        task.map_or(Self::Run(id), Self::Task)
    }
}

/// A bootstrap of whole tasks or of runs.
#[derive(Debug)]
pub(crate) struct Resampled {
    /// The bootstrap, or its error for fewer than two clusters.
    pub(crate) bootstrap: Result<Bootstrap, trajectory_metrics::Error>,
    /// Whether it draws whole tasks.
    pub(crate) is_by_task: bool,
    /// Notes on the intervals.
    pub(crate) notes: Vec<String>,
}

impl Resampled {
    pub(crate) fn new(runs: Vec<Name<'_>>, by: ClusterBy, seed: u64) -> Result<Self, Error> {
        let tasks_only = by == ClusterBy::TaskOnly;
        if let Some((id, _)) = runs.iter().find(|(_, task)| tasks_only && task.is_none()) {
            return Err(Error::NoTask { id: (*id).to_owned() });
        }
        let mut units: Vec<Unit<'_>> = runs.iter().map(|&run| Unit::of(run, by)).collect();
        let mut notes = Vec::new();
        if let Some(Unit::Task(task)) = single(&units)
            && !tasks_only
        {
            notes.push(format!(
                "all runs are of one task, {task:?}, so single runs are resampled; the intervals say nothing about other tasks"
            ));
            units = runs.iter().map(|&run| Unit::of(run, ClusterBy::Run)).collect();
        }
        let is_by_task = units.iter().any(|unit| matches!(unit, Unit::Task(_)));
        notes.extend(few(&units));
        Ok(Self { bootstrap: Bootstrap::clusters(&units, Seed(seed)), is_by_task, notes })
    }
}

/// Returns the unit that all runs belong to, if there is only one.
pub(crate) fn single<'a>(units: &[Unit<'a>]) -> Option<Unit<'a>> {
    let first = *units.first()?;
    units.iter().all(|unit| *unit == first).then_some(first)
}

/// Returns a note if there are few clusters; none for a single cluster, which has no interval.
pub(crate) fn few(units: &[Unit<'_>]) -> Option<String> {
    let distinct: BTreeSet<&Unit<'_>> = units.iter().collect();
    let is_task = |unit: &&Unit<'_>| matches!(unit, Unit::Task(_));
    let what = match distinct.iter().filter(|unit| is_task(unit)).count() {
        0 => "runs",
        tasks if tasks == distinct.len() => "tasks",
        _ => "tasks and runs without a task",
    };
    few_clusters(distinct.len(), what)
}

/// A digest of runs and their outcomes that does not depend on the order of the runs. Columns with the same digest
/// have the same runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunsDigest {
    runs: u64,
    sum: u64,
}

impl RunsDigest {
    /// Adds a run.
    pub fn update(&mut self, id: &str, outcome: bool) {
        let mut hasher = DefaultHasher::new();
        (id, outcome).hash(&mut hasher);
        self.runs += 1;
        self.sum = self.sum.wrapping_add(hasher.finish());
    }

    /// Adds the runs that another digest contains.
    pub fn merge(&mut self, other: Self) {
        self.runs += other.runs;
        self.sum = self.sum.wrapping_add(other.sum);
    }
}
