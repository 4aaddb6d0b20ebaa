use std::hash::Hash;

/// A set of the data types of a task: in registers where they are few.
pub(crate) trait Bits: Clone + Eq + Hash + AsRef<[u64]> + AsMut<[u64]> {
    fn empty(types: usize) -> Self;

    fn contains(&self, number: u32) -> bool {
        self.as_ref()[number as usize / 64] >> (number % 64) & 1 == 1
    }

    fn with(&self, numbers: &[u32]) -> Self {
        let mut all = self.clone();
        numbers.iter().for_each(|&number| all.as_mut()[number as usize / 64] |= 1 << (number % 64));
        all
    }

    fn contains_all(&self, numbers: &[u32]) -> bool {
        numbers.iter().all(|&number| self.contains(number))
    }

    /// From the lowest on.
    fn for_each(&self, mut visit: impl FnMut(u32)) {
        for (word, &bits) in self.as_ref().iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                visit(word as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }
}

impl<const N: usize> Bits for [u64; N] {
    fn empty(_: usize) -> Self {
        [0; N]
    }
}

impl Bits for Box<[u64]> {
    fn empty(types: usize) -> Self {
        vec![0; types.div_ceil(64)].into()
    }
}
