//! What the crate has may be moved to and shared between threads.

use budget_estimation::{
    AdaptiveConformal, BudgetMonitor, Calibrated, Context, EarlyStops, Error, Estimate,
    LinearEstimator, Metrics, PastQuantiles, Prefix, PrefixFeatures, ProgressMetrics,
    ProgressSummary, RecordedRun, Rollout, Rollouts, Sample, SplitConformal, StopRule, Usage,
};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn everything_can_be_shared_between_threads() {
    assert_send_sync::<(Rollouts, Rollout<'_>, Usage<'_>, RecordedRun)>();
    assert_send_sync::<(Prefix<'_>, PrefixFeatures, Context, Sample, Estimate, Error)>();
    assert_send_sync::<(LinearEstimator, PastQuantiles, Calibrated<LinearEstimator, SplitConformal>)>(
    );
    assert_send_sync::<(SplitConformal, AdaptiveConformal, BudgetMonitor, StopRule, EarlyStops)>();
    assert_send_sync::<(Metrics, ProgressMetrics, ProgressSummary)>();
}
