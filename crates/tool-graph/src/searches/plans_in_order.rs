use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::searches::{
    chain::Chain, landmark_cut::LandmarkCut, plan_weight::PlanWeight,
    reduced_problem::ReducedProblem, type_set::TypeSet,
};

/// A prefix of plans: a lower bound of their weight, the calls, the weight of the calls, and the
/// data types that are present after them.
type Prefix = (u128, Vec<u32>, u128, TypeSet);

/// Iterates over the plans in order.
///
/// The open prefixes are sorted by the lower bound of their weight, then by library order. A plan
/// that is taken out therefore comes before all plans with open prefixes.
struct BestPlans<'a> {
    reduced: &'a ReducedProblem,
    cuts: LandmarkCut<'a, u128>,
    open: BinaryHeap<Reverse<Prefix>>,
    bounds: HashMap<TypeSet, u128>,
    /// For each data type, the number of the current calls that yield it.
    yielded: Vec<u32>,
}

impl<'a> BestPlans<'a> {
    fn new(reduced: &'a ReducedProblem) -> Self {
        let start = (0, Vec::new(), 0, TypeSet::empty(reduced.types));
        Self {
            reduced,
            cuts: LandmarkCut::new(reduced),
            open: BinaryHeap::from([Reverse(start)]),
            bounds: HashMap::new(),
            yielded: vec![0; reduced.types],
        }
    }

    /// Returns the data types that are present after the calls. Skips calls that are not possible.
    fn after<'b>(&self, calls: impl Iterator<Item = &'b u32>) -> TypeSet {
        calls.fold(TypeSet::empty(self.reduced.types), |state, &tool| {
            if state.contains_all(self.reduced.needs.get(tool as usize)) {
                state.with(self.reduced.yields.get(tool as usize))
            } else {
                state
            }
        })
    }

    /// Returns whether a call can be left out of this prefix and of all plans that start with it.
    fn has_needless_call(&mut self, calls: &[u32], state: &TypeSet) -> bool {
        let reduced = self.reduced;
        let done = state.contains_all(&reduced.goal);
        self.yielded.fill(0);
        for &tool in calls {
            for &number in reduced.yields.get(tool as usize) {
                self.yielded[number as usize] += 1;
            }
        }
        // The data types that must be present in the end: for a plan, the goal; for a prefix, all data types
        // present after it.
        let mut wanted = if done { TypeSet::empty(reduced.types) } else { state.clone() };
        wanted.insert_all(&reduced.goal);
        for place in (0..calls.len()).rev() {
            let tool = calls[place] as usize;
            // A call is needed if no other call yields a wanted data type. Otherwise, try without it.
            let only =
                |&number: &u32| self.yielded[number as usize] == 1 && wanted.contains(number);
            if !reduced.yields.get(tool).iter().any(only) {
                let rest = self.after(calls[..place].iter().chain(&calls[place + 1..]));
                let same = if done { rest.contains_all(&reduced.goal) } else { rest == *state };
                if same {
                    return true;
                }
            }
            wanted.insert_all(reduced.needs.get(tool));
        }
        false
    }
}

impl Iterator for BestPlans<'_> {
    /// The weight of a plan and its calls.
    type Item = (u128, Vec<u32>);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(Reverse((_, mut calls, weight, state))) = self.open.pop() {
            if state.contains_all(&self.reduced.goal) {
                return Some((weight, calls));
            }
            let reduced = self.reduced;
            for tool in reduced.callable(&state) {
                let next = state.with(reduced.yields.get(tool));
                calls.push(tool as u32);
                let needless = self.has_needless_call(&calls, &next);
                let prefix = if needless { Vec::new() } else { calls.clone() };
                calls.pop();
                if needless {
                    continue;
                }
                let weight = weight + reduced.weights[tool];
                let bound = match self.bounds.get(&next) {
                    Some(&bound) => bound,
                    None => {
                        let bound = self.cuts.bound(&next, u128::NEVER, None);
                        self.bounds.insert(next.clone(), bound);
                        bound
                    }
                };
                self.open.push(Reverse((weight + bound, prefix, weight, next)));
            }
        }
        None
    }
}

/// Returns all plans with their weights, in order.
pub(crate) fn plans_in_order(
    reduced: &ReducedProblem,
) -> Box<dyn Iterator<Item = (u128, Vec<u32>)> + '_> {
    match Chain::new(reduced) {
        Some(chain) => Box::new(chain.best_plans()),
        None => Box::new(BestPlans::new(reduced)),
    }
}
