//! The program as its users run it: figures and a picture out, or one line on standard error and
//! exit code 2.
#![cfg(feature = "pictures")]
#![allow(clippy::unwrap_used)]

mod program;

use std::fs;

use program::{bundled, has, in_folder, json, noted, refusal, refused, run, write};
use serde_json::{Value, json as value};

fn number(value: &Value) -> f64 {
    value.get("value").unwrap_or(value).as_f64().unwrap()
}

fn notes(report: &Value, start: &str) -> usize {
    let notes = report["notes"].as_array().unwrap();
    notes.iter().filter(|note| note.as_str().unwrap().starts_with(start)).count()
}

const WAYS: [&str; 5] = ["complete_only", "simple", "exact_plug_in", "exact_known", "ipcw"];

const SUCCESS: &str = r#"{"id":"a","forecasts":[0.5,0.8],"outcome":true}"#;
const FAILURE: &str = r#"{"id":"b","forecasts":[0.5],"outcome":false}"#;
const CUT_OFF: &str =
    r#"{"id":"c","forecasts":[0.8,0.8],"outcome":null,"stop":"max_steps","horizon":4}"#;
const BROKEN: &str = r#"{"id":"d","forecasts":[0.5],"outcome":null,"stop":"parse_error"}"#;

#[test]
fn bad_forecasts_follow_the_policy_and_are_counted_by_file() {
    let bad = r#"{"id":"e","forecasts":[0.5,null,7],"outcome":true}"#;
    let path = write("bad_forecasts", &[SUCCESS, FAILURE, bad].join("\n"));
    refused(&run(&[&path]), ":3: field forecasts[1]: missing");
    let first = write("good_forecasts", &[SUCCESS, FAILURE].join("\n"));
    let report = json(&[&first, &path, "--percent=no", "--missing", "carry-forward"]);
    let carried = [0, 1].map(|file| report["files"][file]["missing"]["carried"].as_u64().unwrap());
    assert_eq!(carried, [0, 2]);
    assert_eq!(notes(&report, "bad_forecasts: forecasts that are missing"), 1);
    // With the run left out both files hold the same runs.
    let report = json(&[&first, &path, "--percent=no", "--missing", "leave-out"]);
    assert_eq!(report["files"][1]["missing"]["left_out_runs"], 1);
    assert_eq!(report["pairs"][0]["difference"], 0.0);
}

/// One of the two longest runs ended by itself, so that the longest were not all cut off.
#[test]
fn the_note_on_weights_says_after_which_step_every_run_was_cut_off() {
    let path = write("last_end", &[SUCCESS, FAILURE, CUT_OFF].join("\n"));
    let report = json(&[&path]);
    let start = "ipcw: every run that had not ended by step 2 was cut off, so the estimate represents only the 66.7 % of";
    assert_eq!(notes(&report, start), 1, "{report}");
}

#[test]
fn a_small_file_comes_out_as_worked_out_by_hand() {
    let path = write("mixed", &[SUCCESS, FAILURE, CUT_OFF, BROKEN].join("\n"));
    let report = json(&[&path, "--schedule", "uniform"]);
    let file = &report["files"][0];
    let counts = ["n_complete", "n_censored", "n_excluded"].map(|n| file[n].as_u64().unwrap());
    assert_eq!(counts, [2, 1, 1]);
    assert_eq!(file["excluded"]["parse_error"], 1);
    assert!((number(&file["censoring_rate"]) - 1.0 / 3.0).abs() < 1e-15);

    let complete = (0.5_f64.ln() + 0.8_f64.ln()) / 2.0 + 0.5_f64.ln();
    assert!((number(&file["complete_only"]) - complete / 2.0).abs() < 1e-15);
    // Half of its steps were seen.
    let [low, high] = [0.2_f64, 0.8].map(|p| (complete + 0.5 * p.ln()) / 3.0);
    assert!((number(&file["simple"]) - low).abs() < 1e-15);
    assert!((number(&file["bounds"]["low"]) - low).abs() < 1e-15);
    assert!((number(&file["bounds"]["high"]) - high).abs() < 1e-15);
    // The outcome at the second step came before the cut-off there, so nobody is weighed up.
    assert!((number(&file["ipcw"]) - complete / 2.0).abs() < 1e-15);
    assert_eq!(notes(&report, "ipcw: every run that had not ended by step"), 1);
    noted(&report, "all complete runs have the same weight");
    assert!((number(&file["ipcw_coverage"]) - 2.0 / 3.0).abs() < 1e-15, "{file}");

    // One run has a step before its last: nothing to learn both outcomes from.
    has(file, value!({"exact_plug_in": {"value": null}, "mean_success_chance": {"value": null}}));
    assert_eq!(notes(&report, "exact_plug_in: undefined"), 1);
    assert_eq!(notes(&report, "exact_known: undefined"), 1);
    assert_eq!(report["pairs"], Value::Array(Vec::new()));
}

