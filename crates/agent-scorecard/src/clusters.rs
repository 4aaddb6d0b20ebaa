//! The units that a bootstrap resamples as a whole.

/// The number of clusters below which a note states their number.
const ENOUGH_CLUSTERS: usize = 20;

/// The unit of dependent runs: the bootstrap resamples all runs of a unit together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusterBy {
    /// Tasks; a run without a task is a task of its own. If all runs belong to one task, each run is a unit.
    #[default]
    Task,
    /// Tasks; every run must name its task.
    TaskOnly,
    /// Single runs, which count as independent.
    Run,
}

crate::options::named! {
    ClusterBy: "task" = Self::Task, "task-only" = Self::TaskOnly, "run" = Self::Run;
}

/// Returns a note if the number of clusters, from 2 to 19, gives only rough intervals.
pub(crate) fn few_clusters(clusters: usize, tasks_or_runs: &str) -> Option<String> {
    (2..ENOUGH_CLUSTERS).contains(&clusters).then(|| {
        format!("only {clusters} {tasks_or_runs}: intervals from so few clusters are rough")
    })
}
