//! Parsers of option values.

#[cfg(feature = "client")]
pub(crate) use agent_scorecard::options::{alpha, number};
pub(crate) use agent_scorecard::options::{
    cap, capped, names, one_of, policy, read, resamples, seed, share, whole,
};
