use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::searches::{
    landmark_cut::LandmarkCut, plan_weight::PlanWeight, reduced_problem::ReducedProblem,
    type_set::TypeSet,
};

/// The largest number of states that are visited to find all optimal plans.
const MOST_STATES: usize = 1 << 13;

/// The largest number of pairs of a state and a position in the agent's path that are compared.
const MOST_PAIRS: usize = 1 << 20;

/// All optimal plans, in all orders of their calls, as the paths of an acyclic graph of states.
///
/// The states of an optimal plan are reached at the lowest cost that reaches them, so each path of this
/// graph from the start to the goal is an optimal plan, and each optimal plan is such a path.
#[derive(Debug)]
pub(crate) struct OptimalPaths {
    /// For each state, in ascending order of its weight, the calls that can follow on an optimal plan,
    /// as the position of the tool in the library and the next state. The first state is the start.
    calls: Vec<Vec<(usize, usize)>>,
    /// Whether the state has reached the goal.
    is_goal: Vec<bool>,
}

/// The nearest of the optimal plans to a path.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    edits: usize,
    /// The number of calls of the plan so far.
    length: usize,
    /// The state and the position before the last step, and the tool called in this step, if the step is a
    /// call.
    last: Option<(usize, usize, Option<usize>)>,
}

impl OptimalPaths {
    /// Finds the optimal plans of a problem with the best plan `best`, as positions in the library.
    ///
    /// If some tools cost nothing, only the plans with the fewest calls among the cheapest are kept,
    /// because calls without cost could be added to any plan. `None` for too many states.
    pub(crate) fn new(reduced: &ReducedProblem, best: &[usize]) -> Option<Self> {
        let reduced = &reduced.compared_by_cost();
        let called =
            (0..reduced.tools.len()).filter(|&tool| best.contains(&(reduced.tools[tool] as usize)));
        let most: u128 = called.map(|tool| reduced.weights[tool]).sum();
        let mut cuts = LandmarkCut::<u128>::new(reduced);
        let start = TypeSet::empty(reduced.types);
        // For each state that an optimal plan may reach, its lowest known weight.
        let mut weights: HashMap<TypeSet, u128> = HashMap::from([(start.clone(), 0)]);
        let mut bounds: HashMap<TypeSet, u128> = HashMap::new();
        let mut open = BinaryHeap::from([Reverse((0, start))]);
        let mut states: Vec<(TypeSet, u128)> = Vec::new();
        while let Some(Reverse((weight, state))) = open.pop() {
            if weights.get(&state) != Some(&weight) {
                continue;
            }
            if states.len() == MOST_STATES || bounds.len() > 2 * MOST_STATES {
                return None;
            }
            states.push((state.clone(), weight));
            if state.contains_all(&reduced.goal) {
                continue;
            }
            for tool in reduced.callable(&state) {
                let next = state.with(reduced.yields.get(tool));
                let after = weight + reduced.weights[tool];
                if after > most || weights.get(&next).is_some_and(|&known| known <= after) {
                    continue;
                }
                let bound = *bounds
                    .entry(next.clone())
                    .or_insert_with(|| cuts.bound(&next, u128::NEVER, None));
                if bound <= most - after {
                    weights.insert(next.clone(), after);
                    open.push(Reverse((after, next)));
                }
            }
        }
        Some(Self::kept(reduced, &states))
    }

    /// Keeps the states from which the goal is reached at the lowest weight.
    fn kept(reduced: &ReducedProblem, states: &[(TypeSet, u128)]) -> Self {
        let numbers: HashMap<&TypeSet, usize> =
            states.iter().enumerate().map(|(number, (state, _))| (state, number)).collect();
        let mut calls = vec![Vec::new(); states.len()];
        let mut is_goal = vec![false; states.len()];
        let mut leads_to_goal = vec![false; states.len()];
        // Weights are positive, so a call leads to a state with a higher number.
        for (number, (state, weight)) in states.iter().enumerate().rev() {
            is_goal[number] = state.contains_all(&reduced.goal);
            if !is_goal[number] {
                for tool in reduced.callable(state) {
                    let next = numbers.get(&state.with(reduced.yields.get(tool)));
                    let next = next.copied().filter(|&next| {
                        leads_to_goal[next] && states[next].1 == weight + reduced.weights[tool]
                    });
                    let tool = reduced.tools[tool] as usize;
                    calls[number].extend(next.map(|next| (tool, next)));
                }
            }
            leads_to_goal[number] = is_goal[number] || !calls[number].is_empty();
        }
        Self { calls, is_goal }
    }

    /// Returns the optimal plan with the fewest edits to the path, and among these the longest one. `None` if
    /// the path is too long for a comparison with this number of states.
    ///
    /// # Complexity
    ///
    /// The number of calls between the states times the length of the path.
    pub(crate) fn nearest(&self, path: &[usize]) -> Option<Vec<usize>> {
        let width = path.len() + 1;
        if self.calls.len().saturating_mul(width) > MOST_PAIRS {
            return None;
        }
        let mut ways: Vec<Option<Way>> = vec![None; self.calls.len() * width];
        *ways.first_mut()? = Some(Way { edits: 0, length: 0, last: None });
        for state in 0..self.calls.len() {
            for at in 0..width {
                let Some(Way { edits, length, .. }) = ways[state * width + at] else { continue };
                let mut offer = |to: usize, at_next: usize, edits, tool: Option<usize>| {
                    let length = length + usize::from(tool.is_some());
                    let known = &mut ways[to * width + at_next];
                    let is_better = known.as_ref().is_none_or(|known| {
                        (edits, Reverse(length)) < (known.edits, Reverse(known.length))
                    });
                    if is_better {
                        *known = Some(Way { edits, length, last: Some((state, at, tool)) });
                    }
                };
                if at < path.len() {
                    offer(state, at + 1, edits + 1, None);
                }
                for &(tool, next) in &self.calls[state] {
                    offer(next, at, edits + 1, Some(tool));
                    if at < path.len() {
                        offer(next, at + 1, edits + usize::from(path[at] != tool), Some(tool));
                    }
                }
            }
        }
        let ends = (0..self.calls.len()).filter(|&state| self.is_goal[state]);
        let ends = ends.filter_map(|state| {
            let way = ways[state * width + path.len()].as_ref()?;
            Some((way.edits, Reverse(way.length), state))
        });
        let (_, _, mut state) = ends.min()?;
        let (mut at, mut plan) = (path.len(), Vec::new());
        while let Some((before, place, tool)) = ways[state * width + at].as_ref()?.last {
            plan.extend(tool);
            (state, at) = (before, place);
        }
        plan.reverse();
        Some(plan)
    }
}
