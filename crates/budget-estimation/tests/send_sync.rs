//! That what is built here can be handed to another thread.

use budget_estimation::{
    AdaptiveConformal, BudgetMonitor, Calibrated, ConformalPid, Context, DetectionDelay,
    EarlyStops, Error, Estimate, FeasibilityCounts, IntervalScores, LinearComparison,
    LinearEstimator, LiveRun, Metrics, PastQuantiles, Prefix, ProgressMetrics, ProgressSummary,
    Replay, Rollout, Rollouts, Sample, SplitConformal, StopRule, Usage,
};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn every_main_type_can_cross_threads() {
    assert_send_sync::<(Rollouts, Rollout<'_>, Usage<'_>, LiveRun)>();
    assert_send_sync::<(Replay<'_>, Prefix<'_>, Context, Sample, Estimate, Error)>();
    assert_send_sync::<(LinearEstimator, PastQuantiles, Calibrated<LinearEstimator, ConformalPid>)>(
    );
    assert_send_sync::<(SplitConformal, AdaptiveConformal, BudgetMonitor, StopRule, EarlyStops)>();
    assert_send_sync::<(Metrics, IntervalScores, FeasibilityCounts, LinearComparison)>();
    assert_send_sync::<(DetectionDelay, ProgressMetrics, ProgressSummary)>();
}
