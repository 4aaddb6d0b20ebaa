use std::collections::HashSet;

use crate::error::Error;
use crate::tool_calls::engines::compatibility::{Compatibility, ones};

/// A search for calls that satisfy all expected calls in a partial order. It goes through the calls
/// from first to last, with the set of expected calls that are satisfied so far.
pub(crate) struct Search<'a> {
    before: &'a [u64],
    after: &'a [u64],
    /// For each call, the expected calls that it satisfies.
    fits: Vec<u64>,
    /// For each call, the expected calls that it or a later call satisfies.
    fits_from: Vec<u64>,
    /// For each pair of expected calls, the position after the last call that satisfies only the
    /// first of them.
    alone_until: Vec<usize>,
}

/// A call with several options.
struct Choice {
    position: usize,
    satisfied: u64,
    untried: u64,
    pairs: usize,
}

impl<'a> Search<'a> {
    pub(crate) fn new(before: &'a [u64], after: &'a [u64], compatibility: &Compatibility) -> Self {
        let fits: Vec<u64> = (0..compatibility.rows())
            .map(|row| compatibility.row(row).first().copied().unwrap_or_default())
            .collect();
        let mut fits_from = fits.clone();
        for position in (1..fits_from.len()).rev() {
            fits_from[position - 1] |= fits_from[position];
        }
        let expected = before.len();
        let mut alone_until = vec![0; expected * expected];
        for (position, &fits) in fits.iter().enumerate() {
            for first in ones(fits) {
                for second in (0..expected).filter(|second| fits >> second & 1 == 0) {
                    alone_until[first * expected + second] = position + 1;
                }
            }
        }
        Self { before, after, fits, fits_from, alone_until }
    }

    /// The expected calls that are worth trying for the call at a position, in a state of the search.
    ///
    /// A call that fits an open expected call is always used, because a later call instead of it
    /// would gain nothing. Of two expected calls, only the first is tried if all later calls for the
    /// first also fit the second, and if the first opens everything that the second opens. The two
    /// can then be exchanged in every solution that uses the call for the second.
    fn options(&self, position: usize, satisfied: u64) -> u64 {
        let open = |&expected: &usize| self.before[expected] & !satisfied == 0;
        let fitting = self.fits[position] & !satisfied;
        let open = ones(fitting).filter(open).fold(0_u64, |open, expected| open | 1 << expected);
        if open.count_ones() < 2 {
            return open;
        }
        let replaces = |first: usize, second: usize| {
            self.after[second] & !self.after[first] == 0
                && self.alone_until[first * self.before.len() + second] <= position + 1
        };
        let mut options = open;
        for second in ones(open) {
            // Compared with the remaining options only, so that one of two equal options remains.
            if ones(options & !(1 << second)).any(|first| replaces(first, second)) {
                options &= !(1 << second);
            }
        }
        options
    }

    /// The pairs that result from taking the first option at every call. They are in order, but may
    /// leave expected calls unsatisfied.
    pub(crate) fn greedy(&self) -> Vec<(usize, usize)> {
        let (mut pairs, mut satisfied) = (Vec::new(), 0_u64);
        for position in 0..self.fits.len() {
            if let Some(expected) = ones(self.options(position, satisfied)).next() {
                satisfied |= 1 << expected;
                pairs.push((position, expected));
            }
        }
        pairs
    }

    /// Pairs that satisfy all expected calls in order, if they exist. Returns an error if more states
    /// than given would have to be examined.
    pub(crate) fn exhaustive(&self, states: usize) -> Result<Option<Vec<(usize, usize)>>, Error> {
        let all = self.before.len();
        let mut pairs: Vec<(usize, usize)> = Vec::with_capacity(all);
        let mut choices: Vec<Choice> = Vec::new();
        // Each state is examined once: it leads to a solution, which ends the search, or to none.
        let mut seen: HashSet<(usize, u64)> = HashSet::new();
        let (mut position, mut satisfied) = (0, 0_u64);
        loop {
            if pairs.len() == all {
                return Ok(Some(pairs));
            }
            let coming = self.fits_from.get(position).copied().unwrap_or_default();
            let unsatisfied = (0..all).any(|expected| (satisfied | coming) >> expected & 1 == 0);
            let mut options = if unsatisfied { 0 } else { self.options(position, satisfied) };
            if options.count_ones() > 1 {
                if seen.len() == states {
                    return Err(Error::OrderSearch { states });
                }
                if !seen.insert((position, satisfied)) {
                    options = 0;
                } else {
                    let untried = options & (options - 1);
                    choices.push(Choice { position, satisfied, untried, pairs: pairs.len() });
                }
            } else if options == 0 && !unsatisfied {
                // An extra call.
                position += 1;
                continue;
            }
            if options == 0 {
                // Back to the last call with an option that has not been tried.
                let Some(choice) = choices.last_mut() else { return Ok(None) };
                position = choice.position;
                satisfied = choice.satisfied;
                pairs.truncate(choice.pairs);
                options = choice.untried;
                choice.untried &= choice.untried.saturating_sub(1);
                if choice.untried == 0 {
                    choices.pop();
                }
            }
            let expected = options.trailing_zeros() as usize;
            satisfied |= 1 << expected;
            pairs.push((position, expected));
            position += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten calls of one tool, each followed by a call of another tool. If `late`, the first call of
    /// the one tool comes last in the run, so that no solution exists.
    fn interchangeable(late: bool) -> Result<Option<usize>, Error> {
        let expected: Vec<u8> = (0..20).map(|i| if i < 10 { 0 } else { i }).collect();
        let mut actual = expected.clone();
        if late {
            actual.rotate_left(1);
        }
        let mut before = vec![0; 20];
        let mut after = vec![0; 20];
        for i in 0..10 {
            before[10 + i] = 1 << i;
            after[i] = 1 << (10 + i);
        }
        let same = |a: &u8, e: &u8| Ok::<_, Error>(a == e);
        let compatibility = Compatibility::new(&actual, &expected, same)?;
        let search = Search::new(&before, &after, &compatibility);
        Ok(search.exhaustive(if late { 1_000 } else { 100 })?.map(|pairs| pairs.len()))
    }

    #[test]
    fn a_search_that_would_take_too_long_is_an_error() {
        assert_eq!(interchangeable(false), Ok(Some(20)));
        assert_eq!(interchangeable(true), Err(Error::OrderSearch { states: 1_000 }));
    }
}
