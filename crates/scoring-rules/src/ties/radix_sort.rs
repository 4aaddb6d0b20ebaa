use crate::{ties::block::Block, values::probability::Probability};

/// The least number of rows for which radix sort is used instead of a comparison sort.
const RADIX_FROM: usize = 4_096;

/// The bits of a digit. Two digits order most confidences; insertion sort completes the order.
const DIGIT: u32 = 13;
const DIGITS: usize = 1 << DIGIT;

/// Rows of equal weight as [keys](key), to be sorted.
#[derive(Default)]
pub(crate) struct Keys {
    keys: Vec<u64>,
    /// The keys in the order of their lower digit.
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
        } else {
            self.sort_by_leading_bits(confidence, outcomes);
            self.sort_the_rest();
        }
        let mut all_successes = 0;
        blocks.extend(self.keys.chunk_by(|a, b| a >> 1 == b >> 1).map(|rows| {
            let successes = rows.iter().map(|key| key & 1).sum::<u64>();
            all_successes += successes;
            let failures = rows.len() as u64 - successes;
            Block {
                confidence: Probability::from_bits(rows[0] >> 1),
                failures: failures as f64,
                successes: successes as f64,
            }
        }));
        ((n as u64 - all_successes) as f64, all_successes as f64)
    }

    /// Sorts by two digits: the leading ones of the bits that are not equal in all confidences.
    fn sort_by_leading_bits(&mut self, confidence: &[Probability], outcomes: &[bool]) {
        let bits = || confidence.iter().map(|p| p.bits());
        let first = bits().next().unwrap_or_default();
        let differing = bits().fold(0, |differing, bits| differing | (bits ^ first));
        let shift = (u64::BITS - differing.leading_zeros()).saturating_sub(2 * DIGIT);
        let low_digit = |bits: u64| (bits >> shift) as usize & (DIGITS - 1);
        let high_digit = |bits: u64| (bits >> shift >> DIGIT) as usize & (DIGITS - 1);
        let (mut low, mut high) = ([0_u32; DIGITS], [0_u32; DIGITS]);
        for bits in bits() {
            low[low_digit(bits)] += 1;
            high[high_digit(bits)] += 1;
        }
        for counts in [&mut low, &mut high] {
            let mut start = 0;
            for count in counts {
                start += std::mem::replace(count, start);
            }
        }
        for half in [&mut self.half_sorted, &mut self.keys] {
            half.resize(confidence.len(), 0);
        }
        for (bits, &outcome) in bits().zip(outcomes) {
            let place = &mut low[low_digit(bits)];
            self.half_sorted[*place as usize] = bits << 1 | u64::from(outcome);
            *place += 1;
        }
        for &key in &self.half_sorted {
            let place = &mut high[high_digit(key >> 1)];
            self.keys[*place as usize] = key;
            *place += 1;
        }
    }

    /// Insertion sort for the few keys that are still out of order. If it takes too many steps, a
    /// general sort takes over.
    fn sort_the_rest(&mut self) {
        let (mut steps, mut highest) = (0, 0);
        for i in 0..self.keys.len() {
            let key = self.keys[i];
            if key >> 1 >= highest {
                highest = key >> 1;
                continue;
            }
            let mut at = i;
            while at > 0 && self.keys[at - 1] >> 1 > key >> 1 {
                self.keys[at] = self.keys[at - 1];
                at -= 1;
            }
            self.keys[at] = key;
            steps += i - at;
            if steps > self.keys.len() {
                self.keys.sort_unstable();
                return;
            }
        }
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
            keys.sort_by_leading_bits(confidence, &[false; 5_000]);
            let falls = keys.keys.windows(2).filter(|pair| pair[0] > pair[1]).count();
            assert!(falls <= 5, "{range} bits: {falls}");
        }
    }

    #[test]
    fn insertion_is_stable_and_stops_if_most_rows_are_out_of_place() {
        // The first of the equal confidences is a success.
        let mut few = Keys { keys: vec![10, 7, 6], half_sorted: vec![] };
        few.sort_the_rest();
        assert_eq!(few.keys, [7, 6, 10]);
        // A general sort puts failures first, because the outcome is the lowest bit.
        let falling = (0..500).rev().flat_map(|p| [p << 1 | 1, p << 1]).collect();
        let mut falling = Keys { keys: falling, half_sorted: vec![] };
        falling.sort_the_rest();
        assert!(falling.keys.is_sorted());
    }

    #[test]
    fn few_rows_are_sorted_without_digits() {
        let mut keys = Keys::default();
        keys.fill(&[Probability::HALF; 100], &[true; 100], &mut Vec::new());
        assert!(keys.half_sorted.is_empty() && keys.keys.len() == 100);
    }
}
