//! The types of the crate can be moved to and shared between threads.

use censoring::{
    CalibratedRuns, CensoringAnalysis, CensoringReport, CensoringShift, ContinuationAudit,
    Continuations, CrossFitSuccess, Error, FlippingOdds, HiddenOutcome, HiddenOutcomeShift,
    Interval, IpcwWeights, KaplanMeier, LogisticSuccess, LogisticSuccessModel, Observation,
    Probability, RankChange, RunScore, StopReason, StopTimes, Stopped, StreamDifference,
    SuccessEstimate, TerminationAudit, TiltedMean,
};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn everything_can_be_shared_between_threads() {
    assert_send_sync::<(Stopped<'_>, HiddenOutcome<'_>, Observation<'_>, StopReason, Error)>();
    assert_send_sync::<(TerminationAudit, StreamDifference, CensoringShift, RunScore)>();
    assert_send_sync::<(StopTimes, KaplanMeier, IpcwWeights)>();
    assert_send_sync::<(Continuations, SuccessEstimate, Interval<Probability>)>();
    assert_send_sync::<(LogisticSuccess, CrossFitSuccess<LogisticSuccessModel>)>();
    assert_send_sync::<(TiltedMean, FlippingOdds)>();
    assert_send_sync::<(CensoringAnalysis<'_>, CensoringReport, ContinuationAudit)>();
    assert_send_sync::<(HiddenOutcomeShift, RankChange, CalibratedRuns<()>)>();
}
