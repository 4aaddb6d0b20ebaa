//! What the crate has may be moved to and shared between threads.

use trajectory_metrics::{
    BetaCalibrationMap, Bootstrap, BrierScore, CrossFit, Diagnostics, Error, Folds, Interval,
    IsotonicMap, MetricChange, OnlineTps, PlattMap, Ranking, Replicates, ScoredStream, Summary,
    TemperatureMap, Tps, TpsFamily, Trace, Traces, VennAbersMap, WeightSchedule,
    tool_calls::{
        Alignment, ArgumentRule, FailureCounts, Interner, PathDistances, ToolCall, ToolCallMatcher,
        Value,
    },
};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn everything_can_be_shared_between_threads() {
    assert_send_sync::<(Trace<'_>, Traces, WeightSchedule, Summary, TpsFamily)>();
    assert_send_sync::<(Tps<BrierScore>, OnlineTps<BrierScore>)>();
    assert_send_sync::<(Folds, CrossFit<PlattMap>, PlattMap, TemperatureMap)>();
    assert_send_sync::<(BetaCalibrationMap, IsotonicMap, VennAbersMap)>();
    assert_send_sync::<(Bootstrap, Ranking, Replicates, Interval)>();
    assert_send_sync::<(ScoredStream, Diagnostics, MetricChange, Error)>();
    assert_send_sync::<(ToolCall, Value, ArgumentRule, ToolCallMatcher, Alignment)>();
    assert_send_sync::<(PathDistances, Interner<ToolCall>)>();
    assert_send_sync::<(FailureCounts, Value)>();
}
