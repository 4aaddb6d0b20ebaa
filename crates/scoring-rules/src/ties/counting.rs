use crate::{ties::block::Block, values::probability::Probability};

/// The largest number of distinct confidences that are counted instead of sorted.
const MOST: usize = 1_024;

/// Counts of rows by confidence, for data with few distinct confidences: no row is moved, and only
/// the distinct confidences are sorted.
#[derive(Default)]
pub(crate) struct Counts {
    /// A hash table with linear probing. Its length is a power of two, and at least half of its
    /// slots are free.
    slots: Vec<Slot>,
}

/// The bits of a confidence, and the numbers of its failed and of its successful rows.
#[derive(Clone, Copy)]
struct Slot {
    bits: u64,
    rows: [u64; 2],
}

/// A free slot. No probability has these bits.
const FREE: Slot = Slot { bits: u64::MAX, rows: [0; 2] };

impl Counts {
    /// Appends the blocks, or returns `false` and leaves `blocks` unchanged if there are too many
    /// distinct confidences for counting to be faster than sorting.
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
            let bits = p.bits();
            // Fibonacci hashing: the leading bits of the product depend on all bits of the number.
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
            Block { confidence: Probability::from_bits(slot.bits), failures, successes }
        }));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The blocks of 8,000 rows with the given number of distinct confidences, if they are counted.
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
    fn confidences_are_counted_if_each_occurs_eight_times_and_sorted_if_more_are_distinct() {
        let blocks = counted(&mut Counts::default(), 1_000).unwrap();
        assert_eq!(blocks.len(), 1_000);
        assert!(blocks.is_sorted_by(|a, b| a.confidence < b.confidence));
        assert!(blocks.iter().all(|block| block.weight() == 8.0));
        assert!(counted(&mut Counts::default(), 1_001).is_none());
    }

    #[test]
    fn a_full_table_is_half_free_and_has_short_probe_sequences() {
        let mut counts = Counts::default();
        assert!(counted(&mut counts, 8_000).is_none());
        let taken = |slot: &Slot| slot.bits != FREE.bits;
        let free = counts.slots.iter().filter(|slot| !taken(slot)).count();
        assert!(2 * free >= counts.slots.len(), "{free} of {}", counts.slots.len());
        let longest = counts.slots.chunk_by(|a, b| taken(a) && taken(b)).map(<[_]>::len).max();
        assert!(longest < Some(50), "{longest:?}");
    }
}
