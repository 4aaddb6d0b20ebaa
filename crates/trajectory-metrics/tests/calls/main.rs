//! Tool calls: values, matching, paths and trials.
#![allow(clippy::panic, clippy::unwrap_used)]

mod argument_rule;
mod call_matcher;
mod failure_classes;
#[cfg(feature = "serde")]
mod interner;
mod partial_order;
mod pass_at_k;
#[cfg(feature = "serde")]
mod path_distances;
mod tool_call;
#[cfg(feature = "serde")]
mod tool_call_serde;
mod trial_counts;
mod value;
#[cfg(feature = "serde")]
mod value_serde;
