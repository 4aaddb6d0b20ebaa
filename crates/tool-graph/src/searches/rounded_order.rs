use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::{
    graph::tool_graph::ToolGraph,
    searches::{reduced_problem::ReducedProblem, type_set::TypeSet},
};

/// The criteria by which plans to the same state are compared, in this order; less is better. For
/// numbers of at least 0, such as sums of costs, the bit patterns of f64 have the order of the
/// numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Label {
    units: u128,
    rounded_sum: u64,
    calls: usize,
    /// The tools, sorted from the last in the library to the first.
    by_place: Vec<u32>,
    tools: Vec<u32>,
}

impl Label {
    fn with_call(&self, tool: u32, units: u128, cost: f64) -> Self {
        let mut by_place = self.by_place.clone();
        by_place.insert(by_place.partition_point(|&other| other > tool), tool);
        let mut tools = self.tools.clone();
        tools.push(tool);
        Self {
            units: self.units + units,
            rounded_sum: (f64::from_bits(self.rounded_sum) + cost).to_bits(),
            calls: self.calls + 1,
            by_place,
            tools,
        }
    }

    /// Whether this label, whose rounded sum is not lower, could still become the better plan after the
    /// same further calls.
    fn may_beat(&self, other: &Self) -> bool {
        let rest = (self.calls, &self.by_place, &self.tools);
        self.units <= other.units && rest < (other.calls, &other.by_place, &other.tools)
    }
}

/// Finds the best plan by [`TieRule::Released`](crate::TieRule::Released).
pub(crate) fn released(graph: &ToolGraph, reduced: &ReducedProblem) -> Option<Vec<u32>> {
    // If each tool needs at most one data type and yields one, the last data type determines a state.
    let single = reduced.has_single_types();
    let costs: Vec<(u128, f64)> = reduced
        .tools
        .iter()
        .map(|&tool| (graph.costs().units(tool as usize), graph.cost_of(tool as usize)))
        .collect();
    let start = TypeSet::empty(reduced.types);
    let first = Label { units: 0, rounded_sum: 0, calls: 0, by_place: vec![], tools: vec![] };
    let mut open = BinaryHeap::from([Reverse((first, start.clone()))]);
    // For each state, the last label that was expanded. A higher rounded sum may round to the same
    // total later, so a label that is better in the other criteria must be expanded too.
    let mut expanded: HashMap<TypeSet, Label> = HashMap::new();
    while let Some(Reverse((label, state))) = open.pop() {
        if state.contains_all(&reduced.goal) {
            return Some(label.tools);
        }
        if expanded.get(&state).is_some_and(|before| !label.may_beat(before)) {
            continue;
        }
        for (tool, &(units, cost)) in costs.iter().enumerate() {
            let (needs, yields) = (reduced.needs.get(tool), reduced.yields.get(tool));
            if !state.contains_all(needs) || state.contains_all(yields) {
                continue;
            }
            let next = if single { &start } else { &state }.with(yields);
            let next_label = label.with_call(tool as u32, units, cost);
            if expanded.get(&next).is_none_or(|before| next_label.may_beat(before)) {
                open.push(Reverse((next_label, next)));
            }
        }
        expanded.insert(state, label);
    }
    None
}
