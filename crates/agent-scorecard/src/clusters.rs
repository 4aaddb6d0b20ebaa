//! The units that a bootstrap resamples as a whole.

/// The number of clusters below which a note states their number.
const ENOUGH_CLUSTERS: usize = 20;

/// The unit of dependence between runs, which intervals resample as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusterBy {
    /// Tasks, where a run without a task is a task of its own; runs, if all of them are of one task.
    #[default]
    Task,
    /// Tasks, which every run must name.
    TaskOnly,
    /// Runs.
    Run,
}

crate::options::named! {
    ClusterBy: "task" = Self::Task, "task-only" = Self::TaskOnly, "run" = Self::Run;
}

/// Returns a note if the number of clusters, from 2 to 19, gives only rough intervals.
pub(crate) fn few_clusters(clusters: usize, what: &str) -> Option<String> {
    (2..ENOUGH_CLUSTERS)
        .contains(&clusters)
        .then(|| format!("only {clusters} {what}: intervals from so few clusters are rough"))
}