#[test]
fn weights_from_one_curve_say_so_and_groups_have_curves_of_their_own() {
    // Hard runs fail, and half of them are cut off; easy runs succeed.
    let (mut runs, mut groups) = (Vec::new(), Vec::new());
    for id in 0..40 {
        let is_hard = id % 2 == 1;
        let (forecasts, ended) = match is_hard && id % 4 == 1 {
            true => ("0.5", r#""outcome":null,"stop":"max_tokens","horizon":2"#.to_owned()),
            false => ("0.5,0.5", format!(r#""outcome":{}"#, !is_hard)),
        };
        runs.push(format!(r#"{{"id":"{id}","forecasts":[{forecasts}],{ended}}}"#));
        groups.push(format!(
            r#"{{"id":"{id}","group":"{}"}}"#,
            if is_hard { "hard" } else { "easy" }
        ));
    }
    let sure = |runs: &[String]| runs.join("\n").replace("0.5,0.5", "0.9,0.9");
    let (path, groups) = (write("one_curve", &sure(&runs)), write("groups", &groups.join("\n")));
    let one = json(&[&path, "--resamples", "0"]);
    assert_eq!(notes(&one, "ipcw: all runs share one censoring curve"), 1);
    let by_group = json(&[&path, "--resamples", "0", "--curve-groups", &groups]);
    assert_eq!(notes(&by_group, "ipcw: all runs share one censoring curve"), 0);
    let [easy, hard] = [0.9_f64.ln(), 0.1_f64.ln()];
    let ipcw = |report: &Value| number(&report["files"][0]["ipcw"]);
    assert!((ipcw(&one) - (2.0 * easy + hard) / 3.0).abs() < 1e-12);
    assert!((ipcw(&by_group) - (easy + hard) / 2.0).abs() < 1e-12);
    let rows = &by_group["files"][0]["report"]["comparisons"];
    let row = rows.as_array().unwrap().iter().find(|row| row["rule"] == "log").unwrap();
    assert!((number(&row["ipcw"]) - (easy + hard) / 2.0).abs() < 1e-12);
    let broken = write("broken_groups", r#"{"id":"1"}"#);
    refused(&run(&[&path, "--curve-groups", &broken]), "group");
}

#[test]
fn where_nothing_was_cut_off_every_way_agrees() {
    let path = write("complete", &[SUCCESS, FAILURE].join("\n"));
    let report = json(&[&path]);
    let file = &report["files"][0];
    for way in ["simple", "exact_plug_in", "ipcw"] {
        assert!((number(&file[way]) - number(&file["complete_only"])).abs() < 1e-15, "{way}");
    }
    assert_eq!(file["bounds"]["low"], file["bounds"]["high"]);
    assert_eq!(notes(&report, "mean_success_chance: undefined"), 1);
}

#[test]
fn a_missing_interval_is_null_and_says_why() {
    let mut rows = vec![
        r#"{"id":"0","task":"0","forecasts":[0.6,0.5],"outcome":true,"stop":"completed"}"#
            .to_owned(),
    ];
    rows.extend((1..6).map(|task| {
        format!(
            r#"{{"id":"{task}","task":"{task}","forecasts":[0.6,0.5],"outcome":null,"stop":"max_steps","horizon":3}}"#
        )
    }));
    let found = json(&[&write("one_complete", &rows.join("\n"))]);
    let mean = &found["files"][0]["report"]["comparisons"][0]["complete_only"];
    assert!(mean["value"].is_number() && mean["ci_low"].is_null(), "{mean}");
    let why = "no interval of complete_only, ipcw, simple_shift: 1 cluster; a 95 % interval needs";
    noted(&found, why);
}

#[test]
fn on_the_bundled_runs_the_chances_are_those_of_their_world_and_bounds_hold_all() {
    let report = json(&["--resamples", "50"]);
    let files = report["files"].as_array().unwrap();
    assert_eq!(files.len(), 3);
    for file in files {
        let [complete_only, simple, plug_in, known, _] = WAYS.map(|way| number(&file[way]));
        let [low, high] = ["low", "high"].map(|end| number(&file["bounds"][end]));
        assert_eq!(plug_in, known, "{file}");
        assert_eq!(file["success_chance"]["source"], "given");
        for value in [simple, plug_in, known] {
            assert!(low <= value && value <= high, "{file}");
        }
        // Neither leaving runs out nor calling them failures comes as close.
        let off = |value: f64| (value - known).abs();
        assert!(off(plug_in) < off(simple) && off(plug_in) < off(complete_only), "{file}");
    }
    // The simple score is pleased with a stream that is too low and not with one that is too high.
    let shift = |file: usize| number(&files[file]["simple"]) - number(&files[file]["exact_known"]);
    assert!(shift(1) < -0.05 && shift(2) > 0.0);

    let pairs = report["pairs"].as_array().unwrap();
    let kept: Vec<bool> = pairs.iter().map(|pair| pair["keeps_sign"].as_bool().unwrap()).collect();
    assert_eq!(kept, [true, true, false]);
    assert_eq!(pairs[0]["largest_width"], Value::Null);
    assert_eq!(notes(&report, "largest_width: "), 2);
    let width = number(&pairs[2]["largest_width"]);
    assert!(width > 0.1 && width < 1.0, "{width}");
    for (pair, [first, second]) in pairs.iter().zip([[0, 1], [0, 2], [1, 2]]) {
        let exact = |file: usize| number(&files[file]["exact_plug_in"]);
        assert!((number(&pair["difference"]) - (exact(first) - exact(second))).abs() < 1e-12);
    }
}

#[test]
fn a_model_that_learns_from_a_truthful_stream_comes_close_to_the_known_chances() {
    let known = json(&["--resamples", "0"]);
    let [truthful, overconfident, constant] = ["truthful", "overconfident", "constant"]
        .map(|name| bundled(&format!("demo_{name}.jsonl")));
    let report = json(&[&overconfident, &constant, "--chance-from", &truthful, "--resamples", "0"]);
    for (file, known) in [(0, 1), (1, 2)].map(|(a, b)| (&report["files"][a], &known["files"][b])) {
        let off = number(&file["exact_plug_in"]) - number(&known["exact_known"]);
        assert!(off.abs() < 0.003, "{off}");
        let model = &file["success_chance"]["model"];
        assert_eq!(model["features"].as_array().unwrap().last().unwrap(), &Value::from(&*truthful));
    }
}

#[test]
fn files_of_other_runs_are_not_compared() {
    let first = write("first", &[SUCCESS, FAILURE].join("\n"));
    let second = write("second", &[FAILURE, SUCCESS].join("\n"));
    let report = json(&[&first, &second]);
    assert_eq!(report["pairs"], Value::Array(Vec::new()));
    assert_eq!(notes(&report, "pairs: none"), 1);
    assert_eq!(json(&[&first, &first])["pairs"][0]["difference"], 0.0);
}

#[test]
fn a_small_range_and_a_long_name_can_be_read() {
    // Everything is known, and all scores lie within a millionth.
    let rows = [
        r#"{"id":"a","forecasts":[0.5],"outcome":true}"#,
        r#"{"id":"b","forecasts":[0.5000001],"outcome":false}"#,
    ];
    let path = write(&format!("cut_off_{}.jsonl", "long_".repeat(20)), &rows.join("\n"));
    let picture = in_folder("narrow.svg");
    let output = run(&[&path, "--plot", &picture]);
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains(&"long_".repeat(20)));
    let picture = fs::read_to_string(picture).unwrap();
    let texts: Vec<&str> = picture
        .split("<text ")
        .skip(1)
        .map(|text| text.split('>').nth(1).unwrap().split('<').next().unwrap().trim())
        .collect();
    let name = texts.iter().find(|text| text.contains('…')).unwrap();
    assert!(name.starts_with("cut_off_long_") && name.ends_with("_long_"), "{texts:?}");
    assert!(name.chars().count() <= 41, "{name}");
    let numbers: Vec<&&str> = texts.iter().filter(|text| text.starts_with("-0.")).collect();
    assert!(numbers.len() >= 3, "{texts:?}");
    for (i, number) in numbers.iter().enumerate() {
        assert!(!numbers[..i].contains(number), "{numbers:?}");
    }
}

#[test]
fn the_report_compares_every_rule_and_schedule_under_a_declared_assumption() {
    let report = json(&["--resamples", "50", "--assume", "failure-side", "--calibrate", "platt"]);
    for file in report["files"].as_array().unwrap() {
        let rows = &file["report"];
        assert_eq!(rows["assumption"], "failure_side");
        let rate = number(&file["censoring_rate"]);
        let comparisons = rows["comparisons"].as_array().unwrap();
        assert_eq!(comparisons.len(), 12);
        for row in comparisons {
            let value = |name: &str| number(&row[name]["value"]);
            let shift = value("simple") - value("complete_only");
            assert!((value("simple_shift") - shift).abs() < 1e-15);
            assert!((number(&row["simple_shift_per_rate"]) - shift / rate).abs() < 1e-12);
            let exact = number(&row["exact"]["value"]);
            assert!(number(&row["sensitivity"]["low"]) <= exact);
            assert!(exact <= number(&row["sensitivity"]["high"]));
            assert!(number(&row["bounds"]["low"]) <= number(&row["sensitivity"]["low"]));
            assert!(number(&row["simple"]["ci_low"]) <= value("simple"));
        }
        let first = &comparisons[0];
        assert_eq!((&first["rule"], &first["schedule"]), (&"log".into(), &"linear-front".into()));
        // One calibration serves the table and the row of the same schedule.
        let difference = number(&file["simple"]) - number(&first["simple"]["value"]);
        assert!(difference.abs() < 1e-15);
        assert!(number(&rows["selection"]["length_ratio"]) > 0.0);
    }
}

#[test]
fn continuations_are_audited_by_the_ids_of_their_runs() {
    let other = CUT_OFF.replace(r#""id":"c""#, r#""id":"e""#);
    let path = write("with_continuations", &[SUCCESS, FAILURE, CUT_OFF, &other].join("\n"));
    let ends = write(
        "continuations",
        "{\"id\":\"c\",\"successes\":3,\"failures\":2,\"unresolved\":5}\n{\"id\":\"e\",\"successes\":4,\"failures\":0}",
    );
    let report = json(&[&path, "--continuations", &ends]);
    let audit = &report["files"][0]["report"]["continuations"];
    assert_eq!((&audit["retained"], &audit["left_out"]), (&1.into(), &1.into()));
    assert_eq!(number(&audit["mean"]["value"]), 0.6);
    assert_eq!(audit["comparisons"].as_array().unwrap().len(), 12);
    let report = json(&[&path, "--continuations", &ends, "--min-valid", "4"]);
    let audit = &report["files"][0]["report"]["continuations"];
    assert_eq!((&audit["retained"], number(&audit["median"])), (&2.into(), 0.8));
    // Continuations of other runs.
    let others = write("other_continuations", "{\"id\":\"z\",\"successes\":9,\"failures\":0}");
    let report = json(&[&path, "--continuations", &others]);
    assert_eq!(report["files"][0]["report"]["continuations"], Value::Null);
    assert_eq!(notes(&report, "continuations: no table"), 1);
    let same = write(
        "same_continuations",
        &["{\"id\":\"c\",\"successes\":3,\"failures\":2}"; 2].join("\n"),
    );
    let error = refusal(&run(&[&path, "--continuations", &same]), "same id");
    assert!(error.starts_with(&format!("error: {same}:2: field id: ")), "{error}");
}

#[test]
fn chances_are_checked_with_file_line_and_field() {
    let line = |chance: &str| {
        format!(
            "{{\"id\":\"a\",\"forecasts\":[0.5],\"outcome\":true}}\n{{\"id\":\"c\",\"forecasts\":[0.8],\"outcome\":null,\"stop\":\"max_steps\",\"success_chance\":{chance}}}"
        )
    };
    let good = write("good_chance.jsonl", &line("0.25"));
    let report = json(&[&good]);
    assert_eq!(report["files"][0]["mean_success_chance"]["value"], 0.25);
    let file = write(
        "chances.jsonl",
        "{\"id\":\"c\",\"success_chance\":0.25}\n{\"id\":\"c\",\"success_chance\":2}",
    );
    let error = refusal(&run(&[&good, "--success-chance", &file]), "file");
    assert!(error.starts_with(&format!("error: {file}:2: field success_chance: ")), "{error}");
    // Two chances of one run, also where the files do not hold the same runs.
    let other = write("other_chance.jsonl", &format!("{}\n{FAILURE}", line("0.5")));
    let error = refusal(&run(&[&good, &other]), "two chances");
    let expected =
        format!("error: {other}:2: field success_chance: 0.5 for the run \"c\", but 0.25");
    assert!(error.starts_with(&expected) && error.contains(&format!("{good}:2")), "{error}");
}

#[test]
fn maps_that_count_cut_off_runs_as_failures_give_the_shift_of_the_papers_base_rate_row() {
    // 118 successes among 163 complete runs and 145 runs at the budget of 30 steps, as in the paper's table 11.
    let lines = (0..308).map(|run| {
        let (steps, outcome) = if run < 163 { (10, value!(run < 118)) } else { (30, Value::Null) };
        let stop = (run >= 163).then_some("max_steps");
        let forecasts = vec![0.9; steps];
        value!({"id": format!("r{run:03}"), "forecasts": forecasts, "outcome": outcome, "stop": stop})
            .to_string()
    });
    let path = write("webshop_counts", &lines.collect::<Vec<_>>().join("\n"));
    let given = ["--calibrate", "platt", "--assume", "failure-side", "--resamples", "0", "--json"];
    let shift = |more: &[&str]| {
        let report = json(&[&[path.as_str()], &given[..], more].concat());
        let file = &report["files"][0];
        let [simple, complete] = ["simple", "complete_only"]
            .map(|key| number(file[key].get("value").unwrap_or(&file[key])));
        (format!("{:+.3}", simple - complete), report["calibrate_on"].clone())
    };
    let as_failures = ["--calibrate-on", "cut-off-as-failures"];
    assert_eq!(shift(&as_failures), ("+0.162".to_owned(), value!("cut_off_as_failures")));
    assert_eq!(shift(&[]), ("-0.329".to_owned(), value!("complete")));
    refused(&run(&[&path, "--calibrate-on", "complete"]), "--calibrate");
}

#[test]
fn cut_off_and_traces_calibrate_the_same_halves() {
    // Runs of unequal lengths in an order that is not that of their ids, the last ones cut off.
    let lines = (0..60_usize).map(|at| {
        let run = (at * 37) % 60;
        let forecasts: Vec<f64> =
            (0..=run % 4).map(|step| ((run * 29 + step * 13) % 89) as f64 / 100.0 + 0.05).collect();
        let outcome = if run < 45 { value!((run * 7) % 5 < 3) } else { Value::Null };
        let stop = (run >= 45).then_some("max_steps");
        value!({"id": format!("r{run:02}"), "task": format!("t{}", run / 3), "forecasts": forecasts, "outcome": outcome, "stop": stop, "horizon": stop.map(|_| 6)})
            .to_string()
    });
    let path = write("same_halves", &lines.collect::<Vec<_>>().join("\n"));
    for method in ["platt", "isotonic"] {
        for on in ["complete", "cut-off-as-failures"] {
            let given =
                [&path, "--calibrate", method, "--calibrate-on", on, "--resamples", "0", "--json"];
            let (own, traces) = (json(&given), program::json_of("traces", &given));
            let of = |value: &Value| number(value.get("value").unwrap_or(value));
            let file = &own["files"][0];
            let pairs = [("complete_only", "tps_log"), ("simple", "tps_log_censored_simple")];
            for (key, other) in pairs {
                let [own, other] = [of(&file[key]), of(&traces[other])];
                assert!((own - other).abs() < 1e-12, "{method} {on} {key}: {own} {other}");
            }
        }
    }
}

#[test]
fn hidden_runs_state_the_rate_that_was_reached() {
    let lines = (0..90).map(|run| {
        let forecasts = vec![0.6; if run % 3 == 0 { 1 } else { 5 }];
        value!({"id": format!("r{run}"), "forecasts": forecasts, "outcome": run % 2 == 0})
            .to_string()
    });
    let path = write("short_runs", &lines.collect::<Vec<_>>().join("\n"));
    let kept = "0.533; with --hide, runs of one step keep theirs, because they cannot be cut off";
    for (hide, hidden, rate) in [("--hide", 48, kept), ("--hide-after", 90, "1")] {
        let report = json(&[&path, hide, "0.8", "--resamples", "0"]);
        let found = &report["files"][0]["report"]["hidden_outcomes"];
        assert_eq!(found["rows"][0]["n_hidden"], hidden, "{hide}");
        assert!((number(&found["rate"]) - f64::from(hidden) / 90.0).abs() < 1e-15, "{found}");
        let note = format!(
            "hide: the outcomes of {hidden} of 90 complete runs are hidden, a rate of {rate}"
        );
        assert!(report["notes"].as_array().unwrap().contains(&value!(note)), "{report}");
    }
}

#[test]
fn parse_errors_count_as_stops_where_that_is_asked_for() {
    let path = write("parse_errors", &[SUCCESS, FAILURE, CUT_OFF, BROKEN].join("\n"));
    let counts = |more: &[&str]| {
        let report = json(&[&[path.as_str(), "--resamples", "0"], more].concat());
        let file = &report["files"][0];
        ["n_complete", "n_censored", "n_excluded"].map(|n| file[n].as_u64().unwrap())
    };
    assert_eq!((counts(&[]), counts(&["--parse-errors-as-stops"])), ([2, 1, 1], [2, 2, 0]));
}

#[test]
fn continuations_of_an_id_that_names_different_runs_are_refused() {
    let line = |steps: usize| {
        let forecasts = vec![0.5; steps];
        value!({"id": "c", "forecasts": forecasts, "outcome": null, "stop": "max_steps"})
            .to_string()
    };
    let [first, second] =
        [1, 2].map(|n| write(&format!("of_{n}.jsonl"), &format!("{SUCCESS}\n{}", line(n))));
    let ends = write("ends.jsonl", r#"{"id":"c","successes":3,"failures":3}"#);
    let error = refusal(&run(&[&first, &second, "--continuations", &ends]), "different runs");
    assert!(error.starts_with("error: --continuations: \"c\" names different runs"), "{error}");
    assert!(error.contains(&first) && error.contains(&second), "{error}");
}

/// The largest error of `simple - complete = prefix_swap + tail_omission` in a report.
fn identity_error(report: &Value) -> f64 {
    let rows = report["files"][0]["report"]["hidden_outcomes"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 12);
    let mut largest = 0.0_f64;
    for row in rows {
        largest = largest.max(number(&row["largest_identity_error"]));
        for part in [row, &row["failures"], &row["successes"]] {
            let [simple, complete, swap, tail] =
                ["simple", "complete", "prefix_swap", "tail_omission"].map(|k| number(&part[k]));
            largest = largest.max((simple - complete - swap - tail).abs());
            largest = largest.max((number(&part["shift"]) - (simple - complete)).abs());
        }
    }
    largest
}

#[test]
fn hidden_outcomes_split_into_prefix_swap_and_tail_omission_in_every_row() {
    for hide in [["--hide", "0.75"], ["--hide-after", "0.75"]] {
        let report = json(&["--resamples", "0", hide[0], hide[1]]);
        assert!(identity_error(&report) < 1e-12);
    }
    let Some(folder) = std::env::var_os("REAL_RUNS") else { return };
    let path = std::path::Path::new(&folder).join("data/traces/basketball_win_probability.jsonl");
    let path = path.to_str().unwrap();
    for (hide, hidden) in [(["--hide", "0.75"], 587), (["--hide-after", "0.75"], 783)] {
        let report = json(&[path, "--resamples", "0", hide[0], hide[1]]);
        assert!(identity_error(&report) < 1e-12);
        let row = &report["files"][0]["report"]["hidden_outcomes"]["rows"][0];
        assert_eq!((&row["n"], &row["n_hidden"]), (&783.into(), &hidden.into()));
    }
}

#[test]
fn a_name_that_looks_like_markup_does_no_harm() {
    let path = write("a<b>&c.jsonl", &[SUCCESS, FAILURE].join("\n"));
    let picture = in_folder("markup.svg");
    assert!(run(&[&path, "--plot", &picture]).status.success());
    let picture = fs::read_to_string(picture).unwrap();
    assert!(picture.contains("a&lt;b&gt;&amp;c") && !picture.contains("a<b>"), "{picture}");
}
