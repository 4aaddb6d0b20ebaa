mod clustered;
mod detection;
mod feasibility;
mod interval_scores;
mod joint;
mod linear_comparison;
mod progress_metrics;
mod quantile;
mod reward;
mod tally;

pub use clustered::{bootstrap_metrics, clustered_mean};
pub use detection::{DetectionDelay, DetectionSummary};
pub use feasibility::{ClassScores, FeasibilityCounts, FeasibilitySummary};
pub use interval_scores::{IntervalScores, IntervalSummary};
pub use joint::joint_hits;
pub use linear_comparison::{LinearComparison, LinearSummary};
pub use progress_metrics::{Metrics, MetricsSummary, ProgressMetrics, ProgressSummary};
pub use reward::{Miss, interval_reward};

pub(crate) use clustered::same_length;
