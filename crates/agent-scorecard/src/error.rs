/// Errors of this crate and of those below it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of agent-benchmarks.
    #[error(transparent)]
    AgentBenchmarks(#[from] agent_benchmarks::Error),
    /// An error of budget-estimation.
    #[error(transparent)]
    BudgetEstimation(#[from] budget_estimation::Error),
    /// An error of censoring.
    #[error(transparent)]
    Censoring(#[from] censoring::Error),
    /// An error of knapsack-oracle.
    #[error(transparent)]
    KnapsackOracle(#[from] knapsack_oracle::Error),
    /// Scores under variants of a prompt that cannot be compared.
    #[error("{0}")]
    PromptVariants(String),
    /// Runs cannot be cross-fitted.
    #[error("{runs} complete runs cannot be cross-fitted, as each half learns from the other")]
    CrossFit {
        /// Their number.
        runs: usize,
        /// Why not.
        source: trajectory_metrics::Error,
    },
    /// A run names no task, where whole tasks are to be resampled.
    #[error("run {id:?} names no task, and whole tasks are to be resampled")]
    NoTask {
        /// The id of the run.
        id: String,
    },
    /// An error of run-logs.
    #[error(transparent)]
    RunLogs(#[from] run_logs::Error),
    /// An error of scoring-rules.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// An error of tool-graph.
    #[error(transparent)]
    ToolGraph(#[from] tool_graph::Error),
    /// An error of trajectory-metrics.
    #[error(transparent)]
    TrajectoryMetrics(#[from] trajectory_metrics::Error),
    /// A run that was named is not among those that are evaluated.
    #[error("no run that is scored is called {0:?}")]
    UnknownRun(String),
}
