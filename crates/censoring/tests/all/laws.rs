//! Laws that hold for all runs.

use std::cell::RefCell;

use censoring::{
    Continuations, CrossFitSuccess, Error, Exclusion, Folds, IpcwWeights, KaplanMeier,
    LogisticSuccess, Observation, Probability, RunScore, StopReason, StopTimes, Stopped,
    StreamDifference, SuccessLearner, TiltedMean, Tps, Trace, WeightSchedule, exact_mean_score,
    from_fn, mean_score_bounds, plug_in_bias, simple_mean_score, simple_score,
};
use proptest::prelude::*;
use trajectory_metrics::{BetaScore, BrierScore, LogScore, ScoringRule};

use crate::{audited, censored, entry, position, w};

/// Whether `a` equals `b` up to rounding.
fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-12 * b.abs()
}

fn check(rule: impl ScoringRule, stream: &[f64], cut: usize) -> Result<(), TestCaseError> {
    let whole = Probability::from_slice(stream).unwrap();
    for schedule in WeightSchedule::NAMED {
        let tps = Tps::new(from_fn(|p: Probability, y: bool| rule.score(p, y)), schedule);
        let weights = tps.schedule.weights(whole.len()).unwrap();
        let direct: f64 = weights[..cut]
            .iter()
            .zip(whole)
            .map(|(weight, &p)| weight * rule.score(p, false))
            .sum();
        let run = censored(&whole[..cut]).with_horizon(whole.len()).unwrap();
        let score = simple_score(&tps, &run).unwrap();
        prop_assert!(close(score, direct), "{}: {score} {direct}", tps.schedule);
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
fn invalid_runs_are_refused() {
    let forecasts = [Probability::HALF; 3];
    let unjudged = Stopped::new(&forecasts, None, Some(StopReason::Completed)).unwrap_err();
    assert!(unjudged.to_string().starts_with("a completed run needs an outcome"), "{unjudged}");
    assert!(matches!(
        Stopped::new(&[], Some(true), None),
        Err(Error::TrajectoryMetrics(trajectory_metrics::Error::EmptyTrace { index: 0, .. }))
    ));
    assert!(matches!(
        censored(&forecasts).with_horizon(2),
        Err(Error::TrajectoryMetrics(trajectory_metrics::Error::Horizon {
            horizon: 2,
            steps: 3,
            ..
        }))
    ));
}

#[test]
#[cfg(target_pointer_width = "64")]
fn a_horizon_has_up_to_32_bits() {
    let forecasts = [Probability::HALF];
    let longest = 4_294_967_295;
    assert_eq!(censored(&forecasts).with_horizon(longest).unwrap().horizon(), longest);
    for horizon in [longest + 1, usize::MAX] {
        let error = censored(&forecasts).with_horizon(horizon).unwrap_err();
        use trajectory_metrics::Error::HorizonTooLong;
        assert!(
            matches!(error, Error::TrajectoryMetrics(HorizonTooLong { horizon: found, .. }) if found == horizon)
        );
    }
}

#[test]
fn a_complete_run_is_scored_over_its_own_length() {
    let forecasts = [Probability::HALF; 3];
    let run = Stopped::new(&forecasts, Some(true), None).unwrap().with_horizon(10).unwrap();
    assert_eq!(run.horizon(), 3);
}

/// The last of three runs weighs nothing.
const WEIGHTS: Option<&[f64]> = Some(&[1.0, 2.0, 0.0]);

#[test]
fn the_data_of_a_run_of_weight_zero_are_checked() {
    let nan = f64::NAN;
    let cut_off = [false, true, false];
    let times = [1.0, 2.0, nan];
    let stops = StopTimes::new(&times, &cut_off, WEIGHTS.map(w));
    assert_eq!(entry(stops.unwrap_err()), 2);

    let stops = StopTimes::new(&[1.0, 2.0, 3.0], &cut_off, WEIGHTS.map(w)).unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY).unwrap();
    let bad = [Some(-0.5), None, Some(f64::NEG_INFINITY)];
    assert_eq!(entry(weights.mean_score(&bad).unwrap_err()), 2);
    assert_eq!(entry(weights.normalized_mean_score(&bad).unwrap_err()), 2);
    assert_eq!(position(weights.mean_score(&[Some(-0.5), None, None]).unwrap_err()), 2);

    let complete = [-0.5, -0.25, f64::NEG_INFINITY].map(RunScore::Complete);
    assert_eq!(entry(TiltedMean::new(&complete, WEIGHTS.map(w)).unwrap_err()), 2);

    let rows = [vec![1.0], vec![2.0], vec![nan]];
    let fit = LogisticSuccess::default().fit(&rows, &[true, false, true], WEIGHTS.map(w));
    assert!(matches!(fit, Err(Error::At { what: "row", index: 2, .. })));

    let half = [Probability::HALF; 2];
    let run = |outcome| Stopped::new(&half, outcome, Some(StopReason::MaxSteps)).unwrap();
    let first = [run(None), run(None), run(Some(true))];
    let second = [run(None), run(None), run(Some(false))];
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let difference = StreamDifference::new(&tps, &first, &second, WEIGHTS.map(w));
    assert_eq!(position(difference.unwrap_err()), 2);
}

#[test]
fn no_callback_is_called_for_a_run_of_weight_zero() {
    let half = [Probability::HALF; 2];
    let run = |outcome, reason| Stopped::new(&half, outcome, Some(reason)).unwrap();
    let (complete, cut_off) =
        (run(Some(true), StopReason::Completed), run(None, StopReason::MaxSteps));
    let runs = [complete.clone(), cut_off.clone(), run(None, StopReason::ToolError)];
    let (kept, weights) = (&runs[..2], WEIGHTS.map(|weights| &weights[..2]));
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let chances = [Probability::HALF; 3];
    assert_eq!(
        simple_mean_score(&tps, &runs, WEIGHTS.map(w)),
        simple_mean_score(&tps, kept, weights.map(w))
    );
    assert_eq!(
        exact_mean_score(&tps, &runs, &chances, WEIGHTS.map(w)),
        exact_mean_score(&tps, kept, &chances[..2], weights.map(w))
    );
    assert_eq!(
        mean_score_bounds(&tps, &runs, None, WEIGHTS.map(w)),
        mean_score_bounds(&tps, kept, None, weights.map(w))
    );
    let apart = |runs, weights| StreamDifference::new(&tps, runs, runs, weights).unwrap().bounds();
    assert_eq!(apart(&runs, WEIGHTS.map(w)), apart(kept, weights.map(w)));
    let ones = [Probability::ONE; 3];
    let audited = audited(&chances, &ones);
    assert_eq!(plug_in_bias(&audited, WEIGHTS.map(w)), plug_in_bias(&audited[..2], weights.map(w)));

    let asked = RefCell::new(Vec::new());
    let failure = run(Some(false), StopReason::Completed);
    let runs = [&complete, &failure, &complete, &failure, &complete, &cut_off].map(Clone::clone);
    let folds =
        Folds::new(&[true, false, true, false, true, false], &[0, 1, 2, 3, 4, 5], 2).unwrap();
    let features = |run: usize, _: usize| {
        asked.borrow_mut().push(run);
        vec![]
    };
    let weights = Some(&[1.0, 1.0, 1.0, 1.0, 0.0, 0.0][..]);
    let branches = [Continuations { failures: 3, ..Continuations::default() }; 6];
    let learner = LogisticSuccess::default();
    CrossFitSuccess::new(&learner, &runs, features, &folds, Some(&branches), weights.map(w))
        .unwrap();
    asked.borrow_mut().sort_unstable();
    assert_eq!(*asked.borrow(), [0, 1, 2, 3]);
}
