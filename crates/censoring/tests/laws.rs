//! What must hold whatever the runs are.
#![allow(clippy::unwrap_used)]

use censoring::{
    Error, Exclusion, Observation, Probability, StopReason, Stopped, Tps, Trace, WeightSchedule,
    simple_score,
};
use proptest::prelude::*;
use trajectory_metrics::{BetaScore, BrierScore, LogScore, ScoringRule};

fn censored(forecasts: &[Probability]) -> Stopped<'_> {
    Stopped::new(forecasts, None, Some(StopReason::MaxTokens)).unwrap()
}

/// `a` equals `b` but for rounding.
fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-12 * b.abs()
}

fn check(rule: impl ScoringRule, stream: &[f64], cut: usize) -> Result<(), TestCaseError> {
    let whole = Probability::from_slice(stream).unwrap();
    for schedule in WeightSchedule::NAMED {
        let tps = Tps::new(|p: Probability, y: bool| rule.score(p, y), schedule);
        let weights = tps.schedule().weights(whole.len()).unwrap();
        let direct: f64 = weights[..cut]
            .iter()
            .zip(whole)
            .map(|(weight, &p)| weight * rule.score(p, false))
            .sum();
        let run = censored(&whole[..cut]).with_horizon(whole.len()).unwrap();
        let score = simple_score(&tps, &run).unwrap();
        prop_assert!(close(score, direct), "{}: {score} {direct}", tps.schedule());
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_cut_off_run_keeps_the_weights_of_its_whole_horizon(
        stream in prop::collection::vec(0.001..0.999_f64, 1..60),
        cut in any::<prop::sample::Index>(),
    ) {
        let cut = 1 + cut.index(stream.len());
        check(LogScore::clipped(1e-6).unwrap(), &stream, cut)?;
        check(BrierScore, &stream, cut)?;
        check(BetaScore::new(2.0, 4.0).unwrap(), &stream, cut)?;
    }

    #[test]
    fn at_its_own_horizon_a_censored_run_scores_as_a_failure_does(
        stream in prop::collection::vec(0.0..=1.0_f64, 1..60),
    ) {
        let forecasts = Probability::from_slice(&stream).unwrap();
        let tps = Tps::new(LogScore::clipped(1e-6).unwrap(), WeightSchedule::LinearFront);
        let failure = tps.score(Trace::new(forecasts, false).unwrap()).unwrap();
        prop_assert!(close(simple_score(&tps, &censored(forecasts)).unwrap(), failure));
    }
}

#[test]
fn a_cut_off_run_is_never_scored_as_a_failure_by_default() {
    let forecasts = [Probability::HALF];
    assert_eq!(censored(&forecasts).observation(), Observation::Censored);
    for (reason, exclusion) in [
        (Some(StopReason::ToolError), Exclusion::Stopped(StopReason::ToolError)),
        (Some(StopReason::Unjudged), Exclusion::Stopped(StopReason::Unjudged)),
        (None, Exclusion::NoReason),
    ] {
        let run = Stopped::new(&forecasts, None, reason).unwrap();
        let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
        assert_eq!(simple_score(&tps, &run), Err(Error::Excluded(exclusion)));
    }
}

#[test]
fn runs_that_make_no_sense_are_refused() {
    let forecasts = [Probability::HALF; 3];
    assert_eq!(
        Stopped::new(&forecasts, None, Some(StopReason::Completed)),
        Err(Error::CompletedWithoutOutcome)
    );
    assert_eq!(
        Stopped::new(&[], Some(true), None),
        Err(Error::Trajectory(trajectory_metrics::Error::EmptyTrace { index: 0 }))
    );
    assert_eq!(
        censored(&forecasts).with_horizon(2),
        Err(Error::Trajectory(trajectory_metrics::Error::Horizon { horizon: 2, steps: 3 }))
    );
}

#[test]
fn a_complete_run_is_scored_over_its_own_length() {
    let forecasts = [Probability::HALF; 3];
    let run = Stopped::new(&forecasts, Some(true), None).unwrap().with_horizon(10).unwrap();
    assert_eq!(run.horizon(), 3);
}
