//! Dynamic programming over the items in doubt, from both ends.

use super::incumbent::Incumbent;
use super::relaxation::{Items, Relaxation, SHAVE};
use super::states::{Change, Limits, Mark, States};

/// Changes decided on before the rest is put in order: many instances need no more.
const FIRST: usize = 64;
/// List length from which on a second list is built from the other end.
const SECOND_LIST: usize = 256;

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The bound is reached.
    Bound,
    /// Nothing is left to look at.
    Exhausted,
    /// The budget is spent.
    Unfinished,
}

/// What may be changed in the relaxed choice: one item, or several equal ones at once.
#[derive(Clone, Debug)]
struct Candidate {
    change: Change,
    /// Breaks ties so that neighbours in the order are no neighbours in the instance.
    shuffle: u32,
    /// The items are `members[first..first + count]`.
    first: u32,
    count: u32,
}

/// The candidates, the members that they stand for, and the losses that those not yet decided on
/// would bring at least.
#[derive(Debug)]
struct Core {
    candidates: Vec<Candidate>,
    members: Vec<u32>,
    to_remove: Vec<f64>,
    to_add: Vec<f64>,
    price: f64,
}

/// What to look for, and how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// Least value of interest; smaller ones may be found by the way.
    pub(super) target: i64,
    /// No value is above this.
    pub(super) ceiling: i64,
    /// Partial choices to look at before giving up.
    pub(super) budget: u64,
    /// Whether equal items are looked at together.
    pub(super) bundle: bool,
}

/// Looks for the best choice that is better than `best` and worth the target at least.
pub(super) fn search(
    items: &Items,
    relaxed: &Relaxation,
    best: &mut Incumbent,
    task: Task,
    count: &mut u64,
) -> End {
    let Task { target, ceiling, budget, bundle } = task;
    let budget = count.saturating_add(budget);
    let gap_at = |value: i64| {
        let next = target.max(value + items.step);
        if next > ceiling { None } else { relaxed.gap(next) }
    };
    let Some(mut gap) = gap_at(best.value) else { return End::Bound };
    let mut core = Core::new(items, relaxed, gap, bundle);
    let (mut weight, mut profit) = (0, 0);
    for (item, &taken) in relaxed.taken.iter().enumerate() {
        if taken {
            weight += items.weights[item];
            profit += items.profits[item];
        }
    }
    let mut value = best.value;
    let mut found: Option<(Mark, Option<Mark>)> = None;
    let mut front = States::new(weight, profit);
    let mut back = States::new(0, 0);
    let (mut from, mut to) = (0, core.candidates.len());
    let mut sorted = core.sort_first();
    let mut met_at = 1;
    let end = loop {
        while to > from && core.candidates[to - 1].change.loss > gap && sorted == core.candidates.len() {
            to -= 1;
        }
        if from >= to {
            break End::Exhausted;
        }
        if from == sorted || (sorted < core.candidates.len() && front.len() >= SECOND_LIST) {
            core.sort_rest(from, gap);
            to = core.candidates.len();
            sorted = to;
            continue;
        }
        if *count > budget {
            break End::Unfinished;
        }
        if front.len() == 0 {
            break End::Exhausted;
        }
        let both = sorted == core.candidates.len() && front.len() >= SECOND_LIST;
        if both && back.len() <= front.len() {
            to -= 1;
            let limits =
                Limits { capacity: i64::MAX / 2, gap, next: 0.0, to_remove: 0.0, to_add: 0.0 };
            let change = core.candidates[to].change;
            back.extend(to as u32, change, limits, i64::MAX, |_| gap);
            *count += back.len() as u64;
        } else {
            let limits = Limits {
                capacity: items.capacity,
                gap,
                next: if from + 1 == core.candidates.len() {
                    f64::MAX
                } else {
                    // The rest is no less, but in no order yet.
                    core.candidates[if from + 1 < sorted { from + 1 } else { from }].change.loss
                },
                to_remove: core.to_remove[from + 1],
                to_add: core.to_add[from + 1],
            };
            let change = core.candidates[from].change;
            let mut new_gap = Some(gap);
            front.extend(from as u32, change, limits, value, |mark| {
                value = mark.profit();
                found = Some((mark, None));
                new_gap = gap_at(value);
                new_gap.unwrap_or(-1.0)
            });
            *count += front.len() as u64;
            from += 1;
            match new_gap {
                Some(new_gap) => gap = new_gap,
                None => break End::Bound,
            }
        }
        if back.len() > 1 && front.len() + back.len() >= 2 * met_at {
            met_at = front.len() + back.len();
            if let Some((a, b)) = front.best_pair(&back, items.capacity, value) {
                value = a.profit() + b.profit();
                found = Some((a, Some(b)));
                match gap_at(value) {
                    Some(new_gap) => gap = new_gap,
                    None => break End::Bound,
                }
                front.prune(gap);
                back.prune(gap);
            }
        }
    };
    if end != End::Bound
        && let Some((a, b)) = front.best_pair(&back, items.capacity, value)
    {
        value = a.profit() + b.profit();
        found = Some((a, Some(b)));
    }
    if let Some((a, b)) = found {
        best.value = value;
        best.taken.clear();
        best.taken.extend_from_slice(&relaxed.taken);
        let mut flip = |name: u32| {
            let candidate = &core.candidates[name as usize];
            let first = candidate.first as usize;
            for &item in &core.members[first..first + candidate.count as usize] {
                best.taken[item as usize] = !best.taken[item as usize];
            }
        };
        front.changes(a, &mut flip);
        if let Some(b) = b {
            back.changes(b, &mut flip);
        }
    }
    end
}

