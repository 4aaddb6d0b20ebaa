//! What intervals resample as a whole.

/// With fewer clusters, a note says how many there are.
const ENOUGH_CLUSTERS: usize = 20;

/// The unit whose runs depend on each other, which intervals resample as a whole.
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

/// Returns a note on a number of clusters that gives rough intervals: 2 to 19.
pub(crate) fn few_clusters(clusters: usize, what: &str) -> Option<String> {
    (2..ENOUGH_CLUSTERS)
        .contains(&clusters)
        .then(|| format!("only {clusters} {what}: intervals from so few clusters are rough"))
}
