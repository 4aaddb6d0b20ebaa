use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};

use crate::searches::{reduced_problem::ReducedProblem, type_set::TypeSet};

/// A reached state with the best known calls to it.
struct Node {
    weight: u128,
    parent: usize,
    tool: u32,
    done: bool,
}

/// Finds the best plan by visiting all states in the order of their weight.
pub(crate) fn dijkstra(reduced: &ReducedProblem) -> Option<Vec<u32>> {
    let mut states = vec![TypeSet::empty(reduced.types)];
    let mut numbers = HashMap::from([(states[0].clone(), 0)]);
    let mut nodes = vec![Node { weight: 0, parent: 0, tool: 0, done: false }];
    let mut open = BinaryHeap::from([Reverse((0, 0))]);
    let mut best: Option<usize> = None;
    while let Some(Reverse((weight, number))) = open.pop() {
        if best.is_some_and(|best| nodes[best].weight < weight) {
            break;
        }
        if std::mem::replace(&mut nodes[number].done, true) {
            continue;
        }
        if states[number].contains_all(&reduced.goal) {
            let better = best.is_none_or(|best| calls(&nodes, number) < calls(&nodes, best));
            best = if better { Some(number) } else { best };
            continue;
        }
        for tool in 0..reduced.tools.len() {
            let state = &states[number];
            let (needs, yields) = (reduced.needs.get(tool), reduced.yields.get(tool));
            if !state.contains_all(needs) || state.contains_all(yields) {
                continue;
            }
            let next = state.with(yields);
            let weight = weight + reduced.weights[tool];
            let tool = tool as u32;
            let node = Node { weight, parent: number, tool, done: false };
            match numbers.get(&next) {
                None => {
                    open.push(Reverse((weight, nodes.len())));
                    numbers.insert(next.clone(), nodes.len());
                    states.push(next);
                    nodes.push(node);
                }
                Some(&other) => match weight.cmp(&nodes[other].weight) {
                    Ordering::Less => {
                        open.push(Reverse((weight, other)));
                        nodes[other] = node;
                    }
                    Ordering::Equal => {
                        let mut here = calls(&nodes, number);
                        here.push(tool);
                        if here < calls(&nodes, other) {
                            nodes[other] = node;
                        }
                    }
                    Ordering::Greater => {}
                },
            }
        }
    }
    best.map(|best| calls(&nodes, best))
}

/// The best known calls to a state. Node 0 is the start.
fn calls(nodes: &[Node], mut number: usize) -> Vec<u32> {
    let mut calls = Vec::new();
    while number != 0 {
        calls.push(nodes[number].tool);
        number = nodes[number].parent;
    }
    calls.reverse();
    calls
}
