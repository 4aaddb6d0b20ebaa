//! The program as its users run it: figures out, or one line on standard error and exit code 2.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod program;

use std::{
    fs,
    time::{Duration, Instant},
};

use program::{in_folder, json, recorded, refusal, run, run_with_input, write};
use serde_json::Value;

fn number(object: &Value, name: &str) -> f64 {
    object[name].as_f64().unwrap_or_else(|| panic!("{name}: {object}"))
}

const THREE: &str = r#"{"problem":"a","solved":1,"output_tokens":500,"model":"x"}
{"problem":"b","solved":true,"output_tokens":300}
{"problem":"c","solved":false,"output_tokens":200,"value":1}"#;

#[test]
fn bad_input_is_one_line_that_names_file_line_and_field_and_exit_code_2() {
    let cases = [
        ("zero", r#"{"problem":"z","solved":1,"output_tokens":0}"#, "field output_tokens"),
        ("negative", r#"{"problem":"z","solved":1,"output_tokens":-5}"#, "field output_tokens"),
        ("part", r#"{"problem":"z","solved":1,"output_tokens":5.5}"#, "field output_tokens"),
        (
            "huge",
            r#"{"problem":"z","solved":1,"output_tokens":18446744073709551615}"#,
            "field output_tokens",
        ),
        ("no_tokens", r#"{"problem":"z","solved":1}"#, "field output_tokens"),
        ("maybe", r#"{"problem":"z","solved":2,"output_tokens":5}"#, "field solved"),
        ("unknown", r#"{"problem":"z","solved":null,"output_tokens":5}"#, "field solved"),
        ("worthless", r#"{"problem":"z","solved":1,"output_tokens":5,"value":0}"#, "field value"),
        ("no_value", r#"{"problem":"z","solved":1,"output_tokens":5,"value":null}"#, "field value"),
        ("again", r#"{"problem":"b","solved":1,"output_tokens":5}"#, "field problem"),
        ("list", r#"["z",1,5]"#, "no JSON object"),
    ];
    for (name, row, want) in cases {
        let path = write(&format!("{name}.jsonl"), &format!("{THREE}\n\n{row}\n"));
        let error = refusal(&run(&[&path, "--json"]), name);
        assert!(error.contains(&format!("{name}.jsonl:5: ")), "{error}");
        assert!(error.contains(want), "{error}");
    }
    let values = r#"{"problem":"z","solved":1,"output_tokens":5,"value":1e100}"#;
    let path = write("values.jsonl", &format!("{THREE}\n{values}"));
    let error = refusal(&run(&[&path]), "values");
    assert!(error.contains("values.jsonl: field value: "), "{error}");
    let knapsack = write("alone.json", r#"{"capacity": 1, "profits": [1], "weights": [1]}"#);
    for arguments in [
        &["--alpha", "0"][..],
        &["--alpha", "1.1"],
        &["--alpha", "nan"],
        &["--pool-size", "0"],
        &["--planner", "no such file"],
        &["no such file"],
        &["--knapsack", "no such file"],
        &["--knapsack", &knapsack, "--plot", "x.svg"],
        &["--knapsack", &knapsack, &knapsack],
        &["--unknown"],
    ] {
        refusal(&run(arguments), &arguments.join(" "));
    }
}

#[test]
fn three_problems_come_out_as_by_hand() {
    // Half of 1000 is the budget. Of the six orders only c, a, b earns nothing, the others 1.
    let path = write("three.jsonl", THREE);
    let report = json(&[&path, "--alpha", "0.5", "--json"]);
    assert_eq!(report["planner"], "all-in-order");
    assert_eq!(report["informed"], false);
    assert_eq!(report["alphas"].as_array().unwrap().len(), 1);
    let at = &report["alphas"][0];
    assert_eq!((number(at, "alpha"), number(at, "pools"), number(at, "oracle")), (0.5, 1.0, 1.0));
    assert!((number(at, "random_exact") - 5.0 / 6.0).abs() < 1e-15);
    assert!(
        (number(at, "random_sampled") - 5.0 / 6.0).abs() < 4.0 * number(at, "random_sampled_se")
    );
    // In order a uses up the budget; a third of the budget is enough for none.
    assert_eq!((number(at, "eta_advisory"), number(at, "regret_advisory")), (1.0, 0.0));
    assert!((number(at, "eta_enforced") + 5.0).abs() < 1e-12);
    assert_eq!(number(at, "regret_enforced"), 1.0);
    assert_eq!(at["eta_advisory_se"], Value::Null);
}

#[test]
fn what_is_undefined_is_null_and_a_note_says_why() {
    let path = write("hopeless.jsonl", &THREE.replace("1,", "0,").replace("true", "false"));
    let report = json(&[&path, "--alpha", "0.5", "--json"]);
    let at = &report["alphas"][0];
    assert_eq!(number(at, "eta_advisory"), 1.0);
    assert_eq!(at["regret_advisory"], Value::Null);
    assert_eq!(at["eta_advisory_informative"], Value::Null);
    assert_eq!(number(at, "nothing_solvable_pools"), 1.0);
    let notes = report["notes"].to_string();
    assert!(notes.contains("regret is null") && notes.contains("informative is null"), "{notes}");
}

#[test]
fn without_an_alpha_there_are_four() {
    let path = write("sweep.jsonl", THREE);
    let report = json(&[&path, "--json"]);
    let alphas: Vec<f64> =
        report["alphas"].as_array().unwrap().iter().map(|at| number(at, "alpha")).collect();
    assert_eq!(alphas, [0.25, 0.5, 0.75, 1.0]);
    assert_eq!(report["pool_size"], 30);
}

/// The oracle planner has 1 everywhere; the random one 0, by the error of the draw of its orders.
fn references_are_at_1_and_0(file: &[&str], alphas: &[&str]) -> Value {
    let alphas = alphas.iter().flat_map(|alpha| ["--alpha", alpha]);
    let file: Vec<&str> = file.iter().copied().chain(alphas).collect();
    let with = |planner: &str| json(&[&file[..], &["--planner", planner, "--json"]].concat());
    let (oracle, random) = (with("oracle"), with("random"));
    assert_eq!(
        (&oracle["informed"], &random["informed"]),
        (&Value::Bool(true), &Value::Bool(false))
    );
    for at in oracle["alphas"].as_array().unwrap() {
        for regime in ["advisory", "enforced"] {
            assert_eq!(number(at, &format!("eta_{regime}")), 1.0);
            assert_eq!(number(at, &format!("regret_{regime}")), 0.0);
        }
    }
    for at in random["alphas"].as_array().unwrap() {
        let gap = number(at, "random_sampled") - number(at, "random_exact");
        if number(at, "alpha") == 1.0 {
            // No order is cut off, so every order earns what the oracle does.
            assert_eq!((number(at, "eta_advisory"), gap), (1.0, 0.0));
            assert_eq!(at["eta_advisory_informative"], Value::Null);
            continue;
        }
        let eta = number(at, "eta_advisory_informative");
        let se = number(at, "eta_advisory_informative_order_se");
        assert!(eta.abs() < 3.0 * se, "{eta} {se}");
        assert!(gap.abs() < 4.0 * number(at, "random_sampled_se"), "{at}");
        assert_eq!(number(at, "informative_pools"), number(at, "pools"));
    }
    oracle
}

#[test]
fn the_oracle_planner_has_efficiency_1_and_the_random_planner_0() {
    let report = references_are_at_1_and_0(&[], &["0.5", "1"]);
    assert_eq!((&report["problems"], &report["alphas"][0]["pools"]), (&120.into(), &4.into()));
}

#[test]
fn a_models_text_is_read_for_every_pool() {
    let path = write("planned.jsonl", THREE);
    let plan = write(
        "plan.txt",
        "I take b first: ```json\n{\"plan\": [{\"id\": \"b\", \"tokens\": \"300\"}, \
         {\"id\": \"c\", \"tokens\": 200}, {\"id\": \"y\", \"tokens\": 1}]}\n```",
    );
    let file = [&path, "--planner", &plan, "--json"];
    let whole = json(&[&file[..], &["--alpha", "0.5"]].concat());
    let at = &whole["alphas"][0];
    assert_eq!((number(at, "eta_advisory"), number(at, "eta_enforced")), (1.0, 1.0));
    assert_eq!(at["plans"], serde_json::json!({ "repaired": 1 }));
    assert_eq!(
        at["repairs"],
        serde_json::json!({ "allocation": 1, "other_name": 2, "text_stripped": 1, "unknown_id": 1 })
    );
    // In pools of one and two, the ids of the other pool are no mistake.
    let parts = json(&[&file[..], &["--alpha", "1", "--pool-size", "2"]].concat());
    assert_eq!(parts["alphas"][0]["repairs"]["unknown_id"], 2);
}

#[test]
fn a_plan_with_slips_of_json_is_read_and_its_repairs_are_counted() {
    let path = write("slips.jsonl", THREE);
    for (name, text, repair) in [
        ("comma", r#"{"plan": [{"id": "b", "allocation": 300},]}"#, "trailing_commas"),
        ("cut", r#"{"plan": [{"id": "b", "allocation": 300}, {"id": "a", "all"#, "cut_off"),
        ("quotes", "{'plan': [{'id': 'b', 'allocation': 300}]}", "single_quotes"),
        ("pad", r#"{"plan": [{"id": " b ", "allocation": 300}]}"#, "padded_id"),
        ("name", r#"{"plan": [{"task_id": "b", "allocation": 300}]}"#, "other_name"),
    ] {
        let plan = write(&format!("slip_{name}.txt"), text);
        let at = &json(&[&path, "--planner", &plan, "--alpha", "0.5", "--json"])["alphas"][0];
        assert_eq!(number(at, "eta_enforced"), 1.0, "{name}");
        assert_eq!(at["repairs"], serde_json::json!({ repair: 1 }), "{name}");
    }
}

#[test]
fn answers_for_each_pool_are_read_by_pool_and_alpha() {
    let path = write("answered.jsonl", THREE);
    let answers = r#"{"pool":0,"alpha":0.5,"answer":"[{\"id\":\"b\",\"allocation\":300},{\"id\":\"b\",\"allocation\":1}]"}
{"pool":1,"answer":{"plan":[{"id":"c","allocation":200}]}}"#;
    let plan = write("answers.jsonl", answers);
    let (path, plan) = (&path, &plan);
    let report = json(&[path, "--planner", plan, "--pool-size", "2", "--json"]);
    for at in report["alphas"].as_array().unwrap() {
        let half = number(at, "alpha") == 0.5;
        let read = if half { "duplicate_id" } else { "missing" };
        // The first pool has no plan and is left out; c alone costs more than a part of its budget.
        let of_c = if number(at, "alpha") == 1.0 { "as_asked" } else { "over_budget" };
        assert_eq!((&at["plans"][read], &at["plans"][of_c]), (&1.into(), &1.into()), "{at}");
        assert_eq!((number(at, "pools"), number(at, "planned_pools")), (2.0, 1.0));
    }
    let broken = write("broken.jsonl", &answers.replace("\"pool\":0,", "\"pool\":0"));
    let error = refusal(&run(&[path, "--planner", &broken, "--pool-size", "2"]), "broken");
    assert!(error.contains("broken.jsonl:1: "), "{error}");
    let far = write("far.jsonl", &answers.replace("\"pool\":1", "\"pool\":2"));
    let error = refusal(&run(&[path, "--planner", &far, "--pool-size", "2"]), "far");
    assert!(error.contains("far.jsonl:2: field pool: "), "{error}");
    let twice = write("twice.jsonl", &answers.replace("\"pool\":1", "\"pool\":0"));
    let error = refusal(&run(&[path, "--planner", &twice, "--pool-size", "2"]), "twice");
    assert!(error.contains("twice.jsonl:2: field pool: "), "{error}");
}

#[test]
fn a_byte_order_mark_in_front_of_a_file_changes_nothing() {
    let path = write("marked.jsonl", THREE);
    let problems = write("marked_problems.jsonl", &format!("\u{feff}{THREE}"));
    let knapsack = r#"{"capacity": 10, "profits": [6, 5, 5, 0], "weights": [9, 5, 5, 0]}"#;
    let answers = [
        r#"{"pool":0,"answer":{"plan":[{"id":"b","allocation":300}]}}"#,
        r#"{"plan":[{"id":"b","allocation":300}]}"#,
    ];
    for (i, answers) in answers.into_iter().enumerate() {
        let plain = write(&format!("plain_{i}.txt"), answers);
        let marked = write(&format!("marked_{i}.txt"), &format!("\u{feff}{answers}"));
        let of = |file: &str, plan: &str| {
            let arguments = [file, "--planner", plan, "--pool-size", "2", "--json"];
            json(&arguments)["alphas"].clone()
        };
        let want = of(&path, &plain);
        assert_eq!(of(&path, &marked), want, "{answers}");
        assert_eq!(of(&problems, &plain), want, "{answers}");
    }
    let plain = write("plain_knapsack.json", knapsack);
    let marked = write("marked_knapsack.json", &format!("\u{feff}{knapsack}"));
    let value = |file: &str| json(&["--knapsack", file, "--json"])["value"].clone();
    assert_eq!(value(&marked), value(&plain));
}

#[cfg(unix)]
#[test]
fn every_file_may_be_a_pipe() {
    let path = write("piped.jsonl", THREE);
    let answers = r#"{"pool":0,"answer":{"plan":[{"id":"b","allocation":300}]}}"#;
    let plan = write("piped_answers.jsonl", answers);
    let figures = |arguments: &[&str], input: &str| {
        let output = run_with_input(arguments, input);
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        let object: Value = serde_json::from_slice(&output.stdout).unwrap();
        object["alphas"].clone()
    };
    let want = json(&[&path, "--planner", &plan, "--json"])["alphas"].clone();
    assert_eq!(figures(&[&path, "--planner", "/dev/stdin", "--json"], answers), want);
    assert_eq!(figures(&["/dev/stdin", "--planner", &plan, "--json"], THREE), want);
    let knapsack = r#"{"capacity": 10, "profits": [6], "weights": [9]}"#;
    let output = run_with_input(&["--knapsack", "/dev/stdin", "--json"], knapsack);
    assert!(output.status.success());
}

#[test]
fn many_answers_are_read_in_linear_time() {
    let path = write("many.jsonl", THREE);
    let answer = |i: usize| {
        let alpha = i as f64 / 100_000.0;
        format!("{{\"pool\":0,\"alpha\":{alpha},\"answer\":\"[]\"}}\n")
    };
    let plan = write("many_answers.jsonl", &(1..=100_000).map(answer).collect::<String>());
    let start = Instant::now();
    let report = json(&[&path, "--planner", &plan, "--json"]);
    assert_eq!(report["alphas"][1]["planned_pools"], 1);
    // Comparing each with each would take minutes here.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_key_that_comes_twice_in_one_object_is_refused_with_line_and_field() {
    let path = write("keys.jsonl", THREE);
    let problem = r#"{"problem":"z","solved":1,"output_tokens":5"#;
    for (name, row, field) in [
        ("tokens_twice", format!("{problem},\"output_tokens\":500}}"), "output_tokens"),
        ("model_twice", format!("{problem},\"model\":1,\"m\\u006fdel\":2}}"), "model"),
        ("inner_twice", format!("{problem},\"model\":[{{\"k\":1,\"k\":2}}]}}"), "model[0].k"),
    ] {
        let file = write(&format!("{name}.jsonl"), &format!("{THREE}\n{row}\n"));
        let error = refusal(&run(&[&file, "--json"]), name);
        assert!(error.contains(&format!("{name}.jsonl:4: field {field}: duplicate")), "{error}");
    }
    for (name, row, field) in [
        ("pool_twice", r#"{"pool":0,"pool":1,"answer":"[]"}"#, "pool"),
        (
            "allocation_twice",
            r#"{"pool":0,"answer":{"plan":[{"id":"a","allocation":5,"allocation":500}]}}"#,
            "answer.plan[0].allocation",
        ),
    ] {
        let file = write(&format!("{name}.jsonl"), &format!("\n{row}\n"));
        let error = refusal(&run(&[&path, "--planner", &file, "--json"]), name);
        assert!(error.contains(&format!("{name}.jsonl:2: field {field}: duplicate")), "{error}");
    }
    for (name, field, rest) in
        [("capacity", "capacity", "\"capacity\": 11}"), ("other", "x", "\"x\": 1,\n\"x\": 1}")]
    {
        let text = format!("{{\"capacity\": 10, \"profits\": [6], \"weights\": [1], {rest}");
        let file = write(&format!("knapsack_{name}_twice.json"), &text);
        let error = refusal(&run(&["--knapsack", &file, "--json"]), name);
        assert!(error.contains(&format!(": field {field}: duplicate")), "{error}");
    }
}

#[test]
fn a_text_without_a_plan_leaves_nothing_to_score() {
    let plan = write("no_plan.txt", "I would rather not.");
    let path = write("unplanned.jsonl", THREE);
    let (path, plan) = (&path, &plan);
    let report = json(&[path, "--planner", plan, "--alpha", "0.5", "--json"]);
    let at = &report["alphas"][0];
    assert_eq!((&at["eta_advisory"], &at["regret_enforced"]), (&Value::Null, &Value::Null));
    assert_eq!(at["plans"]["unparseable"], at["pools"]);
    let notes = report["notes"].to_string();
    assert!(notes.contains("eta and regret are null"), "{notes}");
    let why = "no plan was found for pool 0: the text contains no JSON, at byte 19 of its text";
    assert!(notes.contains(why), "{notes}");
    let picture = in_folder("nothing.svg");
    let arguments = [path, "--planner", plan, "--plot", &picture];
    refusal(&run(&arguments), "nothing to draw");
}

#[test]
fn a_knapsack_is_solved_and_timed() {
    let instance = r#"{"capacity": 10, "profits": [6, 5, 5, 0], "weights": [9, 5, 5, 0]}"#;
    let path = write("knapsack.json", instance);
    let solved = json(&["--knapsack", &path, "--json"]);
    assert_eq!(solved["value"], 10);
    assert_eq!(solved["chosen"], serde_json::json!([1, 2]));
    assert_eq!(solved["optimal"], true);
    assert!(number(&solved, "seconds") >= 0.0);
    for (name, text, want) in [
        (
            "negative",
            "{\"capacity\": 10,\n\"profits\": [6, -1], \"weights\": [1, 2]}",
            "2: field profits[1]",
        ),
        ("missing", "{\"capacity\": 10,\n\"profits\": [6]}", "2: field weights"),
        ("lengths", "{\"capacity\": 10, \"profits\": [6], \"weights\": []}", "field weights"),
        ("more", "{\"capacity\": 10, \"profits\": [6], \"weights\": [6]} {}", "1: goes on"),
        ("list", "[10, [6], [6]]", "1: is no JSON object"),
    ] {
        let path = write(&format!("knapsack_{name}.json"), text);
        let error = refusal(&run(&["--knapsack", &path, "--json"]), name);
        assert!(
            error.contains(&format!("knapsack_{name}.json")) && error.contains(want),
            "{error}"
        );
    }
}

#[test]
fn the_picture_is_an_svg_with_both_regimes() {
    let picture = in_folder("triage.svg");
    let path = write("drawn.jsonl", THREE);
    assert!(run(&[&path, "--plot", &picture]).status.success());
    let text = fs::read_to_string(&picture).unwrap();
    for part in ["<svg", "</svg>", "advisory", "enforced", "all-in-order"] {
        assert!(text.contains(part), "{part}");
    }
    assert!(!text.contains("NaN") && !text.contains("informed"));
    let arguments = [&path, "--planner", "oracle", "--plot", &picture];
    assert!(run(&arguments).status.success());
    assert!(fs::read_to_string(&picture).unwrap().contains("(informed reference)"));
    refusal(&run(&[&path, "--plot", "/no such folder/x.svg"]), "no folder");
}

#[test]
fn the_same_call_gives_the_same_bytes() {
    let path = write("seeded.jsonl", THREE);
    let of = |seed: &str| {
        let arguments = ["--planner", "random", "--alpha", "0.5", "--json", "--seed", seed];
        run(&[&[path.as_str()], &arguments[..]].concat()).stdout
    };
    assert_eq!(of("9"), of("9"));
    assert_ne!(of("9"), of("8"));
}

#[test]
fn recorded_runs_have_efficiency_1_for_the_oracle_and_0_for_a_random_planner() {
    let Some(path) = recorded("data/pools/swebench_gemini3pro.jsonl") else { return };
    // Half of them take most of the time of an unoptimised run.
    let alphas =
        if cfg!(debug_assertions) { &["0.25", "1"][..] } else { &["0.25", "0.5", "0.75", "1"] };
    let report = references_are_at_1_and_0(&[&path], alphas);
    assert_eq!((&report["problems"], &report["solved"]), (&500.into(), &371.into()));
    assert_eq!(report["alphas"][0]["pools"], 17);
}
