/// A dynamic-programming table of the edit distance of two sequences that is filled column by column, with 64 rows
/// per word. Bit r of a column's mask states whether row r holds the same symbol as the column.
///
/// A strip has up to `64 W` rows. The edge below a strip at each column is the edge above the next
/// strip, so that sequences may have any length.
///
/// Algorithm: Myers (1999), A fast bit-vector algorithm for approximate string matching based on
/// dynamic programming, doi:10.1145/316542.316550, adapted from search to distance by Hyyrö (2003), A
/// bit-vector algorithm for computing Levenshtein and Damerau edit distances. The logic is rearranged
/// so that the chain of dependent operations from column to column has seven instead of twelve operations.
#[derive(Clone, Copy)]
pub(crate) struct Strip<const W: usize> {
    /// A row differs from the row above by at most one: here by an increase.
    rises: [u64; W],
    /// Here by a decrease.
    falls: [u64; W],
}

/// The difference between neighbouring columns in the last row of a strip.
#[derive(Clone, Copy)]
pub(crate) struct Along {
    /// 0 for an increase by one, otherwise 1.
    no_rise: u64,
    /// 1 for a decrease by one, otherwise 0.
    fall: u64,
}

/// In the row above the first strip, each column costs one more insertion.
pub(crate) const TOP: Along = Along { no_rise: 0, fall: 0 };

impl<const W: usize> Strip<W> {
    pub(crate) const FIRST: Self = Self { rises: [u64::MAX; W], falls: [0; W] };

    /// Moves the strip to its next column; returns the edge below it.
    #[inline(always)]
    pub(crate) fn advance(&mut self, equal: &[u64; W], above: Along) -> Along {
        let mut carry = false;
        let mut below = above;
        for word in 0..W {
            let (rises, falls) = (self.rises[word], self.falls[word]);
            let not_free = equal[word] | falls;
            let equal = equal[word] | if word == 0 { above.fall } else { 0 };
            let (sum, first) = (equal & rises).overflowing_add(rises);
            let (sum, second) = sum.overflowing_add(carry.into());
            carry = first | second;
            // Differences along each row, before they are moved down by one row.
            let no_rise = !falls & (sum | rises | equal);
            let fall = rises & ((sum ^ rises) | equal);
            let no_rise_above = no_rise << 1 | below.no_rise;
            let fall_above = fall << 1 | below.fall;
            below = Along { no_rise: no_rise >> 63, fall: fall >> 63 };
            self.rises[word] = fall_above | (!not_free & no_rise_above);
            self.falls[word] = !no_rise_above & not_free;
        }
        below
    }

    /// Increases minus decreases among the first `rows` rows. It can be negative for a strip, but the sum over all
    /// strips and the number of columns cannot, so intermediate sums may wrap.
    pub(crate) fn total(&self, rows: usize) -> usize {
        count(&self.rises, rows).wrapping_sub(count(&self.falls, rows))
    }
}

/// The number of set bits among the first `rows`.
fn count<const W: usize>(words: &[u64; W], rows: usize) -> usize {
    let mut left = rows;
    let mut sum = 0;
    for word in words {
        let bits = left.min(64);
        // A shift by 64 bits would shift nothing.
        sum += if bits == 0 { 0 } else { (word << (64 - bits)).count_ones() as usize };
        left -= bits;
    }
    sum
}

/// The sum of the totals of all strips, with masks from comparing rows and columns one by one.
pub(crate) fn compared<T: PartialEq>(rows: &[T], columns: &[T]) -> usize {
    let equal = |rows: &[T], column: &T| {
        rows.iter().rev().fold(0, |mask, row| mask << 1 | u64::from(row == column))
    };
    if rows.len() <= 64 {
        // There is no next strip, so the edges are not needed.
        return one_strip(rows.len(), columns.iter().map(|column| equal(rows, column)));
    }
    let mut edges = vec![TOP; columns.len()];
    let strips = rows.chunks(64).map(|rows| {
        let mut strip = Strip::<1>::FIRST;
        for (column, edge) in columns.iter().zip(&mut edges) {
            *edge = strip.advance(&[equal(rows, column)], *edge);
        }
        strip.total(rows.len())
    });
    strips.fold(0, usize::wrapping_add)
}

/// The total of a single strip of one word, given the mask of each column.
#[inline(always)]
pub(crate) fn one_strip(rows: usize, masks: impl Iterator<Item = u64>) -> usize {
    let mut strip = Strip::<1>::FIRST;
    for mask in masks {
        strip.advance(&[mask], TOP);
    }
    strip.total(rows)
}

/// Both sequences without their common prefix and suffix, on which the edit distance does not depend, the shorter one first.
pub(crate) fn without_shared_ends<'a, T: PartialEq>(a: &'a [T], b: &'a [T]) -> (&'a [T], &'a [T]) {
    let start = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[start..], &b[start..]);
    let end = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - end], &b[..b.len() - end]);
    if a.len() <= b.len() { (a, b) } else { (b, a) }
}
