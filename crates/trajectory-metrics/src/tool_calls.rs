//! How good is the sequence of tool calls that an agent made? Matching against the calls that a
//! task expects, distances from a reference path, costs, failure classes, and how reliable an agent
//! is over repeated trials.
//!
//! A call is whatever can be compared: a tool's name, a name with its arguments ([`ToolCall`]), or
//! the `u32` that an [`Interner`] gives for either; all three go into every function here that is
//! generic over calls. A path is a slice of calls; the agent's comes first, the reference second.
//!
//! [`match_calls`] pairs calls with expected calls and says what is missing, extra and out of
//! order; [`Alignment::is_match`] reads the verdict in any [`MatchMode`]. Where only some calls
//! must come before others, [`PartialOrder`] does the same. A [`CallMatcher`] decides whether one
//! call satisfies one expected call, and a closure is one. With the feature `serde` a [`ToolCall`]
//! reads what OpenAI, Anthropic and other tools write.
//!
//! ```
//! use trajectory_metrics::tool_calls::{MatchMode, edit_distance, match_calls, multiset_match};
//!
//! let actual = ["search", "look", "book"];
//! let expected = ["book", "search"];
//! let same = |call: &&str, expected: &&str| call == expected;
//! let alignment = match_calls(&actual, &expected, &same)?;
//! assert!(alignment.is_match(MatchMode::AnyOrder));
//! assert!(!alignment.is_match(MatchMode::InOrder));
//! assert_eq!(alignment.extra(), [1]);
//!
//! assert_eq!(edit_distance(&actual, &expected), 3);
//! assert_eq!(multiset_match(&actual, &expected).recall(), Some(1.0));
//! # Ok::<(), trajectory_metrics::Error>(())
//! ```

pub(crate) mod engines;
pub(crate) mod matching;
pub(crate) mod paths;
pub(crate) mod trials;
pub(crate) mod values;

pub use matching::{
    alignment::{Alignment, MatchMode},
    argument_rule::ArgumentRule,
    call_matcher::{CallMatcher, ToolCallMatcher},
    match_calls::{match_calls, single_tool_match},
    partial_order::PartialOrder,
};
pub use paths::{
    common_subsequence::{common_subsequence, interned_common_subsequence},
    costs::{cost_efficiency_score, cost_gap, cost_gap_without_redundant},
    edit_distance::{edit_distance, interned_edit_distance, normalized_edit_distance},
    failure_classes::{CallFacts, FailureClass, FailureCounts, failure_classes},
    invalid_tool_use::invalid_tool_use_ratio,
    multiset_match::{MultisetMatch, multiset_match},
    order_tau::order_tau,
    path_distances::PathDistances,
};
pub use trials::{
    pass_at_k::{pass_at_k, pass_hat_k},
    task_mean::{TaskMean, TaskMeanEnd, mean_over_tasks},
    trial_counts::{TrialCounts, TrialOutcome},
};
pub use values::{interner::Interner, tool_call::ToolCall, value::Value};
