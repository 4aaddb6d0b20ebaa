//! TRIAGE: which problems does a model attempt under one budget of tokens, and in which order?
//!
//! 1. Each problem is solved once, alone, without a budget: [`Triage::baseline`]. [`baseline_pool`] makes
//!    a pool of the costs and outcomes.
//! 2. The model plans: it sees the problems of a pool and a budget, and writes an ordered list of
//!    problems with an allocation of tokens for each ([`TriagePool::conversation`]).
//! 3. The plan is executed by the recorded costs, or the model really solves the problems, each with its
//!    allocation as a hard limit ([`Triage::with_real_attempts`]).
//!
//! [`TriageTable`] has the mean efficiency by model, framing and budget. The texts are this crate's own.
//!
//! Reference: Nazi and Dipta, TRIAGE: Evaluating Prospective Metacognitive Control in LLMs under Resource
//! Constraints (2026), sections 3 and 4 and appendix B, arXiv:2605.13414.

pub(crate) mod conversation;
pub(crate) mod outcome;
pub(crate) mod pool;
pub(crate) mod settings;
pub(crate) mod solving;
pub(crate) mod table;
pub(crate) mod texts;

pub use crate::values::figure::Figure;
pub use conversation::TriageConversation;
pub use knapsack_oracle::{Alpha, Efficiency, Execution, Plan, PlanReading, Pool, Regime};
pub use outcome::TriageRecord;
pub use pool::{TriagePool, baseline_pool};
pub use settings::{Framing, Triage};
pub use solving::{SolvingConversation, SolvingRecord};
pub use table::{TriageFigures, TriageTable};
