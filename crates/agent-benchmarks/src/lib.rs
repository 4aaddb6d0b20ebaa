#![cfg_attr(
    all(feature = "budget", feature = "confidence", feature = "costbench", feature = "triage"),
    doc = include_str!("../README.md")
)]
#![cfg_attr(docsrs, feature(doc_cfg))]
// The samples of the README need all benchmarks, each of which uses only a part of the shared items.
#![cfg_attr(
    not(all(
        feature = "budget",
        feature = "confidence",
        feature = "costbench",
        feature = "triage"
    )),
    doc = "Protocols of agent benchmarks, a feature for each.",
    allow(dead_code, unused_imports, unused_macros)
)]

#[cfg(feature = "budget")]
pub mod budget;
#[cfg(feature = "client")]
pub mod client;
#[cfg(feature = "confidence")]
pub mod confidence;
#[cfg(feature = "costbench")]
pub mod costbench;
mod engines;
mod error;
#[cfg(feature = "play")]
pub mod play;
#[cfg(feature = "sokoban")]
pub mod sokoban;
#[cfg(feature = "triage")]
pub mod triage;
mod values;
#[cfg(feature = "warehouse")]
pub mod warehouse;

#[cfg(feature = "budget")]
pub use budget_estimation;
pub use censoring;
pub use censoring::{Continuations, StopReason};
pub use engines::api::{Api, openai_chat_body, read_openai_chat};
pub use engines::continuation::{Branch, count_continuations};
pub use engines::conversation::{Conversation, ModelError, converse, converse_async};
pub use error::Error;
#[cfg(feature = "triage")]
pub use knapsack_oracle;
pub use run_logs;
pub use run_logs::{Arguments, Message, RecordedCall, Reply, Role, Run, Tokens, Usage};
pub use scoring_rules;
pub use scoring_rules::{Level, Probability, Seed, Weight};
#[cfg(feature = "costbench")]
pub use tool_graph;
pub use trajectory_metrics;
pub use trajectory_metrics::{
    Better, Figure, Interval, Intervals, Measure, NoInterval, Undefined, tool_calls::Value,
};
pub use values::checker::Checker;
pub use values::question::{Attempted, Question, read_questions};
pub use values::record::{Figures, Record, ReplyEvent, TurnEvent, reply_events};
pub use values::request::{Request, Sampling};
pub use values::template::Template;
pub use values::tool_definition::{Parameter, ParameterKind, ToolDefinition};
