//! A world to step through, and the record of a run in it.

mod episode;
mod event_clock;
mod reply;
mod run_means;
mod run_scores;
mod transcript;

pub use episode::Episode;
pub use reply::{CallStatus, Reply};
pub use run_means::RunMeans;
pub use run_scores::RunScores;
pub use transcript::{CallRecord, Transcript};
