//! The subcommand `play`.
#![allow(clippy::unwrap_used)]

mod program;

use std::fs;

use program::{fresh, in_folder, json_of, refused, run_other};
use serde_json::{Value, json};

fn value(report: &Value, row: &str, metric: &str) -> f64 {
    let rows = report["rows"].as_array().unwrap();
    let row = rows.iter().find(|it| it["setting"] == row).unwrap();
    row["metrics"][metric]["value"].as_f64().unwrap()
}

#[test]
fn sokoban_has_the_figures_of_the_paper_for_each_estimator() {
    let arguments = ["sokoban", "--mistakes", "0.3", "--cap", "900", "--count", "40", "--json"];
    let report = json_of("play", &[&arguments[..], &["--resamples", "0"]].concat());
    // Seeds 123 to 162 all give rooms.
    assert_eq!(report["runs"]["n_runs"], 40);
    for figure in
        ["macro_f1_first_turn", "macro_f1_all_turns", "fail_f1", "hit_rate", "interval_reward"]
    {
        for by in ["linear", "quantile", "conformal"] {
            let share = value(&report, &format!("total_tokens, {by}"), figure);
            assert!((0.0..=1.0).contains(&share), "{by} {figure}: {share}");
        }
    }
    let again = json_of("play", &[&arguments[..], &["--resamples", "0"]].concat());
    assert_eq!(report, again);
}

#[test]
fn runs_and_answers_are_read_by_budget_which_calibrates_them() {
    let folder = in_folder("played");
    let arguments = ["sokoban", "--ask", "--count", "128", "--resamples", "0", "--output", &folder];
    let output = run_other("play", &arguments);
    assert!(output.status.success(), "{output:?}");
    let file = |name: &str| format!("{folder}/{name}");
    let (runs, answers) = (file("rollouts.jsonl"), file("estimates.jsonl"));
    // One of the seeds gives no room.
    assert_eq!(fs::read_to_string(&runs).unwrap().lines().count(), 127);
    let given = [&runs, "--estimator", &answers, "--lenient", "--resource", "total_tokens"];
    let coverage = |more: &[&str]| {
        let report = json_of("budget", &[&given[..], more, &["--resamples", "0"]].concat());
        report["coverage"]["value"].as_f64().or_else(|| report["coverage"].as_f64()).unwrap()
    };
    let [plain, calibrated] = [coverage(&[]), coverage(&["--calibrate"])];
    assert!(plain < 0.5 && (0.7..0.9).contains(&calibrated), "{plain} {calibrated}");
    let alone = run_other("budget", &[&runs, "--calibrate"]);
    refused(&alone, "--estimator FILE");
}

#[test]
fn the_warehouse_has_three_resources_and_their_joint_hits() {
    let report = json_of("play", &["warehouse", "--count", "24", "--resamples", "0"]);
    for name in ["time_weeks", "warehouse_item_weeks", "cumulative_cost_usd"] {
        assert!((0.0..=1.0).contains(&value(&report, &format!("{name}, quantile"), "hit_rate")));
    }
    let joint = value(&report, "all resources, quantile", "joint_hit_rate");
    assert!(joint <= value(&report, "cumulative_cost_usd, quantile", "hit_rate"), "{joint}");
    assert!(report["conclusion"][0].as_str().unwrap().starts_with("base-stock earned "));
}

#[test]
fn a_target_is_the_goal_of_a_run_and_released_probes_are_drawn_by_another_rule() {
    let report = |more: &[&str]| {
        let arguments =
            [&["warehouse", "--count", "16", "--json", "--resamples", "0"], more].concat();
        json_of("play", &arguments)
    };
    let rate =
        |dollars: &str| report(&["--target", dollars])["runs"]["success_rate"]["value"].as_f64();
    assert_eq!((rate("0"), rate("1e12")), (Some(1.0), Some(0.0)));
    let probed = report(&[]);
    assert!(probed["runs"].get("success_rate").is_none());
    assert!(probed["rows"][0]["metrics"].get("success_rate").is_none());
    assert_ne!(report(&["--probe-method", "released"])["rows"], probed["rows"]);
}

#[test]
fn one_run_has_a_report_whatever_is_asked_of_it() {
    let of_sokoban = [
        &["--cap", "10"][..],
        &["--cap", "1", "--ask", "--stop-after", "1"],
        &["--mistakes", "1", "--ask", "--show-answers"],
        &[],
    ];
    let of_warehouse = [
        &["--target", "10"][..],
        &["--target", "10", "--cap", "1", "--ask", "--stop-after", "1"],
        &["--ask", "--stop-after", "1"],
        &["--probe-method", "released"],
        &["--stocked"],
        &[],
    ];
    let all = [("sokoban", &of_sokoban[..]), ("warehouse", &of_warehouse[..])];
    for (name, cases) in all {
        for case in cases {
            for count in ["1", "2"] {
                let words =
                    [&[name, "--json", "--resamples", "10", "--count", count], *case].concat();
                let report = json_of("play", &words);
                assert!(!report["conclusion"][0].is_null(), "{words:?}: {report}");
            }
        }
    }
}

#[test]
fn runs_of_a_warehouse_without_a_target_are_no_successes() {
    for (name, more, outcome) in
        [("aimless", &[][..], Value::Null), ("aimed", &["--target", "0"][..], json!(true))]
    {
        let folder = fresh(name);
        let words = [&["warehouse", "--count", "3", "--resamples", "0", "--output", &folder], more]
            .concat();
        assert!(run_other("play", &words).status.success());
        let runs = json_of("logs", &[&format!("{folder}/runs")]);
        for run in runs["runs"].as_array().unwrap() {
            assert_eq!(run["scores"].get("reward").is_some(), outcome.is_null(), "{run}");
        }
        for entry in fs::read_dir(format!("{folder}/runs")).unwrap() {
            let text = fs::read_to_string(entry.unwrap().path()).unwrap();
            let run: Value = serde_json::from_str(&text).unwrap();
            let kept = run["extra"]["run_logs"].get("outcome").unwrap_or(&Value::Null);
            assert_eq!(*kept, outcome, "{text}");
        }
    }
}
