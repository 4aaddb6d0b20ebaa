//! All public types can be sent to and shared between threads.

use tool_graph::{
    CallRecord, Episode, Error, Event, PathCoverage, Plan, Problem, RunMeans, RunScores, Scenario,
    State, Tool, ToolGraph, Transcript,
};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn all_public_types_are_send_and_sync() {
    assert_send_sync::<(Tool, ToolGraph, State, Problem, Plan, PathCoverage, Error)>();
    assert_send_sync::<(Event, Scenario, Episode<'_>, CallRecord, Transcript)>();
    assert_send_sync::<(RunScores, RunMeans)>();
    #[cfg(feature = "costbench")]
    assert_send_sync::<(tool_graph::costbench::Library, tool_graph::costbench::CostModel)>();
}
