//! The program as its users run it: figures out, or one line on standard error and exit code 2.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod program;

use std::fs;

use program::{
    bundled, has, in_folder, json, noted, recorded_stream, refusal, refused, run, says, shown,
    write,
};
use serde_json::{Value, json};

const GOOD: &str = r#"{"id":"a","forecasts":[0.5,0.7],"outcome":true,"stop":"completed"}"#;

#[test]
fn a_bare_nan_or_infinity_is_a_fault_of_its_run_under_every_policy_but_refuse() {
    for (word, fault) in [
        ("NaN", "NaN"),
        ("nan", "NaN"),
        ("Infinity", "inf, outside [0, 1]"),
        ("-Infinity", "-inf, outside [0, 1]"),
        ("1e999", "inf, outside [0, 1]"),
        ("-1e999", "-inf, outside [0, 1]"),
    ] {
        let row = format!(
            r#"{{"id":"NaN \" 1e999","loss":{word},"forecasts":[0.5, {word} ],"outcome":true}}"#
        );
        let path = write(&format!("bare_{word}.jsonl"), &format!("{GOOD}\n{row}\n"));
        refusal(&run(&[&path]), word);

        let left_out = json(&[&path, "--missing", "leave-out"]);
        assert_eq!(left_out["n"], 1, "{word}");
        assert_eq!(left_out["missing"]["left_out_runs"], 1, "{word}");
        noted(&left_out, &format!("forecasts[1] in {path}:2: {fault}"));

        let carried = json(&[&path, "--missing", "carry-forward"]);
        assert_eq!((&carried["n"], &carried["missing"]["carried"]), (&2.into(), &1.into()));

        if fault == "NaN" {
            refused(
                &run(&[&path, "--percent=no", "--missing", "clip"]),
                &format!("{path}:2: field forecasts[1]: NaN; "),
            );
        } else {
            let clipped = json(&[&path, "--missing", "clip"]);
            assert_eq!((&clipped["n"], &clipped["missing"]["clipped"]), (&2.into(), &1.into()));
        }
    }
}

/// Four runs of which only the first can be scored as it is.
fn with_bad_forecasts(name: &str) -> String {
    let rows = [
        GOOD,
        r#"{"id":"b","forecasts":[0.5,1.25,0.7],"outcome":true}"#,
        r#"{"id":"c","forecasts":[null,0.5],"outcome":false}"#,
        r#"{"id":"d","forecasts":[0.25,null,null],"outcome":false}"#,
    ];
    write(name, &rows.join("\n"))
}

#[test]
fn by_default_one_bad_forecast_refuses_the_file() {
    let path = with_bad_forecasts("bad.jsonl");
    for arguments in
        [&[&path, "--percent=no", "--json"][..], &[&path, "--percent=no", "--missing", "refuse"]]
    {
        let error = refusal(&run(arguments), "bad");
        let expected = "bad.jsonl:2: field forecasts[1]: 1.25, outside [0, 1]; --missing offers";
        assert!(error.contains(expected), "{error}");
    }
    // A value that is missing cannot be clipped.
    refused(
        &run(&[&path, "--percent=no", "--missing", "clip"]),
        "bad.jsonl:3: field forecasts[0]: missing; --missing offers",
    );
    assert_eq!(json(&["--resamples", "0"])["files"][0]["missing"]["policy"], "refuse");
}

