//! Measures of the sequence of tool calls that an agent makes: matching against the calls that a task
//! expects, distances from a reference path, costs, failure classes, and reliability over repeated
//! trials.
//!
//! A call can have any type that supports comparison: a tool's name, a name with its arguments
//! ([`ToolCall`]), or the `u32` that an [`Interner`] assigns to either. A path is a slice of calls; the
//! agent's path is the first argument, the reference the second.
//!
//! [`match_calls`] pairs calls with expected calls, and returns the missing, extra and out-of-order
//! calls; [`Alignment::is_match`] gives the verdict in any [`MatchMode`]. A [`CallMatcher`]
//! decides whether a call satisfies an expected call; [`call_matcher_from_fn`] makes a matcher from a
//! function. With the feature `serde`, a [`ToolCall`] is read from the formats of OpenAI, Anthropic and
//! others.
//!
//! ```
//! use trajectory_metrics::tool_calls::{
//!     MatchMode, call_matcher_from_fn, edit_distance, match_calls, MultisetMatch,
//! };
//!
//! let actual = ["search", "look", "book"];
//! let expected = ["book", "search"];
//! let same = call_matcher_from_fn(|call, expected| call == expected);
//! let alignment = match_calls(&actual, &expected, &same)?;
//! assert!(alignment.is_match(MatchMode::AnyOrder));
//! assert!(!alignment.is_match(MatchMode::InOrder));
//! assert_eq!(alignment.extra, [1]);
//!
//! assert_eq!(edit_distance(&actual, &expected), 3);
//! assert_eq!(MultisetMatch::new(&actual, &expected).recall(), Some(1.0));
//! # Ok::<(), trajectory_metrics::Error>(())
//! ```

mod engines;
mod matching;
mod pass_at_k;
mod paths;
mod values;

pub use self::{
    matching::{
        alignment::{Alignment, MatchMode},
        argument_rule::ArgumentRule,
        call_matcher::{CallMatcher, ToolCallMatcher, call_matcher_from_fn},
        match_calls::match_calls,
    },
    pass_at_k::{pass_at_k, pass_hat_k},
    paths::{
        costs::{cost_gap, cost_gap_without_redundant},
        edit_distance::{edit_distance, interned_edit_distance, normalized_edit_distance},
        failure_classes::{CallFacts, FailureClass, FailureCounts, invalid_tool_use_ratio},
        multiset_match::MultisetMatch,
        path_distances::{MeanPathDistances, PathDistances},
    },
    values::{interner::Interner, tool_call::ToolCall, value::Value},
};
