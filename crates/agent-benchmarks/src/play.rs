//! Environments that a model plays in turns of text. During a run, the model can be asked to estimate the remaining
//! cost.
//!
//! [`Environment`] is also the trait for a benchmark of your own, with tools or without.
//!
//! An [`Environment`] shows a state and carries out replies; it knows no model. A [`Play`] is a setting, [`Play::conversation`]
//! one run in it. Between turns, the model can be asked for the remaining cost of the run. The run may stop at the answer
//! `impossible`, and the model may see its earlier answers. The cost of asking is counted separately. A policy is a function of
//! the environment that writes the replies of a model, so that its records have the same form. Runs become
//! [`Rollouts`](budget_estimation::Rollouts), the basis of everything else about budgets.
//!
//! Reference: Lin and others, BAGEN (2026), arXiv:2606.00198, sections 3 and 4. Its limitations mention runs with estimates
//! during the run, such as the runs here.

pub(crate) mod conversation;
pub(crate) mod environment;
pub(crate) mod record;

pub use budget_estimation::Advice;
pub use conversation::{PlayConversation, play};
pub use environment::{Acted, End, Environment, Play};
pub use record::{PlayRecord, PlayTurn, rollouts};
