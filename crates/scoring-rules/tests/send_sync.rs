//! All types can be sent to and shared between threads.

use scoring_rules::{
    BetaScore, Binning, BoostingScore, BrierScore, Categorical, CompensatedSum, Corp,
    Decomposition, Dominance, ElementaryScore, Ensemble, Error, ExactMean, ExactSum, Interval,
    Level, LogScore, MurphyCurve, Observed, PooledBlocks, PowerScore, Probability,
    PseudosphericalScore, Quantiles, SphericalScore, ThresholdMixture, TiedBlocks,
    propriety::Examination,
};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn all_types_can_be_shared_between_threads() {
    assert_send_sync::<(Probability, Level, Interval, Observed, Quantiles, Ensemble)>();
    assert_send_sync::<(Categorical<'_>, TiedBlocks, Binning<'_>, PooledBlocks)>();
    assert_send_sync::<(BrierScore, LogScore, SphericalScore, BoostingScore, BetaScore)>();
    assert_send_sync::<(PowerScore, PseudosphericalScore, ElementaryScore, ThresholdMixture)>();
    assert_send_sync::<(CompensatedSum, ExactSum, ExactMean)>();
    assert_send_sync::<(Corp, Decomposition, MurphyCurve, Dominance)>();
    assert_send_sync::<(Examination, Error)>();
}
