#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

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

pub use environment::{
    call_status::CallStatus,
    episode::Episode,
    left_out::{LeftOut, LeftOutCounts},
    run_means::{MeanRunScores, RunMeans},
    run_scores::RunScores,
    transcript::{CallRecord, Transcript},
};
pub use error::Error;
pub use events::{
    environment_rules::{EnvironmentRules, RuleVersion},
    event::Event,
    scenario::Scenario,
    trigger_rule::TriggerRule,
};
pub use graph::{plan::Plan, problem::Problem, state::State, tool::Tool, tool_graph::ToolGraph};
pub use plans::{
    greedy::GreedyRule, optimal::BoundedPlan, path_coverage::PathCoverage, tie_rule::TieRule,
};
pub use scoring_rules;
pub use trajectory_metrics::{
    self,
    tool_calls::{FailureClass, FailureCounts, MeanPathDistances, PathDistances},
};
