//! Lists of partial choices. No partial choice is dominated by another in both weight and profit.

/// Marks the start of a history.
const START: u32 = u32::MAX;

/// A partial choice.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) weight: i64,
    pub(super) profit: i64,
    pub(super) loss: f64,
    /// The place of the changes before the last block of 32 in the history.
    base: u32,
    /// The changes made among the last block of 32.
    mask: u32,
}

/// A partial choice with the number of changes decided so far, from which its changes can be
/// recovered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    state: State,
    stages: usize,
}

/// A change: an item, or several equal items, set the other way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) weight: i64,
    pub(super) profit: i64,
    pub(super) loss: f64,
}

/// The limits of a partial choice that is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) capacity: i64,
    /// The largest loss of a choice that is better than the best one known.
    pub(super) gap: f64,
    /// The smallest loss of a further change.
    pub(super) next: f64,
    /// The smallest loss per unit of weight that a further change removes.
    pub(super) to_remove: f64,
    /// The smallest loss per unit of weight that a further change adds.
    pub(super) to_add: f64,
}

/// Partial choices in ascending order of weight and of profit.
#[derive(Debug)]
pub(super) struct States {
    states: Vec<State>,
    spare: Vec<State>,
    /// For each block of 32 changes: the place of the block before it, and the changes made.
    history: Vec<(u32, u32)>,
    stages: Vec<u32>,
}

impl States {
    pub(super) fn new(weight: i64, profit: i64) -> Self {
        let start = State { weight, profit, loss: 0.0, base: START, mask: 0 };
        Self { states: vec![start], spare: Vec::new(), history: Vec::new(), stages: Vec::new() }
    }

    pub(super) fn len(&self) -> usize {
        self.states.len()
    }

    pub(super) fn history_len(&self) -> usize {
        self.history.len()
    }

    /// Decides on one change. Each partial choice is kept both without and with the change, unless another
    /// one dominates it or `limits` rule it out. Calls `found` with every choice that fits and is worth more
    /// than `best` and all choices found before; `found` returns the new gap.
    ///
    /// A partial choice that `limits` rule out may still dominate others: if no extension of it is
    /// of interest, then no extension of a dominated partial choice is. A choice with room left can
    /// only gain by filling it, at a loss of `to_add` per unit. A choice that is too heavy must
    /// remove the excess, at a loss of `to_remove` per unit.
    pub(super) fn extend(
        &mut self,
        name: u32,
        change: Change,
        mut limits: Limits,
        mut best: i64,
        mut found: impl FnMut(Mark) -> f64,
    ) {
        if self.stages.len().is_multiple_of(32) && !self.stages.is_empty() {
            for state in &mut self.states {
                // The memory limit ends the search long before the history is this long.
                let place = u32::try_from(self.history.len()).unwrap_or(START);
                self.history.push((state.base, state.mask));
                (state.base, state.mask) = (place, 0);
            }
        }
        let bit = 1_u32 << (self.stages.len() % 32);
        self.stages.push(name);
        let stages = self.stages.len();
        self.spare.clear();
        self.spare.reserve(2 * self.states.len());
        let states = &self.states;
        let (mut kept, mut changed) = (states.iter(), states.iter());
        let (mut kept_head, mut changed_head) = (kept.next(), changed.next());
        let mut highest = i64::MIN;
        loop {
            let take_changed = match (kept_head, changed_head) {
                (Some(a), Some(b)) => {
                    let weight = b.weight + change.weight;
                    weight < a.weight || (weight == a.weight && b.profit + change.profit > a.profit)
                }
                (None, Some(_)) => true,
                (Some(_), None) => false,
                (None, None) => break,
            };
            let state = if take_changed {
                let Some(&from) = changed_head else { break };
                changed_head = changed.next();
                State {
                    weight: from.weight + change.weight,
                    profit: from.profit + change.profit,
                    loss: from.loss + change.loss,
                    base: from.base,
                    mask: from.mask | bit,
                }
            } else {
                let Some(&from) = kept_head else { break };
                kept_head = kept.next();
                from
            };
            if state.profit <= highest {
                continue;
            }
            highest = state.profit;
            if state.weight <= limits.capacity && state.profit > best {
                best = state.profit;
                limits.gap = found(Mark { state, stages });
            }
            let room = (limits.capacity - state.weight) as f64;
            let to_fill = (room * limits.to_add).max(-room * limits.to_remove);
            if state.loss + limits.next.max(to_fill) <= limits.gap {
                self.spare.push(state);
            }
        }
        std::mem::swap(&mut self.states, &mut self.spare);
    }

    /// Drops the partial choices that exceed the gap.
    pub(super) fn prune(&mut self, gap: f64) {
        self.states.retain(|state| state.loss <= gap);
    }

    /// Returns the best pair of partial choices from both lists that fits, if it is better than
    /// `best`.
    pub(super) fn best_pair(&self, other: &Self, capacity: i64, best: i64) -> Option<(Mark, Mark)> {
        let mut top = best;
        let mut pair = None;
        let mut partners = other.states.iter().rev();
        let mut partner = partners.next();
        for state in &self.states {
            while partner.is_some_and(|p| p.weight + state.weight > capacity) {
                partner = partners.next();
            }
            let Some(found) = partner else { break };
            if state.profit + found.profit > top {
                top = state.profit + found.profit;
                pair = Some((*state, *found));
            }
        }
        pair.map(|(a, b)| {
            (
                Mark { state: a, stages: self.stages.len() },
                Mark { state: b, stages: other.stages.len() },
            )
        })
    }

    /// Calls `apply` with the name of each change in a partial choice of this list.
    pub(super) fn changes(&self, mark: Mark, mut apply: impl FnMut(u32)) {
        let (mut base, mut mask) = (mark.state.base, mark.state.mask);
        let mut block = mark.stages.saturating_sub(1) / 32;
        loop {
            for bit in (0..32).filter(|bit| mask >> bit & 1 == 1) {
                if let Some(&name) = self.stages.get(32 * block + bit) {
                    apply(name);
                }
            }
            let Some(&before) = self.history.get(base as usize) else { break };
            (base, mask) = before;
            block = block.saturating_sub(1);
        }
    }
}

impl Mark {
    pub(super) fn profit(&self) -> i64 {
        self.state.profit
    }
}
