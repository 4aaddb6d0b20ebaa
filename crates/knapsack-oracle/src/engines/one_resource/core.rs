//! The core: the items that may differ from the relaxed choice.

use super::{
    items::Items,
    relaxation::{Relaxation, SHAVE},
    states::Change,
};

/// The number of changes that are sorted at first. Many instances need no more.
const FIRST: usize = 64;

/// A change of the relaxed choice that may be part of a better choice: of one item, or of several
/// equal items at once.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) change: Change,
    /// Breaks ties so that neighbours in the order are not neighbours in the instance.
    shuffle: u32,
    /// The items are `members[first..first + count]`.
    first: u32,
    count: u32,
}

/// The candidates in ascending order of loss, and lower bounds on the losses from each position on.
#[derive(Debug)]
pub(super) struct Core {
    pub(super) candidates: Vec<Candidate>,
    /// The number of sorted candidates. The others lose at least as much.
    sorted: usize,
    members: Vec<u32>,
    to_remove: Vec<f64>,
    to_add: Vec<f64>,
}

/// Returns all items that may change in a choice worth the target. Equal items are adjacent.
pub(super) fn bundles(items: &Items, relaxed: &Relaxation, target: i64) -> Vec<u32> {
    let Some(gap) = relaxed.gap(target) else { return Vec::new() };
    let mut order: Vec<u32> =
        (0..items.len() as u32).filter(|&item| relaxed.loss[item as usize] <= gap).collect();
    order.sort_unstable_by_key(|&item| {
        let at = item as usize;
        (items.weights[at], items.profits[at], relaxed.taken[at], item)
    });
    order
}

impl Core {
    /// Creates the candidates that the gap allows, and sorts the first few.
    ///
    /// With `bundles`, equal items are changed together.
    pub(super) fn new(
        items: &Items,
        relaxed: &Relaxation,
        gap: f64,
        bundles: Option<&[u32]>,
    ) -> Self {
        let in_doubt = |item: &u32| relaxed.loss[*item as usize] <= gap;
        let members: Vec<u32> = match bundles {
            Some(order) => order.iter().copied().filter(in_doubt).collect(),
            None => (0..items.len() as u32).filter(in_doubt).collect(),
        };
        let kind = |item: u32| {
            let item = item as usize;
            (items.weights[item], items.profits[item], relaxed.taken[item])
        };
        let mut candidates = Vec::with_capacity(members.len());
        let mut add = |first: usize, count: usize| {
            let Some(&item) = members.get(first) else { return };
            let (weight, profit, taken) = kind(item);
            let times = count as i64 * if taken { -1 } else { 1 };
            candidates.push(Candidate {
                change: Change {
                    weight: weight * times,
                    profit: profit * times,
                    loss: relaxed.loss[item as usize] * count as f64,
                },
                shuffle: item
                    .wrapping_add(1)
                    .wrapping_mul(0x9E37_79B1)
                    .rotate_left(15)
                    .wrapping_mul(0x85EB_CA77),
                first: first as u32,
                count: count as u32,
            });
        };
        if bundles.is_some() {
            let mut first = 0;
            while first < members.len() {
                let this = kind(members[first]);
                let rest = &members[first..];
                let equal = rest.iter().take_while(|&&item| kind(item) == this).count();
                let loss = relaxed.loss[members[first] as usize];
                // More items would lose more than the gap. If the loss is 0, the quotient is
                // infinite or NaN, and all may change.
                let most = (gap / loss * (1.0 + 4.0 * f64::EPSILON)).ceil();
                let mut left = if most < equal as f64 { most as usize } else { equal };
                let mut at = first;
                let mut size = 1;
                // Bundles of 1, 2, 4, ... and the rest can make up every number of items.
                while left > 0 {
                    let count = size.min(left);
                    add(at, count);
                    at += count;
                    left -= count;
                    size *= 2;
                }
                first += equal;
            }
        } else {
            (0..members.len()).for_each(|first| add(first, 1));
        }
        let sorted = FIRST.min(candidates.len());
        if sorted < candidates.len() {
            candidates.select_nth_unstable_by(sorted, Candidate::compare);
        }
        candidates[..sorted].sort_unstable_by(Candidate::compare);
        let (to_remove, to_add) = (Vec::new(), Vec::new());
        let mut core = Self { candidates, sorted, members, to_remove, to_add };
        core.fill_suffixes();
        core
    }

    /// Returns whether all candidates before this position are sorted.
    pub(super) fn is_sorted_to(&self, end: usize) -> bool {
        end <= self.sorted
    }

    /// Returns lower bounds for the candidates from this position on: the loss of any candidate,
    /// the loss per unit of removed weight, and the loss per unit of added weight.
    pub(super) fn least_losses(&self, from: usize) -> (f64, f64, f64) {
        // The first unsorted candidate has the least loss of the unsorted ones.
        let next = self.candidates.get(from).map_or(f64::MAX, |next| next.change.loss);
        (next, self.to_remove[from], self.to_add[from])
    }

    /// Returns the items that a candidate changes.
    pub(super) fn members(&self, candidate: u32) -> &[u32] {
        let candidate = &self.candidates[candidate as usize];
        let first = candidate.first as usize;
        &self.members[first..first + candidate.count as usize]
    }

    /// Drops the candidates from this position on that exceed the gap, and sorts the rest.
    pub(super) fn sort_rest(&mut self, from: usize, gap: f64) {
        let mut kept = from;
        for at in from..self.candidates.len() {
            if self.candidates[at].change.loss <= gap {
                self.candidates.swap(kept, at);
                kept += 1;
            }
        }
        self.candidates.truncate(kept);
        self.candidates[from..].sort_unstable_by(Candidate::compare);
        self.sorted = kept;
        self.fill_suffixes();
    }

    /// Computes the smallest loss per unit of weight over all candidates from each position on.
    fn fill_suffixes(&mut self) {
        let n = self.candidates.len();
        for (suffix, sign) in [(&mut self.to_remove, -1.0), (&mut self.to_add, 1.0)] {
            suffix.clear();
            suffix.resize(n + 1, f64::MAX);
            for at in (0..n).rev() {
                let change = &self.candidates[at].change;
                let weight = change.weight as f64 * sign;
                // Rounded down by more than the rounding of the division and of the later product.
                let ratio = if weight > 0.0 { change.loss / weight * SHAVE } else { f64::MAX };
                suffix[at] = suffix[at + 1].min(ratio);
            }
        }
    }
}

impl Candidate {
    fn compare(a: &Self, b: &Self) -> std::cmp::Ordering {
        a.change
            .loss
            .total_cmp(&b.change.loss)
            .then(a.shuffle.cmp(&b.shuffle))
            .then(a.first.cmp(&b.first))
    }
}
