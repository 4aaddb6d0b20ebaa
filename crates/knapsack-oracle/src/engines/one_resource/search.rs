//! Dynamic programming over the items in doubt, from both ends.

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
    /// Going on would take more memory than is allowed for.
    TooLong,
}

/// What to look for, and how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    /// Least value of interest; smaller ones may be found by the way.
    pub(super) target: i64,
    /// No value is above this.
    pub(super) ceiling: i64,
    /// Partial choices to look at before giving up.
    pub(super) budget: u64,
    /// Partial choices to keep at one time.
    pub(super) most: usize,
}

/// Looks for the best choice that is better than `best` and worth the target at least.
///
/// With `bundles`, equal items are looked at together; these are all items that may change in a
/// choice better than `best`, with equal ones side by side.
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

/// How much a choice may lose that is still of interest once `value` is reached; none if no choice
/// is.
fn gap_at(items: &Items, relaxed: &Relaxation, goal: Goal, value: i64) -> Option<f64> {
    let next = goal.target.max(value + items.step);
    if next > goal.ceiling { None } else { relaxed.gap(next) }
}

/// Two lists of partial choices: one decides on the candidates before `from`, least loss first, the
/// other on those from `to` on, most loss first.
///
/// The second stays short, as few of its changes go together within the gap. A pair of one partial
/// choice from each is found in time linear in their lengths, so what both lists do not yet decide
/// on never has to be multiplied out.
struct Search<'a> {
    items: &'a Items,
    relaxed: &'a Relaxation,
    goal: Goal,
    value: i64,
    /// Where the choice of that value is, once a better one is found.
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
        let mut met_at = 1;
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
            if *count > budget {
                break End::Unfinished;
            }
            let history = self.front.history_len() + self.back.history_len();
            if self.front.len() + self.back.len() > self.goal.most || history / 8 > self.goal.most {
                break End::TooLong;
            }
            let go_on = if long && self.back.len() <= self.front.len() {
                self.extend_back();
                *count += self.back.len() as u64;
                true
            } else {
                let go_on = self.extend_front();
                *count += self.front.len() as u64;
                go_on
            };
            if !go_on {
                return End::Bound;
            }
            let length = self.front.len() + self.back.len();
            if self.back.len() > 1 && length >= 2 * met_at {
                met_at = length;
                if !self.meet() {
                    return End::Bound;
                }
            }
        };
        // With nothing left to decide on, this pair is the best of all.
        if self.meet() { end } else { End::Bound }
    }

    /// Decides on the candidate of least loss; false once the bound is reached.
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

    /// Decides on the candidate of most loss.
    fn extend_back(&mut self) {
        self.to -= 1;
        let change = self.core.candidates[self.to].change;
        // The other list decides what fits.
        let limits = Limits { capacity: 0, gap: self.gap, next: 0.0, to_remove: 0.0, to_add: 0.0 };
        self.back.extend(self.to as u32, change, limits, i64::MAX, |_| limits.gap);
    }

    /// Looks for the best pair; false once the bound is reached.
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

    /// Writes a better choice into `best`, if one was found.
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
