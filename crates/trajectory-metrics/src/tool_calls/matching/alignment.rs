/// Decides when a list of calls matches the expected calls.
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
/// The names are those of Vertex AI's agent evaluation (exact, in order, any order) and of the
/// Python package agentevals (strict, superset, subset, unordered).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum MatchMode {
    /// The same calls in the same order.
    #[doc(alias = "strict")]
    Exact,
    /// All expected calls in order, and possibly others.
    #[doc(alias = "subsequence")]
    InOrder,
    /// All expected calls in any order, and possibly others.
    #[doc(alias = "superset")]
    AnyOrder,
    /// Only expected calls, possibly not all of them.
    Subset,
    /// The same calls in any order, and no others.
    Unordered,
}

/// The pairs of calls and expected calls that satisfy each other, and the calls without a partner.
///
/// Positions count from 0. Made by [`match_calls`](crate::tool_calls::match_calls()) and
/// [`PartialOrder::match_calls`](crate::tool_calls::PartialOrder::match_calls).
///
/// ```
/// use trajectory_metrics::tool_calls::{MatchMode, call_matcher_from_fn, match_calls};
///
/// let (actual, expected) = (["look", "book", "chat"], ["book", "look", "pay"]);
/// let same = call_matcher_from_fn(|call, expected| call == expected);
/// let found = match_calls(&actual, &expected, &same)?;
/// assert_eq!(found.matched(), [(0, 1), (1, 0)]);
/// assert_eq!(found.missing(), [2]); // pay
/// assert_eq!(found.extra(), [2]); // chat
/// assert_eq!(found.out_of_order().len(), 1); // without it the other pair is in order
/// assert!(!found.is_match(MatchMode::AnyOrder) && !found.is_match(MatchMode::Subset));
/// # Ok::<(), trajectory_metrics::Error>(())
/// ```
///
/// With the feature `serde`, an alignment is read only if each call and each expected call occurs in
/// it once, and the pairs that are out of order are among the matched ones.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Stored")
)]
pub struct Alignment {
    matched: Vec<(usize, usize)>,
    missing: Vec<usize>,
    extra: Vec<usize>,
    out_of_order: Vec<(usize, usize)>,
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

    /// Whether the calls match in the given mode. One alignment answers for all modes.
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

    /// Pairs of a call and the expected call that it satisfies, in the order of the calls. No choice
    /// of pairs has more.
    #[must_use]
    pub fn matched(&self) -> &[(usize, usize)] {
        &self.matched
    }

    /// The expected calls without a matching call.
    #[must_use]
    pub fn missing(&self) -> &[usize] {
        &self.missing
    }

    /// The calls without a matching expected call.
    #[must_use]
    pub fn extra(&self) -> &[usize] {
        &self.extra
    }

    /// The matched pairs that break the order: for two lists, the pairs outside a longest
    /// subsequence that keeps the order.
    #[must_use]
    pub fn out_of_order(&self) -> &[(usize, usize)] {
        &self.out_of_order
    }
}

/// An alignment before its checks.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    matched: Vec<(usize, usize)>,
    missing: Vec<usize>,
    extra: Vec<usize>,
    out_of_order: Vec<(usize, usize)>,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for Alignment {
    type Error = &'static str;

    fn try_from(stored: Stored) -> Result<Self, Self::Error> {
        const WRONG: &str = "the alignment is invalid: each call must be once in `matched` or `extra`, each expected call once in `matched` or `missing`, in rising order, and each pair of `out_of_order` in `matched`";
        let Stored { matched, missing, extra, out_of_order } = stored;
        let (calls, expected) = (matched.len() + extra.len(), matched.len() + missing.len());
        let inside = |&(call, wanted): &(usize, usize)| call < calls && wanted < expected;
        if !(matched.iter().all(inside) && matched.is_sorted_by(|a, b| a.0 < b.0)) {
            return Err(WRONG);
        }
        // Both lists are in the order of the calls, so one pass finds the pairs out of order.
        let mut rest = out_of_order.iter().peekable();
        let in_order: Vec<bool> =
            matched.iter().map(|pair| rest.next_if_eq(&pair).is_none()).collect();
        let found = Self::new(calls, expected, matched, &in_order);
        let same = (&found.missing, &found.extra) == (&missing, &extra);
        if same && found.out_of_order == out_of_order { Ok(found) } else { Err(WRONG) }
    }
}

#[cfg(feature = "serde")]
#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool_calls::{PartialOrder, call_matcher_from_fn, match_calls};

    #[test]
    fn an_alignment_is_read_back_as_written() {
        let same = call_matcher_from_fn(|call: &u8, expected: &u8| call == expected);
        let lists: [&[u8]; 5] = [&[], &[1], &[1, 2, 3], &[3, 1, 2, 2], &[4, 3, 2, 1, 9]];
        for actual in lists {
            for expected in lists {
                let order = PartialOrder::new(expected.len(), &[]).unwrap();
                for found in [
                    match_calls(actual, expected, &same).unwrap(),
                    order.match_calls(actual, expected, &same).unwrap(),
                ] {
                    let written = serde_json::to_string(&found).unwrap();
                    assert_eq!(serde_json::from_str::<Alignment>(&written).unwrap(), found);
                }
            }
        }
    }

    #[test]
    fn an_invalid_alignment_is_refused() {
        let read = |matched: &str, missing: &str, extra: &str, out_of_order: &str| {
            serde_json::from_str::<Alignment>(&format!(
                r#"{{"matched":{matched},"missing":{missing},"extra":{extra},"out_of_order":{out_of_order}}}"#
            ))
        };
        assert!(read("[[0,1],[1,0]]", "[2]", "[2]", "[[1,0]]").is_ok());
        for [matched, missing, extra, out_of_order] in [
            ["[[0,1],[1,1]]", "[2]", "[2]", "[]"],
            ["[[1,0],[0,1]]", "[2]", "[2]", "[]"],
            ["[[0,1],[0,0]]", "[2]", "[2]", "[]"],
            ["[[0,1],[1,9]]", "[2]", "[2]", "[]"],
            ["[[0,1],[9,0]]", "[2]", "[2]", "[]"],
            ["[[0,1],[1,0]]", "[0]", "[2]", "[]"],
            ["[[0,1],[1,0]]", "[2]", "[1]", "[]"],
            ["[[0,1],[1,0]]", "[2,2]", "[2]", "[]"],
            ["[[0,1],[1,0]]", "[2]", "[2]", "[[2,2]]"],
            ["[[0,1],[1,0]]", "[2]", "[2]", "[[1,0],[0,1]]"],
            ["[[0,1],[1,0]]", "[2]", "[2]", "[[1,0],[1,0]]"],
            ["[]", "[18446744073709551615]", "[]", "[]"],
        ] {
            let error = read(matched, missing, extra, out_of_order).unwrap_err().to_string();
            assert!(
                error.starts_with("the alignment is invalid"),
                "{matched} {missing} {extra}: {error}"
            );
        }
    }
}
