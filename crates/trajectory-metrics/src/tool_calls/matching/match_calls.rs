use crate::{
    error::Error,
    tool_calls::{
        engines::{
            compatibility::Compatibility,
            longest_order::{in_longest_rise, longest_in_order},
            maximum_matching::maximum_matching,
        },
        matching::{alignment::Alignment, call_matcher::CallMatcher},
        values::tool_call::ToolCall,
    },
};

/// Pairs the calls of an agent with the calls that were expected.
///
/// Starts from a longest list of pairs that keeps the order and extends it to as many pairs as
/// there can be (a maximum bipartite matching). A call that fits several expected calls is given to
/// the one that leaves the fewest unsatisfied, which taking the first that fits would not do. So
/// the verdict of each [`MatchMode`](crate::tool_calls::MatchMode) holds exactly where some choice of pairs has
/// it. Where something expected is missing, having more pairs goes before keeping the order, and
/// fewer of them may be in order than could be.
///
/// The matcher is asked once for each pair of a call and an expected call. Beyond that the time is
/// O(n m / 64) for the order and as much again for each pair that the order does not give; the
/// memory is n m / 4 bytes.
///
/// # Errors
///
/// The first error of the matcher: [`Error::UnknownField`] if a [`ToolCallMatcher`] compares chosen
/// fields and one of them is in neither of two calls of one tool. A closure never fails.
///
/// [`ToolCallMatcher`]: crate::tool_calls::ToolCallMatcher
///
/// ```
/// use trajectory_metrics::Error;
/// use trajectory_metrics::tool_calls::{
///     ArgumentRule, MatchMode, ToolCall, ToolCallMatcher, match_calls,
/// };
///
/// // The first call fits both expected calls, the second only one of them.
/// let none: [(&str, _); 0] = [];
/// let called = [ToolCall::new("t", [("a", 1.into())]), ToolCall::new("t", [("b", 2.into())])];
/// let expected = [ToolCall::new("t", none), ToolCall::new("t", [("a", 1.into())])];
/// let matcher = ToolCallMatcher::new(ArgumentRule::superset());
/// let alignment = match_calls(&called, &expected, &matcher)?;
/// assert!(alignment.is_match(MatchMode::Unordered));
/// assert_eq!(alignment.matched(), [(0, 1), (1, 0)]);
/// assert_eq!(alignment.out_of_order().len(), 1);
/// # Ok::<(), Error>(())
/// ```
pub fn match_calls<A, E>(
    actual: &[A],
    expected: &[E],
    matcher: &(impl CallMatcher<A, E> + ?Sized),
) -> Result<Alignment, Error> {
    let satisfies = |call: &A, expected: &E| matcher.satisfies(call, expected);
    Ok(align(&Compatibility::try_new(actual, expected, satisfies)?))
}

fn align(compatibility: &Compatibility) -> Alignment {
    let ordered = longest_in_order(compatibility);
    let (calls, expected) = (compatibility.rows(), compatibility.columns());
    if ordered.len() == calls.min(expected) {
        let in_order = vec![true; ordered.len()];
        return Alignment::new(calls, expected, ordered, &in_order);
    }
    let matched = maximum_matching(compatibility, &ordered);
    let positions: Vec<usize> = matched.iter().map(|&(_, expected)| expected).collect();
    Alignment::new(calls, expected, matched, &in_longest_rise(&positions))
}

/// Whether one tool was used at all, whatever its arguments: the first call of it is matched, all
/// others are extra.
///
/// ```
/// use trajectory_metrics::tool_calls::{MatchMode, ToolCall, single_tool_match};
///
/// let called = [ToolCall::new("search", [("query", "rust".into())])];
/// assert!(single_tool_match(&called, "search").is_match(MatchMode::AnyOrder));
/// assert!(!single_tool_match(&called, "book").is_match(MatchMode::AnyOrder));
/// ```
#[must_use]
pub fn single_tool_match(actual: &[ToolCall], name: &str) -> Alignment {
    align(&Compatibility::new(actual, &[name], |call, name| call.name == *name))
}
