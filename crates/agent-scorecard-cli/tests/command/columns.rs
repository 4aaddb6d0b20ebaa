//! Several files, models and streams: a column each, compared where that can be done, and pooled only if
//! asked for.

use std::{fs, path::Path};

use crate::program::{
    bundled, exchange, has, in_folder, json_of, noted, refusal, refused, run_line, run_other,
    shown, write,
};
use serde_json::{Value, json};

/// A fraction that follows from two numbers.
fn fraction(seed: u64, at: u64) -> f64 {
    let mut x = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(at + 1);
    for _ in 0..3 {
        x ^= x >> 30;
        x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    }
    (x >> 11) as f64 / (1_u64 << 53) as f64
}

/// Runs of a calibrated forecaster on tasks `from..`, in a file.
fn calibrated(name: &str, seed: u64, runs: u64, tasks: u64, from: u64) -> String {
    let line = |run: u64| {
        let p = 0.05 + 0.9 * fraction(seed, 2 * run);
        let (task, outcome) = (from + run % tasks, fraction(seed, 2 * run + 1) < p);
        format!(
            r#"{{"id":"r{run}","task":"t{task}","forecasts":[{p:.3},{p:.3}],"outcome":{outcome}}}"#
        )
    };
    write(name, &(0..runs).map(line).collect::<Vec<_>>().join("\n"))
}

