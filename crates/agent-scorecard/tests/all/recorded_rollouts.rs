//! The recorded runs are read, replayed and scored.

use std::{collections::BTreeSet, fs::File, path::Path};

use agent_scorecard::budget_estimation::{
    LinearEstimator, Metrics, ProgressMetrics, Rollout, Rollouts, Weight,
};
use agent_scorecard::run_logs::RolloutFile;

use crate::common;

fn recorded(name: &str) -> Option<Rollouts> {
    common::recorded(name, &["input_tokens", "output_tokens", "cost_usd"], &[])
}

#[test]
fn all_recorded_calls_are_read_and_runs_without_a_price_are_known_as_such() {
    let Some(rollouts) = recorded("swebench_gemini3pro.jsonl") else { return };
    let usd = rollouts.resource("cost_usd").unwrap();
    let turns: usize = rollouts.iter().map(|rollout| rollout.turns()).sum();
    let priced = rollouts.iter().filter(|rollout| rollout.usage(usd).is_ok()).count();
    assert_eq!((rollouts.len(), turns, priced), (500, 20_163, 484));

    let rollouts = recorded("tau2.jsonl").unwrap();
    let usd = rollouts.resource("cost_usd").unwrap();
    let priced = rollouts.filter(|rollout| rollout.usage(usd).is_ok());
    assert_eq!((rollouts.len(), priced.len()), (614, 424));
}

#[test]
fn models_domains_and_tool_calls_of_the_recorded_runs_are_read() {
    let Some(folder) = std::env::var_os("REAL_RUNS") else { return };
    let file = File::open(Path::new(&folder).join("data/rollouts/tau2.jsonl")).unwrap();
    let rollouts = Rollouts::new(["output_tokens"]).unwrap().with_keys(["model", "domain"]);
    let mut rollouts = rollouts.unwrap().with_features(["tool_calls"]).unwrap();
    RolloutFile::read("runs", file).unwrap().append_to(&mut rollouts).unwrap();
    let distinct = |key: &str| {
        let values: BTreeSet<_> = rollouts.iter().filter_map(|rollout| rollout.key(key)).collect();
        values.len()
    };
    assert_eq!(["model", "domain"].map(distinct), [9, 4]);
    let turn = |rollout: Rollout<'_>| -> f64 {
        (1..=rollout.turns()).filter_map(|turn| rollout.feature(turn, "tool_calls")).sum()
    };
    assert_eq!(rollouts.iter().map(turn).sum::<f64>(), 5462.0);
}

#[test]
fn what_a_run_spent_is_the_sum_that_was_recorded_for_it() {
    let Some(rollouts) = recorded("swebench_gemini3pro.jsonl") else { return };
    let folder = std::env::var_os("REAL_RUNS").unwrap();
    let path = Path::new(&folder).join("data/pools/swebench_gemini3pro.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    for (rollout, line) in rollouts.iter().zip(text.lines()) {
        let recorded: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(rollout.id(), recorded["problem"].as_str());
        // Cached tokens are recorded beside the input tokens that they are a part of.
        for name in ["input_tokens", "output_tokens"] {
            let total = rollout.usage(rollouts.resource(name).unwrap()).unwrap().total();
            assert_eq!(Some(total), recorded[name].as_f64(), "{name} of {:?}", rollout.id());
        }
    }
    assert_eq!(text.lines().count(), rollouts.len());
}

#[test]
fn a_replay_of_recorded_runs_gives_one_sample_a_turn_but_the_last() {
    let Some(mut rollouts) = recorded("swebench_gemini3pro.jsonl") else { return };
    let output = rollouts.resource("output_tokens").unwrap();
    let total = |rollout: Rollout<'_>| rollout.usage(output).unwrap().total();
    let mut totals: Vec<f64> = rollouts.iter().filter(|r| r.succeeded()).map(total).collect();
    totals.sort_by(f64::total_cmp);
    let cap = totals[totals.len() / 2];
    rollouts.set_cap(output, cap).unwrap();

    let mut linear = LinearEstimator::learning(40.0, 0.5).unwrap();
    let samples = rollouts.score(output, &mut linear).unwrap();
    assert_eq!(samples.len(), 20_163 - 500);
    let mut evaluation = ProgressMetrics::new(5).unwrap();
    samples.iter().for_each(|sample| evaluation.update(sample, Weight::ONE).unwrap());
    let found = evaluation.finish().unwrap();
    println!("cap {cap}: {found:#?}");

    // The same one by one, without keeping samples.
    let (mut linear, mut metrics) =
        (LinearEstimator::learning(40.0, 0.5).unwrap(), Metrics::default());
    for rollout in rollouts.iter() {
        rollout.score(output, &mut linear, |sample| metrics.update(sample, Weight::ONE)).unwrap();
    }
    assert_eq!(metrics.finish().unwrap(), found.all_turns);
}
