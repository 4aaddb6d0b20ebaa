//! Runs in a scenario, their records, and scores of them.

pub(crate) mod call_status;
pub(crate) mod episode;
pub(crate) mod event_clock;
pub(crate) mod left_out;
pub(crate) mod optimal_plans;
pub(crate) mod reference_runs;
pub(crate) mod replay;
pub(crate) mod run_means;
pub(crate) mod run_scores;
pub(crate) mod transcript;
