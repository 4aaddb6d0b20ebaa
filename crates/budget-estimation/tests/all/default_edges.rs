//! The default estimator on runs at the edge of what is valid.

use budget_estimation::{
    AbortLimit, BudgetEstimator, Error, Estimate, Estimator, Probability, Resource, Rollouts,
};
use proptest::prelude::*;
use serde_json::Value;

use crate::{
    common::{after_a_turn, learnt, level, runs, stored},
    impossible::learned,
};

/// Runs of two turns. A low first cost predicts failure, so that 0 looks like the worst of all.
fn low_costs_fail(n: u32) -> (Rollouts, Resource) {
    runs((0..n).map(|at| {
        let fails = at % 3 == 0;
        ([if fails { 10.0 } else { 400.0 } + f64::from(at * 37 % 10), 50.0], !fails)
    }))
}

/// Thresholds are calibrated on the prefixes after a turn, so that nothing is guaranteed before.
#[test]
fn no_run_is_called_impossible_before_its_first_turn_unless_a_cap_is_exceeded() {
    let (rollouts, tokens) = low_costs_fail(400);
    let mut forecaster = learned(AbortLimit::default(), &rollouts);
    let failure = rollouts.get(0).unwrap();
    let prefix = after_a_turn(&rollouts, 0, tokens);
    assert!(forecaster.forecast(&prefix).unwrap().is_impossible);
    let before = forecaster.forecast(&failure.probe(tokens).unwrap()).unwrap();
    assert!(!before.is_impossible);
    // 266 of 400 runs succeeded.
    assert!((before.chance.get() - 267.0 / 402.0).abs() < 1e-12, "{before:?}");
}

#[test]
fn keys_are_known_before_the_first_turn_and_after_it() {
    let (mut rollouts, tokens) = runs((0..200).map(|at| ([100.0, 50.0], at % 2 == 0)));
    for at in 0..200 {
        rollouts.set_key(at, "task", ["easy", "hard"][at % 2]).unwrap();
    }
    let mut forecaster = learned(AbortLimit::default(), &rollouts);
    let before = |run| rollouts.get(run).unwrap().probe(tokens).unwrap();
    for [easy, hard] in [[0, 1].map(before), [0, 1].map(|run| after_a_turn(&rollouts, run, tokens))]
    {
        let [easy, hard] = [easy, hard].map(|prefix| forecaster.forecast(&prefix).unwrap().chance);
        assert!(easy.get() > 0.9 && hard.get() < 0.1, "{easy:?} {hard:?}");
        assert!(hard > Probability::ZERO && easy < Probability::ONE);
    }
}

/// With a rate of 0.2 %, at least 1,151 feasible runs are needed.
#[test]
fn a_small_rate_gets_a_threshold_when_there_are_enough_runs() {
    let limit = AbortLimit { rate: level(0.002), ..AbortLimit::default() };
    assert_eq!(limit.least_runs(), 1151);
    let (rollouts, _) = low_costs_fail(2400);
    assert!(learned(limit, &rollouts).threshold().is_some());
}

#[test]
fn a_run_that_cannot_be_learnt_changes_nothing() {
    let mut rollouts = Rollouts::new(["tokens", "usd"]).unwrap();
    for at in 0..40 {
        rollouts.push(&[100.0, 0.1, 50.0, 0.2, 70.0, 0.1], at % 4 > 0).unwrap();
    }
    let (tokens, usd) = (rollouts.resource("tokens").unwrap(), rollouts.resource("usd").unwrap());
    rollouts.set_cap(usd, 1.0).unwrap();
    // The cost in dollars of the second turn is unknown, which only matters for runs that succeed.
    let unknown = [Some(100.0), Some(0.1), Some(50.0), None, Some(70.0), Some(0.1)];
    rollouts.push(&unknown, false).unwrap();
    rollouts.push(&unknown, true).unwrap();
    let mut estimator = BudgetEstimator::default();
    for rollout in rollouts.iter().take(40) {
        estimator.learn(&rollout, tokens).unwrap();
    }
    let before = estimator.clone();
    let error = estimator.learn(&rollouts.get(41).unwrap(), tokens);
    assert!(matches!(error, Err(Error::UnknownCost { .. })), "{error:?}");
    let foreign = Rollouts::new(["a", "b", "c"]).unwrap().resource("c").unwrap();
    let error = estimator.learn(&rollouts.get(0).unwrap(), foreign);
    assert!(matches!(error, Err(Error::NoSuchResource { .. })), "{error:?}");
    assert!(estimator == before);
    estimator.learn(&rollouts.get(40).unwrap(), tokens).unwrap();
    assert!(estimator != before);
}

/// Costs, caps and features of every size that is valid.
fn size() -> impl Strategy<Value = f64> {
    prop::sample::select(vec![0.0, 5e-324, 1e-300, 1e-20, 0.1, 1.0, 37.0, 1e6, 1e50, 1e100])
}

type Run = (Vec<(f64, f64)>, bool, bool, Option<f64>, Option<u8>, f64);

