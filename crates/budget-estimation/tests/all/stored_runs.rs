//! What the loop of an agent holds, stored at any moment and read back.

use std::fmt::Debug;

use budget_estimation::{
    Advice, AdviceReason, Budget, BudgetEstimator, BudgetMonitor, CallCosts, EarlyStops, Error,
    Estimate, Estimator, LinearEstimator, Metrics, MetricsSummary, PastQuantiles, ProgressAxis,
    ProgressMetrics, ProgressSummary, Reading, RecordedRun, Rollouts, Sample, StopReason, StopRule,
    Stopped, SuccessForecaster, Weight,
};
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    common::{assert_guarded, can_be_read, forge, interval, level, probability, stored},
    recorded_run::tps,
};

fn is_written<T: Serialize>() {}
fn is_stored<T: Serialize + DeserializeOwned>() {}

#[test]
fn what_a_loop_holds_is_stored_and_results_are_written() {
    is_stored::<(RecordedRun, Rollouts, BudgetMonitor, Budget, CallCosts)>();
    is_stored::<(Estimate, Reading, StopReason, StopRule, Advice, AdviceReason)>();
    is_stored::<(Sample, Metrics, ProgressMetrics, ProgressAxis)>();
    is_stored::<(LinearEstimator, PastQuantiles, BudgetEstimator, SuccessForecaster)>();
    is_written::<(Stopped<'static>, MetricsSummary, ProgressSummary, EarlyStops)>();
    is_written::<(censoring::CensoringReport, Error, censoring::Error)>();
}

fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap()
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Asserts that two values cannot be told apart.
#[track_caller]
fn assert_same<T: Debug + Serialize>(a: &T, b: &T) {
    assert_eq!((format!("{a:?}"), text(a)), (format!("{b:?}"), text(b)));
}

fn new_run() -> RecordedRun {
    let monitor = BudgetMonitor::new([("usd", Some(1.5)), ("tokens", None)]).unwrap();
    let monitor = monitor.with_stop_rule(StopRule::impossible_in_a_row(3).unwrap());
    let rule = StopRule::FailureProbability { at_least: probability(0.9) };
    let monitor = monitor.with_stop_rule(rule).with_warning_at(0.7).unwrap();
    let run = RecordedRun::new(monitor).unwrap();
    run.with_keys(["model"]).unwrap().with_features(["errors"]).unwrap()
}

proptest! {
    /// The second run is stored after every call, also in the middle of a turn.
    #[test]
    fn a_run_goes_on_to_the_last_bit(
        turns in prop::collection::vec(
            (prop::option::weighted(0.9, 0_u32..40), 0.0..1e3_f64, 0.0..=1.0_f64, 0_u8..6),
            1..12,
        ),
        end in 0_u8..3,
    ) {
        let (mut whole, mut resumed) = (new_run(), new_run());
        macro_rules! both {
            ($run:ident => $call:expr) => {{
                let done = { let $run = &mut whole; $call };
                resumed = stored(&resumed);
                prop_assert_eq!(&done, &{ let $run = &mut resumed; $call });
                resumed = stored(&resumed);
                assert_same(&whole, &resumed);
                done
            }};
        }
        both!(run => run.set_key("model", "small")).unwrap();
        both!(run => run.set_content(0, "Sort the list.")).unwrap();
        for (turn, &(cents, tokens, forecast, said)) in (1..).zip(&turns) {
            if said > 0 {
                both!(run => run.push_forecast(forecast)).unwrap();
            }
            let cost = [cents.map(|cents| f64::from(cents) / 100.0), Some(tokens)];
            both!(run => run.push(&cost)).unwrap();
            if said > 2 {
                both!(run => run.set_feature(turn, "errors", f64::from(said))).unwrap();
                both!(run => run.set_content(turn, format!("reply {turn}"))).unwrap();
            }
            let estimates = match said {
                0 | 1 => [Estimate::Impossible, Estimate::NoAnswer],
                2 => [Estimate::NoAnswer, interval(1.0, 2.0)],
                _ => [interval(0.1, f64::from(said)), Estimate::NoAnswer],
            };
            // An unknown cost under a cap is an error, in both.
            let _ = both!(run => run.advise(&estimates, Some(probability(forecast))));
        }
        let mut linear = LinearEstimator::new(5.0, 0.5).unwrap();
        let [a, b] = [&whole, &resumed].map(|run| {
            let tokens = run.rollouts().resource("tokens").unwrap();
            linear.estimate(&run.prefix(tokens).unwrap()).unwrap()
        });
        prop_assert_eq!(a, b);
        match end {
            0 => both!(run => run.finish(true)).unwrap(),
            1 => both!(run => run.cut(StopReason::MaxCost)).unwrap(),
            _ => both!(run => run.cut(StopReason::Other("tired".to_owned()))).unwrap(),
        }
        prop_assert_eq!(whole.finish(true), Err(Error::RunEnded));
        prop_assert_eq!(stored(&resumed).finish(true), Err(Error::RunEnded));
        let [a, b] = [&whole, &resumed].map(|run| (run.stopped(), run.tps(&tps())));
        prop_assert_eq!(a, b);
        let mut all = Rollouts::new(["usd", "tokens"]).unwrap().with_keys(["model"]).unwrap();
        all = all.with_features(["errors"]).unwrap();
        let mut again = stored(&all);
        all.append(whole.rollouts()).unwrap();
        again.append(resumed.rollouts()).unwrap();
        again = stored(&again);
        all.append(whole.rollouts()).unwrap();
        again.append(resumed.rollouts()).unwrap();
        assert_same(&all, &again);
        assert_same(&all.filter(|run| run.index() > 0), &stored(&again).filter(|run| run.index() > 0));
    }

    #[test]
    fn measures_of_samples_go_on_to_the_last_bit(
        runs in prop::collection::vec(
            (prop::collection::vec(0.0..9.0_f64, 1..7), any::<bool>(), 0_u8..4),
            1..9,
        ),
        with_cap in any::<bool>(),
    ) {
        let mut rollouts = Rollouts::new(["usd"]).unwrap();
        let usd = rollouts.resource("usd").unwrap();
        if with_cap {
            rollouts.set_cap(usd, 20.0).unwrap();
        }
        let axis = if with_cap { ProgressAxis::Cap } else { ProgressAxis::Spent };
        let whole = ProgressMetrics::new(3).unwrap().with_axis(axis).with_coverage(level(0.8));
        let (mut whole, mut resumed) = (whole.clone().with_diagnostics(), whole.with_diagnostics());
        for (run, (costs, succeeded, said)) in runs.iter().enumerate() {
            rollouts.push(costs, *succeeded).unwrap();
            for turn in 0..costs.len() {
                let estimate = match (usize::from(*said) + turn) % 4 {
                    0 => Estimate::Impossible,
                    1 => Estimate::NoAnswer,
                    _ => interval(1.0, 10.0),
                };
                let sample = Sample::new(&rollouts.get(run).unwrap(), usd, turn, estimate).unwrap();
                let sample = sample.with_reading(if turn > 2 { Reading::Answers } else { Reading::Cap });
                prop_assert_eq!(stored(&sample), sample);
                whole.update(&sample, Weight::ONE).unwrap();
                resumed.update(&stored(&sample), Weight::ONE).unwrap();
                resumed = stored(&resumed);
                assert_same(&whole, &resumed);
            }
        }
        prop_assert_eq!(whole.finish(), resumed.finish());
        let mut merged = stored(&resumed);
        merged.merge(&stored(&whole)).unwrap();
        whole.merge(&resumed).unwrap();
        assert_same(&whole, &merged);
    }
}

/// A collection with all that can be set.
fn full() -> Rollouts {
    let names = (["model"], ["errors"]);
    let mut all = Rollouts::new(["usd", "tokens"]).unwrap().with_keys(names.0).unwrap();
    all = all.with_features(names.1).unwrap();
    let [usd, tokens] = ["usd", "tokens"].map(|name| all.resource(name).unwrap());
    all.push(&[Some(0.1), Some(5.0), None, Some(1e-9)], false).unwrap();
    all.set_cap(usd, 0.3).unwrap();
    // Too many digits for a sum in units of the last place.
    all.push(&[0.1, 1.0 / 3.0, 0.2, 1e17, 0.0, 2.0], true).unwrap();
    all.set_cap_of(1, tokens, 1e18).unwrap();
    all.push(&[0.25, 7.0], false).unwrap();
    all.set_censored(2).unwrap();
    all.set_id(0, "first").unwrap();
    all.set_key(1, "task", "sort").unwrap();
    all.set_key(2, "model", "small").unwrap();
    all.set_feature(1, 3, "errors", 2.0).unwrap();
    all.set_feature(1, 1, "errors", 1.0).unwrap();
    all.set_feature(2, 0, "errors", -1.5).unwrap();
    all.set_content(1, 2, "done").unwrap();
    all.set_observation(1, 3, "1 2 3").unwrap();
    all
}

#[test]
fn rollouts_are_read_back_with_all_that_was_set() {
    let mut all = full();
    all.add_sum("sum", &[all.resource("usd").unwrap(), all.resource("tokens").unwrap()]).unwrap();
    let again = stored(&all);
    assert_same(&all, &again);
    let tokens = again.resource("tokens").unwrap();
    let run = again.get(1).unwrap();
    assert_eq!((run.cost(tokens, 2), run.cap(tokens)), (Some(1e17), Ok(Some(1e18))));
    assert_eq!((run.content(2), run.observation(3)), (Some("done"), Some("1 2 3")));
    assert_eq!((run.feature(3, "errors"), run.feature(2, "errors")), (Some(2.0), None));
    assert!(again.get(0).unwrap().usage(again.resource("usd").unwrap()).is_err());
}

#[test]
fn texts_that_no_rollouts_have_are_refused() {
    let whole = serde_json::to_value(full()).unwrap();
    let edits = [
        ("/ends", json!([2, 1, 6])),
        ("/ends", json!([2, 5, 7])),
        ("/ends", json!([2, 5, u64::MAX])),
        ("/ends", json!([2, 5])),
        ("/ends/0", json!(-1)),
        ("/successes", json!([false, true])),
        ("/successes/2", json!(true)),
        ("/ids", json!([])),
        ("/columns", json!([])),
        ("/columns/0/name", json!("")),
        ("/columns/0/name", json!("tokens")),
        ("/columns/0/name", json!("eur")),
        ("/columns/0/resource/index", json!(1)),
        ("/columns/1/resource/names", json!(7)),
        ("/columns/0/costs/0", json!(-1.0)),
        ("/columns/0/costs/0", json!(1e101)),
        ("/columns/0/costs", json!([0.1])),
        ("/columns/0/caps", json!([0.1])),
        ("/columns/0/caps/0", json!(-0.1)),
        ("/columns/0/cap", json!(1e101)),
        ("/keys", json!([])),
        ("/keys/0/name", json!("job")),
        ("/keys/1/name", json!("usd")),
        ("/keys/1/values", json!(["a", "b", "c", "d"])),
        ("/features/0/name", json!("turns")),
        ("/features/0/entries/0", json!(1e101)),
        ("/features/0/entries", json!([0, 0, 0, 0, 0, 0, 0, 0, 0, 0])),
        ("/contents", json!([[[1, 4], "text"]])),
        ("/contents", json!([[[3, 0], "text"]])),
        ("/observations", json!([[[1, 0], "text"]])),
        ("/observations", json!({"1": "text"})),
    ];
    assert_guarded(&whole, can_be_read::<Rollouts>, edits);
}

#[test]
fn a_text_of_a_run_that_was_changed_is_refused_also_with_its_fingerprint() {
    let mut run = new_run();
    run.push_forecast(0.5).unwrap();
    run.push(&[0.25, 7.0]).unwrap();
    run.advise(&[Estimate::Impossible, Estimate::NoAnswer], None).unwrap();
    run.set_feature(1, "errors", 3.0).unwrap();
    run.cut(StopReason::MaxCost).unwrap();
    let whole = text(&run);
    assert!(read::<RecordedRun>(&whole).is_ok());
    // Whatever digit is changed.
    for (at, digit) in whole.match_indices(|digit: char| digit.is_ascii_digit()) {
        let other = if digit == "1" { "2" } else { "1" };
        let changed = format!("{}{other}{}", &whole[..at], &whole[at + 1..]);
        assert!(read::<RecordedRun>(&changed).is_err(), "{changed}");
    }
    // The fingerprint fits, but the parts are of no run.
    let whole: Value = serde_json::from_str(&whole).unwrap();
    let edits = [
        ("/forecasts/0", json!(85.0)),
        ("/end/reason", json!(null)),
        ("/end/outcome", json!(true)),
        ("/end/reason", json!("user_stop")),
        ("/end", json!(null)),
        ("/rollouts/censored/0", json!(false)),
        ("/rollouts/successes/0", json!(true)),
        ("/rollouts/ends", json!([])),
        ("/rollouts/columns/0/costs/0", json!(0.5)),
        ("/rollouts/columns/0/caps/0", json!(1.25)),
        ("/monitor/resources/0/cap", json!(2.0)),
        ("/monitor/resources/0/spent", json!("26e-2")),
        ("/monitor/resources/0/name", json!("eur")),
        ("/monitor/turns", json!(2)),
        ("/monitor/in_a_row", json!([3, 0])),
        ("/monitor/resources", json!([])),
    ];
    assert_guarded(&whole["state"], |it| can_be_read::<RecordedRun>(forge(it)), edits);
    assert_eq!(forge(whole["state"].clone()), whole);
}

#[test]
fn texts_that_no_monitor_has_are_refused() {
    let rule = StopRule::impossible_in_a_row(2).unwrap();
    let monitor = BudgetMonitor::new([("usd", None), ("tokens", None)]).unwrap();
    let mut monitor = monitor.with_stop_rule(rule);
    let turn = |estimate| [(0.5, Estimate::NoAnswer), (7.0, estimate)];
    monitor.push(&turn(Estimate::Impossible), None).unwrap();
    // A turn without an answer does not end the row.
    let mut resumed = stored(&monitor);
    resumed.push(&turn(Estimate::NoAnswer), None).unwrap();
    let advice = resumed.push(&turn(Estimate::Impossible), None).unwrap();
    assert_eq!(advice, Advice::Stop(AdviceReason::Impossible { in_a_row: 2 }));
    let edits = [
        // The row of impossible estimates and the last answers do not match.
        ("/resources/1/last", json!([false, false])),
        ("/resources/1/last", json!([true, false])),
        ("/resources/1/last", json!([false, true])),
        ("/in_a_row", json!([0, 0])),
        ("/in_a_row", json!([1, 0])),
        ("/in_a_row", json!([0, 1])),
        ("/in_a_row", json!([3, 3])),
        ("/resources/1", json!({"name": "tokens", "cap": null, "spent": "7e0"})),
        ("/resources", json!([])),
        ("/resources/0/name", json!("")),
        ("/resources/0/cap", json!(-1.0)),
        ("/resources/0/spent", json!("-1e0")),
        ("/resources/0/spent", json!("1e399")),
        ("/rules/0/impossible/in_a_row", json!(0)),
        ("/warn_at", json!(2.0)),
        // Nothing is spent before the first turn.
        ("/turns", json!(0)),
    ];
    assert_guarded(&serde_json::to_value(&monitor).unwrap(), can_be_read::<BudgetMonitor>, edits);
}

#[test]
fn a_sample_whose_amounts_no_run_can_have_is_refused() {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    rollouts.push(&[0.1, 0.2, 0.4], true).unwrap();
    let tokens = rollouts.resource("tokens").unwrap();
    let sample = |rollouts: &Rollouts| {
        let sample = Sample::new(&rollouts.get(0).unwrap(), tokens, 2, Estimate::NoAnswer).unwrap();
        serde_json::to_value(sample).unwrap()
    };
    let edits = [("/left", json!("-inf")), ("/left", json!(0.4))];
    assert_guarded(&sample(&rollouts), can_be_read::<Sample>, edits);
    rollouts.set_cap(tokens, 0.7).unwrap();
    let mut with_cap = sample(&rollouts);
    assert_eq!(with_cap["feasible"], true);
    let edits = [
        ("/left", json!(0.5)),
        ("/left", json!(0.7)),
        ("/left", json!("inf")),
        ("/used", json!(0.2)),
        ("/cap", json!(0.6)),
        ("/remaining", json!(0.41)),
    ];
    assert_guarded(&with_cap, can_be_read::<Sample>, edits);
    // A run that is not feasible may have spent more than the cap.
    (with_cap["remaining"], with_cap["feasible"]) = (json!(0.41), json!(false));
    assert!(can_be_read::<Sample>(with_cap));
}

#[test]
fn a_text_of_measures_that_none_have_is_refused() {
    let mut all = full();
    let tokens = all.resource("tokens").unwrap();
    all.set_cap(tokens, 1e5).unwrap();
    let mut metrics = ProgressMetrics::new(2).unwrap().with_coverage(level(0.5));
    for (turn, estimate) in [(0, interval(1.0, 9.0)), (1, Estimate::Impossible)] {
        let sample = Sample::new(&all.get(1).unwrap(), tokens, turn, estimate).unwrap();
        metrics.update(&sample, Weight::ONE).unwrap();
    }
    let edits = [
        ("/bins", json!([])),
        ("/bins/0/proper", json!({"coverage": 0.5})),
        ("/bins/0/midpoint_errors", json!([[-1.0, 1.0]])),
        ("/bins/0/midpoint_errors", json!([[1.0, -1.0]])),
        ("/bins/0/predictions/0/0/ones", json!(-1)),
        ("/bins/0/resource", json!({"index": 0, "names": 3})),
        ("/first_turn/proper", json!({"coverage": 0.5, "losses": []})),
        ("/resource", json!(null)),
        ("/axis", json!("time")),
        ("/detection/1/rollout", json!(2)),
        ("/detection/1/feasible", json!(true)),
        ("/detection/1/estimate", json!("no_answer")),
        ("/detection/1/turns", json!(0)),
        ("/detection/1/used", json!(-1.0)),
        ("/detection/1/remaining", json!(null)),
        ("/detection/1/left", json!("inf")),
        ("/detection/1/resource/index", json!(0)),
    ];
    assert_guarded(&serde_json::to_value(&metrics).unwrap(), can_be_read::<ProgressMetrics>, edits);
}

#[test]
fn an_error_of_another_crate_is_that_crates_error_and_is_written_as_its_message() {
    let shared = scoring_rules::Error::Empty;
    for nested in [
        Error::from(trajectory_metrics::Error::from(shared)),
        Error::from(censoring::Error::from(shared)),
        Error::from(censoring::Error::from(trajectory_metrics::Error::from(shared))),
    ] {
        assert_eq!(nested, Error::ScoringRules(shared));
    }
    let empty = trajectory_metrics::Trace::new(&[], true).unwrap_err();
    let nested = Error::from(censoring::Error::from(empty.clone()));
    assert_eq!(nested, Error::TrajectoryMetrics(empty));
    assert_eq!(text(&nested), format!("{:?}", nested.to_string()));
    let own = Stopped::new(&[probability(0.5)], None, Some(StopReason::Completed)).unwrap_err();
    assert_eq!(text(&own), format!("{:?}", own.to_string()));
    assert!(matches!(Error::from(own), Error::Censoring(_)));
}
