use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws with replacement: for each replicate, n uniform numbers below n.
///
/// Replicate r reads stream r of a ChaCha8 generator, so replicates can be computed in any order and
/// on any number of threads. One 64-bit word yields up to five numbers: the leading digits, in base
/// n, of the word taken as a fraction. The few words that would make some combinations of digits
/// more likely than others are rejected.
///
/// The algorithm is part of this crate so that streams do not change with the version of a library.
///
/// Reference: Brackett-Rozinsky and Lemire (2024), Batched ranged random integer generation,
/// doi:10.1002/spe.3369.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draws {
    generator: ChaCha8Rng,
    n: u32,
}

/// The largest number of draws from one word.
pub(crate) const LANES: usize = 5;

impl Draws {
    pub(crate) fn new(n: u32, seed: u64) -> Self {
        Self { generator: ChaCha8Rng::seed_from_u64(seed), n }
    }

    /// Calls `take(lane, number)` n times. Lanes are numbers below [`LANES`] in rotation, for
    /// callers with several independent sums.
    #[inline]
    pub(crate) fn each(&self, replicate: u64, take: impl FnMut(usize, usize)) {
        match self.per_word() {
            5.. => self.batches::<5>(replicate, take),
            4 => self.batches::<4>(replicate, take),
            3 => self.batches::<3>(replicate, take),
            2 => self.batches::<2>(replicate, take),
            _ => self.batches::<1>(replicate, take),
        }
    }

    /// The number of draws per word, such that fewer than one word in 256 is rejected.
    fn per_word(&self) -> u32 {
        (1..=5).rev().find(|&k| u64::from(self.n).saturating_pow(k) <= 1 << 56).unwrap_or(1)
    }

    #[inline(always)]
    fn batches<const K: usize>(&self, replicate: u64, mut take: impl FnMut(usize, usize)) {
        let mut generator = self.generator.clone();
        generator.set_stream(replicate);
        let n = u64::from(self.n);
        // The number of rejected words: 2^64 modulo the number of combinations.
        let combinations = n.pow(K as u32);
        let rejected_below = combinations.wrapping_neg() % combinations;
        let mut left = self.n as usize;
        let mut words = [0_u8; 256];
        while left > 0 {
            generator.fill_bytes(&mut words);
            for word in words.as_chunks().0 {
                let mut fraction = u64::from_le_bytes(*word);
                let digits = [(); K].map(|()| {
                    let product = u128::from(fraction) * u128::from(n);
                    fraction = product as u64;
                    (product >> 64) as usize
                });
                if fraction < rejected_below {
                    continue;
                }
                if left < K {
                    digits[..left].iter().enumerate().for_each(|(lane, &digit)| take(lane, digit));
                    return;
                }
                digits.into_iter().enumerate().for_each(|(lane, digit)| take(lane, digit));
                left -= K;
            }
        }
    }
}
