use std::collections::HashSet;
use std::hash::BuildHasherDefault;

use crate::{
    graph::{problem::Problem, tool_graph::ToolGraph, word_hasher::WordHasher},
    searches::{
        chain::Chain, reach::Reach, reduced_problem::ReducedProblem, released_heap::ReleasedHeap,
    },
};

/// An entry of the heap. Its state and its path belong to the node.
#[derive(Clone, Copy)]
struct Entry {
    /// The costs of the calls, added as f64 numbers from the first call on.
    cost: f64,
    calls: u32,
    node: u32,
}

/// A tool that can be called at some time, with its data types as bits of a state.
struct Callable {
    tool: u32,
    cost: f64,
    needs: Vec<u64>,
    yields: Vec<u64>,
}

/// The nodes of the search: sequences of calls and the data types that are present after them.
struct Nodes<'a> {
    graph: &'a ToolGraph,
    /// The data types of all nodes that were missing at the start, `words` words of bits per node.
    states: Vec<u64>,
    words: usize,
    /// For each node, the node before its last call, and the tool of that call.
    last: Vec<(u32, u32)>,
}

impl Nodes<'_> {
    fn state(&self, node: u32) -> &[u64] {
        &self.states[node as usize * self.words..][..self.words]
    }

    fn path(&self, mut node: u32) -> Vec<usize> {
        let mut path = Vec::new();
        while node != 0 {
            let (before, tool) = self.last[node as usize];
            path.push(tool as usize);
            node = before;
        }
        path.reverse();
        path
    }

    /// Returns whether one entry comes before the other by the comparison of Python tuples of the cost, the
    /// number of calls, the state as a set, and the names of the tools. A set is less than its proper
    /// supersets; other sets are not comparable.
    fn is_less(&self, one: Entry, other: Entry) -> bool {
        if one.cost != other.cost {
            return one.cost < other.cost;
        }
        if one.calls != other.calls {
            return one.calls < other.calls;
        }
        let (a, b) = (self.state(one.node), self.state(other.node));
        if a != b {
            return a.iter().zip(b).all(|(a, b)| a & !b == 0);
        }
        let names = |node| self.graph.tool_names(&self.path(node));
        names(one.node) < names(other.node)
    }
}

/// A search ended at its limit without an answer.
#[derive(Debug)]
pub(crate) struct LimitReached;

/// Finds the plan of CostBench's released solver among all plans with the lowest cost.
///
/// The problem must belong to the graph, and `reduced` must be its reduced problem. The full search adds at
/// most `left` sequences of calls to its heap, and subtracts the number of added sequences.
pub(crate) fn released_search(
    graph: &ToolGraph,
    problem: &Problem,
    reduced: &ReducedProblem,
    left: &mut usize,
) -> Result<Option<Vec<usize>>, LimitReached> {
    let reach = Reach::new(graph, &problem.initial);
    let callable: Vec<usize> =
        (0..graph.tool_count()).filter(|&tool| reach.lacks[tool] == 0).collect();
    match only_cheapest(graph, reduced, &callable) {
        Some(plan) => Ok(Some(plan)),
        None => full_search(graph, problem, &reach, &callable, left),
    }
}

/// Returns the plan with the lowest f64 cost and the fewest calls, if the full search is certain to find this
/// plan.
///
/// The rounded sum of further calls never decreases with the sum before them, so the full search first
/// visits each state at its lowest f64 cost, and ends with the lowest f64 cost of all sequences of calls.
/// It returns the one with the fewest calls unless another one, which costs as much in the end, reaches
/// one of its states first.
fn only_cheapest(
    graph: &ToolGraph,
    reduced: &ReducedProblem,
    callable: &[usize],
) -> Option<Vec<usize>> {
    /// The largest number of plans of nearly equal cost that are compared.
    const MOST: usize = 64;

    if reduced.goal.is_empty() {
        return Some(Vec::new());
    }
    let mut plans = Chain::new(reduced)?.best_plans().peekable();
    let lowest = reduced.cost_of(plans.peek()?.0);
    // A sum of n costs has a relative rounding error of at most about n 2^-53, and each call yields a new
    // data type. The tolerance is twice the error bound for two sums.
    let most_calls = graph.type_names().len() as f64;
    let rounding = (lowest as f64 * most_calls * 2.0 * f64::EPSILON) as u128;
    // Then a needless call always increases the f64 cost.
    let units = |tool: &usize| graph.costs().units(*tool);
    if callable.iter().map(units).min()? <= rounding {
        return None;
    }
    let mut lowest_sum = f64::INFINITY;
    let mut tied: Vec<Vec<u32>> = Vec::new();
    for (number, (weight, calls)) in plans.enumerate() {
        if reduced.cost_of(weight) > lowest + rounding {
            break;
        }
        if number == MOST {
            return None;
        }
        let tools = reduced.library_positions(&calls);
        let sum = tools.into_iter().fold(0.0, |sum, tool| sum + graph.cost_of(tool));
        if sum < lowest_sum {
            lowest_sum = sum;
            tied.clear();
        }
        if sum == lowest_sum {
            tied.push(calls);
        }
    }
    tied.sort_by_key(Vec::len);
    let (best, others) = tied.split_first()?;
    // Two plans of a chain share a state if they yielded the same data types so far.
    let yields = |&tool: &u32| reduced.yields.get(tool as usize);
    let shares_state = |other: &[u32]| {
        let calls = best.iter().zip(other);
        let mut same = calls.take_while(|(a, b)| yields(a) == yields(b));
        same.any(|(a, b)| a != b)
    };
    let is_first = |other: &Vec<u32>| other.len() > best.len() && !shares_state(other);
    others.iter().all(is_first).then(|| reduced.library_positions(best))
}

