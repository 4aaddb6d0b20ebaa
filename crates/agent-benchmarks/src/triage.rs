//! TRIAGE. Given a pool of problems and a budget of tokens, a model chooses the problems to attempt, their order, and
//! the number of tokens for each.
//!
//! A [`Triage`] is a setting, [`Triage::instance`] a pool of questions in it, and [`Instance::conversation`] the conversation:
//! the model writes a plan before it solves anything. The plan is executed by recorded attempts or by solving the problems under
//! limits. [`SolveConversation`] makes the recorded attempts. Plans are read and scored by [`knapsack_oracle`]. The texts are
//! this crate's own, or the published ones in [`Prompts`].
//!
//! Reference: TRIAGE (2026), arXiv:2605.13414.

pub(crate) mod conversation;
pub(crate) mod figures;
pub(crate) mod instance;
pub(crate) mod judge_conversation;
pub(crate) mod outcome;
pub(crate) mod prompts;
pub(crate) mod solving;

pub use conversation::TriageConversation;
pub use figures::TriageFigures;
pub use instance::{Attempts, Instance, Triage};
pub use judge_conversation::JudgeConversation;
pub use knapsack_oracle::{
    Alpha, Efficiency, Execution, PlanReading, Pool, Regime, UnsolvableCounts,
};
pub use outcome::TriageRecord;
pub use prompts::{Framing, Prompts};
pub use solving::{SolveConversation, SolveRecord};
