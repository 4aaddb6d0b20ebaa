//! Values of options.

pub(crate) use agent_scorecard::options::{
    alpha, cap, capped, names, number, one_of, policy, read, resamples, seed, share, whole,
};
