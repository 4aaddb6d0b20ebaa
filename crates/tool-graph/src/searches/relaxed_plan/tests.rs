use super::*;
use crate::{Tool, ToolGraph};

/// Two tools lead from a to b, one of which also yields c; a third leads to c; the last joins b and c to d.
fn reduced() -> ReducedProblem {
    let tools = vec![
        Tool::new("join", ["b", "c"], ["d"], 1.0),
        Tool::new("both", ["a"], ["b", "c"], 1.0),
        Tool::new("one", ["a"], ["b"], 1.0),
        Tool::new("other", ["a"], ["c"], 1.0),
    ];
    let graph = ToolGraph::new(tools).unwrap();
    let problem = graph.problem(&["a"], &["d"]).unwrap();
    ReducedProblem::new(&graph, &problem).unwrap().unwrap()
}

fn plan(costs: [f64; 4]) -> Option<Vec<u32>> {
    let reduced = reduced();
    let mut plans = RelaxedPlans::new(&reduced);
    // A previous plan must not change the next one.
    let _ = plans.plan(|_| 1.0, |_| 1u64);
    plans.plan(|tool| costs[tool as usize], |_| 1u64)
}

#[test]
fn each_type_is_reached_in_the_way_that_looks_cheapest_and_calls_are_in_a_possible_order() {
    assert_eq!(plan([1.0, 9.0, 1.0, 2.0]), Some(vec![2, 3, 0]));
    assert_eq!(plan([0.0, 0.0, 1.0, 2.0]), Some(vec![1, 0]));
}

#[test]
fn needless_calls_are_left_out() {
    // b looks cheaper by the second tool, c by the first tool, which yields both.
    assert_eq!(plan([1.0, 2.0, 1.0, 9.0]), Some(vec![1, 0]));
}

#[test]
fn tools_of_infinite_cost_are_not_called() {
    let never = f64::INFINITY;
    assert_eq!(plan([1.0, never, 5.0, 5.0]), Some(vec![2, 3, 0]));
    assert_eq!(plan([1.0, never, 5.0, never]), None);
}

#[test]
fn the_closure_does_not_depend_on_the_order_of_the_tools() {
    let reduced = reduced();
    let state = |tools: &[u32]| closure(&reduced, tools.to_vec());
    assert_eq!(state(&[0, 1]), state(&[1, 0]));
    assert!(state(&[0, 1]).contains_all(&reduced.goal));
    assert_eq!(state(&[0, 2]), state(&[2]));
    assert_eq!(state(&[]), TypeSet::empty(reduced.types));
}
