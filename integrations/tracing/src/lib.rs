#![doc = include_str!("../README.md")]

mod agent_run;
mod attributes;
mod count;
mod layer;
mod model_call;
mod monitor;
mod open_spans;
mod span_facts;
mod watched;

pub use agent_run::AgentRun;
pub use attributes::{ATTRIBUTES, Fact, KINDS, Kind};
pub use count::Count;
pub use layer::GenAiLayer;
pub use model_call::ModelCall;
pub use monitor::Monitor;
