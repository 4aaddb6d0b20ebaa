use std::convert::Infallible;

/// Which call satisfies which expected call: one row of bits for each call, one bit for each
/// expected call. The matcher is asked once for each pair and nothing is allocated for it.
pub(crate) struct Compatibility {
    rows: usize,
    columns: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Compatibility {
    pub(crate) fn new<A, E>(actual: &[A], expected: &[E], fits: impl Fn(&A, &E) -> bool) -> Self {
        let Ok(found) =
            Self::try_new(actual, expected, |call, wanted| Ok::<_, Infallible>(fits(call, wanted)));
        found
    }

    /// The same with a test that may fail: the first error is returned.
    pub(crate) fn try_new<A, E, X>(
        actual: &[A],
        expected: &[E],
        satisfies: impl Fn(&A, &E) -> Result<bool, X>,
    ) -> Result<Self, X> {
        let words = expected.len().div_ceil(64);
        let mut bits = Vec::with_capacity(actual.len() * words);
        for call in actual {
            for expected in expected.chunks(64) {
                let mut word = 0;
                for (bit, expected) in expected.iter().enumerate() {
                    word |= u64::from(satisfies(call, expected)?) << bit;
                }
                bits.push(word);
            }
        }
        Ok(Self { rows: actual.len(), columns: expected.len(), words, bits })
    }

    /// Number of calls.
    pub(crate) const fn rows(&self) -> usize {
        self.rows
    }

    /// Number of expected calls.
    pub(crate) const fn columns(&self) -> usize {
        self.columns
    }

    /// The expected calls that a call satisfies, 64 to a word.
    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }
}

/// The positions of the bits that are set.
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.checked_sub(1)?;
        Some(bit)
    })
}
