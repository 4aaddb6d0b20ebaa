/// A table over two sequences, filled column by column with many rows in one word: bit r of the
/// masks says whether row r holds the same symbol as the column.
///
/// A strip is up to `64 W` rows. What one strip leaves below it at each column enters the next
/// strip from above, so sequences may be of any length.
pub(crate) trait Recurrence {
    /// What passes from one strip to the next at a column.
    type Edge: Copy;
    /// The edge above the first strip.
    const TOP: Self::Edge;

    /// Moves a strip to its next column; returns the edge below it.
    fn advance<const W: usize>(
        strip: &mut Strip<W>,
        equal: &[u64; W],
        above: Self::Edge,
    ) -> Self::Edge;

    /// What the first `rows` rows of a strip add to the result.
    fn total<const W: usize>(strip: &Strip<W>, rows: usize) -> usize;
}

/// The state of a strip at one column. A strip starts with all ones and all zeros.
#[derive(Clone, Copy)]
pub(crate) struct Strip<const W: usize> {
    ones: [u64; W],
    zeros: [u64; W],
}

impl<const W: usize> Strip<W> {
    pub(crate) const FIRST: Self = Self { ones: [u64::MAX; W], zeros: [0; W] };
}

/// How many of the first `rows` bits are set.
fn count<const W: usize>(words: &[u64; W], rows: usize) -> usize {
    let mut left = rows;
    let mut sum = 0;
    for word in words {
        let bits = left.min(64);
        // A shift by all 64 bits would be none.
        sum += if bits == 0 { 0 } else { (word << (64 - bits)).count_ones() as usize };
        left -= bits;
    }
    sum
}

/// Rows that differ from their row above by at most one: `ones` of the strip mark rises of one,
/// `zeros` falls of one.
///
/// After Myers (1999), A fast bit-vector algorithm for approximate string matching based on dynamic
/// programming, doi:10.1145/316542.316550, as Hyyrö (2003), A bit-vector algorithm for computing
/// Levenshtein and Damerau edit distances, adapts it from search to distance. Logic rearranged so
/// that seven operations, not twelve, wait for one another from column to column.
pub(crate) struct Levenshtein;

/// The difference from one column to the next along the row below a strip.
#[derive(Clone, Copy)]
pub(crate) struct Along {
    /// 0 where it rises by one, otherwise 1.
    no_rise: u64,
    /// 1 where it falls by one, otherwise 0.
    fall: u64,
}

impl Recurrence for Levenshtein {
    type Edge = Along;
    /// From nothing to each prefix costs one insertion more a column.
    const TOP: Along = Along { no_rise: 0, fall: 0 };

    #[inline(always)]
    fn advance<const W: usize>(strip: &mut Strip<W>, equal: &[u64; W], above: Along) -> Along {
        let mut carry = false;
        let mut below = above;
        for word in 0..W {
            let (rises, falls) = (strip.ones[word], strip.zeros[word]);
            let not_free = equal[word] | falls;
            let equal = equal[word] | if word == 0 { above.fall } else { 0 };
            let (sum, first) = (equal & rises).overflowing_add(rises);
            let (sum, second) = sum.overflowing_add(carry.into());
            carry = first | second;
            // Along each row, before the rows move down by one.
            let no_rise = !falls & (sum | rises | equal);
            let fall = rises & ((sum ^ rises) | equal);
            let no_rise_above = no_rise << 1 | below.no_rise;
            let fall_above = fall << 1 | below.fall;
            below = Along { no_rise: no_rise >> 63, fall: fall >> 63 };
            strip.ones[word] = fall_above | (!not_free & no_rise_above);
            strip.zeros[word] = !no_rise_above & not_free;
        }
        below
    }

    /// Rises less falls. Below zero in a strip that the last column falls through; the sum over all
    /// strips and the columns is not, so it may wrap on the way.
    fn total<const W: usize>(strip: &Strip<W>, rows: usize) -> usize {
        count(&strip.ones, rows).wrapping_sub(count(&strip.zeros, rows))
    }
}

/// Longest common subsequence: a zero among the strip's `ones` marks a row at which the length
/// rises.
///
/// After Hyyrö (2004), Bit-parallel LCS-length computation revisited.
pub(crate) struct CommonSubsequence;

impl Recurrence for CommonSubsequence {
    /// Whether the sum overflowed.
    type Edge = bool;
    const TOP: bool = false;

    #[inline(always)]
    fn advance<const W: usize>(strip: &mut Strip<W>, equal: &[u64; W], above: bool) -> bool {
        let mut carry = above;
        for (ones, equal) in strip.ones.iter_mut().zip(equal) {
            let (sum, first) = ones.overflowing_add(*ones & equal);
            let (sum, second) = sum.overflowing_add(carry.into());
            carry = first | second;
            *ones = sum | (*ones & !equal);
        }
        carry
    }

    fn total<const W: usize>(strip: &Strip<W>, rows: usize) -> usize {
        rows - count(&strip.ones, rows)
    }
}

/// The sum of all strips' totals where rows and columns are compared one by one.
pub(crate) fn compared<R: Recurrence, T: PartialEq>(rows: &[T], columns: &[T]) -> usize {
    let equal = |rows: &[T], column: &T| {
        rows.iter().rev().fold(0, |mask, row| mask << 1 | u64::from(row == column))
    };
    if rows.len() <= 64 {
        // No strip below, so nothing to remember.
        return one_strip::<R>(rows.len(), columns.iter().map(|column| equal(rows, column)));
    }
    let mut edges = vec![R::TOP; columns.len()];
    let strips = rows.chunks(64).map(|rows| {
        let mut strip = Strip::<1>::FIRST;
        for (column, edge) in columns.iter().zip(&mut edges) {
            *edge = R::advance(&mut strip, &[equal(rows, column)], *edge);
        }
        R::total(&strip, rows.len())
    });
    strips.fold(0, usize::wrapping_add)
}

/// The total of a single strip of one word, from the mask of each column.
#[inline(always)]
pub(crate) fn one_strip<R: Recurrence>(rows: usize, masks: impl Iterator<Item = u64>) -> usize {
    let mut strip = Strip::<1>::FIRST;
    for mask in masks {
        R::advance(&mut strip, &[mask], R::TOP);
    }
    R::total(&strip, rows)
}

/// Both sequences without what they share at the start and at the end, the shorter one first, and
/// how much that was. Shared ends change neither the edit distance nor what else is common.
pub(crate) fn without_shared_ends<'a, T: PartialEq>(
    a: &'a [T],
    b: &'a [T],
) -> (&'a [T], &'a [T], usize) {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    if a.len() <= b.len() { (a, b, start + end) } else { (b, a, start + end) }
}
