//! Libraries of tools: the best plan is a plan and the first of all, and greedy finds none that is
//! cheaper; a library comes back from what is written of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_graph::{GreedyRule, Tool, ToolGraph};

fuzz_target!(|text: &str| {
    let Ok(tools) = serde_json::from_str::<Vec<Tool>>(text) else { return };
    let written = serde_json::to_string(&tools).expect("a library can be written");
    assert_eq!(serde_json::from_str::<Vec<Tool>>(&written).ok().as_ref(), Some(&tools));
    let Ok(graph) = ToolGraph::new(tools) else { return };
    if graph.tools().len() > 8 {
        return;
    }
    let (Some(first), Some(last)) = (graph.type_names().first(), graph.type_names().last()) else {
        return;
    };
    let Ok(problem) = graph.problem(&[first.as_str()], &[last.as_str()]) else { return };
    let Ok(best) = graph.optimal_plan(&problem) else { return };
    for rule in [GreedyRule::Chain, GreedyRule::Any] {
        if let Ok(Some(plan)) = graph.greedy_plan(&problem, rule) {
            assert!(best.as_ref().is_some_and(|best| best.cost <= plan.cost));
        }
    }
    let plans = graph.best_plans(&problem, 3).unwrap_or_default();
    assert_eq!(plans.first(), best.as_ref());
    if let Some(plan) = best {
        assert_eq!(graph.is_plan(&problem, &plan.tools), Ok(true));
    }
});
