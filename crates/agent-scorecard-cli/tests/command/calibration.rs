//! The program as its users run it: figures out, or one line on standard error and exit code 2.

use crate::program::{self, json_of, noted, recorded_stream, refused, run_other, write};
use serde_json::Value;

fn bundled(name: &str) -> String {
    program::bundled(&format!("demo_{name}.jsonl"))
}

fn json(arguments: &[&str]) -> Value {
    json_of("traces --change", arguments)
}

fn run(arguments: &[&str]) -> std::process::Output {
    run_other("traces --change", arguments)
}

fn number(file: &Value, metric: &str, field: &str) -> f64 {
    let found = &file["metrics"][metric][field];
    found.get("value").unwrap_or(found).as_f64().unwrap()
}

#[test]
fn the_standard_errors_of_one_task_are_undefined_and_a_note_says_why() {
    let rows: Vec<String> = (0..12)
        .map(|i| {
            format!(
                r#"{{"id":"{i}","task":"t","forecasts":[0.{}],"outcome":{}}}"#,
                i % 4 + 3,
                i % 3 == 0
            )
        })
        .collect();
    let one_task = write("one_task.jsonl", &rows.join("\n"));
    let report = json(&[&one_task, "--resamples", "20"]);
    let file = &report["files"][0];
    assert_eq!((&file["n"], &file["n_tasks"]), (&12.into(), &1.into()));
    let of = |metric: &str| file["metrics"][metric].as_object().unwrap().clone();
    for metric in ["tps_log", "auroc", "t_brier"] {
        let change = of(metric);
        let number = |field: &str| change[field]["value"].as_f64().unwrap();
        assert!((number("calibrated") - number("raw") - number("change")).abs() < 1e-15);
        assert!(change["change"]["standard_error"].is_null());
        assert!(change["change_in_standard_errors"].is_null());
    }
    noted(file, "standard errors: undefined, because whole tasks are resampled");

    let two_tasks = write("one_task_and_two.jsonl", &rows.join("\n").replacen("\"t\"", "\"u\"", 1));
    refused(&run(&[&two_tasks]), "--halves runs");
    let same = json(&[&two_tasks, "--resamples", "20", "--halves", "runs"]);
    for field in ["raw", "calibrated", "change"] {
        let same = &same["files"][0]["metrics"]["tps_log"][field];
        assert_eq!(of("tps_log")[field]["value"], same["value"]);
    }
}

#[test]
fn calibration_mends_the_overconfident_stream_and_no_rank() {
    let report = json(&["--resamples", "200"]);
    let [overconfident, truthful] = [0, 1].map(|i| report["files"][i].clone());
    assert!(overconfident["file"].as_str().unwrap().ends_with("demo_overconfident.jsonl"));
    assert_eq!((&overconfident["n"], &overconfident["n_excluded"]), (&334.into(), &10.into()));
    assert!(number(&overconfident, "tps_log", "change_in_standard_errors") > 3.0);
    assert!(number(&overconfident, "auroc", "change") < 0.0);
    assert!(number(&truthful, "tps_log", "change") < 0.0, "there was nothing to mend");
    for metric in ["tps_log", "auroc"] {
        let of = |field| number(&overconfident, metric, field);
        assert!((of("calibrated") - of("raw") - of("change")).abs() < 1e-15);
    }
    let t_ece = &overconfident["metrics"]["t_ece"];
    assert!(number(&overconfident, "t_ece", "calibrated") < number(&overconfident, "t_ece", "raw"));
    assert!(t_ece["change"]["value"].is_null() && t_ece["change_in_standard_errors"].is_null());
}

#[test]
fn the_raw_figures_are_those_of_traces() {
    let file = bundled("overconfident");
    let report = json(&[&file, "--resamples", "2"]);
    let scored = json_of("traces", &[&file, "--resamples", "0"]);
    // Metrics of ranks are means of those within the halves.
    for metric in ["tps_log", "tps_brier", "tps_beta_2_4", "t_ece", "t_brier"] {
        assert_eq!(
            report["files"][0]["metrics"][metric]["raw"]["value"], scored[metric]["value"],
            "{metric}"
        );
    }
}

