//! States that are stored in the middle and go on from there as if they had not been.

use std::fmt::Debug;

use budget_estimation::{
    AdaptiveConformal, Advice, AdviceReason, BudgetEstimator, BudgetMonitor, Calibrated, Error,
    Estimate, Estimator, LinearEstimator, PastQuantiles, Resource, Rollouts, StopReason, StopRule,
};
use censoring::StopClass;
use proptest::prelude::*;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    common::{forge, learnt, level, probability, runs, stored, turn},
    stopping::going_on,
};

fn refused<T: DeserializeOwned + Debug>(text: &str) -> String {
    serde_json::from_str::<T>(text).unwrap_err().to_string()
}

fn costs() -> impl Strategy<Value = Vec<(Vec<f64>, bool)>> {
    let cost = prop_oneof![(0_u32..500).prop_map(|c| f64::from(c) / 100.0), 0.0..9.0_f64];
    prop::collection::vec((prop::collection::vec(cost, 1..7), any::<bool>()), 1..20)
}

fn rollouts(all: &[(Vec<f64>, bool)]) -> (Rollouts, Resource) {
    let (mut rollouts, usd) = runs(all.iter().map(|(costs, succeeded)| (costs, *succeeded)));
    rollouts.set_cap(usd, 20.0).unwrap();
    for (run, (costs, succeeded)) in all.iter().enumerate() {
        if !succeeded && costs.len() > 3 {
            rollouts.set_censored(run).unwrap();
        }
    }
    (rollouts, usd)
}

/// Replays runs before an estimator and one that is stored before each estimate.
fn estimates_alike<E>(mut whole: E, runs: &[(Vec<f64>, bool)]) -> Result<(), TestCaseError>
where
    E: Estimator + Serialize + DeserializeOwned + Debug + PartialEq,
{
    let (rollouts, usd) = rollouts(runs);
    let mut resumed = stored(&whole);
    for rollout in rollouts.iter() {
        for prefix in rollout.replay(usd).unwrap() {
            let estimate = whole.estimate(&prefix).unwrap();
            prop_assert_eq!(estimate, resumed.estimate(&prefix).unwrap());
            resumed = stored(&resumed);
        }
        whole.learn(&rollout, usd).unwrap();
        resumed.learn(&rollout, usd).unwrap();
        prop_assert_eq!(&whole, &resumed);
    }
    Ok(())
}

proptest! {
    #[test]
    fn estimators_go_on_to_the_last_bit(runs in costs()) {
        let level = level(0.5);
        estimates_alike(LinearEstimator::new(5.0, 0.5).unwrap(), &runs)?;
        estimates_alike(LinearEstimator::learning(5.0, 0.5).unwrap(), &runs)?;
        estimates_alike(PastQuantiles::new(level), &runs)?;
        estimates_alike(PastQuantiles::survival_aware(level), &runs)?;
        let linear = LinearEstimator::new(5.0, 0.5).unwrap();
        let adaptive = AdaptiveConformal::new(level, 0.1).unwrap();
        estimates_alike(Calibrated::new(linear, adaptive), &runs)?;
    }
}

