//! The program as its users run it: what a log holds, or one line on standard error and exit code 2.

use std::{collections::BTreeMap, fs, path::Path, process::Output};

use crate::program::{self, empty, has, noted, refusal, refused, run_other, says, write};
use serde_json::{Value, json as object};

fn run(arguments: &[&str]) -> Output {
    run_other("logs", arguments)
}

fn json(arguments: &[&str]) -> Value {
    program::json_of("logs", arguments)
}

fn log(name: &str) -> String {
    let folder = "../run-logs/tests/golden/inspect";
    Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_model_whose_evaluation_ended_before_a_run_is_a_column_of_its_own() {
    let log = |model: &str, status: &str, samples: Value| {
        let dataset = object!({"sample_ids": [1, 2, 3]});
        let eval = object!({"eval_id": model, "task": "t", "task_id": model, "model": model, "dataset": dataset, "config": {"epochs": 1}});
        object!({"version": 2, "status": status, "eval": eval, "samples": samples}).to_string()
    };
    let sample = |id: u64| object!({"id": id, "epoch": 1, "scores": {"s": {"value": id % 2}}});
    fs::create_dir_all(program::in_folder("ended_early")).unwrap();
    let done = write(
        "ended_early/a.json",
        &log("small", "success", object!([sample(1), sample(2), sample(3)])),
    );
    write("ended_early/b.json", &log("large", "error", object!([])));
    let folder = Path::new(&done).parent().unwrap().to_str().unwrap();
    let report = program::json_of("compare", &[folder]);
    let of =
        |at: usize| ["name", "n_runs", "n_ungraded"].map(|key| report["files"][at][key].clone());
    assert_eq!(of(0), [object!("large"), object!(0), object!(3)]);
    assert_eq!(of(1), [object!("small"), object!(3), object!(0)]);
}

#[test]
fn rows_of_an_archive_hold_what_the_reader_of_inspect_ai_says() {
    let path = log("0.3.285.eval");
    let report = json(&[&path]);
    assert_eq!(report["format"], "inspect");
    let golden = fs::read_to_string(path + ".golden").unwrap();
    let expected: BTreeMap<(String, u64), Value> = golden
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|row| ((row["id"].as_str().unwrap().into(), row["epoch"].as_u64().unwrap()), row))
        .collect();
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(report["n_runs"], expected.len());
    for run in runs {
        let row = &expected[&(run["id"].as_str().unwrap().into(), run["epoch"].as_u64().unwrap())];
        let scores = row["scores"].as_object().unwrap().iter();
        let scores: Value =
            scores.map(|(name, score)| (name.clone(), score["value"].clone())).collect();
        assert_eq!(run["scores"], scores);
        let task = format!("{}/{}", row["task"].as_str().unwrap(), row["id"].as_str().unwrap());
        assert_eq!((&run["task"], &run["model"]), (&task.into(), &row["model"]));
        let limit = row["limit"].as_object();
        let limit = limit.map(|it| object!({"type": it["type"], "limit": it["limit"]}));
        assert_eq!(run["limit"], limit.unwrap_or(Value::Null));
        assert_eq!(run["error"], !row["error"].is_null());
        let used = row["usage"].as_object().unwrap();
        let agents = used.iter().filter(|(model, _)| *model != "mockllm/grader");
        let input: u64 = agents.map(|(_, used)| used["input"].as_u64().unwrap()).sum();
        assert_eq!(run["usage"]["input_tokens"], input);
        let turns = row["turns"].as_array().unwrap().iter();
        let turns: Vec<&Value> = turns
            .filter(|turn| turn["model"] != "mockllm/grader" && turn["error"].is_null())
            .collect();
        assert_eq!(run["n_model_calls"], turns.len());
        let calls = turns.iter().flat_map(|turn| turn["calls"].as_array().unwrap());
        let calls: Vec<Value> = calls
            .map(|call| object!({"name": call["name"], "arguments": call["arguments"]}))
            .collect();
        assert_eq!(run["tool_calls"], Value::Array(calls));
    }
}