impl Core {
    /// Every change that the gap allows; equal items together if `bundle`.
    fn new(items: &Items, relaxed: &Relaxation, gap: f64, bundle: bool) -> Self {
        let mut members: Vec<u32> = Vec::new();
        for (item, &loss) in (0_u32..).zip(&relaxed.loss) {
            if loss <= gap {
                members.push(item);
            }
        }
        let kind = |item: u32| {
            let item = item as usize;
            (items.weights[item], items.profits[item], relaxed.taken[item])
        };
        if bundle {
            members.sort_unstable_by_key(|&item| (kind(item), item));
        }
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
                shuffle: item.wrapping_add(1).wrapping_mul(0x9E37_79B1).rotate_left(15).wrapping_mul(0x85EB_CA77),
                first: first as u32,
                count: count as u32,
            });
        };
        if bundle {
            let mut first = 0;
            while first < members.len() {
                let this = kind(members[first]);
                let equal = members[first..].partition_point(|&item| kind(item) == this);
                let loss = relaxed.loss[members[first] as usize];
                let mut left = (1..=equal).rev().find(|&k| k == 1 || k as f64 * loss <= gap).unwrap_or(1);
                let mut at = first;
                let mut size = 1;
                // 1, 2, 4, ... and the rest make up every number from 0 on.
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
        Self { candidates, members, to_remove: Vec::new(), to_add: Vec::new(), price: relaxed.price }
    }

    /// Puts the candidates of least loss first, in order; returns how many.
    fn sort_first(&mut self) -> usize {
        let first = FIRST.min(self.candidates.len());
        if first < self.candidates.len() {
            self.candidates.select_nth_unstable_by(first, Candidate::compare);
        }
        self.candidates[..first].sort_unstable_by(Candidate::compare);
        self.fill_suffixes();
        first
    }

    /// Drops what the gap rules out from here on, and sorts the rest.
    fn sort_rest(&mut self, from: usize, gap: f64) {
        let mut kept = from;
        for at in from..self.candidates.len() {
            if self.candidates[at].change.loss <= gap {
                self.candidates.swap(kept, at);
                kept += 1;
            }
        }
        self.candidates.truncate(kept);
        self.candidates[from..].sort_unstable_by(Candidate::compare);
        self.fill_suffixes();
    }

    /// Smallest loss per unit of weight over all candidates from each position on.
    fn fill_suffixes(&mut self) {
        let n = self.candidates.len();
        // Filling room can save no more than its price.
        let ends = [(&mut self.to_remove, -1.0, f64::MAX), (&mut self.to_add, 1.0, self.price)];
        for (suffix, sign, end) in ends {
            suffix.clear();
            suffix.resize(n + 1, end);
            for at in (0..n).rev() {
                let change = &self.candidates[at].change;
                let weight = change.weight as f64 * sign;
                // Rounded down by more than the division and the later product can gain.
                let ratio = if weight > 0.0 {
                    change.loss / weight * SHAVE
                } else {
                    f64::MAX
                };
                suffix[at] = suffix[at + 1].min(ratio);
            }
        }
    }
}

impl Candidate {
    fn compare(a: &Self, b: &Self) -> std::cmp::Ordering {
        a.change.loss.total_cmp(&b.change.loss).then(a.shuffle.cmp(&b.shuffle)).then(a.first.cmp(&b.first))
    }
}