#[test]
fn a_policy_says_what_becomes_of_bad_forecasts_and_the_report_counts_them() {
    let path = with_bad_forecasts("bad_by_policy.jsonl");
    let report = |policy: &str| {
        let options = ["--percent=no", "--resamples=0", "--schedule=uniform", "--missing", policy];
        json(&[&[path.as_str()][..], &options].concat())
    };
    let note = |report: &Value| {
        let notes = report["notes"].as_array().unwrap().clone();
        let start = "forecasts that are missing or outside [0, 1], treated by --missing ";
        notes
            .iter()
            .filter_map(Value::as_str)
            .find_map(|note| note.strip_prefix(start))
            .unwrap()
            .to_owned()
    };
    let good = f64::midpoint(0.5_f64.ln(), 0.7_f64.ln());

    let left_out = report("leave-out");
    let counts = json!({
        "policy": "leave_out", "runs": 4, "left_out_runs": 3, "repaired_runs": 0, "clipped": 0, "carried": 0,
        "skipped": 0
    });
    assert_eq!((&left_out["missing"], &left_out["n"]), (&counts, &1.into()));
    assert!((left_out["tps_log"]["value"].as_f64().unwrap() - good).abs() < 1e-15);
    assert_eq!(
        note(&left_out),
        format!(
            "leave-out: 4 runs: 0 repaired (0 forecasts clipped, 0 carried forward, 0 skipped), 3 left out, the \
             first because of forecasts[1] in {path}:2: 1.25, outside [0, 1]"
        )
    );

    let carried = report("carry-forward");
    let counts = json!({
        "policy": "carry_forward", "runs": 4, "left_out_runs": 1, "repaired_runs": 2, "clipped": 0, "carried": 3,
        "skipped": 0
    });
    assert_eq!((&carried["missing"], &carried["n"]), (&counts, &3.into()));
    let second = (2.0 * 0.5_f64.ln() + 0.7_f64.ln()) / 3.0;
    let mean = (good + second + 0.75_f64.ln()) / 3.0;
    assert!((carried["tps_log"]["value"].as_f64().unwrap() - mean).abs() < 1e-15);

    let rows = [GOOD, r#"{"id":"b","forecasts":[-3,1.25],"outcome":true}"#].join("\n");
    let path = write("clipped.jsonl", &rows);
    let clipped = json(&[&path, "--percent=no", "--missing", "clip", "--resamples", "0"]);
    has(&clipped, json!({"missing": {"clipped": 2, "repaired_runs": 1}, "n": 2}));
}

#[test]
fn where_all_runs_are_left_out_figures_are_undefined_and_the_report_says_so() {
    let path = write("all_bad.jsonl", r#"{"id":"a","forecasts":[null],"outcome":true}"#);
    let report = json(&[&path, "--missing", "leave-out"]);
    assert_eq!((&report["n"], &report["tps_log"]["value"]), (&0.into(), &Value::Null));
    assert_eq!(report["missing"]["left_out_runs"], 1);
}

#[test]
fn counts_of_several_files_are_added_up() {
    let paths = [with_bad_forecasts("bad_1.jsonl"), with_bad_forecasts("bad_2.jsonl")];
    let report =
        json(&[&paths[0], &paths[1], "--percent=no", "--pool", "--missing", "carry-forward"]);
    assert_eq!((&report["missing"]["runs"], &report["missing"]["carried"]), (&8.into(), &6.into()));
    assert_eq!(report["files"][1]["missing"]["carried"], 3);
}

#[test]
fn stop_reasons_that_are_not_known_are_listed_with_the_number_of_their_runs() {
    let row = |id: usize, outcome: &str, stop: &str| {
        format!(r#"{{"id":"{id}","forecasts":[0.5],"outcome":{outcome},"stop":"{stop}"}}"#)
    };
    let rows = [
        row(1, "null", "an own word"),
        row(2, "null", "another one"),
        row(3, "true", "another one"),
        row(4, "null", "max_steps"),
        row(5, "false", "completed"),
    ];
    let path = write("stops.jsonl", &rows.join("\n"));
    let expected = "stop: reasons that are not known: \"another one\" (2), \"an own word\" (1); 2 of 3 \
                    such runs have no outcome and are excluded; if a budget ended them, write \
                    max_steps, max_tokens, max_time or max_cost";
    let report = json(&[&path, "--resamples", "0"]);
    assert!(report["notes"].as_array().unwrap().contains(&expected.into()), "{report}");
    let text = String::from_utf8(run(&[&path, "--resamples", "0"]).stdout).unwrap();
    assert!(text.contains(&format!("note: {expected}\n")), "{text}");
    let judged = write("judged.jsonl", &rows[2]);
    let report = json(&[&judged, "--resamples", "0"]);
    noted(&report, "(1); all their runs have an outcome and are scored");
    let notes = json(&["--resamples", "0"])["files"][0]["notes"].to_string();
    assert!(!notes.contains("stop: "), "{notes}");
}

#[test]
fn undefined_metrics_are_null_and_say_why() {
    let path = write("one_class.jsonl", &format!("{GOOD}\n"));
    let report = json(&[&path, "--resamples", "50"]);
    let undefined = json!({"value": null, "ci_low": null, "ci_high": null, "standard_error": null});
    assert_eq!(report["auroc"], undefined);
    let notes = report["notes"].as_array().unwrap();
    let why = |start: &str| notes.iter().any(|note| note.as_str().unwrap().starts_with(start));
    assert!(why("auroc: all outcomes are successes"), "{notes:?}");
    assert!(why("average_precision: "), "{notes:?}");
    assert!(report["tps_log"]["value"].is_f64());

    let excluded = r#"{"id":"a","forecasts":[0.5],"outcome":null}"#;
    let path = write("nothing.jsonl", &format!("{excluded}\n"));
    let report = json(&[&path]);
    assert_eq!((&report["n"], &report["n_excluded"]), (&0.into(), &1.into()));
    assert_eq!(report["base_rate"], Value::Null);
    assert_eq!(report["tps_log"]["value"], Value::Null);
}

#[test]
fn truth_wins_under_the_trajectory_score_and_ties_under_rank_metrics_on_the_bundled_data() {
    let reports = json(&["--resamples", "20"]);
    let value =
        |file: usize, metric: &str| reports["files"][file][metric]["value"].as_f64().unwrap();
    let [truthful, overconfident, constant] = [0, 1, 2];
    for metric in ["tps_log", "tps_brier", "tps_beta_2_4", "tps_log_censored_simple"] {
        assert!(value(truthful, metric) > value(overconfident, metric), "{metric}");
        assert!(value(truthful, metric) > value(constant, metric), "{metric}");
    }
    for metric in ["auroc", "average_precision", "aurc"] {
        let (truth, other) = (value(truthful, metric), value(overconfident, metric));
        assert!((truth - other).abs() < 1e-12, "{metric}: {truth} {other}");
    }
    assert!(value(truthful, "t_ece") > value(constant, "t_ece"));
}

#[test]
fn a_censored_run_enters_the_censored_score_only() {
    let rows = [
        GOOD,
        r#"{"id":"b","forecasts":[0.5],"outcome":false}"#,
        r#"{"id":"c","forecasts":[0.5,0.5],"outcome":null,"stop":"max_steps","horizon":4}"#,
        r#"{"id":"d","forecasts":[0.5],"outcome":null,"stop":"parse_error"}"#,
    ];
    let path = write("mixed.jsonl", &rows.join("\n"));
    let report = json(&[&path, "--schedule", "uniform"]);
    let counts = ["n", "n_censored", "n_excluded"].map(|name| report[name].as_u64().unwrap());
    assert_eq!(counts, [2, 1, 1]);
    assert_eq!(report["excluded"]["parse_error"], 1);
    let half = 0.5_f64.ln();
    let complete = [(half + 0.7_f64.ln()) / 2.0, half];
    let value = |name: &str| report[name]["value"].as_f64().unwrap();
    assert!((value("tps_log") - (complete[0] + complete[1]) / 2.0).abs() < 1e-15);
    let all = (complete[0] + complete[1] + half / 2.0) / 3.0;
    assert!((value("tps_log_censored_simple") - all).abs() < 1e-15);
}

#[test]
fn a_completed_run_without_an_outcome_is_read_as_unjudged_and_noted() {
    let rows = [
        GOOD,
        r#"{"id":"b","forecasts":[0.5],"outcome":false}"#,
        r#"{"id":"c","forecasts":[0.5],"outcome":null,"stop":"stop"}"#,
        r#"{"id":"d","forecasts":[0.5],"outcome":null,"stop":"completed"}"#,
    ];
    let path = write("unjudged.jsonl", &rows.join("\n"));
    let report = json(&[&path, "--schedule", "uniform"]);
    assert_eq!((report["n"].as_u64(), report["n_excluded"].as_u64()), (Some(2), Some(2)));
    assert_eq!(report["excluded"]["unjudged"], 2);
    let notes = report["notes"].as_array().unwrap();
    let said =
        |note: &&Value| note.as_str().unwrap().contains("2 runs completed without an outcome");
    assert_eq!(notes.iter().filter(said).count(), 1, "{notes:?}");
}

#[test]
fn the_same_file_twice_says_no_more_than_once() {
    let path = bundled("demo_truthful.jsonl");
    let once = json(&[&path, "--resamples", "100", "--calibrate", "platt"]);
    let twice = json(&[&path, &path, "--pool", "--resamples", "100", "--calibrate", "platt"]);
    assert_eq!(twice["n"].as_u64(), once["n"].as_u64().map(|n| 2 * n));
    for metric in ["tps_log", "auroc"] {
        for end in ["value", "ci_low", "ci_high"] {
            let [once, twice] = [&once, &twice].map(|report| report[metric][end].as_f64().unwrap());
            assert!((once - twice).abs() < 1e-12, "{metric} {end}: {once} {twice}");
        }
    }
}

/// Whether both ends of a figure are undefined, in the report and in its reference.
fn has_no_interval(report: &Value, metric: &str) -> bool {
    [report, &report["base_rate_reference"]].iter().all(|estimates| {
        estimates[metric]["value"].is_f64()
            && ["ci_low", "ci_high"].iter().all(|end| estimates[metric][end].is_null())
    })
}

#[test]
fn metrics_of_complete_runs_of_one_cluster_have_no_interval_beside_a_censored_run_of_another() {
    let rows = [
        r#"{"id":"a","task":"t","forecasts":[0.2],"outcome":true}"#,
        r#"{"id":"b","task":"t","forecasts":[0.5],"outcome":false}"#,
        r#"{"id":"c","task":"u","forecasts":[0.5],"outcome":null,"stop":"max_steps","horizon":3}"#,
    ];
    let one_task = write("one_task_and_censored.jsonl", &rows.join("\n"));
    let one_run = write("one_run_and_censored.jsonl", &[rows[0], rows[2]].join("\n"));
    for arguments in
        [&[one_task.as_str(), "--cluster-by", "task-only", "--json"][..], &[&one_run, "--json"]]
    {
        let report = json(arguments);
        for metric in ["tps_log", "tps_brier", "tps_beta_2_4", "aurc", "t_ece", "t_brier"] {
            assert!(has_no_interval(&report, metric), "{metric}: {report}");
        }
        // With the censored run there are two tasks or runs, which is too few as well.
        assert!(report["tps_log_censored_simple"]["ci_low"].is_null(), "{report}");
        let notes = report["notes"].to_string();
        let note = "no intervals: 1 cluster; a 95 % interval needs at least 6";
        assert_eq!(notes.matches(note).count(), 1, "{notes}");
        let note =
            "tps_log_censored_simple: no interval: 2 clusters; a 95 % interval needs at least 6";
        assert!(notes.contains(note), "{notes}");
        let text = String::from_utf8(run(&arguments[..arguments.len() - 1]).stdout).unwrap();
        let mut rows = text.lines().filter(|line| line.starts_with("tps_log (+)"));
        assert!(rows.clone().count() == 2 && rows.all(|row| row.contains("[undefined]")), "{text}");
    }
    let report = json(&[&one_task, "--cluster-by", "task-only"]);
    assert!(has_no_interval(&report, "auroc"), "{report}");
}

#[test]
fn one_resample_makes_no_interval() {
    let report = json(&[&bundled("demo_truthful.jsonl"), "--resamples", "1"]);
    for metric in ["tps_log", "tps_log_censored_simple", "auroc", "t_brier"] {
        assert!(has_no_interval(&report, metric), "{metric}: {report}");
    }
}

#[test]
fn recorded_runs_are_scored_whole_and_unjudged_ones_are_counted_not_scored() {
    let cases = [
        ("phmforge_token_probability", 225, 0),
        ("debate_verbal_confidence", 104, 374),
        ("basketball_win_probability", 783, 0),
        ("worldcup_win_probability", 180, 0),
    ];
    for (name, complete, excluded) in cases {
        let Some(path) = recorded_stream(name) else { continue };
        for calibration in ["none", "platt", "isotonic"] {
            let options = ["--cluster-by=task-only", "--resamples=100", "--calibrate", calibration];
            let report = json(&[&[path.as_str()][..], &options].concat());
            assert_eq!(report["n"], complete, "{name}");
            assert_eq!(report["n_censored"], 0, "{name}");
            assert_eq!(report["n_excluded"], excluded, "{name}");
            for metric in ["tps_log", "tps_brier", "auroc", "average_precision", "aurc"] {
                let estimate = &report[metric];
                let [value, low, high] =
                    ["value", "ci_low", "ci_high"].map(|end| estimate[end].as_f64().unwrap());
                assert!(low <= high && value.is_finite(), "{name} {metric}: {estimate}");
            }
            let reference = report["base_rate_reference"]["auroc"]["value"].as_f64();
            assert_eq!(reference, Some(0.5), "{name}");
        }
        // A live win probability by a good model beats the base rate; the others do not.
        let report = json(&[&path, "--resamples", "0"]);
        let tps = |report: &Value| report["tps_log"]["value"].as_f64().unwrap();
        let better = tps(&report) > tps(&report["base_rate_reference"]);
        assert_eq!(better, name.ends_with("win_probability"), "{name}");
    }
}

#[test]
fn auroc_depends_on_the_summary_and_no_trajectory_score_does() {
    let file = bundled("demo_truthful.jsonl");
    let of = |summary: &[&str]| json(&[&[file.as_str(), "--resamples", "20"], summary].concat());
    let default = of(&[]);
    assert_eq!(default["summary"], "linear-front");
    let names: Vec<&String> = default["summaries"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["last", "linear-front", "mean", "minimum"]);
    let mut found = Vec::new();
    for summary in names {
        let report = of(&["--summary", summary]);
        assert_eq!(report["summary"], **summary);
        assert_eq!(report["summaries"], default["summaries"]);
        for metric in ["auroc", "average_precision", "aurc", "t_ece", "t_brier"] {
            assert_eq!(
                report[metric]["value"], report["summaries"][summary][metric]["value"],
                "{metric}"
            );
            assert_eq!(report[metric]["ci_low"].is_f64(), metric != "t_ece", "{metric}");
        }
        for metric in ["tps_log", "tps_brier", "tps_beta_2_4", "tps_log_censored_simple"] {
            assert_eq!(report[metric], default[metric], "{metric} under {summary}");
        }
        found.push(report["auroc"]["value"].as_f64().unwrap());
    }
    found.sort_by(f64::total_cmp);
    assert!(found[3] - found[0] > 0.05, "{found:?}");

    let text = String::from_utf8(run(&[&file]).stdout).unwrap();
    says(&text, "auroc by summary of a run's forecasts (trajectory scores use no summary)");
    // Without complete runs there is nothing to summarize.
    let none = write(
        "no_complete_run.jsonl",
        r#"{"id":"a","forecasts":[0.5],"outcome":null,"stop":"max_steps"}"#,
    );
    assert_eq!(json(&[&none])["summaries"], json!({}));
}

#[test]
fn the_simple_censored_score_states_its_assumption() {
    let cut_off = r#"{"id":"b","forecasts":[0.5],"outcome":null,"stop":"max_time","horizon":3}"#;
    let path = write("assumption.jsonl", &[GOOD, cut_off].join("\n"));
    let (page, words) = (in_folder("assumption.html"), "counts as a certain failure");
    for form in [&["--html", &page][..], &["--markdown"]] {
        says(&shown("traces", &[&[&*path], form].concat()), words);
    }
    says(&fs::read_to_string(page).unwrap(), words);
    let assumption = &json(&[&path])["assumptions"]["tps_log_censored_simple"];
    assert!(assumption.as_str().is_some_and(|it| it.starts_with("failure-side")), "{assumption}");
}
