//! Libraries of tools: no panic in checks or in a small search, whatever a file says.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_graph::{Tool, ToolGraph};

fuzz_target!(|text: &str| {
    let Ok(tools) = serde_json::from_str::<Vec<Tool>>(text) else { return };
    if tools.len() > 12 {
        return;
    }
    let Ok(graph) = ToolGraph::new(tools) else { return };
    let (Some(first), Some(last)) = (graph.type_names().first(), graph.type_names().last()) else { return };
    let (first, last) = (first.to_string(), last.to_string());
    let Ok(problem) = graph.problem(&[first.as_str()], &[last.as_str()]) else { return };
    if let Ok(Some(plan)) = graph.optimal_plan(&problem) {
        assert!(graph.is_plan(&problem, plan.tools()).unwrap_or(false));
    }
});
