//! Dynamic programming over the core, from both ends.

use super::{
    core::Core,
    incumbent::Incumbent,
    items::Items,
    relaxation::Relaxation,
    states::{Limits, Mark, States},
};

/// The largest number of partial choices that are kept at one time. Each takes 32 bytes; with the
/// next list and their history they take up to 2.5 GiB.
pub(super) const MOST_STATES: usize = 1 << 24;

/// The length of the first list from which on a second list is built from the other end.
const SECOND_LIST: usize = 256;

/// The reason why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The value reached the bound.
    Bound,
    /// The search examined all choices.
    Exhausted,
    /// The search used up its budget.
    Unfinished,
    /// The search would exceed its memory limit, or reached the limit of the solver.
    TooLong,
}

/// The goal of a search, and its limits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// The least value of interest. The search may also find smaller values.
    pub(super) target: i64,
    /// An upper bound on the value of every choice.
    pub(super) ceiling: i64,
    /// The number of partial choices to examine.
    pub(super) budget: u64,
    /// The number of partial choices to keep at one time.
    pub(super) most: usize,
    /// The number of partial choices to examine in all searches together.
    pub(super) limit: u64,
}

/// Searches for the best choice that is better than `best` and worth at least the target.
///
/// With `bundles`, equal items are decided together. `bundles` must contain all items that may
/// change in a choice better than `best`, with equal items adjacent.
pub(super) fn search(
    items: &Items,
    relaxed: &Relaxation,
    best: &mut Incumbent,
    goal: Goal,
    bundles: Option<&[u32]>,
    count: &mut u64,
) -> End {
    let Some(gap) = gap_at(items, relaxed, goal, best.value) else { return End::Bound };
    let core = Core::new(items, relaxed, gap, bundles);
    let (mut weight, mut profit) = (0, 0);
    for (item, &taken) in relaxed.taken.iter().enumerate() {
        weight += items.weights[item] * i64::from(taken);
        profit += items.profits[item] * i64::from(taken);
    }
    let mut search = Search {
        items,
        relaxed,
        goal,
        value: best.value,
        found: None,
        gap,
        from: 0,
        to: core.candidates.len(),
        core,
        front: States::new(weight, profit),
        back: States::new(0, 0),
    };
    let end = search.run(count);
    search.report(best);
    end
}

/// Returns the largest loss of a choice that is still of interest after `value` is reached. `None`
/// if no choice is of interest.
fn gap_at(items: &Items, relaxed: &Relaxation, goal: Goal, value: i64) -> Option<f64> {
    let next = goal.target.max(value + items.step);
    if next > goal.ceiling { None } else { relaxed.gap(next) }
}

/// Two lists of partial choices. The first decides on the candidates before `from`, in ascending
/// order of loss; the second decides on the candidates from `to` on, in descending order.
///
/// The second list stays short, because few of its changes fit in the gap together. The best pair
/// of partial choices is found in time linear in the lengths of both lists, so their product is
/// never enumerated.
struct Search<'a> {
    items: &'a Items,
    relaxed: &'a Relaxation,
    goal: Goal,
    value: i64,
    /// The partial choices that make up the best choice, if a better one was found.
    found: Option<(Mark, Option<Mark>)>,
    gap: f64,
    core: Core,
    from: usize,
    to: usize,
    front: States,
    back: States,
}

impl Search<'_> {
    fn run(&mut self, count: &mut u64) -> End {
        let budget = count.saturating_add(self.goal.budget);
        let mut last_length = 1;
        let end = loop {
            let all = self.core.candidates.len();
            let sorted = self.core.is_sorted_to(all);
            while sorted
                && self.to > self.from
                && self.core.candidates[self.to - 1].change.loss > self.gap
            {
                self.to -= 1;
            }
            if self.from >= self.to || self.front.len() == 0 {
                break End::Exhausted;
            }
            let long = self.front.len() >= SECOND_LIST;
            if !sorted && (long || !self.core.is_sorted_to(self.from + 1)) {
                self.core.sort_rest(self.from, self.gap);
                self.to = self.core.candidates.len();
                continue;
            }
            if *count >= self.goal.limit {
                break End::TooLong;
            }
            if *count > budget {
                break End::Unfinished;
            }
            let history = self.front.history_len() + self.back.history_len();
            if self.front.len() + self.back.len() > self.goal.most || history / 8 > self.goal.most {
                break End::TooLong;
            }
            let unfinished = if long && self.back.len() <= self.front.len() {
                self.extend_back();
                *count += self.back.len() as u64;
                true
            } else {
                let unfinished = self.extend_front();
                *count += self.front.len() as u64;
                unfinished
            };
            if !unfinished {
                return End::Bound;
            }
            let length = self.front.len() + self.back.len();
            if self.back.len() > 1 && length >= 2 * last_length {
                last_length = length;
                if !self.meet() {
                    return End::Bound;
                }
            }
        };
        // All candidates are decided, so the best pair is the best choice of all.
        if self.meet() { end } else { End::Bound }
    }

    /// Decides on the candidate of least loss. Returns whether the search must continue: false if the bound
    /// is reached.
    fn extend_front(&mut self) -> bool {
        let change = self.core.candidates[self.from].change;
        let (next, to_remove, to_add) = self.core.least_losses(self.from + 1);
        let limits =
            Limits { capacity: self.items.capacity, gap: self.gap, next, to_remove, to_add };
        let mut gap = Some(self.gap);
        self.front.extend(self.from as u32, change, limits, self.value, |mark| {
            self.value = mark.profit();
            self.found = Some((mark, None));
            gap = gap_at(self.items, self.relaxed, self.goal, self.value);
            gap.unwrap_or(-1.0)
        });
        self.from += 1;
        self.gap = gap.unwrap_or(-1.0);
        gap.is_some()
    }

    /// Decides on the candidate of largest loss.
    fn extend_back(&mut self) {
        self.to -= 1;
        let change = self.core.candidates[self.to].change;
        // Whether a choice fits depends on the other list.
        let limits = Limits { capacity: 0, gap: self.gap, next: 0.0, to_remove: 0.0, to_add: 0.0 };
        self.back.extend(self.to as u32, change, limits, i64::MAX, |_| limits.gap);
    }

    /// Looks for the best pair. Returns false if the bound is reached.
    fn meet(&mut self) -> bool {
        let pair = self.front.best_pair(&self.back, self.items.capacity, self.value);
        let Some((a, b)) = pair else { return true };
        self.value = a.profit() + b.profit();
        self.found = Some((a, Some(b)));
        let gap = gap_at(self.items, self.relaxed, self.goal, self.value);
        if let Some(gap) = gap {
            self.gap = gap;
            self.front.prune(gap);
            self.back.prune(gap);
        }
        gap.is_some()
    }

    /// Writes the choice into `best` if a better one was found.
    fn report(&self, best: &mut Incumbent) {
        let Some((front, back)) = self.found else { return };
        best.value = self.value;
        best.taken.clear();
        best.taken.extend_from_slice(&self.relaxed.taken);
        let mut flip = |candidate| {
            for &item in self.core.members(candidate) {
                best.taken[item as usize] = !best.taken[item as usize];
            }
        };
        self.front.changes(front, &mut flip);
        if let Some(back) = back {
            self.back.changes(back, &mut flip);
        }
    }
}
