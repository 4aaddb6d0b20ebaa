use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Uniformly random orders, drawn item by item and only as far as needed.
///
/// One 64-bit word places up to eight items. Its leading digits as a fraction in the mixed base
/// `n, n - 1, ...` select the next of the remaining items. The few words that would make some
/// orders more likely than others are rejected.
///
/// References: Durstenfeld (1964), Algorithm 235: random permutation, doi:10.1145/364520.364540;
/// Brackett-Rozinsky and Lemire (2024), Batched ranged random integer generation,
/// doi:10.1002/spe.3369. Implemented here so that streams do not change with the version of a
/// library.
pub(crate) struct Permutations<const K: usize> {
    groups: Vec<Group<K>>,
    words: Words,
}

/// The next K places of an order.
struct Group<const K: usize> {
    /// The number of items that remain for each place; 1 beyond the last.
    left: [u64; K],
    rejected_below: u64,
}

impl<const K: usize> Permutations<K> {
    /// Creates the orders of n items from a stream of a seed. `n^K` must be at most 2^56, so that
    /// fewer than one word in 256 is rejected.
    pub(crate) fn new(n: usize, seed: u64, stream: u64) -> Self {
        let groups = (0..n).step_by(K).map(|start| {
            let left = std::array::from_fn(|k| (n - start).saturating_sub(k).max(1) as u64);
            let orders: u64 = left.iter().product();
            Group { left, rejected_below: orders.wrapping_neg() % orders }
        });
        Self { groups: groups.collect(), words: Words::new(seed, stream) }
    }

    /// Calls `take` with the items in random order until it returns false. This rearranges the
    /// items; the next order starts from the new arrangement and is uniformly random too.
    #[inline(always)]
    pub(crate) fn each<T: Copy>(&mut self, items: &mut [T], mut take: impl FnMut(T) -> bool) {
        let mut rest = items;
        for group in &self.groups {
            for pick in group.picks(&mut self.words) {
                if pick >= rest.len() {
                    return;
                }
                rest.swap(0, pick);
                let Some((&mut next, others)) = rest.split_first_mut() else { return };
                if !take(next) {
                    return;
                }
                rest = others;
            }
        }
    }
}

impl Permutations<1> {
    /// Shuffles items into the next order, drawn from the last place to the first.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for (place, group) in (0..items.len()).rev().zip(&self.groups) {
            let [pick] = group.picks(&mut self.words);
            items.swap(place, pick);
        }
    }
}

impl<const K: usize> Group<K> {
    /// Returns, for each place, the index of its item among the remaining items.
    #[inline(always)]
    fn picks(&self, words: &mut Words) -> [usize; K] {
        loop {
            let mut fraction = words.next();
            let picks = self.left.map(|left| {
                let product = u128::from(fraction) * u128::from(left);
                fraction = product as u64;
                (product >> 64) as usize
            });
            if fraction >= self.rejected_below {
                return picks;
            }
        }
    }
}

/// The words of one stream.
struct Words {
    generator: ChaCha8Rng,
    buffer: [u8; 512],
    next: usize,
}

impl Words {
    fn new(seed: u64, stream: u64) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(seed);
        generator.set_stream(stream);
        Self { generator, buffer: [0; 512], next: usize::MAX }
    }

    #[inline(always)]
    fn next(&mut self) -> u64 {
        let words = self.buffer.as_chunks::<8>().0;
        if let Some(&word) = words.get(self.next) {
            self.next += 1;
            return u64::from_le_bytes(word);
        }
        self.refill()
    }

    #[cold]
    fn refill(&mut self) -> u64 {
        self.generator.fill_bytes(&mut self.buffer);
        self.next = 1;
        let [first, ..] = self.buffer.as_chunks::<8>().0 else { return 0 };
        u64::from_le_bytes(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn orders<const K: usize>(n: usize, number: usize) -> Vec<Vec<usize>> {
        let mut permutations = Permutations::<K>::new(n, 7, 3);
        let mut items: Vec<usize> = (0..n).collect();
        let order = |_| {
            let mut order = Vec::new();
            permutations.each(&mut items, |item| {
                order.push(item);
                true
            });
            order
        };
        (0..number).map(order).collect()
    }

    #[test]
    fn the_orders_of_a_seed_do_not_change_with_versions() {
        assert_eq!(
            orders::<8>(10, 2),
            [[1, 8, 4, 7, 9, 2, 6, 0, 3, 5], [5, 3, 4, 1, 2, 9, 8, 0, 6, 7]]
        );
        assert_eq!(
            orders::<1>(10, 2),
            [[1, 0, 9, 5, 6, 4, 2, 7, 8, 3], [3, 6, 4, 1, 0, 2, 8, 7, 9, 5]]
        );
    }

    #[test]
    fn every_order_is_as_likely_as_any_other_however_many_places_a_word_gives() {
        for orders in [orders::<8>(4, 48_000), orders::<2>(4, 48_000), orders::<1>(4, 48_000)] {
            let mut counts = std::collections::BTreeMap::new();
            orders.iter().for_each(|order| *counts.entry(order).or_insert(0_u32) += 1);
            assert_eq!(counts.len(), 24);
            // Mean 2,000, standard deviation 44.
            assert!(counts.values().all(|count| count.abs_diff(2_000) < 200), "{counts:?}");
        }
    }

    #[test]
    fn every_item_is_as_often_at_every_place_and_in_no_order_twice() {
        let mut counts = vec![[0_u32; 30]; 30];
        for order in orders::<8>(30, 30_000) {
            let mut seen = [false; 30];
            for (place, &item) in order.iter().enumerate() {
                assert!(!std::mem::replace(&mut seen[item], true));
                counts[place][item] += 1;
            }
            assert_eq!(seen, [true; 30]);
        }
        // Mean 1,000, standard deviation 31; the largest of 900 is below 5 of these.
        for count in counts.as_flattened() {
            assert!(count.abs_diff(1_000) < 160, "{counts:?}");
        }
    }

    #[test]
    fn words_that_would_favour_some_orders_are_rejected() {
        // Of three items in one word: 2^64 words have no equal share among 6 orders.
        let permutations = Permutations::<8>::new(3, 0, 0);
        assert_eq!(permutations.groups.len(), 1);
        assert_eq!(permutations.groups[0].left, [3, 2, 1, 1, 1, 1, 1, 1]);
        assert_eq!(permutations.groups[0].rejected_below, ((1_u128 << 64) % 6) as u64);
    }
}
