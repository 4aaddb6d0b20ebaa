//! Outcomes from beside a log, logs without any, and tables with a row per step.

use std::fs;

use serde_json::Value;

use crate::program::{self, json_of, noted, refusal, run_other, says, shown, write};

/// A log of so many runs without outcomes, whose confidence goes from 0 up to 1 in tenths.
fn log(name: &str, runs: usize) -> String {
    let line = |run: usize| {
        let content = format!("<confidence>{}</confidence>", (run % 11) as f64 / 10.0);
        let call =
            r#"{"id": "c", "type": "function", "function": {"name": "look", "arguments": "{}"}}"#;
        format!(
            r#"{{"id": "r-{run}", "task": "t-{run}", "outcome": null, "turns": [{{"response": {{"model": "m", "choices": [{{"message": {{"content": "{content}", "tool_calls": [{call}]}}}}]}}}}]}}"#
        ) + "\n"
    };
    write(name, &(0..runs).map(line).collect::<String>())
}

/// Runs succeed at confidences above a half, but for every seventh.
fn outcome(run: usize) -> bool {
    (run % 11 > 5) != run.is_multiple_of(7)
}

fn outcomes(name: &str, runs: usize) -> String {
    let line = |run: usize| {
        let outcome = outcome(run);
        format!("r-{run},{outcome},\"[{{\"\"name\"\": \"\"look\"\", \"\"args\"\": {{}}}}]\"\r\n")
    };
    let rows: String = (0..runs).map(line).collect();
    write(name, &format!("\u{feff}id,outcome,expected_calls\r\n{rows}"))
}

fn refused(program: &str, arguments: &[&str]) -> String {
    refusal(&run_other(program, arguments), program)
}

fn notes(report: &Value) -> String {
    report["notes"].to_string()
}

#[test]
fn outcomes_from_beside_a_log_are_scored_and_lines_and_runs_that_do_not_meet_are_counted() {
    let (log, beside) = (log("beside.jsonl", 40), outcomes("beside.csv", 38));
    fs::write(&beside, fs::read_to_string(&beside).unwrap() + "zz,true,\r\n").unwrap();
    let report = json_of("traces", &[&log, "--outcomes", &beside, "--resamples", "0"]);
    let succeeded = (0..38).filter(|&run| outcome(run)).count();
    let counts = ["n_runs", "n_succeeded", "n_unknown"].map(|key| report[key].as_u64().unwrap());
    assert_eq!(counts, [40, succeeded as u64, 2]);
    let found = notes(&report);
    assert!(found.contains("2 of 40 runs have no line; the first of them is r-38"), "{found}");
    says(&found, "1 of 39 lines have no run; the first of them is zz in line 40");

    let compared = json_of("compare", &[&log, "--outcomes", &beside]);
    assert_eq!(compared["files"][0]["n_runs"], 38);
    assert!(notes(&compared).contains("the first of them is zz"), "{compared}");
}

#[test]
fn a_log_gives_calibration_and_cut_off_what_its_converted_traces_give() {
    let (log, beside) = (log("direct.jsonl", 60), outcomes("direct.csv", 60));
    let converted = write("converted.jsonl", "");
    let to = ["--to", "traces", "--outcomes", &beside, "--output", &converted];
    assert!(run_other("convert", &[&[&*log], &to[..]].concat()).status.success());
    for program in ["traces --change", "cut-off"] {
        let figures = |mut report: Value| {
            let mut file = report["files"][0].take();
            for key in ["file", "name", "missing", "curves"] {
                file[key].take();
            }
            file
        };
        let few = ["--json", "--resamples", "20"];
        let direct = json_of(program, &[&[&*log, "--outcomes", &beside], &few[..]].concat());
        assert_eq!(direct["files"][0]["n_runs"], 60);
        assert_eq!(
            figures(direct),
            figures(json_of(program, &[&[&*converted], &few[..]].concat()))
        );
    }
}

#[test]
fn paths_of_a_log_are_compared_with_the_expected_calls_of_the_outcomes() {
    let (log, beside) = (log("calls.jsonl", 12), outcomes("calls.csv", 10));
    let report = json_of("paths", &[&log, "--outcomes", &beside]);
    let report = program::values(report);
    let counts = ["n", "exact_match", "n_runs"].map(|key| report[key].as_f64().unwrap());
    assert_eq!(counts, [10.0, 1.0, 12.0]);
    let lacking = refused("paths", &[&log]);
    assert!(lacking.contains("expected_calls") && lacking.contains("calls.jsonl"), "{lacking}");
}

