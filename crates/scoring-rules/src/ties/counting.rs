use crate::{
    ties::{
        block::Block,
        radix_sort::{bits, probability},
    },
    values::probability::Probability,
};

/// More distinct confidences than this are sorted instead.
const MOST: usize = 1_024;

/// Rows counted by confidence, for confidences that come with few decimals: no row is moved, only
/// the distinct confidences are sorted.
#[derive(Default)]
pub(crate) struct Counts {
    /// A hash table with linear probing. Its length is a power of two, and at least half of it
    /// stays free.
    slots: Vec<Slot>,
}

/// The bits of a confidence, and how many of its rows failed and succeeded.
#[derive(Clone, Copy)]
struct Slot {
    bits: u64,
    rows: [u64; 2],
}

/// The bits of no probability.
const FREE: Slot = Slot { bits: u64::MAX, rows: [0; 2] };

impl Counts {
    /// Fills `blocks`, or leaves them alone and says no where there are too many distinct
    /// confidences for counting to pay.
    pub(crate) fn fill(
        &mut self,
        confidence: &[Probability],
        outcomes: &[bool],
        blocks: &mut Vec<Block>,
    ) -> bool {
        let most = (confidence.len() / 8).min(MOST);
        if most == 0 {
            return false;
        }
        self.slots.clear();
        self.slots.resize((2 * most).next_power_of_two(), FREE);
        let (mask, shift) = (self.slots.len() - 1, 64 - self.slots.len().trailing_zeros());
        let mut distinct = 0;
        for (&p, &outcome) in confidence.iter().zip(outcomes) {
            let bits = bits(p);
            // Fibonacci hashing: the leading bits of a product with an odd number depend on all
            // bits of the other factor.
            let mut at = (bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> shift) as usize;
            loop {
                let slot = &mut self.slots[at & mask];
                if slot.bits == bits {
                    slot.rows[usize::from(outcome)] += 1;
                    break;
                }
                if slot.bits == FREE.bits {
                    if distinct == most {
                        return false;
                    }
                    distinct += 1;
                    slot.bits = bits;
                    slot.rows[usize::from(outcome)] = 1;
                    break;
                }
                at += 1;
            }
        }
        self.slots.retain(|slot| slot.bits != FREE.bits);
        self.slots.sort_unstable_by_key(|slot| slot.bits);
        blocks.extend(self.slots.iter().map(|slot| {
            let [failures, successes] = slot.rows.map(|rows| rows as f64);
            Block { confidence: probability(slot.bits), failures, successes }
        }));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts eight rows for each of so many confidences with four decimals; the blocks, if any.
    fn counted(counts: &mut Counts, distinct: usize) -> Option<Vec<Block>> {
        let values: Vec<f64> = (0..8_000).map(|i| (i % distinct) as f64 / 1e4).collect();
        let outcomes: Vec<bool> = (0..8_000).map(|i| i % 3 == 0).collect();
        let mut blocks = Vec::new();
        let counted =
            counts.fill(Probability::from_slice(&values).unwrap(), &outcomes, &mut blocks);
        assert!(counted || blocks.is_empty());
        counted.then_some(blocks)
    }

    #[test]
    fn confidences_that_come_eight_times_each_are_counted_and_more_distinct_ones_are_not() {
        let blocks = counted(&mut Counts::default(), 1_000).unwrap();
        assert_eq!(blocks.len(), 1_000);
        assert!(blocks.is_sorted_by(|a, b| a.confidence < b.confidence));
        assert!(blocks.iter().all(|block| block.weight() == 8.0));
        assert!(counted(&mut Counts::default(), 1_001).is_none());
    }

    #[test]
    fn a_full_table_is_half_free_and_its_places_are_found_in_a_few_steps() {
        let mut counts = Counts::default();
        assert!(counted(&mut counts, 8_000).is_none());
        let taken = |slot: &Slot| slot.bits != FREE.bits;
        let free = counts.slots.iter().filter(|slot| !taken(slot)).count();
        assert!(2 * free >= counts.slots.len(), "{free} of {}", counts.slots.len());
        // A search goes on from a place that is taken to the next.
        let longest = counts.slots.chunk_by(|a, b| taken(a) && taken(b)).map(<[_]>::len).max();
        assert!(longest < Some(50), "{longest:?}");
    }
}
