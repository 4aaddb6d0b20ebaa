use crate::{ties::block::Block, values::probability::Probability};

/// The least number of rows for which radix sort is used instead of a comparison sort.
const RADIX_FROM: usize = 4_096;

/// The least number of rows for which a part is sorted by digits.
const PART_FROM: usize = 32;

/// The number of rows that a part of evenly spread confidences has at least, and half of what it has at most: a part is
/// sorted in the fastest cache.
const PART: usize = 1 << 10;

/// The most bits that choose the part. More parts than this are slow to write at the same time.
const MOST_PART_BITS: u32 = 11;

/// The most bits of a digit. Two digits order most confidences of a part; insertion sort completes the order.
const MOST_DIGIT_BITS: u32 = 13;

/// For both digits, the number of keys with each of its values, then where the next of them goes.
type Places = [[u32; 1 << MOST_DIGIT_BITS]; 2];

/// Rows of equal weight as [keys](key), to be sorted.
#[derive(Default)]
pub(crate) struct Keys {
    keys: Vec<u64>,
    /// The ends of parts of the keys: all confidences of a part are below those of the next one.
    ends: Vec<u32>,
    /// The keys of a part in the order of their lower digit.
    half_sorted: Vec<u64>,
}

impl Keys {
    /// Sorts the rows, appends their blocks, and returns the numbers of failures and successes.
    pub(crate) fn fill(
        &mut self,
        confidence: &[Probability],
        outcomes: &[bool],
        blocks: &mut Vec<Block>,
    ) -> (f64, f64) {
        let n = confidence.len();
        if n < RADIX_FROM || u32::try_from(n).is_err() {
            self.keys.clear();
            self.keys.extend(confidence.iter().zip(outcomes).map(|(&p, &outcome)| key(p, outcome)));
            self.keys.sort_unstable();
            append(&self.keys, blocks);
        } else {
            self.part(confidence, outcomes);
            let (mut places, mut start) = ([[0; 1 << MOST_DIGIT_BITS]; 2], 0);
            for &end in &self.ends {
                let keys = &mut self.keys[start..end as usize];
                start = end as usize;
                sort_by_leading_bits(keys, &mut self.half_sorted, &mut places);
                sort_the_rest(keys);
                // Now, while the keys are in the cache.
                append(keys, blocks);
            }
        }
        let successes = outcomes.iter().filter(|&&outcome| outcome).count();
        ((n - successes) as f64, successes as f64)
    }

    /// Writes the keys into parts: the intervals of equal length between 0 and 1, and the number 1.
    fn part(&mut self, confidence: &[Probability], outcomes: &[bool]) {
        let bits = (confidence.len() / PART).max(1).ilog2().min(MOST_PART_BITS);
        // Between 1 and 2, numbers are in the order of the bits of their fractions. Rounding keeps the order.
        let part = |p: Probability| {
            (((1.0 + p.get()).to_bits() - 1.0_f64.to_bits()) >> (f64::MANTISSA_DIGITS - 1 - bits))
                as usize
        };
        self.ends.clear();
        self.ends.resize((1 << bits) + 1, 0);
        confidence.iter().for_each(|&p| self.ends[part(p)] += 1);
        counts_to_starts(&mut self.ends);
        self.keys.resize(confidence.len(), 0);
        for (&p, &outcome) in confidence.iter().zip(outcomes) {
            let place = &mut self.ends[part(p)];
            self.keys[*place as usize] = key(p, outcome);
            *place += 1;
        }
    }
}

/// Sorts keys by two digits: the leading ones of the bits that are not equal in all keys.
fn sort_by_leading_bits(keys: &mut [u64], half_sorted: &mut Vec<u64>, places: &mut Places) {
    let n = keys.len();
    let differing = keys.iter().fold(0, |differing, key| differing | (key ^ keys[0]));
    if n < PART_FROM || differing <= 1 {
        return;
    }
    let bits = (n.ilog2() / 2 + 5).min(MOST_DIGIT_BITS);
    let (values, shift) =
        (1 << bits, (u64::BITS - differing.leading_zeros()).saturating_sub(2 * bits));
    let low_digit = |key: u64| (key >> shift) as usize & (values - 1);
    let high_digit = |key: u64| (key >> shift >> bits) as usize & (values - 1);
    let [low, high] = places.each_mut().map(|places| &mut places[..values]);
    low.fill(0);
    high.fill(0);
    for &key in &*keys {
        low[low_digit(key)] += 1;
        high[high_digit(key)] += 1;
    }
    counts_to_starts(low);
    counts_to_starts(high);
    half_sorted.resize(n.max(half_sorted.len()), 0);
    let half_sorted = &mut half_sorted[..n];
    for &key in &*keys {
        let place = &mut low[low_digit(key)];
        half_sorted[*place as usize] = key;
        *place += 1;
    }
    for &key in &*half_sorted {
        let place = &mut high[high_digit(key)];
        keys[*place as usize] = key;
        *place += 1;
    }
}

