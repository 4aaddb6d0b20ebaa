//! Files of BAGEN's released estimates.

use std::fs;

use serde_json::Value;

use super::{
    notes,
    program::{plain as json, refusal, refused, run, write},
};

fn golden(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../agent-scorecard/tests/golden/bagen");
    format!("{folder}/{name}")
}

fn table_1(kind: &str) -> Value {
    let text = fs::read_to_string(golden("aggregates.json")).unwrap();
    serde_json::from_str::<Value>(&text).unwrap()[kind].clone()
}

#[test]
fn released_estimates_have_our_figures_and_the_published_ones() {
    for (kind, resource) in [("tokens", "total_tokens"), ("warehouse", "time_weeks")] {
        let file = golden(&format!("{}_estimates.json", kind.trim_end_matches('s')));
        let found = json(&[&file, "--lenient", "--resamples", "20"]);
        let (published, table) = (&found["as_published"], table_1(kind));
        for (ours, theirs) in [
            ("hit_rate", "success_rollout_interval_hit_rate"),
            ("interval_reward", "success_rollout_custom_reward"),
            ("accuracy_on_success", "pred_hit_success_rollouts"),
            ("accuracy_on_failure", "pred_hit_fail_rollouts"),
            ("first_turn_accuracy", "first_turn_success_pred_acc"),
            ("n_samples", "estimation_total"),
        ] {
            assert_eq!(published[ours], table[theirs], "{kind} {ours}");
        }
        assert_eq!(found["resource"], resource);
        assert!(found["n_feasible"].as_u64() < published["n_success_samples"].as_u64());
        for key in ["macro_f1_first_turn", "macro_f1_all_turns", "hit_rate", "false_abort_rate"] {
            assert!(found[key].is_number(), "{kind} {key}");
        }
        if kind == "tokens" {
            assert_eq!(published["n_hits"], table["Hit"]);
            assert_eq!(published["n_optimistic"], table["Overly optimistic"]);
            assert_eq!(published["n_conservative"], table["Overly conservative"]);
        } else {
            assert_eq!(published["joint_hit_rate"], published["hit_rate"]);
            let cost = &found["resources"]["cumulative_cost_usd"];
            assert!(cost["hit_rate"].is_number() && cost["saved_token_share"].is_null(), "{cost}");
        }
        let output = run(&[&file, "--resamples", "0"]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(text.contains("ours") && text.contains("as published"), "{text}");
    }
}

#[test]
fn released_estimates_stand_alone_and_wrong_ones_are_refused_with_the_place() {
    let file = golden("token_estimates.json");
    for other in [
        &["--cap", "5"][..],
        &["--estimator", "quantile"],
        &["--estimator", "linear"],
        &["--cluster-by", "task-only"],
        &["--plot", "x.svg"],
        &[file.as_str()],
    ] {
        let arguments: Vec<&str> = [file.as_str()].iter().chain(other).copied().collect();
        refusal(&run(&arguments), &arguments.join(" "));
    }
    let empty = write("released_empty.json", r#"{"config": {}, "results": []}"#);
    refusal(&run(&[&empty]), "no results");
    let lacking = r#"{"results": [{"rollout_index": 0, "turn_idx": 1, "prediction": null,
        "ground_truth": {"rollout_success": true, "actual_can_finish": true}}]}"#;
    let lacking = write("released_lacking.json", lacking);
    refused(&run(&[&lacking]), "released_lacking.json: field results[0]");
}

/// Tokens with a separator: 1,200 to 3,400 to us, 1 to 200 to the released parser.
#[test]
fn a_note_says_how_many_answers_the_two_columns_read_differently() {
    let result = |turn: usize, answer: &str, interval: &str| {
        format!(
            r#"{{"rollout_index": 0, "turn_idx": {turn}, "ground_truth": {{"rollout_success": true,
            "actual_can_finish": true, "total_turns": 4, "actual_tokens_used_so_far": {},
            "actual_remaining_total_tokens": {}}}, "prediction": {{"raw_response":
            "<answer>{answer}</answer>", "can_finish": true, "is_impossible": false,
            "remaining_token_interval": {interval}}}}}"#,
            1000 * turn,
            4000 - 1000 * turn
        )
    };
    let results = [result(1, "[1,200, 3,400]", "[1, 200]"), result(2, "[5, 9]", "[5, 9]")];
    let file = write("two_readings.json", &format!(r#"{{"results": [{}]}}"#, results.join(",")));
    let found = json(&[&file, "--lenient", "--resamples", "0"]);
    assert_eq!(
        notes(&found, "the released parser and ours read 1 answer about total_tokens differently"),
        1,
        "{found}"
    );
    let same = format!(r#"{{"results": [{}]}}"#, result(2, "[5, 9]", "[5, 9]"));
    let found = json(&[&write("one_reading.json", &same), "--resamples", "0"]);
    assert_eq!(notes(&found, "the released parser and ours read"), 0, "{found}");
}
