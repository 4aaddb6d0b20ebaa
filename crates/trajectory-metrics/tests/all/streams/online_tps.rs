use proptest::prelude::*;
use scoring_rules::AnyRule;
use trajectory_metrics::{
    BrierScore, CheckedRun, Error, ForecastCounts, ForecastFault, ForecastPolicy, LogScore,
    OnlineTps, Probability, ScoringRule, Tps, WeightSchedule, from_fn,
};

use crate::common::ws;

fn online(policy: ForecastPolicy) -> OnlineTps<LogScore> {
    let rule = LogScore::clipped(1e-6).unwrap();
    OnlineTps::new(Tps::new(rule, WeightSchedule::LinearFront)).with_policy(policy)
}

#[test]
fn a_refused_forecast_does_not_change_the_run() {
    let mut run = online(ForecastPolicy::Refuse);
    run.push_raw(0.5).unwrap();
    let before = run.clone();
    let fault = ForecastFault::OutOfRange(1.5);
    assert!(
        matches!(run.push_raw(1.5), Err(Error::Forecast { step: 2, fault: found, .. }) if found == fault)
    );
    assert_eq!(run, before);
}

#[test]
fn a_run_that_is_left_out_has_no_score_and_ignores_later_forecasts() {
    let mut run = online(ForecastPolicy::CarryForward);
    for value in [None, Some(0.5), Some(f64::NAN)] {
        run.push_raw(value).unwrap();
    }
    assert_eq!(run.left_out(), Some((1, ForecastFault::Missing)));
    for score in [run.finish(true), run.finish_prefix(false, 9)] {
        let fault = ForecastFault::Missing;
        assert!(
            matches!(score, Err(Error::RunLeftOut { step: 1, fault: found, .. }) if found == fault)
        );
    }
    assert_eq!(run.forecast_counts().left_out_runs, 1);
}

fn raw() -> impl Strategy<Value = Option<f64>> {
    prop_oneof![
        6 => (0.0..=1.0_f64).prop_map(Some),
        1 => Just(None),
        1 => Just(Some(f64::NAN)),
        1 => (-2.0..3.0_f64).prop_map(Some),
    ]
}

#[test]
fn a_state_that_no_run_can_reach_is_refused() {
    let mut run = online(ForecastPolicy::Clip);
    run.push_raw(1.5).unwrap();
    let stored = serde_json::to_value(run.state()).unwrap();
    let tps = || Tps::new(LogScore::clipped(1e-6).unwrap(), WeightSchedule::LinearFront);
    let resumed = |key: &str, value: serde_json::Value| {
        let mut wrong = stored.clone();
        wrong[key] = value;
        let state = serde_json::from_value(wrong).map_err(|error| error.to_string())?;
        OnlineTps::resume(tps(), state).map_err(|error| error.to_string())
    };
    assert_eq!(resumed("steps", 1.into()), Ok(run));
    for (key, value) in [
        ("steps", serde_json::json!(0)),
        ("steps", serde_json::json!(-1)),
        ("last", serde_json::json!(null)),
        ("last", serde_json::json!(1.5)),
        ("carried", serde_json::json!(1)),
        ("left_out", serde_json::json!([1, "missing"])),
        ("left_out", serde_json::json!([2, {"out_of_range": 0.5}])),
        ("schedule", serde_json::json!("uniform")),
        ("rule", serde_json::json!([0.0, 0.0])),
        ("weighted", serde_json::json!({"sum": [0.0, 0.0], "error": [0.0]})),
        ("schedule", serde_json::json!({"custom": [0.0]})),
        ("policy", serde_json::json!("drop")),
        ("more", serde_json::json!(0)),
    ] {
        assert!(resumed(key, value.clone()).is_err(), "{key}: {value}");
    }
    for steps in [u64::MAX, 1 << 32] {
        let error = resumed("steps", steps.into()).unwrap_err();
        assert!(error.contains("more than 2^32 - 1 steps"), "{error}");
    }
}

