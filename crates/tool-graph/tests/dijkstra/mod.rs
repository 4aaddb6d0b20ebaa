//! The best plan by Dijkstra's algorithm over the sets of data types, made of public parts alone.

use std::{cmp::Reverse, collections::BTreeSet, collections::BinaryHeap};

use scoring_rules::decimals::Decimal;
use tool_graph::{Problem, ToolGraph};

/// The calls with the lowest exact cost, among these the fewest, and among these the first in library order.
pub(crate) fn dijkstra(graph: &ToolGraph, problem: &Problem) -> Option<Vec<usize>> {
    let costs = graph.tools().into_iter().map(|it| Decimal::shortest(it.cost).without_zeros());
    let costs: Vec<Decimal> = costs.collect();
    let used = costs.iter().filter(|cost| cost.units != 0);
    let least = used.map(|cost| cost.exponent).min().unwrap_or(0);
    let in_units = |cost: &Decimal| match cost.units {
        0 => 0,
        units => units * 10_i128.pow((cost.exponent - least) as u32),
    };
    let costs: Vec<i128> = costs.iter().map(in_units).collect();
    // A call always adds to the number of calls, so the first way to a state is the best one.
    let mut open = BinaryHeap::from([Reverse((0, 0, Vec::new(), problem.initial().clone()))]);
    let mut done = BTreeSet::new();
    while let Some(Reverse((cost, calls, path, state))) = open.pop() {
        if state.is_superset(problem.goal()) {
            return Some(path);
        }
        if !done.insert(state.clone()) {
            continue;
        }
        for (tool, more) in costs.iter().enumerate() {
            let mut next = state.clone();
            if graph.can_call(tool, &state) && graph.apply(tool, &mut next).unwrap() {
                let path = path.iter().copied().chain([tool]).collect();
                open.push(Reverse((cost + more, calls + 1, path, next)));
            }
        }
    }
    None
}
