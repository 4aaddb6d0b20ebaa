//! Scenario files: what is read comes back from what is written of it, its goal can be reached, and the
//! optimal run reaches it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use tool_graph::{GreedyRule, Scenario};

fuzz_target!(|bytes: &[u8]| {
    let Ok(scenario) = Scenario::from_json(bytes) else { return };
    let written = serde_json::to_vec(&scenario).expect("what was read can be written");
    assert_eq!(Scenario::from_json(&written).as_ref(), Ok(&scenario));
    if scenario.graph().tool_count() > 8 || scenario.events().len() > 8 {
        return;
    }
    let plan = scenario.optimal_plan();
    assert_eq!(scenario.graph().is_plan(scenario.problem(), &plan.tools), Ok(true));
    let best = scenario.optimal_run();
    assert!(best.goal_reached);
    for run in [best, scenario.greedy_run(GreedyRule::Any)] {
        assert!(serde_json::to_string(&run).is_ok());
    }
});
