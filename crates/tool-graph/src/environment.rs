//! A world to step through, and the record of a run in it.

pub(crate) mod episode;
pub(crate) mod event_clock;
pub(crate) mod reference_runs;
pub(crate) mod reply;
pub(crate) mod run_means;
pub(crate) mod run_scores;
pub(crate) mod transcript;
