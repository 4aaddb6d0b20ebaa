use rand_mt::Mt;

/// NumPy's `RandomState(seed)`, to the bit: the Mersenne Twister MT19937, seeded by one number.
#[derive(Debug)]
pub(super) struct NumpyRandom(Mt);

impl NumpyRandom {
    pub(super) fn new(seed: u32) -> Self {
        Self(Mt::new(seed))
    }

    /// Returns the result of NumPy's `randint(count)`: a number below `count`; 0 for 0 and 1, which draw nothing.
    pub(super) fn below(&mut self, count: u32) -> u32 {
        let largest = count.saturating_sub(1);
        // Takes the low bits, as wide as the largest number, and draws again while the result exceeds
        // this number.
        let mask = u32::MAX.checked_shr(largest.leading_zeros()).unwrap_or(0);
        if largest == 0 {
            return 0;
        }
        loop {
            let drawn = self.0.next_u32() & mask;
            if drawn <= largest {
                return drawn;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_those_of_numpy() {
        // RandomState(42): randint(10), randint(100), randint(7)
        let mut random = NumpyRandom::new(42);
        assert_eq!([random.below(10), random.below(100), random.below(7)], [6, 51, 4]);
    }
}