#[test]
fn on_recorded_runs_the_trajectory_score_sees_what_ranks_do_not() {
    // As docs/findings.md has it: file, complete runs, tasks, tps_log change, whether it is beyond
    // noise, AUROC change.
    let cases = [
        ("phmforge_token_probability", 225, 75, 0.571, true, 0.078),
        ("debate_verbal_confidence", 104, 52, 0.230, true, -0.001),
        ("basketball_win_probability", 783, 736, 0.001, false, 0.001),
        ("worldcup_win_probability", 180, 174, -0.010, false, 0.003),
    ];
    for (name, n, tasks, tps_log, beyond_noise, auroc) in cases {
        let Some(path) = recorded_stream(name) else { continue };
        let report = json(&[&path, "--resamples", "1000"]);
        let file = &report["files"][0];
        assert_eq!((&file["n"], &file["n_tasks"]), (&n.into(), &tasks.into()), "{name}");
        for (metric, printed) in [("tps_log", tps_log), ("auroc", auroc)] {
            let change = number(file, metric, "change");
            assert!((change - printed).abs() <= 0.0005, "{name} {metric}: {change}");
        }
        assert_eq!(
            number(file, "tps_log", "change_in_standard_errors").abs() > 2.0,
            beyond_noise,
            "{name}"
        );
        let [score, rank] =
            ["tps_log", "auroc"].map(|it| number(file, it, "change_in_standard_errors").abs());
        assert!(rank < 3.0 && (!beyond_noise || rank < 0.5 * score), "{name}: {rank} {score}");
    }
}

#[test]
fn bad_forecasts_follow_the_policy_and_are_counted() {
    let rows: Vec<String> = (0..12)
        .map(|i| {
            let second = ["0.7", "null", "1.5"][i % 3];
            format!(
                r#"{{"id":"{i}","task":"{i}","forecasts":[0.{},{second}],"outcome":{}}}"#,
                i % 4 + 3,
                i % 2 == 0,
            )
        })
        .collect();
    let path = write("bad_forecasts.jsonl", &rows.join("\n"));
    refused(&run(&[&path]), "bad_forecasts.jsonl:2: field forecasts[1]: missing");
    let as_shares = ["--json", "--percent=no", "--resamples", "20", "--missing"];
    let doubtful = "bad_forecasts.jsonl:3: field forecasts[1]: 4 of 20 values";
    refused(&run(&[&path, "--missing", "leave-out"]), doubtful);
    let report = json(&[&[path.as_str()], &as_shares[..], &["carry-forward"]].concat());
    let file = &report["files"][0];
    assert_eq!((&file["n"], &file["missing"]["carried"]), (&12.into(), &8.into()));
    let note = file["notes"].as_array().unwrap().iter().filter_map(serde_json::Value::as_str);
    assert_eq!(note.filter(|note| note.starts_with("forecasts that are missing")).count(), 1);
    let report = json(&[&[path.as_str()], &as_shares[..], &["leave-out"]].concat());
    assert_eq!(report["files"][0]["n"], 4);
}

#[test]
fn the_log_score_moves_while_all_ranks_stand_still() {
    let report = json(&["--resamples", "2"]);
    let ranks = &report["files"][0]["fixed_ranks"];
    let of = |key: &str| ranks[key].as_f64().unwrap();
    let scores = ["identity", "affine", "square_root", "square", "platt"].map(of);
    let [low, high] = [
        scores.iter().copied().fold(f64::INFINITY, f64::min),
        scores.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    ];
    assert!((of("span") - (high - low)).abs() < 1e-12 && of("span") > 0.05, "{ranks}");
    assert!((0.5..1.0).contains(&of("auroc")), "{ranks}");
}
