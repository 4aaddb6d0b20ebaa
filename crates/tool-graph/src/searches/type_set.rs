/// A set of data types of a reduced problem.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TypeSet(Box<[u64]>);

impl TypeSet {
    pub(crate) fn empty(types: usize) -> Self {
        Self(vec![0; types.div_ceil(64)].into())
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        self.0[number as usize / 64] >> (number % 64) & 1 == 1
    }

    pub(crate) fn insert_all(&mut self, numbers: &[u32]) {
        numbers.iter().for_each(|&number| self.0[number as usize / 64] |= 1 << (number % 64));
    }

    pub(crate) fn with(&self, numbers: &[u32]) -> Self {
        let mut all = self.clone();
        all.insert_all(numbers);
        all
    }

    pub(crate) fn contains_all(&self, numbers: &[u32]) -> bool {
        numbers.iter().all(|&number| self.contains(number))
    }

    /// Visits the data types in ascending order.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(u32)) {
        for (word, &bits) in self.0.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                visit(word as u32 * 64 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
    }
}
