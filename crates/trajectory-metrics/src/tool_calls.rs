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

mod alignment;
mod argument_rule;
mod bit_columns;
mod call_matcher;
mod common_subsequence;
mod compatibility;
mod cost;
mod edit_distance;
mod failure_classes;
mod in_order;
mod interner;
mod match_calls;
mod maximum_matching;
mod multiset_match;
mod order;
mod partial_order;
mod partial_order_search;
mod pass_at_k;
mod path_distances;
mod repeated_trials;
mod symbol_masks;
mod task_mean;
mod tool_call;
#[cfg(feature = "serde")]
mod tool_call_serde;
mod validity;
mod value;
mod value_order;
#[cfg(feature = "serde")]
pub(crate) mod value_serde;

pub use alignment::{Alignment, MatchMode};
pub use argument_rule::ArgumentRule;
pub use call_matcher::{CallMatcher, ToolCallMatcher};
pub use common_subsequence::{common_subsequence, interned_common_subsequence};
pub use cost::{cost_efficiency_score, cost_gap, cost_gap_without_redundant};
pub use edit_distance::{edit_distance, interned_edit_distance, normalized_edit_distance};
pub use failure_classes::{CallFacts, FailureClass, FailureCounts, failure_classes};
pub use interner::Interner;
pub use match_calls::{match_calls, single_tool_match};
pub use multiset_match::{MultisetMatch, multiset_match};
pub use order::order_tau;
pub use partial_order::PartialOrder;
pub use pass_at_k::{pass_at_k, pass_hat_k};
pub use path_distances::PathDistances;
pub use repeated_trials::{TrialCounts, TrialOutcome};
pub use task_mean::{TaskMean, TaskMeanEnd, mean_over_tasks};
pub use tool_call::ToolCall;
pub use validity::invalid_tool_use_ratio;
pub use value::Value;