#[test]
fn a_run_is_resumed_with_its_own_rule_only() {
    let names = [
        "log",
        "log:1e-6",
        "log:1.0000001e-6",
        "log:1e-100",
        "brier",
        "spherical",
        "boosting",
        "beta:2,4",
        "beta:4,2",
        "beta:2,4.00001",
        "power:2,0.5",
        "power:4,0.5",
        "power:3,0.4",
        "pseudospherical:3,0.5",
        "elementary:0.5",
        "elementary:0.99999",
    ];
    let tps = |name: &str| Tps::new(name.parse::<AnyRule>().unwrap(), WeightSchedule::Uniform);
    for first in names {
        let mut run = OnlineTps::new(tps(first));
        run.push(Probability::HALF);
        let stored = serde_json::to_string(&run.state()).unwrap();
        for second in names {
            let state = serde_json::from_str(&stored).unwrap();
            match OnlineTps::resume(tps(second), state) {
                Ok(resumed) => assert_eq!((first, resumed), (second, run.clone())),
                Err(error) => {
                    assert_ne!(first, second);
                    assert!(matches!(error, Error::OtherScore { what: "rule", .. }), "{error}");
                }
            }
        }
    }
}

#[test]
fn a_rule_of_a_user_is_recognised_by_its_scores() {
    let brier = |factor: f64| {
        let rule = from_fn(move |p: Probability, outcome| factor * BrierScore.score(p, outcome));
        Tps::new(rule, WeightSchedule::Uniform)
    };
    let run = OnlineTps::new(brier(1.0));
    assert!(OnlineTps::resume(brier(1.0), run.state()).is_ok());
    let built_in = Tps::new(BrierScore, WeightSchedule::Uniform);
    assert!(OnlineTps::resume(built_in, run.state()).is_ok());
    let other = OnlineTps::resume(brier(1.001), run.state());
    assert!(matches!(other.map(drop), Err(Error::OtherScore { what: "rule", .. })));
    // A rule without a score at 0 can be stored, too.
    let partial = from_fn(|p: Probability, _| if p.get() > 0.0 { p.get().ln() } else { f64::NAN });
    let run = OnlineTps::new(Tps::new(partial, WeightSchedule::Uniform));
    let stored = serde_json::to_string(&run.state()).unwrap();
    let state = serde_json::from_str(&stored).unwrap();
    assert!(OnlineTps::resume(Tps::new(partial, WeightSchedule::Uniform), state).is_ok());
}

proptest! {
        #[test]
    fn a_stored_and_resumed_run_has_the_same_bits_as_an_uninterrupted_one(
        run in prop::collection::vec(raw(), 1..30),
        cut in 0..30_usize,
        exact in any::<bool>(),
    ) {
        let schedules = WeightSchedule::NAMED.into_iter().chain([WeightSchedule::custom(ws(&[0.3; 30])).unwrap()]);
        for schedule in schedules {
            // Without a clip, sums may be infinite.
            let rule = if exact { LogScore::exact() } else { LogScore::clipped(1e-6).unwrap() };
            let tps = Tps::new(rule, schedule);
            let mut whole = OnlineTps::new(tps.clone()).with_policy(ForecastPolicy::CarryForward);
            let mut parts = whole.clone();
            for (step, &value) in run.iter().enumerate() {
                if step == cut {
                    let stored = serde_json::to_string(&parts.state()).unwrap();
                    let state = serde_json::from_str(&stored).unwrap();
                    parts = OnlineTps::resume(tps.clone(), state).unwrap();
                }
                whole.push_raw(value).unwrap();
                parts.push_raw(value).unwrap();
            }
            for outcome in [false, true] {
                let bits = |run: &OnlineTps<_>| run.finish(outcome).map(f64::to_bits);
                prop_assert_eq!(bits(&whole), bits(&parts));
            }
            prop_assert_eq!(whole.forecast_counts(), parts.forecast_counts());
        }
    }

    #[test]
    fn a_policy_treats_a_live_run_and_a_run_from_a_file_alike(
        run in prop::collection::vec(raw(), 1..20),
    ) {
        for policy in ForecastPolicy::ALL {
            let mut counts = ForecastCounts::default();
            let read = policy.check_run(&run, &mut counts);
            let mut live = online(policy);
            let pushed = run.iter().try_for_each(|&value| live.push_raw(value));
            match read {
                Err(error) => prop_assert_eq!(pushed, Err(error)),
                Ok(CheckedRun::LeftOut { step, fault }) => {
                    prop_assert_eq!(live.left_out(), Some((step, fault)));
                    prop_assert_eq!(live.forecast_counts(), counts);
                }
                Ok(CheckedRun::Kept(forecasts)) => {
                    prop_assert_eq!(live.forecast_counts(), counts);
                    let mut whole = online(policy);
                    forecasts.into_iter().for_each(|forecast| whole.push(forecast));
                    prop_assert_eq!(live.finish(true), whole.finish(true));
                }
            }
        }
    }
}
