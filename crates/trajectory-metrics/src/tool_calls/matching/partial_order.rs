use crate::{
    checks::same_length,
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

/// Which of the expected calls must come before which others: a directed graph without circles.
///
/// Without any pair it is any order; with each call before the next it is the order of the list.
/// The verdicts are then those of [`match_calls`](crate::tool_calls::match_calls()), but what is out of order
/// may differ: there the fewest pairs that must go so that the rest keeps the order, here each
/// whose call came before one that must precede it.
///
/// ```
/// use trajectory_metrics::tool_calls::{MatchMode, PartialOrder};
/// use trajectory_metrics::Error;
///
/// // Look up the user and the flight, in either order, then book.
/// let order = PartialOrder::new(3, &[(0, 2), (1, 2)])?;
/// let expected = ["user", "flight", "book"];
/// let same = |call: &&str, expected: &&str| call == expected;
/// let ok = order.match_calls(&["flight", "think", "user", "book"], &expected, &same)?;
/// assert!(ok.is_match(MatchMode::InOrder));
/// let early = order.match_calls(&["user", "book", "flight"], &expected, &same)?;
/// assert!(!early.is_match(MatchMode::InOrder) && early.is_match(MatchMode::Unordered));
/// assert_eq!(early.out_of_order(), [(1, 2)]);
/// # Ok::<(), Error>(())
/// ```
///
/// With the feature `serde` an order is the number of calls and all its pairs, also those that
/// follow from others: `{"calls": 3, "pairs": [[0, 2], [1, 2]]}`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(into = "Stored", try_from = "Stored")
)]
pub struct PartialOrder {
    /// For each call all that must come before it, as bits.
    before: Vec<u64>,
    /// For each call all that must come after it, as bits.
    after: Vec<u64>,
}

impl PartialOrder {
    /// The order in which, for each pair, the first expected call comes before the second.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for more than 64 calls; [`Error::OrderedCall`] for a pair that names a
    /// call which is not there; [`Error::OrderCycle`] where a call would come before itself.
    pub fn new(calls: usize, pairs: &[(usize, usize)]) -> Result<Self, Error> {
        if calls > 64 {
            let range = "at most 64";
            return Err(Error::Setting { name: "expected calls", value: calls as f64, range });
        }
        let mut before = vec![0_u64; calls];
        for (index, &(first, second)) in pairs.iter().enumerate() {
            let call = first.max(second);
            if call >= calls {
                return Err(Error::OrderedCall { index, call, calls });
            }
            before[second] |= 1 << first;
        }
        // What comes before a call that comes before another comes before that, too.
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

    /// Pairs the calls of an agent with the calls that were expected, so that this order is kept if
    /// it can be.
    ///
    /// "In order" then means this order: [`MatchMode::InOrder`](crate::tool_calls::MatchMode::InOrder) holds
    /// exactly where some choice of calls satisfies everything expected and keeps the order;
    /// [`MatchMode::Exact`](crate::tool_calls::MatchMode::Exact) where there is no other call besides. Where
    /// there is no such choice, the pairs are as many as there can be, and those are out of order
    /// whose call came before one that must precede it.
    ///
    /// To decide this is NP-complete in general (membership in the language of a pomset;
    /// Feigenbaum, Kahn and Lund 1993, Complexity results for pomset languages). The search is
    /// exact. A call that fits one open expected call is never passed over, and of two that it fits
    /// the one which can be had less often later and opens more goes first; so there is nothing to
    /// choose unless several expected calls are alike for the matcher but not for the order. The
    /// time is exponential in the number of those at worst, and O(n m + m^2) for n calls otherwise.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there are as many expected calls as the order has;
    /// [`Error::OrderSearch`] where a million choices did not settle it; the first error of the
    /// matcher, as in [`match_calls`](crate::tool_calls::match_calls()).
    pub fn match_calls<A, E>(
        &self,
        actual: &[A],
        expected: &[E],
        matcher: &(impl CallMatcher<A, E> + ?Sized),
    ) -> Result<Alignment, Error> {
        same_length("expected calls", self.before.len(), expected.len())?;
        let satisfies = |call: &A, expected: &E| matcher.satisfies(call, expected);
        let compatibility = Compatibility::try_new(actual, expected, satisfies)?;
        let complete = |pairs: Vec<(usize, usize)>| {
            let in_order = vec![true; pairs.len()];
            Alignment::new(actual.len(), expected.len(), pairs, &in_order)
        };
        let search = Search::new(&self.before, &self.after, &compatibility);
        let straight = search.straight();
        if straight.len() == expected.len() {
            return Ok(complete(straight));
        }
        let matched = maximum_matching(&compatibility, &straight);
        // Where some expected call must go without, order or not, there is nothing to search for.
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

/// An order as it is written.
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

/// A second or two of search.
const MOST_STATES: usize = 1 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_strangers_and_too_many_calls_are_refused() {
        let refused = |calls, pairs: &[_]| PartialOrder::new(calls, pairs).unwrap_err();
        assert_eq!(refused(3, &[(0, 1), (1, 2), (2, 1)]), Error::OrderCycle { call: 1 });
        assert_eq!(refused(1, &[(0, 0)]), Error::OrderCycle { call: 0 });
        assert_eq!(
            refused(2, &[(0, 1), (2, 0)]),
            Error::OrderedCall { index: 1, call: 2, calls: 2 }
        );
        assert!(matches!(refused(65, &[]), Error::Setting { name: "expected calls", .. }));
        assert!(PartialOrder::new(64, &[(63, 0), (0, 1)]).is_ok());
        let order = PartialOrder::new(2, &[]).unwrap();
        let same = |a: &u8, e: &u8| a == e;
        let error = order.match_calls(&[1, 2], &[1], &same);
        assert_eq!(error, Err(Error::Length { what: "expected calls", expected: 2, found: 1 }));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn an_order_comes_back_as_it_was_written_and_a_circle_is_refused() {
        for order in [
            PartialOrder::new(4, &[(0, 1), (1, 3), (2, 3)]).unwrap(),
            PartialOrder::new(64, &[(63, 0)]).unwrap(),
            PartialOrder::new(0, &[]).unwrap(),
        ] {
            let written = serde_json::to_string(&order).unwrap();
            assert_eq!(serde_json::from_str::<PartialOrder>(&written).unwrap(), order, "{written}");
        }
        for (text, problem) in [
            (r#"{"calls":2,"pairs":[[0,1],[1,0]]}"#, "before itself"),
            (r#"{"calls":2,"pairs":[[0,2]]}"#, "names expected call 2"),
            (r#"{"calls":18446744073709551615,"pairs":[]}"#, "at most 64"),
        ] {
            let error = serde_json::from_str::<PartialOrder>(text).unwrap_err().to_string();
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
