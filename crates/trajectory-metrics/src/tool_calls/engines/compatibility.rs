/// The expected calls that each call satisfies: a row of bits for each call, with one bit for each
/// expected call.
pub(crate) struct Compatibility {
    /// Number of calls.
    pub(crate) rows: usize,
    /// Number of expected calls.
    pub(crate) columns: usize,
    words: usize,
    bits: Vec<u64>,
}

impl Compatibility {
    /// Asks once for each pair, without allocating for it, and returns the first error.
    pub(crate) fn new<A, E, X>(
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

    /// The expected calls that a call satisfies, 64 in a word.
    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.bits[row * self.words..(row + 1) * self.words]
    }
}

/// The positions of the set bits.
pub(crate) fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        word &= word.checked_sub(1)?;
        Some(bit)
    })
}
