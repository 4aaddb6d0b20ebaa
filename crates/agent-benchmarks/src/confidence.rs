//! Stated confidence. A model answers a question in steps, and states at each step the probability that its final
//! answer will be right.
//!
//! A [`Confidence`] is a setting, [`Confidence::instance`] a question in it, and [`Instance::conversation`] the conversation.
//! Each step has a thought, an action and a confidence; log-probabilities are requested, too, so that all streams of
//! [`run_logs::ConfidenceStream`] come from the same replies. They are scored by [`ConfidenceFigures`]. The
//! texts are this crate's own.
//!
//! Reference: Raghu, Pandey and Pandey, Proper Scoring Rules for Agentic Uncertainty Quantification (2026),
//! arXiv:2605.24756, appendix F.

pub(crate) mod conversation;
pub(crate) mod corpus;
pub(crate) mod figures;
pub(crate) mod outcome;
pub(crate) mod predictors;
pub(crate) mod settings;
pub(crate) mod texts;

pub use censoring::{CensoringReport, ContinuationAudit};
pub use conversation::{ConfidenceConversation, TruthProbe};
pub use corpus::{Corpus, Page};
pub use figures::{CompleteRuns, ConfidenceFigures, Predictor};
pub use outcome::ConfidenceRecord;
pub use predictors::{Continued, FollowUp, agreement, saup, semantic_confidence, uprop};
pub use run_logs::{ConfidenceStream, MissingValue};
pub use settings::{Confidence, Dataset, Instance};
pub use texts::Prompts;
pub use trajectory_metrics::Traces;
