//! Budget estimation. At every prefix of a finished run, the model estimates the remaining cost of the run, or answers
//! that the run can no longer succeed.
//!
//! Runs are [`Rollouts`], from any environment or from logs ([`rollouts_of_runs`]). A [`Budget`] is a setting,
//! [`Budget::instance`] one run in it, and [`Instance::conversation`] asks about each of its prefixes. Requests are made only
//! from [`budget_estimation::Prefix`], which has no access to anything later. Estimates are read and scored by
//! [`budget_estimation`], whose estimators answer at the same prefixes. The texts are this crate's own.
//!
//! Reference: Lin and others, BAGEN (2026), arXiv:2606.00198.

pub(crate) mod from_runs;
pub(crate) mod instance;
pub(crate) mod prompts;
pub(crate) mod settings;
pub(crate) mod texts;

pub use budget_estimation::{AnswerMode, Estimate, Resource, Rollout, Rollouts, Sample};
pub use from_runs::{Shown, rollouts_of_runs};
pub use instance::{BudgetConversation, BudgetRecord, Instance};
pub use prompts::{Prompts, Task};
pub use run_logs::FactRules;
pub use settings::{Budget, ResourceKind};
