//! What the crate has may be moved to and shared between threads.

use tool_graph::{
    CallRecord, Episode, Error, Event, PathCoverage, Plan, Problem, Reply, RunMeans, RunScores,
    Scenario, State, Tool, ToolGraph, Transcript,
};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn everything_can_be_shared_between_threads() {
    assert_send_sync::<(Tool, ToolGraph, State, Problem, Plan, PathCoverage, Error)>();
    assert_send_sync::<(Event, Scenario, Episode<'_>, Reply, CallRecord, Transcript)>();
    assert_send_sync::<(RunScores, RunMeans)>();
    #[cfg(feature = "costbench")]
    assert_send_sync::<(tool_graph::costbench::Library, tool_graph::costbench::CostModel)>();
}
