use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::Task;
use super::bits::Bits;
use super::landmark_cut::LandmarkCut;
use super::weight::Weight;

struct Node<W> {
    /// The least weight of calls that lead here, as far as known.
    weight: W,
    /// A lower bound of the weight from here to the goal.
    bound: W,
    parent: usize,
    tool: u32,
    /// Tools one of which every plan from here calls; `None` while the bound is that of the parent.
    first: Option<Box<[(u32, W)]>>,
    done: bool,
}

/// The best plan, led by landmark cuts.
///
/// As calls never take a data type away, a plan can start with any of its calls that is possible now. So
/// from each state only those few tools are tried one of which every plan must call. That finds the
/// weight of the best plan, and then, call by call, the tool that stands first in the library.
pub(crate) fn a_star<B: Bits, W: Weight>(task: &Task) -> Option<Vec<u32>> {
    let mut cuts = LandmarkCut::<W>::new(task);
    let mut state = B::empty(task.types);
    let (mut left, mut plan) = best_plan(&mut cuts, &state, W::NEVER)?;
    let mut calls = Vec::new();
    while !state.contains_all(&task.goal) {
        let bound = cuts.bound(&state, left, None);
        for tool in 0..task.tools.len() as u32 {
            if bound + cuts.surcharge(tool) > left {
                cuts.turn_off(tool);
            }
        }
        for tool in 0..task.tools.len() as u32 {
            let (needs, yields) = (task.needs.get(tool as usize), task.yields.get(tool as usize));
            let weight = cuts.weight(tool);
            if cuts.is_off(tool)
                || weight > left
                || !state.contains_all(needs)
                || state.contains_all(yields)
            {
                continue;
            }
            let next = state.with(yields);
            let rest = if let Some(place) = plan.iter().position(|&other| other == tool) {
                plan.remove(place);
                true
            } else if let Some((_, other)) = best_plan(&mut cuts, &next, left - weight) {
                plan = other;
                true
            } else {
                false
            };
            if rest {
                calls.push(tool);
                left = left - weight;
                state = next;
                break;
            }
            // No best plan calls it, now or later: it could be called now as well.
            cuts.turn_off(tool);
        }
    }
    Some(calls)
}

/// A plan of least weight and its weight, unless that is more than `limit`.
fn best_plan<B: Bits, W: Weight>(
    cuts: &mut LandmarkCut<'_, W>,
    start: &B,
    limit: W,
) -> Option<(W, Vec<u32>)> {
    let task = cuts.task();
    let root =
        Node { weight: W::ZERO, bound: W::ZERO, parent: 0, tool: 0, first: None, done: false };
    let mut nodes = vec![root];
    let mut states = vec![start.clone()];
    let mut numbers = HashMap::from([(start.clone(), 0)]);
    let mut open = BinaryHeap::from([(Reverse(W::ZERO), W::ZERO, 0)]);
    let mut first = Vec::new();
    while let Some((Reverse(total), weight, number)) = open.pop() {
        let node = &mut nodes[number];
        if node.done || weight != node.weight || total != weight + node.bound {
            continue;
        }
        let state = states[number].clone();
        if state.contains_all(&task.goal) {
            return Some((weight, calls(&nodes, number)));
        }
        if node.first.is_none() {
            first.clear();
            let bound = cuts.bound(&state, limit - weight, Some(&mut first));
            let with_surcharge = first.iter().map(|&tool| (tool, cuts.surcharge(tool)));
            node.first = Some(with_surcharge.collect());
            node.bound = node.bound.max(bound);
            let new_total = weight + node.bound;
            if new_total > limit {
                node.done = true;
                continue;
            }
            if new_total > total {
                open.push((Reverse(new_total), weight, number));
                continue;
            }
        }
        node.done = true;
        let bound = node.bound;
        let tools = node.first.take().unwrap_or_default();
        for &(tool, surcharge) in &tools {
            let yields = task.yields.get(tool as usize);
            if state.contains_all(yields) {
                continue;
            }
            let cost = cuts.weight(tool);
            let weight = weight + cost;
            // What was counted for calls of other tools is still to pay.
            let rest = bound + surcharge;
            let bound = if rest > cost { rest - cost } else { W::ZERO };
            if weight + bound > limit {
                continue;
            }
            let next = state.with(yields);
            let known = numbers.get(&next).copied();
            let other = known.unwrap_or(nodes.len());
            let node = Node { weight, bound, parent: number, tool, first: None, done: false };
            match known {
                None => {
                    numbers.insert(next.clone(), other);
                    states.push(next);
                    nodes.push(node);
                }
                Some(_) if weight < nodes[other].weight => {
                    let bound = bound.max(nodes[other].bound);
                    nodes[other] = Node { bound, ..node };
                }
                Some(_) => continue,
            }
            open.push((Reverse(weight + nodes[other].bound), weight, other));
        }
    }
    None
}

fn calls<W>(nodes: &[Node<W>], mut number: usize) -> Vec<u32> {
    let mut calls = Vec::new();
    while number != 0 {
        calls.push(nodes[number].tool);
        number = nodes[number].parent;
    }
    calls.reverse();
    calls
}