fn any_run() -> impl Strategy<Value = Run> {
    (
        prop::collection::vec((size(), size()), 1..6),
        any::<bool>(),
        prop::bool::weighted(0.2),
        prop::option::of(size()),
        prop::option::of(0_u8..3),
        size(),
    )
}

fn collected(all: &[Run]) -> Rollouts {
    let rollouts = Rollouts::new(["tokens", "usd"]).unwrap();
    let mut rollouts = rollouts.with_keys(["model"]).unwrap().with_features(["errors"]).unwrap();
    let tokens = rollouts.resource("tokens").unwrap();
    for (at, (turns, succeeded, censored, cap, key, feature)) in all.iter().enumerate() {
        let costs: Vec<f64> = turns.iter().flat_map(|&(tokens, usd)| [tokens, usd]).collect();
        rollouts.push(&costs, *succeeded && !censored).unwrap();
        if *censored {
            rollouts.set_censored(at).unwrap();
        }
        if let Some(cap) = *cap {
            rollouts.set_cap_of(at, tokens, cap).unwrap();
        }
        if let Some(key) = *key {
            // No character has a meaning in a key.
            let key = ["", "a\u{0}\"\\\n", "\u{1F600} task=model"][usize::from(key)];
            rollouts.set_key(at, "model", key).unwrap();
        }
        rollouts.set_feature(at, 1, "errors", -*feature).unwrap();
    }
    rollouts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 40 } else { 2000 }))]

    #[test]
    fn valid_runs_of_any_size_are_learnt_and_estimated(runs in prop::collection::vec(any_run(), 1..90)) {
        let rollouts = collected(&runs);
        let tokens = rollouts.resource("tokens").unwrap();
        let mut estimator = BudgetEstimator::default();
        let samples = rollouts.score(tokens, &mut estimator);
        prop_assert!(samples.is_ok(), "{samples:?}");
        for sample in samples.unwrap() {
            let left = sample.left();
            match sample.estimate() {
                Estimate::Interval(ends) => prop_assert!(left.is_none_or(|left| ends.high() <= left)),
                Estimate::Impossible => {}
                // Nothing was spent, there is no cap, and there are few runs.
                other => prop_assert!(left.is_none() && sample.used() == 0.0, "{other:?}"),
            }
        }
                let mut restored = stored(&estimator);
        let same = |a: &BudgetEstimator, b: &BudgetEstimator| serde_json::to_string(a).unwrap() == serde_json::to_string(b).unwrap();
        prop_assert!(same(&restored, &estimator));
        for rollout in rollouts.iter().take(20) {
            for prefix in rollout.replay(tokens).unwrap() {
                prop_assert_eq!(restored.estimate(&prefix)?, estimator.estimate(&prefix)?);
            }
            restored.learn(&rollout, tokens)?;
            estimator.learn(&rollout, tokens)?;
        }
        prop_assert!(same(&restored, &estimator));
    }
}

/// Returns the error of reading an estimator that was edited after it had learnt.
fn refused(edit: impl FnOnce(&mut Value)) -> String {
    let (rollouts, tokens) = low_costs_fail(80);
    let mut edited =
        serde_json::to_value(learnt(BudgetEstimator::default(), &rollouts, tokens)).unwrap();
    edit(&mut edited);
    serde_json::from_value::<BudgetEstimator>(edited).map(drop).unwrap_err().to_string()
}

#[test]
fn forecasters_with_another_limit_than_the_estimator_are_refused() {
    let error = refused(|state| state["limit"]["rate"] = 0.5.into());
    assert!(error.contains("another limit"), "{error}");
    let error = refused(|state| {
        state["limit"]["rate"] = 0.5.into();
        let forecaster = &mut state["resources"]["tokens"]["success"];
        forecaster["learnt"]["state"]["limit"]["rate"] = 0.5.into();
    });
    assert!(error.contains("changed after it was written"), "{error}");
}

#[test]
fn what_was_learnt_of_one_resource_is_refused_under_the_name_of_another() {
    let error = refused(|state| {
        let learnt = state["resources"]["tokens"].take();
        state["resources"] = serde_json::json!({ "usd": learnt });
    });
    assert!(error.contains("the name of another"), "{error}");
}

/// Two agents take turns: the runs of one always cost the same, those of the other differ widely. From 1,000 runs on,
/// the ends of intervals are chosen from a sample of the runs, which must not consist of one agent's.
#[test]
fn agents_that_take_turns_are_covered_after_many_runs() {
    let (rollouts, tokens) = runs((0..2_000_u64).map(|at| {
        // Nearly uniform from 0 to 1.
        let share = (at * 0x9E37 % 0x1_0000) as f64 / 65_536.0;
        ([50.0, if at % 2 == 0 { 100.0 } else { 10.0 + 1_000.0 * share }], true)
    }));
    let samples = rollouts.score(tokens, &mut BudgetEstimator::default()).unwrap();
    let late = &samples[1_500..];
    let hits = late.iter().filter(|sample| sample.is_hit()).count();
    let coverage = hits as f64 / late.len() as f64;
    assert!((0.74..0.9).contains(&coverage), "{coverage}");
}
