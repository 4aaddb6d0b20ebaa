//! Environments that a model plays in turns of text, and estimates on the way of what the rest of the run will spend.
//!
//! An [`Environment`] shows a state and carries out replies; it knows no model. A [`Play`] is a setting,
//! [`Play::conversation`] one run in it. Between turns, the model can be asked what the run will still spend; it
//! may stop when it says `impossible`, and may see what it said before. What asking costs is counted apart. A
//! policy is a function of the environment that writes the replies of a model, so that its records are alike.
//! Runs become [`Rollouts`](budget_estimation::Rollouts), from which everything else about budgets follows.
//!
//! Reference: Lin and others, BAGEN (2026), arXiv:2606.00198, sections 3 and 4; its limitations name runs whose estimates
//! come during the run, which are those here.

pub(crate) mod answer;
pub(crate) mod conversation;
pub(crate) mod environment;
pub(crate) mod record;
pub(crate) mod settings;

pub use budget_estimation::Advice;
pub use conversation::{PlayConversation, play};
pub use environment::{Acted, End, Environment};
pub use record::{PlayRecord, PlayTurn, rollouts};
pub use settings::Play;
