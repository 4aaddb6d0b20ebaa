use std::collections::BTreeMap;

use crate::{
    error::Error,
    tool_calls::{matching::argument_rule::ArgumentRule, values::tool_call::ToolCall},
};

/// Decides whether a call satisfies an expected call.
///
/// The two may be of different types, and the relation need not be an equality: one call may fit
/// several expected calls, and matching decides which of them it satisfies. A closure that returns
/// a `bool` is a matcher that never fails.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::{MatchMode, match_calls}};
///
/// let matcher = |call: &&str, expected: &&str| call.eq_ignore_ascii_case(expected);
/// let alignment = match_calls(&["Search", "book"], &["search", "Book"], &matcher)?;
/// assert!(alignment.is_match(MatchMode::Exact));
/// # Ok::<(), Error>(())
/// ```
pub trait CallMatcher<A, E> {
    /// Whether this call is what was expected.
    ///
    /// # Errors
    ///
    /// If the matcher does not apply to these two calls, such as
    /// [`Error::UnknownField`] from [`ArgumentRule::agrees`].
    fn satisfies(&self, call: &A, expected: &E) -> Result<bool, Error>;
}

impl<A, E, F: Fn(&A, &E) -> bool> CallMatcher<A, E> for F {
    #[inline]
    fn satisfies(&self, call: &A, expected: &E) -> Result<bool, Error> {
        Ok(self(call, expected))
    }
}

/// Matches [`ToolCall`]s: the same name, and arguments by a rule, which some tools may have of
/// their own.
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
/// With the feature `serde` a matcher is an object with a `rule` and optional `tools`:
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
    /// One rule for all tools.
    #[must_use]
    pub const fn new(rule: ArgumentRule) -> Self {
        Self { rule, tools: BTreeMap::new() }
    }

    /// A rule of its own for one tool; the last one given counts.
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

#[cfg(feature = "serde")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matcher_comes_back_as_it_was_written_and_a_tool_has_one_rule() {
        let matcher = ToolCallMatcher::new(ArgumentRule::exact())
            .with_tool("hand_over", ArgumentRule::ignore());
        let written = serde_json::to_string(&matcher).unwrap();
        let read = |text: &str| serde_json::from_str::<ToolCallMatcher>(text);
        assert_eq!(read(&written).unwrap(), matcher);
        let plain = ToolCallMatcher::new(ArgumentRule::subset());
        assert_eq!(read(r#"{"rule":{"kind":"subset"}}"#).unwrap(), plain);
        let twice =
            r#"{"rule":{"kind":"exact"},"tools":{"a":{"kind":"exact"},"a":{"kind":"ignore"}}}"#;
        let error = read(twice).unwrap_err().to_string();
        assert!(error.starts_with("duplicate field `a`"), "{error}");
        assert!(read(r#"{"rule":{"kind":"exact"},"tool":{}}"#).is_err());
    }
}
