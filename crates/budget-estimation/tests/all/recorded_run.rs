//! A run that its agent's loop records.

use budget_estimation::{
    Advice, BudgetMonitor, Error, Estimate, RecordedRun, Rollouts, StopReason, StopRule,
};
use censoring::Observation;
use proptest::prelude::*;
use trajectory_metrics::{LogScore, Tps, WeightSchedule};

use crate::common::{interval, probability, refused};

fn monitor() -> BudgetMonitor {
    let monitor = BudgetMonitor::new([("tokens", Some(100.0)), ("usd", None)]).unwrap();
    monitor.with_stop_rule(StopRule::impossible_in_a_row(2).unwrap())
}

pub(crate) fn tps() -> Tps<LogScore> {
    Tps::new(LogScore::clipped(1e-6).unwrap(), WeightSchedule::LinearFront)
}

proptest! {
    #[test]
    fn a_recorded_run_is_what_its_parts_would_have_been(
        turns in prop::collection::vec((0_u8..60, 0_u8..9, 0.0..=1.0_f64), 1..9),
        succeeded in any::<bool>(),
    ) {
        let (mut run, mut alone) = (RecordedRun::new(monitor()).unwrap(), monitor());
        let mut rollouts = Rollouts::new(["tokens", "usd"]).unwrap();
        let (mut costs, mut forecasts) = (Vec::new(), Vec::new());
        for &(tokens, cents, forecast) in &turns {
            let spent = [f64::from(tokens), f64::from(cents) / 100.0];
            let estimates = [interval(30.0, 60.0), Estimate::NoAnswer];
            run.push_forecast(forecast).unwrap();
            run.push(&spent).unwrap();
            let pairs = [(spent[0], estimates[0]), (spent[1], estimates[1])];
            prop_assert_eq!(run.advise(&estimates, None), alone.push(&pairs, None));
            prop_assert!(run.monitor().left().eq(alone.left()));
            costs.extend(spent);
            forecasts.push(probability(forecast));
        }
        run.finish(succeeded).unwrap();
        let trace = trajectory_metrics::Trace::new(&forecasts, succeeded).unwrap();
        prop_assert_eq!(run.tps(&tps()), Ok(tps().score(trace).unwrap()));
        let stopped = run.stopped().unwrap();
        prop_assert_eq!(stopped.observation(), Observation::Complete(trace));

        rollouts.push(&costs, succeeded).unwrap();
        let tokens = rollouts.resource("tokens").unwrap();
        rollouts.set_cap_of(0, tokens, 100.0).unwrap();
        rollouts.append(run.rollouts()).unwrap();
        let [a, b] = [0, 1].map(|at| rollouts.get(at).unwrap());
        prop_assert_eq!((a.succeeded(), a.cap(tokens)), (b.succeeded(), b.cap(tokens)));
        let [a, b] = [&a, &b].map(|run| run.replay(tokens).unwrap().map(|prefix| prefix.usage()));
        prop_assert!(a.eq(b));
    }
}

#[test]
fn a_run_that_its_cap_ends_is_cut_off_and_has_no_score() {
    let mut run = RecordedRun::new(monitor()).unwrap().with_keys(["model"]).unwrap();
    run.set_key("model", "small").unwrap();
    refused(run.stopped(), "the run has not ended");
    run.push_forecast(0.5).unwrap();
    run.push(&[101.0, 0.0]).unwrap();
    let advice = run.advise(&[Estimate::NoAnswer; 2], None).unwrap();
    assert!(matches!(advice, Advice::Stop(_)), "{advice}");
    run.cut(advice.stop_reason().unwrap()).unwrap();
    assert_eq!(run.stopped().unwrap().observation(), Observation::Censored);
    // Nothing was forecast.
    let mut silent = RecordedRun::new(monitor()).unwrap();
    silent.push(&[1.0, 0.0]).unwrap();
    silent.finish(true).unwrap();
    let undefined = matches!(silent.stopped(), Err(Error::ScoringRules(_)));
    assert!(undefined);
    refused(silent.stopped(), "the run has no forecast");
    refused(silent.tps(&tps()), "the run has no forecast");
    refused(run.tps(&tps()), "the outcome is unknown");
    let rollout = run.rollouts().get(0).unwrap();
    assert_eq!((rollout.is_censored(), rollout.key("model")), (true, Some("small")));
    // A reason that may have to do with the outcome is no cut-off.
    let mut run = RecordedRun::new(monitor()).unwrap();
    run.push_forecast(0.5).unwrap();
    run.push(&[1.0, 0.0]).unwrap();
    run.cut(StopReason::ParseError).unwrap();
    assert!(matches!(run.stopped().unwrap().observation(), Observation::Excluded(_)));
    assert!(!run.rollouts().get(0).unwrap().is_censored());
}

#[test]
fn an_unknown_cost_is_recorded_and_only_what_rests_on_it_is_an_error() {
    let mut run = RecordedRun::new(monitor()).unwrap();
    run.push(&[Some(10.0), None]).unwrap();
    assert_eq!(run.advise(&[Estimate::NoAnswer; 2], None), Ok(Advice::Continue));
    run.push(&[None, Some(0.1)]).unwrap();
    refused(run.advise(&[Estimate::NoAnswer; 2], None), "rollout 0, turn 2: tokens is unknown");
    refused(run.push(&[1.0]), "rollout 0: the number of costs is 1");
    assert_eq!(run.monitor().turns(), 2);
    refused(RecordedRun::new(run.monitor().clone()), "number of turns of the monitor is 2");
}

#[test]
fn a_forecast_in_percent_is_refused_at_once_and_the_run_goes_on() {
    let mut run = RecordedRun::new(monitor()).unwrap();
    run.push_forecast(0.85).unwrap();
    for forecast in [85.0, -0.1, f64::NAN] {
        assert!(matches!(run.push_forecast(forecast), Err(Error::ScoringRules(_))));
    }
    run.finish(true).unwrap();
    assert_eq!(run.stopped().unwrap().forecasts(), [probability(0.85)]);
}

#[test]
fn a_run_that_has_ended_takes_no_turn_and_no_second_end() {
    let mut run = RecordedRun::new(monitor()).unwrap();
    run.push_forecast(0.7).unwrap();
    run.push(&[10.0, 0.1]).unwrap();
    run.finish(false).unwrap();
    assert_eq!(run.push(&[10.0, 0.1]), Err(Error::RunEnded));
    assert_eq!(run.finish(true), Err(Error::RunEnded));
    assert_eq!(run.cut(StopReason::MaxSteps), Err(Error::RunEnded));
    assert_eq!(run.push_forecast(0.1), Err(Error::RunEnded));
    assert_eq!(run.rollouts().get(0).unwrap().turns(), 1);
    assert!(!run.rollouts().get(0).unwrap().succeeded());
    assert!(
        matches!(run.stopped().unwrap().observation(), Observation::Complete(trace) if !trace.outcome())
    );
}
