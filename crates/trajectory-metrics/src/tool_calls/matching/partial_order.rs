use crate::{
    checks::{same_length, setting},
    error::Error,
    tool_calls::{
        engines::{
            compatibility::{Compatibility, ones},
            maximum_matching::maximum_matching,
            partial_order_search::Search,
        },
        matching::{alignment::Alignment, call_matcher::CallMatcher},
    },
};

/// A partial order of expected calls: an acyclic graph of pairs whose first call must come before
/// the second.
///
/// Without pairs, every order is allowed. With a pair for each call and the next, only the order of
/// the list is allowed. The verdicts of such a list order are the same as in
/// [`match_calls`](crate::tool_calls::match_calls()), but different pairs may be out of order: in
/// [`match_calls`](crate::tool_calls::match_calls()), the fewest pairs whose removal leaves the rest
/// in order; here, each pair whose call came before a call that must precede it.
///
/// ```
/// use trajectory_metrics::tool_calls::{MatchMode, PartialOrder, call_matcher_from_fn};
/// use trajectory_metrics::Error;
///
/// // Look up the user and the flight, in either order, then book.
/// let order = PartialOrder::new(3, &[(0, 2), (1, 2)])?;
/// let expected = ["user", "flight", "book"];
/// let same = call_matcher_from_fn(|call, expected| call == expected);
/// let ok = order.match_calls(&["flight", "think", "user", "book"], &expected, &same)?;
/// assert!(ok.is_match(MatchMode::InOrder));
/// let early = order.match_calls(&["user", "book", "flight"], &expected, &same)?;
/// assert!(!early.is_match(MatchMode::InOrder) && early.is_match(MatchMode::Unordered));
/// assert_eq!(early.out_of_order(), [(1, 2)]);
/// # Ok::<(), Error>(())
/// ```
///
/// With the feature `serde`, an order is written as the number of calls and all pairs, including
/// pairs implied by others: `{"calls": 3, "pairs": [[0, 2], [1, 2]]}`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "Stored", try_from = "Stored")
)]
pub struct PartialOrder {
    /// For each call, the calls that must come before it, as bits.
    before: Vec<u64>,
    /// For each call, the calls that must come after it, as bits.
    after: Vec<u64>,
}

impl PartialOrder {
    /// Makes the order in which, for each pair, the first expected call comes before the second.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for more than 64 calls; [`Error::OrderedCall`] for a pair
    /// with a call that does not exist; [`Error::OrderCycle`] if a call would have to come before
    /// itself.
    pub fn new(calls: usize, pairs: &[(usize, usize)]) -> Result<Self, Error> {
        setting("expected calls", calls as f64, calls <= 64, "at most 64")?;
        let mut before = vec![0_u64; calls];
        for (index, &(first, second)) in pairs.iter().enumerate() {
            let call = first.max(second);
            if call >= calls {
                return Err(Error::OrderedCall { index, call, calls });
            }
            before[second] |= 1 << first;
        }
        // The transitive closure.
        for middle in 0..calls {
            let earlier = before[middle];
            for before in &mut before {
                if *before >> middle & 1 == 1 {
                    *before |= earlier;
                }
            }
        }
        let mut after = vec![0_u64; calls];
        for (call, &before) in before.iter().enumerate() {
            if before >> call & 1 == 1 {
                return Err(Error::OrderCycle { call });
            }
            ones(before).for_each(|earlier| after[earlier] |= 1 << call);
        }
        Ok(Self { before, after })
    }

    /// Pairs the calls of an agent with the expected calls so that this order is kept, if possible.
    ///
    /// [`MatchMode::InOrder`](crate::tool_calls::MatchMode::InOrder) then holds exactly if some
    /// choice of calls satisfies all expected calls and keeps this order, and
    /// [`MatchMode::Exact`](crate::tool_calls::MatchMode::Exact) if in addition there are no other
    /// calls. If there is no such choice, the number of pairs is the largest possible, and a pair is
    /// out of order if its call came before a call that must precede it.
    ///
    /// The problem is NP-complete in general (membership in the language of a pomset; Feigenbaum,
    /// Kahn and Lund 1993, Complexity results for pomset languages). The search is exact. It only
    /// has a choice if several expected calls are interchangeable for the matcher but not for the
    /// order. In the worst case the time is exponential in the number of such calls; otherwise it is
    /// O(n m + m^2) for n calls and m expected calls.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless the number of expected calls is the number of calls in
    /// the order; [`Error::OrderSearch`] if the search has not ended after a million states; the
    /// first error of the matcher, as in [`match_calls`](crate::tool_calls::match_calls()).
    pub fn match_calls<A, E>(
        &self,
        actual: &[A],
        expected: &[E],
        matcher: &(impl CallMatcher<A, E> + ?Sized),
    ) -> Result<Alignment, Error> {
        same_length("expected calls", self.before.len(), expected.len())?;
        let satisfies = |call: &A, expected: &E| matcher.satisfies(call, expected);
        let compatibility = Compatibility::new(actual, expected, satisfies)?;
        let complete = |pairs: Vec<(usize, usize)>| {
            let in_order = vec![true; pairs.len()];
            Alignment::new(actual.len(), expected.len(), pairs, &in_order)
        };
        let search = Search::new(&self.before, &self.after, &compatibility);
        let greedy = search.greedy();
        if greedy.len() == expected.len() {
            return Ok(complete(greedy));
        }
        let matched = maximum_matching(&compatibility, &greedy);
        // If an expected call has no partner in any order, there is nothing to search for.
        if matched.len() == expected.len()
            && let Some(pairs) = search.exhaustive(MOST_STATES)?
        {
            return Ok(complete(pairs));
        }
        let breaks = |&(call, expected): &(usize, usize)| {
            matched
                .iter()
                .any(|&(other, earlier)| other > call && self.before[expected] >> earlier & 1 == 1)
        };
        let in_order: Vec<bool> = matched.iter().map(|pair| !breaks(pair)).collect();
        Ok(Alignment::new(actual.len(), expected.len(), matched, &in_order))
    }
}

/// The stored form of an order.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    calls: usize,
    pairs: Vec<(usize, usize)>,
}

#[cfg(feature = "serde")]
impl From<PartialOrder> for Stored {
    fn from(order: PartialOrder) -> Self {
        let before = order.before.iter().enumerate();
        let pairs = before.flat_map(|(call, &before)| ones(before).map(move |first| (first, call)));
        Self { calls: order.before.len(), pairs: pairs.collect() }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for PartialOrder {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        Self::new(stored.calls, &stored.pairs)
    }
}

/// One or two seconds of search.
const MOST_STATES: usize = 1 << 20;
