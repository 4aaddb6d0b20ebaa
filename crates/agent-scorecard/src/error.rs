use run_logs::json_lines::InputError;

/// Errors of this crate and of the crates that it uses.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An error of agent-benchmarks.
    #[error(transparent)]
    AgentBenchmarks(agent_benchmarks::Error),
    /// An error of budget-estimation.
    #[error(transparent)]
    BudgetEstimation(budget_estimation::Error),
    /// An error of censoring.
    #[error(transparent)]
    Censoring(censoring::Error),
    /// An error of knapsack-oracle.
    #[error(transparent)]
    KnapsackOracle(knapsack_oracle::Error),
    /// Options are out of range.
    #[error("{}: {problem}", options.join(" and "))]
    Options {
        /// The names of the invalid options.
        options: &'static [&'static str],
        /// The problem with the options.
        problem: String,
    },
    /// Data that contradict each other or cannot be compared, such as two probabilities of success for one run.
    #[error("{0}")]
    Data(String),
    /// Runs cannot be cross-fitted.
    #[error(
        "runs cannot be cross-fitted (complete runs: {runs}), because one half of them has too few successes or failures to fit a calibration map; by default, all runs of a task are in one half, and --halves runs allows a task to be split"
    )]
    CrossFit {
        /// The number of complete runs.
        runs: usize,
        /// The cause.
        source: trajectory_metrics::Error,
    },
    /// A run names no task, but whole tasks are to be resampled.
    #[error("run {id:?} names no task, but whole tasks are resampled; name the task of each run")]
    NoTask {
        /// The id of the run.
        id: String,
    },
    /// An error of run-logs.
    #[error(transparent)]
    RunLogs(run_logs::Error),
    /// An error of scoring-rules.
    #[error(transparent)]
    ScoringRules(#[from] scoring_rules::Error),
    /// An error of tool-graph.
    #[error(transparent)]
    ToolGraph(tool_graph::Error),
    /// An error of trajectory-metrics.
    #[error(transparent)]
    TrajectoryMetrics(trajectory_metrics::Error),
    /// A run that the caller names is not among the scored runs.
    #[error("no scored run has the id {0:?}")]
    UnknownRun(String),
}

scoring_rules::flat_error!(trajectory_metrics: TrajectoryMetrics, ScoringRules);
scoring_rules::flat_error!(censoring: Censoring, ScoringRules, TrajectoryMetrics);
scoring_rules::flat_error!(budget_estimation: BudgetEstimation, ScoringRules, TrajectoryMetrics, Censoring);
scoring_rules::flat_error!(tool_graph: ToolGraph, ScoringRules, TrajectoryMetrics);
scoring_rules::flat_error!(knapsack_oracle: KnapsackOracle, ScoringRules);
scoring_rules::flat_error!(run_logs: RunLogs, ScoringRules, TrajectoryMetrics, Censoring, BudgetEstimation);
scoring_rules::flat_error!(
    agent_benchmarks: AgentBenchmarks,
    ScoringRules,
    TrajectoryMetrics,
    Censoring,
    BudgetEstimation,
    ToolGraph,
    KnapsackOracle,
    RunLogs
);

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        Self::RunLogs(error.into())
    }
}

/// Returns the message of an error followed by those of its causes, such as "run 3 is invalid: …".
///
/// ```
/// use agent_scorecard::{Error, scoring_rules, with_causes};
///
/// let cause = scoring_rules::Error::Empty;
/// let error = Error::CrossFit { runs: 1, source: cause.clone().into() };
/// assert!(with_causes(&error).ends_with(&format!(": {cause}")));
/// ```
#[must_use]
pub fn with_causes(error: &(dyn std::error::Error + 'static)) -> String {
    let mut line = error.to_string();
    for cause in std::iter::successors(error.source(), |error| error.source()) {
        let message = cause.to_string();
        // Some errors already contain the message of their cause.
        if !line.ends_with(&message) {
            line = format!("{line}: {message}");
        }
    }
    line
}
