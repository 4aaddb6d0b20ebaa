/// The condition under which a list of calls matches the expected calls.
///
/// | mode | holds if | also known as |
/// |---|---|---|
/// | exact | there are as many calls as expected, each satisfying the expected call at its position | strict |
/// | in order | every expected call is satisfied, in order; extra calls are allowed | subsequence |
/// | any order | every expected call is satisfied; extra calls are allowed | superset |
/// | subset | every call satisfies an expected call; expected calls may be missing | |
/// | unordered | every expected call is satisfied and there is no other call | |
///
/// One call never satisfies two expected calls. Without expected calls, `InOrder` and `AnyOrder` hold
/// for any calls; without calls, `Subset` holds.
///
/// The names follow Vertex AI's agent evaluation (exact, in order, any order) and the Python package
/// agentevals (strict, superset, subset, unordered).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MatchMode {
    /// The list has the expected calls in the expected order, and no others.
    #[doc(alias = "strict")]
    Exact,
    /// The list has all expected calls in the expected order, and possibly others.
    #[doc(alias = "subsequence")]
    InOrder,
    /// The list has all expected calls in any order, and possibly others.
    #[doc(alias = "superset")]
    AnyOrder,
    /// The list has only expected calls, but possibly not all of them.
    Subset,
    /// The list has the expected calls in any order, and no others.
    Unordered,
}

/// Pairs of a call and the expected call that it satisfies, and the calls and expected calls that are in no pair.
///
/// Positions count from 0. Made by [`match_calls`](crate::tool_calls::match_calls()).
///
/// ```
/// use trajectory_metrics::tool_calls::{MatchMode, call_matcher_from_fn, match_calls};
///
/// let (actual, expected) = (["look", "book", "chat"], ["book", "look", "pay"]);
/// let same = call_matcher_from_fn(|call, expected| call == expected);
/// let found = match_calls(&actual, &expected, &same)?;
/// assert_eq!(found.matched, [(0, 1), (1, 0)]);
/// assert_eq!(found.missing, [2]); // pay
/// assert_eq!(found.extra, [2]); // chat
/// assert_eq!(found.out_of_order.len(), 1); // without it the other pair is in order
/// assert!(!found.is_match(MatchMode::AnyOrder) && !found.is_match(MatchMode::Subset));
/// # Ok::<(), trajectory_metrics::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Alignment {
    /// Pairs of a call and the expected call that it satisfies, both by position, in the order of the calls. There is
    /// no pairing with more pairs.
    pub matched: Vec<(usize, usize)>,
    /// The positions of the expected calls without a matching call.
    pub missing: Vec<usize>,
    /// The positions of the calls without a matching expected call.
    pub extra: Vec<usize>,
    /// The matched pairs that break the order: all pairs that are not in one longest subsequence of pairs in the same
    /// order on both sides.
    pub out_of_order: Vec<(usize, usize)>,
}

impl Alignment {
    /// Makes an alignment of pairs in the order of the calls; `in_order` states for each pair whether
    /// it keeps the order.
    pub(crate) fn new(
        calls: usize,
        expected: usize,
        matched: Vec<(usize, usize)>,
        in_order: &[bool],
    ) -> Self {
        let mut missing = vec![true; expected];
        let mut extra = vec![true; calls];
        for &(call, expected) in &matched {
            extra[call] = false;
            missing[expected] = false;
        }
        let positions = |marks: Vec<bool>| -> Vec<usize> {
            marks.iter().enumerate().filter_map(|(i, &mark)| mark.then_some(i)).collect()
        };
        let pairs = matched.iter().zip(in_order);
        let out_of_order =
            pairs.filter(|(_, in_order)| !**in_order).map(|(pair, _)| *pair).collect();
        Self { matched, missing: positions(missing), extra: positions(extra), out_of_order }
    }

    /// Returns whether the calls match in the given mode. The same alignment can be tested in all modes.
    #[must_use]
    pub fn is_match(&self, mode: MatchMode) -> bool {
        let complete = self.missing.is_empty();
        let sparse = self.extra.is_empty();
        let ordered = self.out_of_order.is_empty();
        match mode {
            MatchMode::Exact => complete && sparse && ordered,
            MatchMode::InOrder => complete && ordered,
            MatchMode::AnyOrder => complete,
            MatchMode::Subset => sparse,
            MatchMode::Unordered => complete && sparse,
        }
    }
}
