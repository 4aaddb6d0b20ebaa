use std::collections::BTreeMap;

use scoring_rules::FromFn;

use crate::{
    error::Error,
    tool_calls::{matching::argument_rule::ArgumentRule, values::tool_call::ToolCall},
};

/// Decides whether a call satisfies an expected call.
///
/// The two calls may be of different types, and the relation need not be an equality: one call may
/// satisfy several expected calls, and [`match_calls`](crate::tool_calls::match_calls()) decides
/// which of them it is paired with. References and boxes of matchers are matchers, and
/// [`call_matcher_from_fn`] makes a matcher from a function.
pub trait CallMatcher<A, E> {
    /// Returns whether this call satisfies the expected call.
    ///
    /// # Errors
    ///
    /// An error if the matcher does not apply to these two calls, such as [`Error::UnknownField`]
    /// from [`ArgumentRule::agrees`].
    fn satisfies(&self, call: &A, expected: &E) -> Result<bool, Error>;
}

impl<A, E, M: CallMatcher<A, E> + ?Sized> CallMatcher<A, E> for &M {
    fn satisfies(&self, call: &A, expected: &E) -> Result<bool, Error> {
        (**self).satisfies(call, expected)
    }
}

impl<A, E, M: CallMatcher<A, E> + ?Sized> CallMatcher<A, E> for Box<M> {
    fn satisfies(&self, call: &A, expected: &E) -> Result<bool, Error> {
        (**self).satisfies(call, expected)
    }
}

/// Creates a [`CallMatcher`] from a function of the call and the expected call.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::{MatchMode, call_matcher_from_fn, match_calls}};
///
/// let matcher = call_matcher_from_fn(|call: &&str, expected: &&str| {
///     call.eq_ignore_ascii_case(expected)
/// });
/// let alignment = match_calls(&["Search", "book"], &["search", "Book"], &matcher)?;
/// assert!(alignment.is_match(MatchMode::Exact));
/// # Ok::<(), Error>(())
/// ```
pub const fn call_matcher_from_fn<A, E, F: Fn(&A, &E) -> bool>(satisfies: F) -> FromFn<F> {
    FromFn { function: satisfies }
}

impl<A, E, F: Fn(&A, &E) -> bool> CallMatcher<A, E> for FromFn<F> {
    #[inline]
    fn satisfies(&self, call: &A, expected: &E) -> Result<bool, Error> {
        Ok((self.function)(call, expected))
    }
}

/// Matches [`ToolCall`]s that have the same name and whose arguments agree according to a rule. A tool may have its
/// own rule.
///
/// ```
/// use trajectory_metrics::Error;
/// use trajectory_metrics::tool_calls::{ArgumentRule, CallMatcher, ToolCall, ToolCallMatcher};
///
/// let matcher = ToolCallMatcher::new(ArgumentRule::exact())
///     .with_tool("hand_over", ArgumentRule::ignore());
/// let called = ToolCall::new("hand_over", [("summary", "in my own words".into())]);
/// let expected = ToolCall::new("hand_over", [("summary", "as in the reference".into())]);
/// assert!(matcher.satisfies(&called, &expected)?);
/// # Ok::<(), Error>(())
/// ```
///
/// With the feature `serde`, a matcher is an object with a `rule` and optional `tools`:
/// `{"rule": {"kind": "exact"}, "tools": {"hand_over": {"kind": "ignore"}}}`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct ToolCallMatcher {
    rule: ArgumentRule,
    #[cfg_attr(feature = "serde", serde(default, deserialize_with = "crate::distinct_keys::map"))]
    tools: BTreeMap<String, ArgumentRule>,
}

impl ToolCallMatcher {
    /// Creates a matcher with one rule for all tools.
    #[must_use]
    pub const fn new(rule: ArgumentRule) -> Self {
        Self { rule, tools: BTreeMap::new() }
    }

    /// Sets the rule for one tool. It replaces an earlier rule for the same tool.
    #[must_use]
    pub fn with_tool(mut self, name: impl Into<String>, rule: ArgumentRule) -> Self {
        self.tools.insert(name.into(), rule);
        self
    }
}

impl CallMatcher<ToolCall, ToolCall> for ToolCallMatcher {
    fn satisfies(&self, call: &ToolCall, expected: &ToolCall) -> Result<bool, Error> {
        if call.name != expected.name {
            return Ok(false);
        }
        let rule = self.tools.get(&expected.name).unwrap_or(&self.rule);
        rule.agrees(&call.arguments, &expected.arguments).map_err(|error| match error {
            Error::UnknownField { field, .. } => {
                Error::UnknownField { tool: Some(expected.name.clone()), field }
            }
            other => other,
        })
    }
}