/// Repeats the search of the released solver: Dijkstra's algorithm over the sets of data types, with
/// all sequences of calls in the heap.
fn full_search(
    graph: &ToolGraph,
    problem: &Problem,
    reach: &Reach,
    callable: &[usize],
    left: &mut usize,
) -> Result<Option<Vec<usize>>, LimitReached> {
    let missing = |&number: &usize| reach.reached[number] && !problem.initial.contains(number);
    let types: Vec<usize> = (0..reach.reached.len()).filter(missing).collect();
    let words = types.len().div_ceil(64);
    let bits = |numbers: &mut dyn Iterator<Item = usize>| {
        let mut bits = vec![0; words];
        for place in numbers.filter_map(|number| types.binary_search(&number).ok()) {
            bits[place / 64] |= 1 << (place % 64);
        }
        bits
    };
    let list = |numbers: &[u32]| bits(&mut numbers.iter().map(|&number| number as usize));
    let callable = callable.iter().map(|&tool| Callable {
        tool: tool as u32,
        cost: graph.cost_of(tool),
        needs: list(graph.needs(tool)),
        yields: list(graph.yields(tool)),
    });
    let callable: Vec<Callable> = callable.collect();
    let goal = bits(&mut problem.goal.iter());
    let contains = |state: &[u64], all: &[u64]| state.iter().zip(all).all(|(a, b)| b & !a == 0);
    let mut nodes = Nodes { graph, states: vec![0; words], words, last: vec![(0, 0)] };
    let mut open = ReleasedHeap::new(Entry { cost: 0.0, calls: 0, node: 0 });
    let mut visited: HashSet<Box<[u64]>, BuildHasherDefault<WordHasher>> = HashSet::default();
    let mut next = vec![0; words];
    while let Some(Entry { cost, calls, node }) = open.pop(|a, b| nodes.is_less(a, b)) {
        if visited.contains(nodes.state(node)) {
            continue;
        }
        visited.insert(nodes.state(node).into());
        if contains(nodes.state(node), &goal) {
            return Ok(Some(nodes.path(node)));
        }
        for Callable { tool, cost: price, needs, yields } in &callable {
            let state = nodes.state(node);
            if !contains(state, needs) || contains(state, yields) {
                continue;
            }
            next.iter_mut().zip(state).zip(yields).for_each(|((it, a), b)| *it = a | b);
            if visited.contains(next.as_slice()) {
                continue;
            }
            *left = left.checked_sub(1).ok_or(LimitReached)?;
            let after = nodes.last.len() as u32;
            nodes.states.extend_from_slice(&next);
            nodes.last.push((node, *tool));
            let entry = Entry { cost: cost + price, calls: calls + 1, node: after };
            open.push(entry, |a, b| nodes.is_less(a, b));
        }
    }
    Ok(None)
}

#[cfg(all(test, feature = "costbench"))]
mod tests {
    use super::*;
    use crate::costbench::{CostModel, Library, Task};

    #[test]
    fn the_full_search_of_level_5_keeps_less_than_a_hundredth_of_the_limit() {
        let library = Library::new(5).unwrap();
        // Query 63 needs the most of all 381.
        for query in (0..6).chain([63]) {
            let task = Task::ALL[query % 6];
            let costs = CostModel::default().costs(&library, 42, &format!("<Query{query:05}>"));
            let graph = ToolGraph::new(library.callable_tools(task, &costs).unwrap()).unwrap();
            let problem = graph.problem(task.initial_types(), &[task.goal()]).unwrap();
            let reduced = ReducedProblem::of_checked(&graph, &problem).unwrap();
            let reach = Reach::new(&graph, &problem.initial);
            let callable: Vec<usize> = (0..graph.tool_count()).collect();
            let search = |mut limit| full_search(&graph, &problem, &reach, &callable, &mut limit);
            let plan = search(40_000).unwrap();
            let any = released_search(&graph, &problem, &reduced, &mut usize::MAX.clone()).unwrap();
            assert_eq!(plan, any, "{query}");
            assert!(search(100).is_err(), "{query}");
        }
    }
}
