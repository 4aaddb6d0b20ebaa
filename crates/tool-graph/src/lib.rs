#![doc = include_str!("../README.md")]

#[cfg(feature = "costbench")]
pub mod costbench;
mod environment;
mod error;
mod events;
mod graph;
mod plans;
mod searches;
#[cfg(feature = "serde")]
mod stored;

pub use environment::call_status::CallStatus;
pub use environment::episode::Episode;
pub use environment::left_out::{LeftOut, LeftOutCounts};
pub use environment::run_means::{MeanRunScores, RunMeans};
pub use environment::run_scores::RunScores;
pub use environment::transcript::{CallRecord, Transcript};
pub use error::Error;
pub use events::environment_rules::{EnvironmentRules, RuleVersion};
pub use events::event::Event;
pub use events::scenario::Scenario;
pub use events::trigger_rule::TriggerRule;
pub use graph::plan::Plan;
pub use graph::problem::Problem;
pub use graph::state::State;
pub use graph::tool::Tool;
pub use graph::tool_graph::ToolGraph;
pub use plans::best_plans::OptimalPlans;
pub use plans::greedy::GreedyRule;
pub use plans::optimal::BoundedPlan;
pub use plans::path_coverage::PathCoverage;
pub use plans::tie_rule::TieRule;
pub use scoring_rules;
pub use trajectory_metrics;
pub use trajectory_metrics::tool_calls::{
    FailureClass, FailureCounts, MeanPathDistances, PathDistances,
};
