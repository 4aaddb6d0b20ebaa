//! Matching of an agent's calls with the calls that a task expects.

pub(crate) mod alignment;
pub(crate) mod argument_rule;
pub(crate) mod call_matcher;
pub(crate) mod match_calls;
