use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Draws with replacement: for each replicate, n uniform numbers below n.
///
/// Replicate r reads stream r of a ChaCha8 generator, so replicates can be computed in any order
/// and on any number of threads. One 64-bit word yields up to five numbers: the leading digits, in
/// base n, of the word read as a fraction. The few words that would make some combinations of digits
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

    /// Calls `take(lane, number)` n times. Lanes are numbers below [`LANES`] that take turns, for
    /// callers that keep several independent sums.
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
        // 2^64 modulo the number of combinations: so many words are rejected.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(n: u32, seed: u64, replicate: u64) -> Vec<usize> {
        let mut drawn = Vec::new();
        Draws::new(n, seed).each(replicate, |_, number| drawn.push(number));
        drawn
    }

    #[test]
    fn the_stream_of_a_seed_does_not_change_with_versions() {
        assert_eq!(drawn(10, 42, 3), [3, 6, 1, 6, 9, 5, 9, 2, 4, 1]);
        assert_eq!(drawn(3_000, 42, 3)[2_996..], [2_198, 2_176, 1_196, 2_820]);
    }

    #[test]
    fn there_are_n_numbers_below_n_for_any_n() {
        for n in [1, 2, 3, 4, 5, 6, 7, 11, 159, 160, 161, 2_352, 2_353, 16_385, 500_000] {
            let numbers = drawn(n, 1, 9);
            assert_eq!(numbers.len(), n as usize);
            assert!(numbers.iter().all(|&number| number < n as usize));
        }
        let most = Draws::new(u32::MAX, 0);
        assert_eq!(most.per_word(), 1);
    }

    #[test]
    fn digits_are_those_of_the_word_as_a_fraction_in_base_n() {
        let mut passed_over = 0;
        for (n, digits) in [(7_u128, 5), (16_000, 4), (400_000, 3), (500_000, 2)] {
            let mut generator = ChaCha8Rng::seed_from_u64(5);
            generator.set_stream(2);
            let numbers = n.pow(digits);
            // All of n^k numbers that share 2^64 words equally, the first of each share left out
            // where a share would be larger.
            let left_out = (1 << 64) % numbers;
            let mut want = Vec::new();
            while want.len() < n as usize {
                let word = u128::from(generator.next_u64());
                if (word * numbers) % (1 << 64) < left_out {
                    passed_over += 1;
                    continue;
                }
                // The digits of floor(word * n^k / 2^64), leading digit first.
                let number = (word * numbers) >> 64;
                want.extend((0..digits).rev().map(|k| (number / n.pow(k) % n) as usize));
            }
            assert_eq!(drawn(n as u32, 5, 2), want[..n as usize]);
        }
        assert!(passed_over > 10, "{passed_over}");
    }

    #[test]
    fn every_pair_of_neighbours_is_as_likely_as_any_other() {
        let mut counts = [[0_u32; 6]; 6];
        for replicate in 0..20_000 {
            let numbers = drawn(6, 8, replicate);
            numbers.windows(2).for_each(|pair| counts[pair[0]][pair[1]] += 1);
        }
        // 100,000 pairs in 36 cells: mean 2,778, standard deviation at most 60.
        for count in counts.as_flattened() {
            assert!(count.abs_diff(2_778) < 270, "{counts:?}");
        }
    }
}