/// A log of 30 runs of one call each by a model that always states the same confidence.
fn log(name: &str, model: &str, seed: u64, stated: f64) -> String {
    let line = |run: u64| {
        let run = format!(
            r#""id": "s{run}", "task": "t{run}", "outcome": {}"#,
            fraction(seed, run) < 0.6
        );
        let reply = format!("<confidence>{stated}</confidence>");
        exchange(&run, &[&reply], &format!(r#""model": "{model}", "#))
    };
    write(name, &(0..30).map(line).collect::<Vec<_>>().join("\n"))
}

/// These runs without the names of their tasks.
fn without_tasks(text: &str) -> String {
    let without = |line: &str| {
        let mut run: Value = serde_json::from_str(line).unwrap();
        run.as_object_mut().unwrap().remove("task");
        run.to_string()
    };
    text.lines().map(without).collect::<Vec<_>>().join("\n")
}

fn of(report: &Value, pointer: &str) -> f64 {
    report.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer}: {report}"))
}

#[test]
fn the_difference_of_two_files_with_other_outcomes_is_computed_and_not_subtracted() {
    let a = calibrated("first.jsonl", 1, 120, 60, 0);
    for (name, from, pairing, shared) in [
        ("same_tasks.jsonl", 0, "tasks", 60),
        ("some.jsonl", 40, "tasks", 20),
        ("none.jsonl", 60, "none", 0),
    ] {
        let b = calibrated(name, 2, 120, 60, from);
        let words = [&a, &b, "--resamples", "200"];
        let report = json_of("traces", &words);
        let difference = &report["difference"];
        has(difference, json!({"pairing": pairing, "n_shared_tasks": shared}));
        for metric in ["tps_log", "tps_log_censored_simple", "auroc"] {
            let value = of(&report, &format!("/difference/{metric}/value"));
            let [first, second] =
                [0, 1].map(|i| of(&report, &format!("/files/{i}/{metric}/value")));
            assert!((value - (second - first)).abs() < 1e-12, "{metric}");
            let [low, high] = ["ci_low", "ci_high"]
                .map(|end| of(&report, &format!("/difference/{metric}/{end}")));
            assert!(low < value && value < high, "{metric}");
            assert!(of(&report, &format!("/difference/{metric}/standard_error")) > 0.0);
            let [of_first, of_second] =
                [0, 1].map(|i| of(&report, &format!("/files/{i}/{metric}/ci_high")));
            // The whole interval is wider than what its ends are apart.
            assert!(high > of_second - of_first, "{metric}");
        }
        let limit = of(&report, "/difference/tps_log/ci_high");
        for (condition, code) in [
            (format!("difference.tps_log.ci_high < {}", limit + 1e-9), 1),
            (format!("difference.tps_log.ci_high < {}", limit - 1e-9), 0),
        ] {
            let output = run_other("traces", &[&words[..], &["--fail-if", &condition]].concat());
            assert_eq!(output.status.code(), Some(code), "{condition}");
        }
        let table = shown("traces", &words);
        let stem = name.trim_end_matches(".jsonl");
        let heading = match shared {
            0 => format!("difference: {stem} minus first, not paired"),
            shared => format!("difference: {stem} minus first, paired by task, {shared} shared"),
        };
        assert!(table.contains(&heading), "{table}");
    }
}

#[test]
fn the_same_runs_are_paired_by_run_and_their_interval_is_narrower() {
    let files = ["demo_truthful.jsonl", "demo_overconfident.jsonl"].map(bundled);
    let report = json_of("traces", &[&files[0], &files[1], "--resamples", "100"]);
    assert_eq!(report["difference"]["pairing"], "runs");
    let width = |pointer: &str| {
        of(&report, &format!("{pointer}/ci_high")) - of(&report, &format!("{pointer}/ci_low"))
    };
    let apart = width("/files/0/tps_log").hypot(width("/files/1/tps_log"));
    assert!(width("/difference/tps_log") < 0.7 * apart);
}

/// A call, a condition on a difference that it does not compute, and the reason.
const NO_DIFFERENCE: &str = "
traces nd_a.jsonl nd_b.jsonl --resamples 9 | t_ece > 0 | a difference of T-ECEs is undefined: each is biased upwards
traces nd_a.jsonl nd_b.jsonl --resamples 0 | tps_log < 9 | at least 2 resamples are needed
traces nd_a.jsonl nd_one.jsonl --resamples 9 | tps_log.ci_high < 9 | a column has runs of only one task
traces nd_a.jsonl nd_b.jsonl nd_one.jsonl --resamples 9 | tps_log < 9 | exactly two columns
budget bundled:/demo_rollouts.jsonl bundled:/demo_rollouts.jsonl --resamples 9 | hit_rate < 9 | no difference was computed
paths bundled:/demo_tool_calls.jsonl bundled:/demo_tool_calls.jsonl | precision < 9 | no difference was computed";

#[test]
fn a_condition_on_a_difference_that_was_not_computed_is_wrong_input() {
    for (name, seed, tasks) in
        [("nd_a.jsonl", 1, 10), ("nd_b.jsonl", 2, 10), ("nd_one.jsonl", 3, 1)]
    {
        calibrated(name, seed, 30, tasks, 0);
    }
    for case in NO_DIFFERENCE.lines().skip(1) {
        let [call, condition, why] = case.split(" | ").collect::<Vec<_>>().try_into().unwrap();
        refused(&run_line(&format!("{call} --fail-if 'difference.{condition}'")), why);
    }
}

#[test]
fn several_files_are_not_pooled_unless_that_is_asked_for() {
    let traces = [calibrated("np_a.jsonl", 1, 30, 10, 0), calibrated("np_b.jsonl", 2, 30, 10, 0)];
    let rollouts = [
        bundled("demo_rollouts.jsonl"),
        write("np_rollouts.jsonl", &fs::read_to_string(bundled("demo_rollouts.jsonl")).unwrap()),
    ];
    let calls = [
        bundled("demo_tool_calls.jsonl"),
        write("np_calls.jsonl", &fs::read_to_string(bundled("demo_tool_calls.jsonl")).unwrap()),
    ];
    let cases: [(&str, &[String; 2], &[&str], &str); 3] = [
        ("traces", &traces, &["--resamples", "5"], "tps_log"),
        ("budget", &rollouts, &["--resamples", "5"], "hit_rate"),
        ("paths", &calls, &[], "precision"),
    ];
    // A limit that no value can pass would be refused.
    let limit = |key: &str| if key == "tps_log" { "-0.0001" } else { "0.99" };
    for (program, files, words, key) in cases {
        let words = [&[files[0].as_str(), &files[1]], words].concat();
        let report = json_of(program, &words);
        assert_eq!(report[key], Value::Null, "{program}");
        assert!(report.get("n").is_none() && report.get("curves").is_none(), "{program}");
        let pooled = json_of(program, &[&words[..], &["--pool"]].concat());
        assert!(!pooled[key].is_null(), "{program}");
        noted(&pooled, "over all columns together");
        assert_eq!(pooled["files"], report["files"], "{program}");
        let names = [0, 1].map(|i| report["files"][i]["name"].as_str().unwrap().to_owned());
        let none = run_other(
            program,
            &[&words[..], &["--fail-if", &format!("{key} < {}", limit(key))]].concat(),
        );
        let error = refusal(&none, program);
        let forms = format!("give files.{}.{key} or files.{}.{key}", names[0], names[1]);
        assert!(error.contains(&forms), "{error}");
        for column in ["1", &names[1]] {
            let condition = format!("files.{column}.{key} < {}", limit(key));
            let output = run_other(program, &[&words[..], &["--fail-if", &condition]].concat());
            assert_eq!(output.status.code(), Some(1), "{program} {condition}");
        }
    }
}

#[test]
fn every_model_of_a_log_is_a_column() {
    let (alpha, beta) =
        (log("alpha.jsonl", "alpha", 1, 0.6), log("beta.jsonl", "beta-1.5", 2, 0.9));
    let both = write(
        "both.jsonl",
        &[&alpha, &beta].map(|path| fs::read_to_string(path).unwrap()).join("\n"),
    );
    let folder = in_folder("models");
    fs::create_dir_all(&folder).unwrap();
    for path in [&alpha, &beta] {
        fs::copy(path, Path::new(&folder).join(Path::new(path).file_name().unwrap())).unwrap();
    }
    let alone = [&alpha, &beta].map(|path| {
        json_of("traces", &[path, "--resamples", "50"])["streams"]["stated_confidence"]["tps_log"].clone()
    });
    for (words, names) in [
        (&[both.as_str()][..], ["alpha", "beta-1.5"]),
        (&[folder.as_str()], ["alpha", "beta-1.5"]),
        (&[&alpha, &beta], ["alpha", "beta"]),
    ] {
        let words = [words, &["--resamples", "50"]].concat();
        let report = json_of("traces", &words);
        assert_eq!(report["streams"], Value::Null, "{words:?}");
        for (i, name) in names.into_iter().enumerate() {
            let column = &report["files"][i];
            assert_eq!(column["name"], name);
            assert_eq!(column["streams"]["stated_confidence"]["tps_log"], alone[i], "{name}");
            assert_eq!(column["notes"], json!([]), "{name}");
        }
        let difference = &report["difference"]["streams"]["stated_confidence"];
        has(difference, json!({"pairing": "tasks", "n_shared_tasks": 30}));
        for (key, code) in [
            (format!("files.{}.streams.stated_confidence.tps_log < 0", names[1]), 1),
            ("difference.streams.stated_confidence.tps_log.ci_low < 9".to_owned(), 1),
        ] {
            let output = run_other("traces", &[&words[..], &["--fail-if", &key]].concat());
            assert_eq!(output.status.code(), Some(code), "{key}");
        }
        let table = shown("traces", &words);
        let heading = format!("{}: stated_confidence", names[0]);
        assert!(table.contains(&heading) && table.contains("stated_confidence: "), "{table}");
    }
}

#[test]
fn every_model_of_a_file_of_paths_is_a_column() {
    let line = |model: &str, called: &str| {
        format!(
            r#"{{"id":"a","task":"t","model":"{model}","agent_calls":[{{"name":"{called}"}}],"expected_calls":[{{"name":"look"}}],"success":1}}"#
        )
    };
    let path = write("models.jsonl", &[line("m1", "look"), line("m2", "jump")].join("\n"));
    let report = json_of("paths", &[&path]);
    let found = [0, 1].map(|i| report["files"][i]["exact_match"]["value"].as_f64().unwrap());
    assert_eq!(found, [1.0, 0.0]);
    assert_eq!(
        [&report["files"][0]["model"], &report["exact_match"]],
        [&json!("m1"), &json!(null)]
    );
    let pooled = json_of("paths", &[&path, "--pool"]);
    assert_eq!(pooled["exact_match"]["value"], 0.5);
}

#[test]
fn runs_without_a_model_are_not_those_of_the_only_model_that_is_named() {
    let problem =
        |model: &str| format!(r#"{{"problem":"a"{model},"solved":1,"output_tokens":50}}"#);
    let run = |model: &str| {
        let turn = r#"{"input_tokens":1,"output_tokens":5}"#;
        format!(r#"{{"id":"r","task":"t"{model},"success":1,"turns":[{turn},{turn}]}}"#)
    };
    for (program, line) in [("triage", &problem as &dyn Fn(&str) -> String), ("budget", &run)] {
        let path = write(
            &format!("nobody-{program}.jsonl"),
            &[line(r#","model":"m""#), line("")].join("\n"),
        );
        let report = json_of(program, &[&path]);
        let names = [0, 1].map(|at| report["files"][at]["name"].clone());
        assert_eq!(names, ["m", "unknown model"], "{program}");
    }
}

#[test]
fn a_log_of_one_model_stays_one_column_where_runs_ended_before_a_reply() {
    let turn = r#"{"response":{"model":"m","choices":[{"message":{"content":"yes"}}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}}"#;
    let run = |at: usize| match at {
        12 => r#"{"id":"12","error":"crash","turns":[]}"#.to_owned(),
        13 => r#"{"id":"13","outcome":false,"turns":[]}"#.to_owned(),
        _ => {
            format!(r#"{{"id":"{at}","outcome":{},"turns":[{turn},{turn}]}}"#, at.is_multiple_of(2))
        }
    };
    let path = write("before-a-reply.jsonl", &(0..14).map(run).collect::<Vec<_>>().join("\n"));
    for program in ["compare", "budget"] {
        let account = &json_of(program, &[&path])["account"];
        let counts = ["n_found", "n_errors"].map(|key| account[key].as_u64());
        assert_eq!(counts, [Some(14), Some(1)], "{program}: {account}");
    }
}

/// The texts of a picture of a call.
fn drawn(program: &str, words: &[&str], name: &str) -> String {
    let path = in_folder(name);
    let output = run_other(program, &[words, &["--plot", &path]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(&path).unwrap();
    let document = roxmltree::Document::parse(&text).unwrap();
    let texts =
        document.descendants().filter_map(|node| node.is_text().then(|| node.text()).flatten());
    texts.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_picture_draws_every_column_with_its_name() {
    let copy = |name: &str, of: &str| write(name, &fs::read_to_string(bundled(of)).unwrap());
    let cases = [
        ("traces", "demo_truthful.jsonl", ""),
        ("traces --change", "demo_truthful.jsonl", ": calibrated"),
        ("paths", "demo_tool_calls.jsonl", ""),
        ("budget", "demo_rollouts.jsonl", ": remaining cost"),
    ];
    for (program, file, series) in cases {
        let (one, two) = (
            copy(&format!("{program}_one.jsonl"), file),
            copy(&format!("{program}_two.jsonl"), file),
        );
        let words = if program == "paths" { vec![] } else { vec!["--resamples", "5"] };
        let words = [&[one.as_str(), &two], &words[..]].concat();
        let texts = drawn(program, &words, &format!("{program}.svg"));
        for name in ["one", "two"] {
            let name = format!("{program}_{name}{series}");
            assert!(texts.lines().any(|text| text == name), "{name}: {texts}");
        }
    }
    let log = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../run-logs/tests/golden/streams/synthetic.jsonl");
    let words = [log.to_str().unwrap(), "--missing", "skip", "--resamples", "5"];
    let texts = drawn("traces", &words, "streams.svg");
    for stream in ["token_probability", "entropy"] {
        assert!(texts.lines().any(|text| text == stream), "{texts}");
    }
}

#[test]
fn whole_tasks_are_resampled_unless_there_is_only_one() {
    let ends =
        |report: &Value| ["ci_low", "ci_high"].map(|end| of(report, &format!("/tps_log/{end}")));
    let path = calibrated("by_task.jsonl", 1, 200, 25, 0);
    let words = [path.as_str(), "--json", "--resamples", "100"];
    let by_default = json_of("traces", &words);
    let flagged = json_of("traces", &[&words[..], &["--cluster-by", "task-only"]].concat());
    assert_eq!(ends(&by_default), ends(&flagged));
    assert_eq!(by_default["clustered_by_task"], true);
    assert!(!by_default["notes"].to_string().contains("--cluster"), "{}", by_default["notes"]);
    let by_run = json_of("traces", &[&words[..], &["--cluster-by", "run"]].concat());
    assert_ne!(ends(&by_default), ends(&by_run));
    assert_eq!(by_run["clustered_by_task"], false);

    let few = json_of("traces", &[&calibrated("few.jsonl", 1, 200, 3, 0)]);
    let notes = few["notes"].to_string();
    assert!(notes.contains("only 3 tasks: intervals from so few clusters are rough"), "{notes}");
    assert!(!notes.contains("task-only") && !notes.contains("honest"), "{notes}");

    let one = json_of("traces", &[&calibrated("one.jsonl", 1, 200, 1, 0)]);
    assert_eq!(one["clustered_by_task"], false);
    assert!(ends(&one)[0] < ends(&one)[1]);
    noted(&one, "all runs are of one task");
}

#[test]
fn calibration_takes_runs_without_a_task() {
    let text = fs::read_to_string(calibrated("calibration_tasks.jsonl", 3, 60, 60, 0)).unwrap();
    let path = write("calibration_plain.jsonl", &without_tasks(&text));
    let report = json_of("traces --change", &[&path, "--resamples", "20"]);
    assert_eq!(report["files"][0]["n_tasks"], 60);
    assert!(of(&report, "/files/0/metrics/tps_log/change/standard_error") > 0.0);
}

#[test]
fn the_same_runs_are_paired_by_task_if_only_one_column_names_the_tasks() {
    let with_tasks = calibrated("tasks_known.jsonl", 3, 60, 30, 0);
    let other = fs::read_to_string(&with_tasks).unwrap();
    let other = other.replace("\"forecasts\":[0", "\"forecasts\":[0.5,0");
    let known = write("other_known.jsonl", &other);
    let unknown = write("other_unknown.jsonl", &without_tasks(&other));
    let of = |second: &str| {
        let mut report = json_of("traces", &[&with_tasks, second, "--resamples", "100"]);
        report["difference"].take()
    };
    assert_eq!(of(&unknown), of(&known));
    assert_eq!(of(&unknown)["pairing"], "runs");
    assert_eq!(of(&unknown)["n_shared_tasks"], 30);
}

#[test]
fn without_cut_off_runs_the_difference_of_both_log_scores_is_the_same_number_with_the_same_interval()
 {
    for tasks in [5, 30] {
        let a = calibrated("both_a.jsonl", 4, 60, tasks, 0);
        let b = calibrated("both_b.jsonl", 5, 60, tasks, tasks);
        let report = json_of("traces", &[&a, &b, "--resamples", "100"]);
        let [plain, censored] =
            ["tps_log", "tps_log_censored_simple"].map(|metric| &report["difference"][metric]);
        assert_eq!(plain, censored, "{tasks} tasks");
        assert_eq!(plain["ci_low"].is_null(), tasks == 5);
        assert!(report["difference"]["assumptions"]["tps_log_censored_simple"].is_string());
    }
}

/// The rows of a table that have a star.
fn starred(words: &[&str]) -> Vec<String> {
    let table = shown("traces", words);
    let rows = table.lines().filter(|line| line.contains("  *") && line.contains(" ["));
    rows.map(|row| row.split_whitespace().next().unwrap().to_owned()).collect()
}

#[test]
fn a_star_needs_the_same_runs_or_a_difference_that_is_not_zero() {
    // Equally good forecasters, with different outcomes.
    let (a, b) =
        (calibrated("star_a.jsonl", 5, 100, 50, 0), calibrated("star_b.jsonl", 6, 100, 50, 0));
    assert_eq!(starred(&[&a, &b, "--resamples", "100"]), [""; 0]);
    // A worse one on other runs.
    let text = fs::read_to_string(&b).unwrap();
    let worse = text
        .replace("\"outcome\":true", "\"outcome\":x")
        .replace("\"outcome\":false", "\"outcome\":true");
    let worse = write("star_worse.jsonl", &worse.replace("\"outcome\":x", "\"outcome\":false"));
    let found = starred(&[&a, &worse, "--resamples", "100"]);
    assert!(
        found.contains(&"tps_log".to_owned()) && found.contains(&"auroc".to_owned()),
        "{found:?}"
    );
    for metric in ["average_precision", "aurc"] {
        assert!(!found.contains(&metric.to_owned()), "{found:?}");
    }
    assert_eq!(starred(&[&a, &b, &worse, "--resamples", "100"]), [""; 0]);
    let files =
        ["demo_truthful.jsonl", "demo_overconfident.jsonl", "demo_constant.jsonl"].map(bundled);
    let same = starred(&[&files[0], &files[1], &files[2], "--resamples", "20"]);
    assert!(same.contains(&"average_precision".to_owned()) && same.len() == 8, "{same:?}");
}

#[test]
fn intervals_of_budget_resample_whole_tasks() {
    let line = |run: u64| {
        let turns: Vec<String> = (0..4)
            .map(|turn| format!(r#"{{"output_tokens":{}}}"#, 50 + 10 * (run % 5) + 7 * turn))
            .collect();
        let (task, success) = (run % 6, run % 6 < 4);
        format!(
            r#"{{"id":"r{run}","task":"t{task}","turns":[{}],"success":{success}}}"#,
            turns.join(",")
        )
    };
    let path = write("rollouts.jsonl", &(0..60).map(line).collect::<Vec<_>>().join("\n"));
    let words = [path.as_str(), "--json", "--resamples", "100"];
    let report = json_of("budget", &words);
    let flagged = json_of("budget", &[&words[..], &["--cluster-by", "task-only"]].concat());
    assert_eq!(report["hit_rate"], flagged["hit_rate"]);
    assert_eq!(report["clustered_by_task"], true);
    noted(&report, "only 6 tasks");
    let by_run = json_of("budget", &[&words[..], &["--cluster-by", "run"]].concat());
    assert_ne!(report["hit_rate"], by_run["hit_rate"]);
}
