//! CostBench: travel requests that are solved by calling tools at the lowest total price, in a world that can change
//! during the run.
//!
//! [`queries`] makes the queries, a [`CostBench`] is a setting, [`CostBench::instance`] the world of one query in it, and
//! [`Instance::conversation`] the conversation with a model. Costs, events and references come from the released benchmark
//! ([`tool_graph::costbench`]); queries and all texts are this crate's own, unless [`read_queries`] reads the released ones.
//!
//! Reference: Liu and others, CostBench: Evaluating Multi-Turn Cost-Optimal Planning and Adaptation in
//! Dynamic Environments for LLM Tool-Use Agents (2025), arXiv:2511.02734.

pub(crate) mod conversation;
pub(crate) mod figures;
pub(crate) mod instance;
pub(crate) mod outcome;
pub(crate) mod preferences;
pub(crate) mod prompts;
pub(crate) mod query;
pub(crate) mod released_results;
pub(crate) mod reply_rules;
pub(crate) mod settings;
pub(crate) mod texts;
pub(crate) mod world;

pub use conversation::CostBenchConversation;
pub use figures::CostBenchFigures;
pub use instance::Instance;
pub use outcome::CostBenchRecord;
pub use preferences::{Preferences, Split};
pub use prompts::Prompts;
pub use query::{Query, queries, read_queries};
pub use released_results::{ReleasedResults, read_results};
pub use reply_rules::ReplyRules;
pub use settings::{CostBench, Objective};
pub use tool_graph::costbench::{CostModel, EventKind, Task};
pub use tool_graph::{
    EnvironmentRules, FailureCounts, LeftOut, LeftOutCounts, PathCoverage, RuleVersion, RunScores,
    Scenario, Transcript,
};
