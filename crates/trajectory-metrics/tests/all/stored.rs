//! What is stored is read back as it was, and what is not valid is refused.
use scoring_rules::Error as Shared;
use std::fmt::Debug;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};
use trajectory_metrics::tool_calls::{FailureCounts, Interner};
use trajectory_metrics::{
    BetaCalibration, BrierScore, Error, Folds, ForecastCounts, ForecastPolicy, Isotonic, OnlineTps,
    Platt, PositiveClass, Probability, Summary, TemperatureScaling, Tps, Trace, Traces, VennAbers,
    WeightSchedule,
};

use crate::common::{traces_of, ws};

/// Stores and reads back, through text.
fn back<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &T) -> Value {
    let text = serde_json::to_string(value).unwrap();
    assert_eq!(&serde_json::from_str::<T>(&text).unwrap(), value, "{text}");
    serde_json::from_str(&text).unwrap()
}

/// That each change of one entry, or one more entry, is refused.
fn refused<T: DeserializeOwned + Debug>(stored: &Value, changes: &[(&str, Value)]) {
    serde_json::from_value::<T>(stored.clone()).unwrap();
    for (key, value) in changes.iter().chain([&("not_a_field", json!(1))]) {
        let mut wrong = stored.clone();
        wrong[key] = value.clone();
        assert!(serde_json::from_value::<T>(wrong.clone()).is_err(), "{wrong}");
    }
}

fn streams() -> Traces {
    let run = |i: usize| ([[0.2, 0.5, 0.75, 0.9][i % 4], 0.5], i * 7 % 5 < 1 + i % 4);
    traces_of((0..24).map(run))
}

#[test]
fn settings_are_written_and_read_and_invalid_ones_are_refused() {
    for schedule in WeightSchedule::NAMED {
        assert_eq!(back(&schedule), json!(schedule.name()));
        back(&Summary::Weighted(schedule));
    }
    let custom = WeightSchedule::custom(ws(&[2.0, 0.1])).unwrap();
    refused::<WeightSchedule>(&back(&custom), &[("custom", json!([1.0, 0.0]))]);
    assert_eq!(back(&custom)["custom"], json!([2.0, 0.1]));
    assert!(serde_json::from_value::<WeightSchedule>(json!("front")).is_err());
    assert_eq!(back(&Summary::Minimum), json!("minimum"));

    let wrong_clip = ("clip", json!(0.5));
    let platt = back(&Platt::new(0.5, 1e-4).unwrap());
    refused::<Platt>(&platt, &[wrong_clip.clone(), ("penalty", json!(0.0))]);
    let beta = back(&BetaCalibration::default());
    refused::<BetaCalibration>(&beta, std::slice::from_ref(&wrong_clip));
    refused::<TemperatureScaling>(&back(&TemperatureScaling::default()), &[wrong_clip]);
    back(&Isotonic);
    back(&VennAbers);
    assert_eq!(back(&PositiveClass::Failure), json!("failure"));

    let folds = back(&Folds::new(&[true, false, true], &[1, 2, 3], 2).unwrap());
    let wrong = [("count", json!(1)), ("of_each", json!([0, 2, 1]))];
    refused::<Folds>(&folds, &wrong);
}

#[test]
fn traces_are_written_and_read_and_invalid_ones_are_refused() {
    let wrong = [("forecasts", json!([0.5])), ("ends", json!([1])), ("outcomes", json!([]))];
    refused::<Traces>(&back(&streams()), &wrong);
}

