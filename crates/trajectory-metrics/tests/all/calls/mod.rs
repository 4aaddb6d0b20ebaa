//! Tool calls: values, matching, paths and trials.
mod argument_rule;
mod call_matcher;
mod failure_classes;
mod pass_at_k;
mod path_distances;
mod tool_call_serde;
mod value;
mod value_serde;