#[test]
fn what_cannot_be_a_state_is_refused() {
    let adaptive = r#"{"coverage":0.8,"step":0.1,"level":0.2,"scores":[2,3],"longest_run":1}"#;
    assert!(serde_json::from_str::<AdaptiveConformal>(adaptive).is_ok());
    for (from, to, what) in [
        ("0.1", "2.0", "step is 2"),
        ("0.8", "1.0", "level"),
        ("[2,3]", "[3,2]", "sorted"),
        ("[2,3]", r#"["nan"]"#, "inf"),
        (r#""longest_run":1"#, r#""longest_run":3"#, "longest"),
        (r#""longest_run":1"#, r#""longest_run":1,"x":1"#, "unknown"),
    ] {
        let error = refused::<AdaptiveConformal>(&adaptive.replacen(from, to, 1));
        assert!(error.contains(what), "{error}");
    }
    refused::<LinearEstimator>(r#"{"turns":0.5,"half_width":0.5,"learnt":null}"#);
    refused::<LinearEstimator>(r#"{"turns":5,"half_width":0.5,"learnt":{"runs":2,"total":4}}"#);
    let error = refused::<Calibrated<LinearEstimator>>(
        r#"{"estimator":{"turns":5,"half_width":0.5,"learnt":null},"given":[[2,[2,3]],[1,[2,3]]],
        "calibrator":{"coverage":0.8,"step":0.1,"level":0.2,"scores":[],"longest_run":0}}"#,
    );
    assert!(error.contains("turns must rise"), "{error}");
    let past = r#"{"coverage":0.5,"survival_aware":false,"past":{"state":{"by_turn":[],"longest_cut_off":1},
        "fingerprint":1}}"#;
    assert!(refused::<PastQuantiles>(past).contains("the state was changed"));
}

#[test]
fn any_of_several_stop_rules_ends_a_run_and_its_reason_says_which() {
    let mut monitor =
        BudgetMonitor::new([("output_tokens", Some(100.0)), ("wall_time", Some(60.0))])
            .unwrap()
            .with_stop_rule(StopRule::impossible_in_a_row(2).unwrap())
            .with_stop_rule(StopRule::FailureProbability { at_least: probability(0.9) });
    let silent = [Estimate::NoAnswer; 2];
    let sure = probability(0.95);
    let stop = monitor.push(&turn(&[1.0, 1.0], &silent), Some(sure)).unwrap();
    assert_eq!(stop, Advice::Stop(AdviceReason::FailureProbability { probability: sure }));
    let impossible = [Estimate::Impossible; 2];
    monitor = going_on(&monitor);
    let warning = monitor.push(&turn(&[1.0, 1.0], &impossible), None).unwrap();
    assert_eq!((warning.stop_reason(), matches!(warning, Advice::Warn(_))), (None, true));
    let stop = monitor.push(&turn(&[1.0, 1.0], &impossible), Some(sure)).unwrap();
    assert_eq!(stop, Advice::Stop(AdviceReason::Impossible { in_a_row: 2 }));
    assert!(matches!(stop.stop_reason(), Some(StopReason::Other(_))));
    monitor = going_on(&monitor);
    let stop = monitor.push(&turn(&[1.0, 60.0], &silent), None).unwrap();
    assert_eq!(stop.to_string(), "stop: the cap on wall_time is exceeded");
    assert_eq!(stop.stop_reason(), Some(StopReason::MaxTime));
    for (name, reason) in [
        ("tokens", StopReason::MaxTokens),
        ("input tokens", StopReason::MaxTokens),
        ("Cost-USD", StopReason::MaxCost),
        ("tool_calls", StopReason::MaxSteps),
        ("outputTokens", StopReason::MaxTokens),
        ("wall_clock", StopReason::MaxTime),
        ("duration", StopReason::MaxTime),
        ("latencyMs", StopReason::MaxTime),
        ("credits", StopReason::MaxCost),
        ("euro", StopReason::MaxCost),
        ("costUSD", StopReason::MaxCost),
        ("rounds", StopReason::MaxSteps),
        ("iterations", StopReason::MaxSteps),
        ("LLMCalls", StopReason::MaxSteps),
        ("patience", StopReason::MaxOther { resource: "patience".to_owned() }),
        ("eurocents", StopReason::MaxOther { resource: "eurocents".to_owned() }),
    ] {
        let mut monitor = BudgetMonitor::new([(name, Some(0.0))]).unwrap();
        let stop = monitor.push(&turn(&[1.0], &silent[..1]), None).unwrap();
        assert_eq!(stop.stop_reason(), Some(reason), "{name}");
        assert_eq!(stop.stop_reason().map(|it| it.class()), Some(StopClass::Censored), "{name}");
    }
    for names in [["usd", "usd"], ["usd", ""]] {
        let named = BudgetMonitor::new(names.map(|name| (name, None)));
        assert!(matches!(named, Err(Error::ResourceName { .. })));
    }
}

#[test]
fn a_monitor_may_be_given_the_rule_that_it_has_anyway() {
    let monitor = BudgetMonitor::new([("tokens", Some(4.0))]).unwrap();
    let mut monitor = monitor.with_stop_rule(StopRule::CapExceeded);
    let advice = stored(&monitor).push(&turn(&[5.0], &[Estimate::NoAnswer]), None).unwrap();
    assert_eq!(advice, monitor.push(&turn(&[5.0], &[Estimate::NoAnswer]), None).unwrap());
    assert!(matches!(advice, Advice::Stop(AdviceReason::CapExceeded { .. })));
}

/// Replaces a text in a stored state and gives the state the fingerprint that fits.
fn forged(text: &str, of: &str, old: &str, new: &str) -> String {
    let name = format!("\"{of}\":{{\"state\":");
    let (before, rest) = text.split_once(&name).unwrap();
    let (state, rest) = rest.split_once(",\"fingerprint\":").unwrap();
    let state = state.replacen(old, new, 1);
    let fingerprint = &forge(serde_json::from_str(&state).unwrap())["fingerprint"];
    let rest = rest.trim_start_matches(|digit: char| digit.is_ascii_digit());
    format!("{before}{name}{state},\"fingerprint\":{fingerprint}{rest}")
}

#[test]
fn forged_states_learn_without_a_panic() {
    let costs = |at: usize| [1.0 + (at % 7) as f64, 2.0 + (at % 5) as f64, (at % 3) as f64];
    let (rollouts, usd) = runs((0..120).map(|at| (costs(at), at % 7 > 1)));
    let estimator = learnt(BudgetEstimator::default(), &rollouts, usd);
    let text = serde_json::to_string(&estimator).unwrap();
    let many = format!("\"lengths\":[{}", "99999,".repeat(200));
    let most = format!("\"runs\":{}", u64::MAX);
    let counts = format!("{most},\"longest\"");
    let (keys, next_fit) = (format!("{most},\"sums\""), format!("{most},\"next_fit\""));
    let successes = format!("{most},\"successes\"");
    let edits = [
        ("cost", "\"lengths\":[", many.as_str()),
        ("cost", "\"runs\":120,\"longest\"", &counts),
        ("cost", "\"runs\":120,\"sums\"", &keys),
        ("learnt", "\"runs\":120,\"successes\"", &successes),
        ("learnt", "\"runs\":90,\"next_fit\"", &next_fit),
    ];
    for (of, old, new) in edits {
        let changed = forged(&text, of, old, new);
        assert_ne!(changed, text, "{old}");
        let estimator: BudgetEstimator = serde_json::from_str(&changed).unwrap();
        learnt(estimator, &rollouts, usd);
    }
    let (_, columns) = text.split_once("\"scale\":{\"columns\":").unwrap();
    let (columns, _) = columns.split_once('}').unwrap();
    let changed = forged(&text, "learnt", columns, "[]");
    let mut estimator: BudgetEstimator = serde_json::from_str(&changed).unwrap();
    let rollout = rollouts.get(0).unwrap();
    for prefix in rollout.replay(usd).unwrap() {
        // The model has another number of columns.
        let _ = estimator.estimate(&prefix);
    }
    for ends in ["\"ends\":[9999999,", "\"ends\":[6,"] {
        let changed = forged(&text, "cost", "\"ends\":[3,", ends);
        assert_ne!(changed, text);
        let error = refused::<BudgetEstimator>(&changed);
        assert!(error.contains("rows of past runs"), "{error}");
    }
}