#[test]
fn counts_of_runs_that_do_not_add_up_are_refused() {
    let classes: FailureCounts = [None].into_iter().collect();
    refused::<FailureCounts>(&back(&classes), &[]);
    let mut counts = ForecastCounts::default();
    for run in [&[Some(1.5), Some(0.5), Some(-0.1)][..], &[Some(0.5)]] {
        ForecastPolicy::Clip.check_run(run, &mut counts).unwrap();
    }
    ForecastPolicy::LeaveOut.check_run(&[None], &mut counts).unwrap();
    let wrong = [
        ("runs", json!(1)),
        ("left_out_runs", json!(3)),
        ("repaired_runs", json!(0)),
        ("repaired_runs", json!(3)),
        ("clipped", json!(0)),
    ];
    refused::<ForecastCounts>(&back(&counts), &wrong);
    // Counts that have reached the end of their range are still read.
    for _ in 0..64 {
        counts.merge(counts);
    }
    assert_eq!(back(&counts)["runs"], json!(u64::MAX));
}

#[test]
fn a_stored_interner_continues_where_it_was_and_refuses_a_repeated_call() {
    let mut interner = Interner::default();
    let calls = ["search", "look", "book"].map(str::to_owned);
    interner.intern_all(calls.clone()).unwrap();
    let written = serde_json::to_string(&interner).unwrap();
    assert_eq!(written, r#"["search","look","book"]"#);
    let mut read: Interner<String> = serde_json::from_str(&written).unwrap();
    assert_eq!(read.intern_all(calls).unwrap(), [0, 1, 2]);
    assert_eq!(read.intern_all(["pay".to_owned()]).unwrap(), [3]);
    let twice = serde_json::from_str::<Interner<String>>(r#"["a","b","a"]"#);
    assert_eq!(twice.unwrap_err().to_string(), "call 2 repeats call 0; give each call once");
}

fn online() -> OnlineTps<BrierScore> {
    OnlineTps::new(Tps::new(BrierScore, WeightSchedule::LinearFront))
        .with_policy(ForecastPolicy::LeaveOut)
}

#[test]
fn a_stored_run_with_sums_that_its_schedule_does_not_take_is_refused() {
    for schedule in WeightSchedule::NAMED {
        let tps = Tps::new(BrierScore, schedule.clone());
        let mut run = OnlineTps::new(tps.clone());
        run.push(Probability::HALF);
        let mut stored = serde_json::to_value(run.state()).unwrap();
        stored["plain"]["sum"] = json!([-7.0, -7.0]);
        let resumed = OnlineTps::resume(tps, serde_json::from_value(stored).unwrap());
        // Linear-front weights need the sums of the scores, which may have any value.
        if schedule != WeightSchedule::LinearFront {
            assert!(
                matches!(resumed, Err(Error::ScoringRules(Shared::StoredValue { .. }))),
                "{schedule}: {resumed:?}"
            );
        }
    }
}

#[test]
fn a_run_that_was_left_out_takes_no_more_forecasts_and_can_be_resumed() {
    let mut run = online();
    run.push_raw(None).unwrap();
    let left_out = run.clone();
    run.push(Probability::HALF);
    run.push_raw(0.5).unwrap();
    assert_eq!((&run, run.steps()), (&left_out, 0));
    let mut stored = serde_json::to_value(run.state()).unwrap();
    let resumed = |stored: &Value| {
        let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
        OnlineTps::resume(tps, serde_json::from_value(stored.clone()).unwrap())
    };
    assert_eq!(resumed(&stored), Ok(run));
    for steps in [u64::MAX, 1 << 32] {
        // The step at which a run of these steps is left out, if there is one.
        stored["steps"] = json!(steps);
        stored["left_out"][0] = json!(steps.saturating_add(1));
        let error = resumed(&stored).unwrap_err().to_string();
        assert!(error.contains("more than 2^32 - 1 steps"), "{error}");
    }
}

#[test]
fn an_error_is_written_as_its_message() {
    let shared = Probability::new(1.5).unwrap_err();
    assert_eq!(serde_json::to_value(shared).unwrap(), shared.to_string());
    let error = Trace::new(&[], true).unwrap_err();
    assert_eq!(
        serde_json::to_value(&error).unwrap(),
        "trace 0 is empty; give at least one forecast per trace"
    );
}