fn counts_to_starts(counts: &mut [u32]) {
    let mut start = 0;
    for count in counts {
        start += std::mem::replace(count, start);
    }
}

/// Insertion sort for the few keys that are still out of order. If it takes too many steps, a general sort takes over.
fn sort_the_rest(keys: &mut [u64]) {
    let (mut steps, mut highest) = (0, 0);
    for i in 0..keys.len() {
        let key = keys[i];
        if key >> 1 >= highest {
            highest = key >> 1;
            continue;
        }
        let mut at = i;
        while at > 0 && keys[at - 1] >> 1 > key >> 1 {
            keys[at] = keys[at - 1];
            at -= 1;
        }
        keys[at] = key;
        steps += i - at;
        if steps > keys.len() {
            keys.sort_unstable();
            return;
        }
    }
}

/// Appends the blocks of sorted keys.
fn append(keys: &[u64], blocks: &mut Vec<Block>) {
    let block = |key: u64, rows: f64, successes: f64| Block {
        confidence: Probability::from_bits(key >> 1),
        failures: rows - successes,
        successes,
    };
    let tied = |a: &u64, b: &u64| a >> 1 == b >> 1;
    // Without a branch for each key.
    if keys.iter().zip(keys.iter().skip(1)).fold(false, |any, (a, b)| any | tied(a, b)) {
        blocks.extend(keys.chunk_by(tied).map(|rows| {
            let successes = rows.iter().map(|key| key & 1).sum::<u64>();
            block(rows[0], rows.len() as f64, successes as f64)
        }));
    } else {
        blocks.extend(keys.iter().map(|&key| block(key, 1.0, f64::from(key as u32 & 1))));
    }
}

/// An integer in the order of the confidence, then of the outcome, with failures first. The highest
/// bit of the confidence is 0 and can be shifted out.
fn key(confidence: Probability, outcome: bool) -> u64 {
    confidence.bits() << 1 | u64::from(outcome)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_digits_order_nearly_all_rows_for_confidences_at_any_distance() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            state >> 12
        };
        for range in [8, 12, 17, 21, 26, 30, 34, 39, 43, 47, 52] {
            // Numbers between 1/2 and 1 that differ in `range` bits.
            let values: Vec<f64> = (0..5_000)
                .map(|_| f64::from_bits(0.5_f64.to_bits() | random() >> (52 - range)))
                .collect();
            let confidence = Probability::from_slice(&values).unwrap();
            let mut keys = Keys::default();
            keys.part(confidence, &[false; 5_000]);
            let (mut places, mut start) = ([[0; 1 << MOST_DIGIT_BITS]; 2], 0);
            for &end in &keys.ends {
                let part = &mut keys.keys[start..end as usize];
                start = end as usize;
                sort_by_leading_bits(part, &mut keys.half_sorted, &mut places);
            }
            let falls = keys.keys.windows(2).filter(|pair| pair[0] > pair[1]).count();
            assert!(falls <= 5, "{range} bits: {falls}");
        }
    }

    #[test]
    fn insertion_is_stable_and_stops_if_most_rows_are_out_of_place() {
        // The first of the equal confidences is a success.
        let mut few = [10, 7, 6];
        sort_the_rest(&mut few);
        assert_eq!(few, [7, 6, 10]);
        // A general sort puts failures first, because the outcome is the lowest bit.
        let mut falling: Vec<u64> = (0..500).rev().flat_map(|p| [p << 1 | 1, p << 1]).collect();
        sort_the_rest(&mut falling);
        assert!(falling.is_sorted());
    }

    #[test]
    fn few_rows_are_sorted_without_digits() {
        let mut keys = Keys::default();
        keys.fill(&[Probability::HALF; 100], &[true; 100], &mut Vec::new());
        assert!(keys.half_sorted.is_empty() && keys.keys.len() == 100);
    }
}
