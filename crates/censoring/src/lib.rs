#![doc = include_str!("../README.md")]

mod audit;
mod error;
mod simple_score;
mod stop_reason;
mod stopped;

pub use audit::{Exclusion, TerminationAudit};
pub use error::Error;
pub use simple_score::simple_score;
pub use stop_reason::StopReason;
pub use stopped::{Observation, Stopped};
pub use trajectory_metrics::{Probability, ScoringRule, Tps, Trace, WeightSchedule};
