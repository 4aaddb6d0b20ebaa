//! Random numbers and hashes that are stable across versions: to repeat published draws to the bit, and
//! for stored values.

use std::ops::Range;

use rand::Rng;
use rand_mt::Mt;

/// Returns the 64-bit FNV-1a hash of the bytes. The hash distinguishes texts, but does not protect against an
/// adversary.
///
/// Only the concatenated bytes matter, not their division into parts. If the boundary between parts matters,
/// hash the length of each part as well.
///
/// ```
/// use trajectory_metrics::random::fnv1a;
///
/// assert_eq!(fnv1a("foobar".bytes()), 0x8594_4171_f739_67e8);
/// ```
///
/// Reference: Fowler, Noll and Vo, RFC 9923.
#[must_use]
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Draws a uniform multiple of 2^-53 in [0, 1) from the leading bits of one 64-bit random word. The code is part of
/// this crate so that draws do not change with the version of a library.
///
/// ```
/// use rand::SeedableRng;
/// use rand_chacha::ChaCha8Rng;
/// use trajectory_metrics::random::unit;
///
/// let mut generator = ChaCha8Rng::seed_from_u64(7);
/// assert!((0.0..1.0).contains(&unit(&mut generator)));
/// ```
pub fn unit(generator: &mut impl Rng) -> f64 {
    (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

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
    /// Creates the generator that `random.Random(seed)` creates in CPython.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // The 32-bit digits of the seed, lowest first, without leading zeros.
        let digits = [seed as u32, (seed >> 32) as u32];
        let count = if digits[1] == 0 { 1 } else { 2 };
        Self(Mt::new_with_key(digits.into_iter().take(count)))
    }

    /// Returns the result of Python's `uniform(low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        let (upper, lower) = (f64::from(self.0.next_u32() >> 5), f64::from(self.0.next_u32() >> 6));
        let unit = (upper * 2.0_f64.powi(26) + lower) / 2.0_f64.powi(53);
        low + (high - low) * unit
    }

    /// Returns the result of Python's `choice(range(start, end))`, which is also the result of `randrange(start, end)`
    /// and `randint(start, end - 1)`. For an empty range, returns its start.
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

    /// Shuffles fewer than 2^32 items as Python's `shuffle(items)` does.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.choice(0..last as u32 + 1) as usize);
        }
    }
}
