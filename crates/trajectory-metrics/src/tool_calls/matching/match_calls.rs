use crate::{
    error::Error,
    tool_calls::{
        engines::{
            compatibility::Compatibility,
            longest_order::{in_longest_increasing, longest_in_order},
            maximum_matching::maximum_matching,
        },
        matching::{alignment::Alignment, call_matcher::CallMatcher},
    },
};

/// Pairs the calls of an agent with the expected calls.
///
/// The search starts from a longest list of pairs that keeps the order, and extends it to the
/// largest possible number of pairs (a maximum bipartite matching). If a call satisfies several
/// expected calls, it is paired so that the fewest expected calls stay without a partner; a greedy
/// choice of the first expected call that fits would not achieve this. Each
/// [`MatchMode`](crate::tool_calls::MatchMode) therefore holds exactly if it holds for some choice
/// of pairs. If an expected call is missing, the number of pairs has priority over their order, and
/// fewer pairs may be in order than possible.
///
/// The matcher is called once for each pair of a call and an expected call. In addition, the time is
/// O(n m / 64) for the order and the same for each added pair; the memory is n m / 4 bytes.
///
/// # Errors
///
/// The first error of the matcher: [`Error::UnknownField`] if a
/// [`ToolCallMatcher`](crate::tool_calls::ToolCallMatcher) compares chosen fields and both compared
/// calls lack such a field. A matcher made from a function never fails.
///
/// ```
/// use trajectory_metrics::Error;
/// use trajectory_metrics::tool_calls::{
///     ArgumentRule, MatchMode, ToolCall, ToolCallMatcher, match_calls,
/// };
///
/// // The first call satisfies both expected calls, the second call only the first of them.
/// let none: [(&str, _); 0] = [];
/// let called = [ToolCall::new("t", [("a", 1.into())]), ToolCall::new("t", [("b", 2.into())])];
/// let expected = [ToolCall::new("t", none), ToolCall::new("t", [("a", 1.into())])];
/// let matcher = ToolCallMatcher::new(ArgumentRule::superset());
/// let alignment = match_calls(&called, &expected, &matcher)?;
/// assert!(alignment.is_match(MatchMode::Unordered));
/// assert_eq!(alignment.matched, [(0, 1), (1, 0)]);
/// assert_eq!(alignment.out_of_order.len(), 1);
/// # Ok::<(), Error>(())
/// ```
pub fn match_calls<A, E>(
    actual: &[A],
    expected: &[E],
    matcher: &(impl CallMatcher<A, E> + ?Sized),
) -> Result<Alignment, Error> {
    let satisfies = |call: &A, expected: &E| matcher.satisfies(call, expected);
    let compatibility = Compatibility::new(actual, expected, satisfies)?;
    let ordered = longest_in_order(&compatibility);
    let (calls, expected) = (actual.len(), expected.len());
    if ordered.len() == calls.min(expected) {
        let in_order = vec![true; ordered.len()];
        return Ok(Alignment::new(calls, expected, ordered, &in_order));
    }
    let matched = maximum_matching(&compatibility, &ordered);
    let positions: Vec<usize> = matched.iter().map(|&(_, expected)| expected).collect();
    Ok(Alignment::new(calls, expected, matched, &in_longest_increasing(&positions)))
}