#[test]
fn a_bad_log_is_one_line_that_names_file_sample_and_field() {
    let text = fs::read_to_string(log("0.3.285.json")).unwrap();
    let half = write("half.json", &text[..text.len() / 2]);
    refused(&run(&[&half, "--json"]), "half.json: sample  … truncated");

    let wrong = write("wrong.json", &text.replacen("\"epoch\": 1", "\"epoch\": \"one\"", 1));
    let error = refusal(&run(&[&wrong]), "wrong");
    let named = "wrong.json: sample 4: samples[0].epoch: expected a number, found a string";
    assert!(error.contains(named), "{error}");

    let other = write("other.csv", "a,b\n1,2\n");
    refused(&run(&[&other]), "other.csv: the format is not recognized");
    let error = refusal(&run(&[&other, "--format", "csv"]), "format");
    assert!(error.starts_with("error: invalid value 'csv' for '--format"), "{error}");
}

const EXCHANGE: &str = r#"{"id":"a","outcome":true,"turns":[{"response":{"choices":[]}}]}"#;
const TRAJECTORY: &str = r#"{"schema_version":"ATIF-v1.6","session_id":"s","agent":{"name":"n","version":"1"},"steps":[]}"#;

#[test]
fn a_folder_of_several_formats_says_so_and_equal_lines_count_once() {
    let logs = empty("several_formats");
    for (name, text) in [
        ("a.jsonl", &*format!("{EXCHANGE}\n{EXCHANGE}\n")),
        ("b.json", TRAJECTORY),
        ("c.txt", "no log\n"),
    ] {
        fs::write(format!("{logs}/{name}"), text).unwrap();
    }
    let json = json(&[&logs]);
    assert_eq!((&json["format"], &json["n_runs"]), (&"several".into(), &2.into()));
    let account = &json["account"];
    let counts = ["n_found", "n_kept", "n_repeats"].map(|key| account[key].as_u64().unwrap());
    assert_eq!(counts, [3, 2, 1]);
    noted(&json, "several formats: exchanges (2 runs), atif (1 runs)");
    noted(&json, "c.txt: left out, its format is not recognized");
}