#[test]
fn a_log_without_any_outcome_says_how_sure_the_model_was_and_what_to_add() {
    let log = log("unjudged.jsonl", 22);
    let report = json_of("traces", &[&log]);
    let stated = &report["streams"]["stated_confidence"];
    let figure = |key: &str| stated[key]["value"].as_f64().unwrap();
    let found = ["mean", "quartile_1", "median", "quartile_3"].map(figure);
    // Twice 0, 0.1, ... 1: the quartiles lie between equal neighbours.
    for (found, expected) in found.into_iter().zip([0.5, 0.225, 0.5, 0.775]) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    let counts = &stated["curves"]["last_confidence"]["series"][0]["y"];
    assert_eq!(*counts, serde_json::json!([2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 4.0]));
    let page = write("unjudged.html", "");
    let text = shown("traces", &[&log, "--html", &page]);
    for words in ["50 % sure on average at the end of 22 runs", r#"{"id": "…", "outcome": true}"#]
    {
        assert!(text.contains(words), "{text}");
    }
    assert!(fs::read_to_string(page).unwrap().contains("<svg"));
    noted(&json_of("compare", &[&log, &log]), "--outcomes FILE adds outcomes");
}

#[test]
fn what_outcomes_and_streams_cannot_do_is_refused_in_a_line() {
    let (log, beside) = (log("refused.jsonl", 3), outcomes("refused.csv", 3));
    let no_stream = refused("traces --change", &[&log, "--stream", "entropy"]);
    assert!(no_stream.contains("stated_confidence (3 runs)"), "{no_stream}");
    let traces = write("of-traces.jsonl", r#"{"id": "a", "forecasts": [1], "outcome": true}"#);
    for program in ["traces", "traces --change", "cut-off", "paths", "compare"] {
        let found = refused(program, &[&traces, "--outcomes", &beside]);
        assert!(
            found.starts_with("error: --outcomes: ") && found.contains("is not a log"),
            "{found}"
        );
        let twice = write("twice.csv", "id,outcome\nr-1,1\nr-1,0\n");
        let found = refused(program, &[&log, "--outcomes", &twice]);
        assert!(found.contains("twice.csv:3: field id"), "{found}");
    }
}

#[test]
fn a_table_with_a_row_per_step_gives_what_its_runs_give_as_lines() {
    let (mut table, mut lines) = ("id,step,probability,outcome\n".to_owned(), String::new());
    for run in 0..30 {
        let (first, last) = ((run % 4) as f64 / 4.0, (run % 5) as f64 / 5.0);
        let outcome = outcome(run);
        table += &format!("r-{run},2,{last},{outcome}\nr-{run},1,{first},{outcome}\n");
        lines += &format!(
            "{{\"id\": \"r-{run}\", \"forecasts\": [{first}, {last}], \"outcome\": {outcome}}}\n"
        );
    }
    let (table, lines) = (write("steps.csv", &table), write("steps.jsonl", &lines));
    for program in ["traces", "traces --change", "cut-off"] {
        let report = |file: &str| {
            let text = json_of(program, &[file, "--resamples", "20"]).to_string();
            text.replace(file, "").replace("steps.csv", "").replace("steps.jsonl", "")
        };
        assert_eq!(report(&table), report(&lines), "{program}");
    }
    let graded = write("graded.csv", "id,confidence,score\na,0.5,1\nb,0.5,0.7\nc,0.5,0\n");
    let report = json_of("traces", &[&graded, "--resamples", "0"]);
    assert_eq!(report["account"]["n_partial"], 1, "{report}");
    let wrong = write("wrong.csv", "id,conf,outcome\na,1,1\n");
    let found = refused("traces", &[&wrong]);
    says(&found, "wrong.csv:1: field confidence … the columns are id, conf, outcome");
}

/// A run of each of two models on 30 tasks: id, model, task, what both state, and whether each succeeds.
fn judged() -> Vec<(String, &'static str, usize, f64, bool)> {
    let of = |model: &'static str, every: usize| {
        (0..30).map(move |task| {
            let stated = 0.3 + 0.05 * (task % 10) as f64;
            (format!("q{task}"), model, task, stated, task % every != 0)
        })
    };
    of("beta", 2).chain(of("alpha", 5)).collect()
}

#[test]
fn a_table_of_two_models_has_a_column_for_each_and_the_usual_names_of_outcomes() {
    let rows = judged().into_iter();
    let rows = rows.map(|(id, model, task, stated, correct)| {
        format!("{id},{model},t{task},{stated},{},\"no, but\"\n", u8::from(correct))
    });
    let table = "id,model,task,confidence,correct,label\n".to_owned() + &rows.collect::<String>();
    let table = write("models.csv", &table);
    let lines = judged().into_iter().map(|(id, model, task, stated, correct)| {
        format!(
            "{{\"label\": \"x\", \"id\": \"{id}\", \"model\": \"{model}\", \"task\": \"t{task}\", \
             \"confidence\": {stated}, \"correct\": {correct}}}\n"
        )
    });
    let lines = write("models.jsonl", &lines.collect::<String>());
    let traces = json_of("traces", &[&table, "--resamples", "20"]);
    let compared = json_of("compare", &[&table]);
    let calibrated = json_of("traces --change", &[&table, "--resamples", "20"]);
    for report in [&traces, &compared, &calibrated] {
        let names = [0, 1].map(|at| report["files"][at]["name"].as_str().unwrap());
        assert_eq!(names, ["alpha", "beta"]);
        let note = report.to_string().contains("outcomes are those of the column correct");
        assert!(note, "{report}");
    }
    for at in 0..2 {
        let runs = judged().into_iter().filter(|run| run.1 == ["alpha", "beta"][at]);
        let all: Vec<f64> = runs.map(|run| run.3 - f64::from(run.4)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        let figure = |report: &Value, key: &str, part: &str| {
            report["files"][at][key][part].as_f64().unwrap()
        };
        // Runs with one confidence have the same figure under both names.
        for (key, part) in
            [("overconfidence", "value"), ("overconfidence", "ci_low"), ("brier_gain", "value")]
        {
            let of_compare = figure(&compared, &format!("{key}_last"), part);
            let found = [figure(&traces, key, part), of_compare];
            assert!((found[0] - found[1]).abs() < 1e-12, "{key}.{part}: {found:?}");
        }
        assert!((figure(&traces, "overconfidence", "value") - mean).abs() < 1e-12);
    }
    assert_eq!(compared["difference"]["n_shared_tasks"], 30);
    assert_eq!(traces["difference"]["pairing"], "tasks");
    let text = |file: &str| {
        let json = json_of("traces", &[file, "--resamples", "20"]).to_string();
        json.replace(file, "").replace("models.jsonl", "").replace("models.csv", "")
    };
    assert_eq!(text(&table), text(&lines));
}

#[test]
fn outcomes_name_the_log_of_a_run_where_two_have_the_same_ids() {
    let logs = ["first.jsonl", "second.jsonl"].map(|name| log(name, 20));
    let line = |name: &str, right: bool| {
        (0..20).map(|run| format!("r-{run},{name},{}\n", outcome(run) == right)).collect::<String>()
    };
    let beside = write(
        "logs.csv",
        &("id,log,outcome\n".to_owned()
            + &line("first.jsonl", true)
            + &line("second.jsonl", false)),
    );
    let report = json_of("compare", &[&logs[0], &logs[1], "--outcomes", &beside]);
    let rates = [0, 1].map(|at| report["files"][at]["success_rate"]["value"].as_f64().unwrap());
    let right = (0..20).filter(|&run| outcome(run)).count() as f64 / 20.0;
    assert!((rates[0] - right).abs() < 1e-12 && (rates[1] - (1.0 - right)).abs() < 1e-12);
    assert_eq!(notes(&report).matches("no line for").count(), 0, "{report}");
    // Without the column, an outcome would be that of two runs.
    let found = refused("compare", &[&logs[0], &logs[1], "--outcomes", &outcomes("one.csv", 20)]);
    assert!(found.contains("name the task, trial, model or log"), "{found}");
    let atif = refused("convert", &[&logs[0], "--to", "atif", "--outcomes", &beside]);
    assert!(atif.contains("--outcomes: trajectories contain only what the log says"), "{atif}");
}
