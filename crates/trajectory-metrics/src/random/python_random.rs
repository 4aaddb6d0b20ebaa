use std::ops::Range;

use rand_mt::Mt;

/// CPython's `random.Random(seed)`, to the bit: the Mersenne Twister MT19937.
///
/// Published benchmarks draw from it, so that their draws can be repeated.
///
/// ```
/// use trajectory_metrics::random::PythonRandom;
///
/// // random.Random(42).choice(range(10)), and of 43.
/// assert_eq!(PythonRandom::new(42).choice(0..10), 1);
/// assert_eq!(PythonRandom::new(43).choice(0..10), 0);
///
/// // random.Random(42).shuffle(items)
/// let mut items = [0, 1, 2, 3, 4];
/// PythonRandom::new(42).shuffle(&mut items);
/// assert_eq!(items, [3, 1, 2, 4, 0]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PythonRandom(Mt);

impl PythonRandom {
    /// Makes the generator of a seed from 0 to `2^64 - 1`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // The 32-bit digits of the seed, lowest first, without leading zeros.
        let digits = [seed as u32, (seed >> 32) as u32];
        let count = if digits[1] == 0 { 1 } else { 2 };
        Self(Mt::new_with_key(digits.into_iter().take(count)))
    }

    /// `uniform(low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let (upper, lower) = (f64::from(self.0.next_u32() >> 5), f64::from(self.0.next_u32() >> 6));
        let unit = (upper * 2.0_f64.powi(26) + lower) / 2.0_f64.powi(53);
        low + (high - low) * unit
    }

    /// `choice(range(start, end))`, which is also `randrange(start, end)` and `randint(start, end - 1)`; the
    /// start of an empty range.
    pub fn choice(&mut self, range: Range<u32>) -> u32 {
        let count = range.end.saturating_sub(range.start).max(1);
        // Takes the high bits, as wide as the count, and draws again until the value is below the count.
        let unused = count.leading_zeros();
        loop {
            let drawn = self.0.next_u32() >> unused;
            if drawn < count {
                return range.start + drawn;
            }
        }
    }

    /// `shuffle(items)`, for fewer than 2^32 items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.choice(0..last as u32 + 1) as usize);
        }
    }
}