/// A run that a model made, of 1,000 input tokens, 600 of them cached, and 100 output tokens.
fn exchange(id: &str, task: &str, model: &str, outcome: &str) -> String {
    let run = format!(r#""id":"{id}","task":"{task}","outcome":{outcome}"#);
    let usage = r#""prompt_tokens":1000,"prompt_tokens_details":{"cached_tokens":600},"completion_tokens":100"#;
    program::exchange(&run, &["x"], &format!(r#""model":"{model}","usage":{{{usage}}},"#))
}

#[test]
fn runs_are_counted_by_model_and_task_and_listed_as_people_count() {
    let lines = [
        exchange("run-10", "task-10", "m-1", "true"),
        exchange("run-2", "task-2", "m-1", "true"),
        exchange("run-2b", "task-2", "m-2", "false"),
        exchange("run-1", "task-2", "m-1", "null"),
    ];
    let log = write("counted.jsonl", &lines.join("\n"));
    let report = json(&[&log]);
    let of = |list: &str, key: &str| -> Vec<Value> {
        report[list].as_array().unwrap().iter().map(|row| row[key].clone()).collect()
    };
    assert_eq!(of("models", "model"), ["m-1", "m-2"]);
    assert_eq!(of("models", "n_succeeded"), [2, 0]);
    assert_eq!(of("models", "n_unknown"), [1, 0]);
    assert_eq!(of("models", "output_tokens"), [300, 100]);
    assert_eq!(of("tasks", "task"), ["task-2", "task-2", "task-10"]);
    assert_eq!(of("tasks", "n_runs"), [2, 1, 1]);
    assert_eq!(of("runs", "id"), ["run-1", "run-2", "run-2b", "run-10"]);
    let table = program::shown("logs", &[&log]);
    let [models, tasks, runs] =
        ["\nBy model\n", "\nBy task\n", "\nRuns\n"].map(|title| table.find(title).unwrap());
    assert!(models < tasks && tasks < runs, "{table}");

    let many: Vec<String> =
        (0..31).map(|at| exchange("r", &format!("arith/{at}"), "m-1", "true")).collect();
    let table = program::shown("logs", &[&write("many.jsonl", &many.join("\n"))]);
    let row = table.lines().find(|line| line.starts_with("arith ")).unwrap();
    assert!(table.contains("\nAll runs\n") && row.contains("31"), "{table}");
}

#[test]
fn prices_give_a_cost_to_runs_whose_log_has_none_and_name_models_without_one() {
    let log = write(
        "priced.jsonl",
        &[exchange("a", "t", "m-1", "true"), exchange("b", "t", "m-2", "true")].join("\n"),
    );
    let prices =
        write("prices.json", r#"{"m-1": {"input": 2.0, "cached_input": 0.5, "output": 8.0}}"#);
    let csv = program::in_folder("runs.csv");
    let report = json(&[&log, "--prices", &prices, "--csv", &csv]);
    // 400 tokens at 2, 600 at 0.5 and 100 at 8 dollars a million.
    assert_eq!(report["runs"][0]["usage"]["cost_usd"], 0.0019);
    assert_eq!(report["runs"][1]["usage"]["cost_usd"], Value::Null);
    noted(&report, "no price is given for the model m-2, so the cost of 1 run is not known");
    noted(&report, "sums leave out 1 run whose cost is not known");
    let csv = fs::read_to_string(csv).unwrap();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 3, "{csv}");
    assert!(lines[0].starts_with("id,task,model,outcome,scores,"), "{csv}");
    assert!(
        lines[1].starts_with("a,t,m-1,true,{},") && lines[1].ends_with(",1000,600,100,0.0019,{}"),
        "{csv}"
    );

    let compared = program::json_of("compare", &[&log, "--prices", &prices]);
    let cost = |column: usize| &compared["files"][column]["cost_usd_per_run"]["value"];
    assert_eq!((cost(0), cost(1)), (&0.0019.into(), &Value::Null), "{compared}");
    assert_eq!(compared["files"][0]["n_with_cost_usd"], 1);

    refused(&run(&[&log, "--csv", &log]), "--csv … is read by this command");
}

#[test]
fn outcomes_stops_and_limits_are_those_of_compare_and_traces() {
    let log = "data/demo_alpha.jsonl";
    let of_logs = json(&[log]);
    let of_traces = program::json_of("traces", &[log, "--resamples", "0"]);
    for key in ["n_runs", "n_succeeded", "n_failed", "n_unknown", "n_at_limit", "success_rate"] {
        assert_eq!(of_logs[key], of_traces[key], "{key}");
    }
    let of_compare = program::json_of("compare", &[log]);
    assert_eq!(of_logs["n_at_limit"], of_compare["files"][0]["n_at_limit"]);
    assert_eq!(of_logs["n_at_limit"], 7);
    let first = of_logs["conclusion"][0].as_str().unwrap();
    assert!(
        first.ends_with(
            "the outcome of 7 is not known, because a limit ended 7 of them without a grade."
        ),
        "{first}"
    );
    let model = &of_logs["models"][0];
    assert_eq!((&model["n_unknown"], &model["n_at_limit"]), (&7.into(), &7.into()));
    assert_eq!(of_logs["runs"][0]["confidence"], 0.92);
}

#[test]
fn a_log_without_outcomes_says_which_line_to_add_and_takes_it() {
    let log = write("unjudged.jsonl", &exchange("a", "t", "m-1", "null"));
    let report = json(&[&log]);
    let second = report["conclusion"][1].as_str().unwrap();
    assert!(second.starts_with("No run has an outcome: add --outcomes FILE"), "{second}");
    assert_eq!((&report["n_unknown"], &report["runs"][0]["stop"]), (&1.into(), &"unjudged".into()));

    let outcomes = write("judged.csv", "id,outcome\na,1\nb,0\n");
    let report = json(&[&log, "--outcomes", &outcomes]);
    assert_eq!((&report["n_succeeded"], &report["runs"][0]["outcome"]), (&1.into(), &true.into()));
    assert_eq!(report["conclusion"].as_array().unwrap().len(), 1);
    noted(&report, "1 of 2 lines have no run; the first of them is b");

    let stated = exchange("a", "t", "m-1", "null").replace("\"x\"", r#""Confidence: 80%""#);
    let stated = write("unjudged_confidence.jsonl", &stated);
    let error = refusal(&program::run_other("traces --change", &[&stated]), "calibration");
    let named = "calibration is undefined: no run has an outcome";
    assert!(error.contains(named) && error.contains("add --outcomes FILE"), "{error}");
    let report = program::json_of("cut-off", &[&stated]);
    let first = report["conclusion"][0].as_str().unwrap();
    let named =
        "f 1 run, none has an outcome and none was cut off by a budget: add --outcomes FILE";
    assert!(first.contains(named), "{report}");
}

#[test]
fn of_several_scorers_one_is_chosen_and_a_limit_counts_as_in_other_reports() {
    let log = log("0.3.285.eval");
    let report = json(&[&log]);
    // The first that the log itself names.
    let by = report["account"]["scorers"].as_object().unwrap();
    assert_eq!(by.keys().collect::<Vec<_>>(), ["letter"]);

    let censored = json(&[&log, "--scorer", "letter", "--at-limit", "unknown"]);
    let scored = json(&[&log, "--scorer", "letter"]);
    assert_eq!(scored["runs"], report["runs"]);
    let runs = |report: &Value| report["runs"].as_array().unwrap().clone();
    let (mut ended, mut at_limit) = (0, 0);
    for (run, with_limit) in runs(&censored).iter().zip(runs(&scored)) {
        let is_success = match &run["scores"]["letter"] {
            Value::Null => Value::Null,
            // A partial success is neither.
            letter if letter == "P" => Value::Null,
            letter => (letter == "C").into(),
        };
        assert_eq!(with_limit["outcome"], is_success, "{run}");
        let outcome = if run["limit"].is_null() { is_success } else { Value::Null };
        assert_eq!(run["outcome"], outcome, "{run}");
        ended += usize::from(!outcome.is_null());
        at_limit += usize::from(run["stop"].as_str().unwrap().starts_with("max_"));
    }
    assert_eq!((&censored["n_at_limit"], &scored["n_at_limit"]), (&at_limit.into(), &0.into()));
    assert!(ended > 20 && at_limit > 3, "{ended} {at_limit}");
    refused(&run(&[&log, "--scorer", "lettr"]), "known scorers: letter, model_graded_qa, number");
}

#[test]
fn no_cell_of_the_csv_is_a_formula_or_acts_on_what_shows_it() {
    let names = [
        ("=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("+1+1", "'+1+1"),
        ("-1+1", "'-1+1"),
        ("-1.5", "-1.5"),
        (" =1", "' =1"),
        ("\\t=1", "'\\u{9}=1"),
        ("\\r=1", "\"'\\u{d}=1\""),
        ("\u{ff1d}1", "'\u{ff1d}1"),
        ("a\\u001b[2Jb", "a\\u{1b}[2Jb"),
        ("a\\u202eb", "a\\u{202e}b"),
        ("a=b", "a=b"),
    ];
    let csv = program::in_folder("inert.csv");
    for (name, written) in names {
        let log = write("inert.jsonl", &exchange("a", name, "m-1", "true"));
        let _ = json(&[&log, "--csv", &csv]);
        let csv = fs::read_to_string(&csv).unwrap();
        let row = csv.lines().nth(1).unwrap();
        assert!(row.starts_with(&format!("a,{written},m-1")), "{name}: {row}");
    }
}

/// A line with a run of one response.
fn used(model: &str, usage: &str) -> String {
    let response = format!(r#""model": "{model}", "usage": {{{usage}}}, "#);
    program::exchange(r#""id": "r", "outcome": true"#, &["Done."], &response)
}

#[test]
fn prices_have_cache_writes_reasoning_and_tiers_and_name_the_parts_that_they_lack() {
    let prices = write(
        "parts.json",
        r#"{"cl-x": {"input": 3.0, "cached_input": 0.3, "cache_write": 3.75, "output": 15.0},
            "plain": {"input": 3.0, "output": 15.0},
            "ds": {"input": 0.27, "cached_input": 0.07, "output": 1.1},
            "thinks": {"input": 1.0, "output": 2.0, "reasoning": 4.0},
            "long": {"input": 1.0, "output": 10.0, "tiers": {
                "long_context": {"above_input_tokens": 200000, "input": 2.0, "output": 15.0},
                "longest": {"above_input_tokens": 500000, "input": 4.0, "output": 30.0}}}}"#,
    );
    let written = r#""input_tokens": 3, "cache_creation_input_tokens": 12304, "cache_read_input_tokens": 0, "output_tokens": 550"#;
    let message = |model: &str| {
        format!(
            r#"{{"id": "r", "outcome": true, "turns": [{{"response": {{"id": "msg", "type": "message", "role": "assistant", "model": "{model}",
                "content": [{{"type": "text", "text": "Done."}}], "stop_reason": "end_turn", "usage": {{{written}}}}}}}]}}"#
        )
        .replace('\n', " ")
    };
    let call = |input: u64| {
        used("long", &format!(r#""prompt_tokens": {input}, "completion_tokens": 1000"#))
    };
    let two_calls = format!(
        r#"{{"id": "r", "outcome": true, "turns": [{0}, {0}]}}"#,
        r#"{"response": {"model": "long", "choices": [{"message": {"content": "a"}}], "usage": {"prompt_tokens": 150000, "completion_tokens": 1000}}}"#
    );
    let hit = r#""prompt_tokens": 10000, "completion_tokens": 100, "total_tokens": 10100, "prompt_cache_hit_tokens": 9000, "prompt_cache_miss_tokens": 1000"#;
    let thoughts = r#""prompt_tokens": 1000, "completion_tokens": 500, "completion_tokens_details": {"reasoning_tokens": 400}"#;
    let free = r#""prompt_tokens": 1000, "completion_tokens": 500, "cost": 0"#;
    let cases = [
        (message("cl-x"), Some(0.054399), ""),
        (
            message("plain"),
            Some(0.045171),
            "the price of the model plain has no cache_write, so tokens of this kind in 1 run",
        ),
        (used("ds", hit), Some(0.00101), ""),
        (used("plain", hit), Some(0.0315), "the price of the model plain has no cached_input"),
        (used("thinks", thoughts), Some(0.0028), ""),
        (call(200_000), Some(0.21), ""),
        (call(200_001), Some(0.415002), ""),
        (call(600_000), Some(2.43), ""),
        // A tier holds for a call and not for all calls of a run together.
        (two_calls, Some(0.32), ""),
        // A cost of 0 beside tokens is said, and priced where there is a price.
        (used("plain", free), Some(0.0105), ""),
        (used("local", free), Some(0.0), "the log states a cost of 0 in spite of tokens"),
    ];
    for (at, (log, cost, note)) in cases.iter().enumerate() {
        let log = write(&format!("parts{at}.jsonl"), log);
        let report = json(&[&log, "--prices", &prices]);
        let found = report["runs"][0]["usage"]["cost_usd"].as_f64();
        let is_close = found.zip(*cost).is_some_and(|(a, b)| (a - b).abs() < 1e-12);
        let notes = report["notes"].to_string();
        assert!(is_close && notes.contains(note), "{at}: {found:?} {notes}");
        assert_eq!(notes.contains("price"), !note.is_empty(), "{at}: {notes}");
    }
    let free = write("free.jsonl", &used("local", free));
    for subcommand in ["logs", "compare"] {
        // A comparison has the notes of a log in its column.
        let report = program::json_of(subcommand, &[&free]);
        let notes = format!("{} {}", report["notes"], report["files"][0]["notes"]);
        says(&notes, "run r: the log states a cost of 0 in spite of tokens");
    }
}

#[test]
fn each_turn_has_the_price_of_its_model() {
    let turn = |model: &str, output: u64| object!({"response": {"model": model, "choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": 0, "completion_tokens": output}}});
    let run = object!({"id": "a", "outcome": true, "turns": [turn("large", 1_000), turn("small", 1_000_000)]});
    let log = write("two_models.jsonl", &run.to_string());
    let large = object!({"input": 1, "output": 100});
    let both = object!({"large": large, "small": {"input": 1, "output": 1}});
    let prices = write("two_prices.json", &both.to_string());
    let report = json(&["--prices", &prices, &log]);
    assert_eq!(report["runs"][0]["usage"]["cost_usd"], 1.1);
    let prices = write("one_price.json", &object!({"large": large}).to_string());
    assert_eq!(json(&["--prices", &prices, &log])["runs"][0]["usage"]["cost_usd"], Value::Null);
}

