use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::searches::{
    calls_to_node::calls_to_node,
    landmark_cut::{Groups, LandmarkCut},
    plan_weight::PlanWeight,
    reduced_problem::ReducedProblem,
    type_set::TypeSet,
};

struct Node<W> {
    /// The least known weight of calls that lead to this node.
    weight: W,
    /// A lower bound of the weight from this node to the goal.
    bound: W,
    parent: usize,
    tool: u32,
    /// Tools of which every plan from this node calls at least one, each with a lower bound of the
    /// plans that call it; `None` while the bound of the node is still that of its parent.
    first: Option<Vec<(u32, W)>>,
    /// The groups that make up the bound.
    groups: Groups<W>,
    done: bool,
}

/// Finds the best plan by A* with landmark cuts as the heuristic.
///
/// Calls never remove data types, so a plan can start with any of its calls that is possible now.
/// The search therefore expands each state only by a set of tools of which every plan calls at least
/// one. It first finds the least weight of a plan, and then fixes the calls one by one, each time to
/// the first tool in the library that some plan of this weight starts with.
pub(crate) fn a_star(reduced: &ReducedProblem) -> Option<Vec<u32>> {
    if reduced.has_narrow_weights() { search::<u64>(reduced) } else { search::<u128>(reduced) }
}

fn search<W: PlanWeight>(reduced: &ReducedProblem) -> Option<Vec<u32>> {
    let mut cuts = LandmarkCut::<W>::new(reduced);
    let mut state = TypeSet::empty(reduced.types);
    let (mut left, mut plan) = best_plan(&mut cuts, &state, W::NEVER, None)?;
    let mut calls = Vec::new();
    while !state.contains_all(&reduced.goal) {
        let bound = cuts.bound(&state, left, None);
        let groups = cuts.groups().clone();
        for tool in 0..reduced.tools.len() as u32 {
            if bound + cuts.surcharge(tool) > left {
                cuts.turn_off(tool);
            }
        }
        for tool in 0..reduced.tools.len() as u32 {
            let (needs, yields) =
                (reduced.needs.get(tool as usize), reduced.yields.get(tool as usize));
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
            } else if let Some((_, other)) =
                best_plan(&mut cuts, &next, left - weight, Some((&groups, tool)))
            {
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
            // No best plan calls it later either, because it could be called now instead.
            cuts.turn_off(tool);
        }
    }
    Some(calls)
}

/// Finds a plan of least weight, and its weight, unless it exceeds `limit`.
///
/// `before` has the same meaning as in [`LandmarkCut::bound`].
fn best_plan<W: PlanWeight>(
    cuts: &mut LandmarkCut<'_, W>,
    start: &TypeSet,
    limit: W,
    before: Option<(&Groups<W>, u32)>,
) -> Option<(W, Vec<u32>)> {
    let reduced = cuts.reduced();
    let mut nodes = vec![Node::new(W::ZERO, W::ZERO, 0, 0)];
    let mut states = vec![start.clone()];
    let mut numbers = HashMap::from([(start.clone(), 0)]);
    let mut open = BinaryHeap::from([(Reverse(W::ZERO), W::ZERO, 0)]);
    while let Some((Reverse(total), weight, number)) = open.pop() {
        let node = &nodes[number];
        if node.done || weight != node.weight || total != weight + node.bound {
            continue;
        }
        let state = states[number].clone();
        if state.contains_all(&reduced.goal) {
            let calls = calls_to_node(number, |number| (nodes[number].parent, nodes[number].tool));
            return Some((weight, calls));
        }
        if node.first.is_none() {
            let parent = (&nodes[node.parent].groups, node.tool);
            let own =
                cuts.bound(&state, limit - weight, if number == 0 { before } else { Some(parent) });
            let bound = node.bound.max(own);
            if bound > limit - weight {
                continue;
            }
            let first = cuts.first_tools(&state).into_iter();
            let node = &mut nodes[number];
            node.bound = bound;
            // The amounts counted for groups without this tool are paid in addition to its call.
            node.first =
                Some(first.map(|tool| (tool, bound.max(own + cuts.surcharge(tool)))).collect());
            node.groups = cuts.groups().clone();
            if weight + bound > total {
                open.push((Reverse(weight + bound), weight, number));
                continue;
            }
        }
        nodes[number].done = true;
        for (tool, bound) in nodes[number].first.take().unwrap_or_default() {
            let yields = reduced.yields.get(tool as usize);
            if bound > limit - weight || state.contains_all(yields) {
                continue;
            }
            let cost = cuts.weight(tool);
            let weight = weight + cost;
            let bound = if bound > cost { bound - cost } else { W::ZERO };
            let next = state.with(yields);
            let known = numbers.get(&next).copied();
            let other = known.unwrap_or(nodes.len());
            let mut node = Node::new(weight, bound, number, tool);
            match known {
                None => {
                    numbers.insert(next.clone(), other);
                    states.push(next);
                    nodes.push(node);
                }
                Some(_) if weight < nodes[other].weight => {
                    node.bound = bound.max(nodes[other].bound);
                    nodes[other] = node;
                }
                Some(_) => continue,
            }
            open.push((Reverse(weight + nodes[other].bound), weight, other));
        }
    }
    None
}

impl<W: PlanWeight> Node<W> {
    fn new(weight: W, bound: W, parent: usize, tool: u32) -> Self {
        let groups = Groups::default();
        Self { weight, bound, parent, tool, first: None, groups, done: false }
    }
}
