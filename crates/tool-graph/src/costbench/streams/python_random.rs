use std::ops::Range;

use rand_mt::Mt;

/// CPython's `random.Random(seed)` for a seed from 0 to `2^64 - 1`.
///
/// Reference: Matsumoto and Nishimura (1998), Mersenne Twister, doi:10.1145/272991.272995; the
/// documentation of Python's `random` says that streams of `random()` do not change between
/// versions.
pub(in crate::costbench) struct PythonRandom(Mt);

impl PythonRandom {
    pub(in crate::costbench) fn new(seed: u64) -> Self {
        // The 32-bit digits of the seed, lowest first, without leading zeros.
        let digits = [seed as u32, (seed >> 32) as u32];
        let count = if digits[1] == 0 { 1 } else { 2 };
        Self(Mt::new_with_key(digits.into_iter().take(count)))
    }

    /// `random()`: a multiple of `2^-53` from 0 to below 1.
    fn unit(&mut self) -> f64 {
        let high = f64::from(self.0.next_u32() >> 5);
        let low = f64::from(self.0.next_u32() >> 6);
        (high * 2.0_f64.powi(26) + low) / 2.0_f64.powi(53)
    }

    /// `uniform(min, min + width)`.
    pub(in crate::costbench) fn uniform(&mut self, min: f64, width: f64) -> f64 {
        min + width * self.unit()
    }

    /// `choice(range(start, end))`, which is also `randrange(start, end)`.
    pub(in crate::costbench) fn choice(&mut self, range: Range<u32>) -> u32 {
        let count = range.end.saturating_sub(range.start).max(1);
        // Takes as many high bits as the count has, and draws again until the value is below it.
        let unused = count.leading_zeros();
        loop {
            let drawn = self.0.next_u32() >> unused;
            if drawn < count {
                return range.start + drawn;
            }
        }
    }

    /// `randint(first, last)`.
    pub(in crate::costbench) fn integer(&mut self, first: u32, last: u32) -> u32 {
        self.choice(first..last + 1)
    }
}