/// Files of prices, and a part of their errors.
const WRONG_PRICES: &str = r#"
{"a": {OK}, "a": {OK}} | duplicate field `a`
{"a": {"input": 1, "input": 2, "output": 1}} | duplicate field `input`
{"a": {"input": 1e308, "output": 1}} | at least 0 and at most 1000000
{"a": {"input": -2.0, "output": 8.0}} | at least 0
{"a": {"input": 1, "output": 1e999}} | out of range
{"a": {OK, "cache_write": -1}} | at least 0 and at most 1000000
{"a": {OK, "tiers": {"t": {OK}}}} | has no above_input_tokens
{"a": {OK, "above_input_tokens": 5}} | outside a tier
{"a": {OK, "tiers": {"t": {OK}, "t": {OK}}}} | duplicate field `t`
{"a": {OK, "cache_writes": 5}} | cache_writes
{"a": {OK}} {} | trailing"#;

#[test]
fn prices_that_no_one_can_mean_are_refused() {
    let log = write("any.jsonl", &used("a", r#""prompt_tokens": 5, "completion_tokens": 5"#));
    let ok = r#""input": 1, "output": 1"#;
    for case in WRONG_PRICES.lines().skip(1) {
        let (prices, part) = case.split_once(" | ").unwrap();
        let file = write("refused_prices.json", &prices.replace("OK", ok));
        refused(&run(&[&log, "--prices", &file]), &format!("refused_prices.json … {part}"));
    }
}

#[test]
fn what_a_grader_used_is_beside_what_the_agent_used_in_every_subcommand() {
    let call = |model: &str, span: &str, tokens: u64| {
        let usage =
            object!({"input_tokens": tokens, "output_tokens": 5, "total_tokens": tokens + 5});
        let output = object!({"choices": [{"message": {"content": "a"}}], "usage": usage});
        object!({"event": "model", "model": model, "span_id": span, "output": output})
    };
    let sample = |id: u64| {
        object!({"id": id, "epoch": 1, "scores": {"s": {"value": "C"}},
            "model_usage": {"m": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15},
                "g": {"input_tokens": 1000, "output_tokens": 5, "total_tokens": 1005}},
            "events": [{"event": "span_begin", "id": "score", "type": "scorer", "name": "s"},
                call("m", "solve", 10), call("g", "score", 1000)]})
    };
    let samples: Vec<Value> = (0..8).map(sample).collect();
    let log = object!({"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": samples});
    let log = write("grader.json", &log.to_string());
    let prices = write("agent_prices.json", r#"{"m": {"input": 1.0, "output": 1.0}}"#);
    let report = json(&[&log, "--prices", &prices]);
    let run = &report["runs"][0];
    has(&run["usage"], object!({"input_tokens": 10, "cost_usd": 15e-6}));
    let graders = object!({"input_tokens": 1000, "output_tokens": 5, "cost_usd": null});
    assert_eq!(run["other_usage"], object!({"grader": graders}));
    let compared = program::json_of("compare", &[&log]);
    assert_eq!(compared["files"][0]["tokens_per_run"]["value"], 15.0);
    let caps = ["--at", "14,16", "--resource", "total_tokens", "--json"];
    let caps = program::json_of("caps", &[&[log.as_str()], &caps[..]].concat());
    let kept = |row: usize| &caps["caps"][row]["kept_share"]["value"];
    assert_eq!((kept(0), kept(1)), (&object!(0.0), &object!(1.0)), "{caps}");
}

#[test]
fn an_account_states_the_logs_of_each_column_and_every_rule_that_is_not_the_default() {
    let folder = empty("two-models");
    for (file, model, outcome) in [("a", "m", "true"), ("b", "n", "false"), ("c", "n", "null")] {
        let line = |at: u8| {
            let run = format!(r#""id": "{file}{at}", "task": "t{at}", "outcome": {outcome}"#);
            let usage = r#""usage": {"prompt_tokens": 3, "completion_tokens": 4}"#;
            let response = format!(r#""model": "{model}", {usage}, "#);
            program::exchange(&run, &["<confidence>0.9</confidence>"], &response)
        };
        let text = [line(1), line(2)].join("\n");
        fs::write(format!("{folder}/{file}.jsonl"), text).unwrap();
    }
    let logs = |account: &Value| {
        let columns = account["columns"].as_array().unwrap();
        let of_columns = columns.iter().map(|column| column["n_logs"].as_u64().unwrap());
        (account["n_logs"].as_u64(), of_columns.collect::<Vec<_>>())
    };
    let prices = write("prices.json", r#"{"m": {"input": 1, "output": 2}}"#);
    let account = &program::json_of("compare", &[&folder, "--prices", &prices])["account"];
    assert_eq!(logs(account), (Some(3), vec![1, 2]));
    has(account, object!({"rules": [], "models_without_price": ["n"]}));

    let rules = ["--ungraded", "failed", "--repeats", "keep", "--percent=no"];
    let words = [&[folder.as_str(), "--json", "--confidence", "lenient"], &rules[..]].concat();
    let report = program::json_of("compare", &words);
    let stated = report["account"]["rules"].to_string();
    says(&stated, "--ungraded failed … --repeats keep … --percent=no … --confidence lenient");
    let shown = program::shown("compare", &[&folder, "--ungraded", "leave-out"]);
    assert!(shown.contains("(--ungraded leave-out)"), "{shown}");
}

#[test]
fn several_files_make_one_list_in_which_each_run_names_its_file() {
    let (one, other) = (log("0.3.110.killed.eval"), log("0.3.285.json"));
    let report = json(&[&one, &other]);
    assert_eq!((&report["format"], &report["n_runs"]), (&"inspect".into(), &13.into()));
    let files: Vec<&str> = report["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["file"].as_str().unwrap())
        .collect();
    assert_eq!((files[0], files[12]), (one.as_str(), other.as_str()));
}

#[test]
fn cells_of_the_csv_are_quoted_where_they_need_it() {
    let log = write("quoted.jsonl", &exchange("a, \\\"b\\\"", "t", "m-1", "true"));
    let csv = program::in_folder("quoted.csv");
    let _ = json(&[&log, "--csv", &csv]);
    let csv = fs::read_to_string(csv).unwrap();
    assert!(csv.lines().nth(1).unwrap().starts_with(r#""a, ""b""",t,m-1,true,"#), "{csv}");
}

#[test]
fn failed_lines_of_a_batch_are_shown_as_errors() {
    let log = write(
        "batch.jsonl",
        r#"{"custom_id": "q1", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}}, "error": null}
{"custom_id": "q2", "response": {"status_code": 400, "body": {"error": {"message": "max_tokens is too large"}}}, "error": null}
{"custom_id": "q3", "response": null, "error": {"code": "batch_expired", "message": "This request expired."}}"#,
    );
    let report = json(&[&log]);
    let errors: Vec<&Value> =
        report["runs"].as_array().unwrap().iter().map(|run| &run["error"]).collect();
    assert_eq!(errors, [&object!(false), &object!(true), &object!(true)]);
    assert_eq!(report["runs"][1]["stop"], "error");
}
