use super::*;
use crate::{Tool, ToolGraph};

#[test]
fn a_tool_dearer_than_a_plan_is_off_and_does_not_set_the_scale() {
    let tools = vec![
        Tool::new("dear", ["a"], ["d"], 1e15),
        Tool::new("one", ["a"], ["b"], 1.0),
        Tool::new("other", ["a"], ["c"], 2.0),
        Tool::new("join", ["b", "c"], ["d"], 3.0),
    ];
    let graph = ToolGraph::new(tools).unwrap();
    let problem = graph.problem(&["a"], &["d"]).unwrap();
    let reduced = ReducedProblem::new(&graph, &problem).unwrap().unwrap();
    let mut effort = Effort::unlimited();
    let mut sets = ToolSets::<u64>::new(&reduced, &mut effort);
    let mut root = sets.root();
    assert_eq!(
        (0..4).map(|tool| root.is_off(tool)).collect::<Vec<_>>(),
        [true, false, false, false]
    );
    assert!((sets.scale * reduced.weights[3] as f64 - 1.0).abs() < 1e-12);
    assert_eq!(sets.best(&mut root), Some(vec![1, 2, 3]));
    assert!(sets.unique);
}
