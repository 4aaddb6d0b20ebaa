#![doc = include_str!("../README.md")]

pub mod budget;
#[cfg(feature = "client")]
pub mod client;
pub mod confidence;
pub mod costbench;
mod engines;
mod error;
pub mod triage;
mod values;

pub use censoring::StopReason;
pub use engines::conversation::{Conversation, converse};
pub use engines::model::{FromFn, Model, ModelError, model_from_fn};
pub use engines::openai_chat::{openai_chat_body, read_openai_chat};
pub use error::Error;
pub use run_logs::{Arguments, Message, RecordedCall, Reply, Role, Run, Tokens, Usage};
pub use scoring_rules::{Level, Seed, Weight};
pub use trajectory_metrics::{
    Better, Figure, Interval, Measure, NoInterval, Undefined, tool_calls::Value,
};
pub use values::checker::Checker;
pub use values::question::{Attempted, Question, read_questions};
pub use values::record::Record;
pub use values::reply_event::{ReplyEvent, TurnEvent, reply_events};
pub use values::request::{Request, Sampling};
pub use values::tool_definition::{Parameter, ParameterKind, ToolDefinition};
