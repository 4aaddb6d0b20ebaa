//! The program as its users run it: figures out, or one line on standard error and exit code 2.
#![cfg(feature = "pictures")]
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod program;

use std::{
    error::Error,
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use agent_scorecard::Report;
use agent_scorecard_cli::questions::{Source, re_solved, triage_variants};
use program::{
    has, in_folder, json, noted, recorded, refusal, refused, run, run_with_input, says, write,
};
use serde_json::{Value, json};

fn number(object: &Value, name: &str) -> f64 {
    value(object, name).as_f64().unwrap_or_else(|| panic!("{name}: {object}"))
}

fn error(object: &Value, name: &str) -> f64 {
    object[name]["standard_error"].as_f64().unwrap_or_else(|| panic!("{name}: {object}"))
}

/// The value of a figure.
fn value<'a>(object: &'a Value, name: &str) -> &'a Value {
    object[name].get("value").unwrap_or(&object[name])
}

const THREE: &str = r#"{"problem":"a","solved":1,"output_tokens":500,"note":"x"}
{"problem":"b","solved":true,"output_tokens":300}
{"problem":"c","solved":false,"output_tokens":200,"value":1}"#;

#[test]
fn values_without_a_common_unit_are_refused() {
    let values = r#"{"problem":"z","solved":1,"output_tokens":5,"value":1e100}"#;
    let path = write("values.jsonl", &format!("{THREE}\n{values}"));
    refused(&run(&[&path]), "values.jsonl: field value: ");
}

#[test]
fn what_is_undefined_is_null_and_a_note_says_why() {
    let path = write("hopeless.jsonl", &THREE.replace("1,", "0,").replace("true", "false"));
    let report = json(&[&path, "--alpha", "0.5"]);
    let at = &report["alphas"][0];
    assert_eq!(number(at, "eta_advisory"), 1.0);
    assert_eq!(value(at, "regret_advisory"), &Value::Null);
    assert_eq!(value(at, "eta_advisory_informative"), &Value::Null);
    assert_eq!(number(at, "nothing_solvable_pools"), 1.0);
    noted(
        &report,
        "regret_advisory, eta_enforced_informative, regret_enforced: undefined, because in every pool with a plan no problem is solvable",
    );
}

#[test]
fn without_an_alpha_there_are_four() {
    let path = write("sweep.jsonl", THREE);
    let report = json(&[&path]);
    let alphas: Vec<f64> =
        report["alphas"].as_array().unwrap().iter().map(|at| number(at, "alpha")).collect();
    assert_eq!(alphas, [0.25, 0.5, 0.75, 1.0]);
    assert_eq!(report["pool_size"], 30);
}

/// The oracle planner has 1 everywhere; the random one 0, by the error of the draw of its orders.
fn references_are_at_1_and_0(file: &[&str], alphas: &[&str]) -> Value {
    let alphas = alphas.iter().flat_map(|alpha| ["--alpha", alpha]);
    let file: Vec<&str> = file.iter().copied().chain(alphas).collect();
    let with = |planner: &str| json(&[&file[..], &["--planner", planner]].concat());
    let (oracle, random) = (with("oracle"), with("random"));
    assert_eq!(
        [&oracle["informed"], &random["informed"]].map(Value::as_bool),
        [Some(true), Some(false)]
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
            assert_eq!(value(at, "eta_advisory_informative"), &Value::Null);
            continue;
        }
        let eta = number(at, "eta_advisory_informative");
        let se = error(at, "eta_advisory_informative_over_orders");
        assert!(eta.abs() < 3.0 * se, "{eta} {se}");
        assert!(gap.abs() < 4.0 * error(at, "random_sampled"), "{at}");
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
    assert_eq!(at["plans"], json!({ "repaired": 1 }));
    assert_eq!(
        at["repairs"],
        json!({ "allocation": 1, "other_name": 2, "text_stripped": 1, "unknown_id": 1 })
    );
    // In pools of one and two, the ids of the other pool are no mistake.
    let parts = json(&[&file[..], &["--alpha", "1", "--pool-size", "2"]].concat());
    assert_eq!(parts["alphas"][0]["repairs"]["unknown_id"], 2);
}

/// Pool a 500 unsolved, b 300 and c 200 solved, budget 500: the oracle earns 2 and a random plan 1, by hand.
#[test]
fn recorded_plans_are_read_and_executed_as_those_of_a_live_model() {
    let problems = r#"{"problem":"a","solved":false,"output_tokens":500}
{"problem":"b","solved":true,"output_tokens":300}
{"problem":"c","solved":true,"output_tokens":200}"#;
    let path = write("planned_set.jsonl", problems);
    let entry =
        |id: &str, allocation: &str| format!(r#"{{"id":"{id}","allocation":{allocation}}}"#);
    let [a, b, c] = [entry("a", "0"), entry("b", "300"), entry("c", "200")];
    for (name, entries, [advisory, enforced], [strict, attempted]) in [
        ("skip", vec![a, b.clone(), c.clone()], [1.0, 1.0], [Some(1.0), Some(-1.0)]),
        ("twice", vec![b.clone(), b, c.clone()], [1.0, 1.0], [None, Some(1.0)]),
        ("null", vec![entry("b", "null"), c.clone()], [0.0, 0.0], [Some(0.0), Some(1.0)]),
        ("missing", vec![r#"{"id":"b"}"#.to_owned(), c.clone()], [0.0; 2], [Some(0.0), Some(1.0)]),
        ("object", vec![entry("b", r#"{"x":1}"#), c], [0.0, 0.0], [Some(0.0), Some(1.0)]),
    ] {
        let text = format!(r#"{{"plan":[{}]}}"#, entries.join(","));
        let plan = write(&format!("planned_set_{name}.txt"), &text);
        let of = |more: &[&str]| {
            let arguments = [&path, "--planner", &plan, "--alpha", "0.5"];
            json(&[&arguments[..], more].concat())["alphas"][0].clone()
        };
        let eta = |at: &Value, key: &str| at[key].as_f64().or(at[key]["value"].as_f64());
        let published = of(&[]);
        assert_eq!(eta(&published, "eta_advisory"), Some(advisory), "{name}");
        assert_eq!(eta(&published, "eta_enforced"), Some(enforced), "{name}");
        assert_eq!(eta(&of(&["--strict-plans"]), "eta_advisory"), strict, "{name}");
        assert_eq!(eta(&of(&["--attempt-zero"]), "eta_advisory"), attempted, "{name}");
    }
    // Detection, waste and earnings have one planned set.
    let none = r#"{"problem":"z","solved":false,"output_tokens":100}"#;
    let none = write("planned_set_none.jsonl", none);
    let [zeros, without] = [entry("z", "0"), String::new()].map(|skipped| {
        let entries = [skipped, entry("a", "200"), entry("c", "100"), entry("b", "100")];
        let entries: Vec<_> = entries.into_iter().filter(|it| !it.is_empty()).collect();
        let text = format!(r#"{{"plan":[{}]}}"#, entries.join(","));
        let plan = write("planned_set_injected.txt", &text);
        let arguments = [&path, "--planner", &plan, "--alpha", "0.5", "--unsolvable", &none];
        let more = ["--ratio", "0.34", "--json"];
        let mut alphas = json(&[&arguments[..], &more].concat())["alphas"].clone();
        // What was repaired is counted.
        alphas[0]["plans"].take();
        alphas
    });
    assert_eq!(zeros, without);
}

#[test]
fn answers_for_each_pool_are_read_by_pool_and_alpha() {
    let path = write("answered.jsonl", THREE);
    let answers = r#"{"pool":0,"alpha":0.5,"answer":"[{\"id\":\"b\",\"allocation\":300},{\"id\":\"b\",\"allocation\":1}]"}
{"pool":1,"answer":{"plan":[{"id":"c","allocation":200}]}}"#;
    let plan = write("answers.jsonl", answers);
    let (path, plan) = (&path, &plan);
    let report = json(&[path, "--planner", plan, "--strict-plans", "--pool-size", "2"]);
    for at in report["alphas"].as_array().unwrap() {
        let half = number(at, "alpha") == 0.5;
        let read = if half { "duplicate_id" } else { "missing" };
        // The first pool has no plan and is left out; c alone costs more than a part of its budget.
        let of_c = if number(at, "alpha") == 1.0 { "as_asked" } else { "over_budget" };
        assert_eq!((&at["plans"][read], &at["plans"][of_c]), (&1.into(), &1.into()), "{at}");
        assert_eq!((number(at, "pools"), number(at, "planned_pools")), (2.0, 1.0));
    }
    let broken = write("broken.jsonl", &answers.replace("\"pool\":0,", "\"pool\":0"));
    refused(&run(&[path, "--planner", &broken, "--pool-size", "2"]), "broken.jsonl:1: ");
    let far = write("far.jsonl", &answers.replace("\"pool\":1", "\"pool\":2"));
    refused(&run(&[path, "--planner", &far, "--pool-size", "2"]), "far.jsonl:2: field pool: ");
    let twice = write("twice.jsonl", &answers.replace("\"pool\":1", "\"pool\":0"));
    refused(&run(&[path, "--planner", &twice, "--pool-size", "2"]), "twice.jsonl:2: field pool: ");
}

#[test]
fn a_byte_order_mark_in_front_of_a_file_changes_nothing() {
    let path = write("marked.jsonl", THREE);
    let problems = write("marked_problems.jsonl", &format!("\u{feff}{THREE}"));
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
    let want = json(&[&path, "--planner", &plan])["alphas"].clone();
    assert_eq!(figures(&[&path, "--planner", "/dev/stdin", "--json"], answers), want);
    assert_eq!(figures(&["/dev/stdin", "--planner", &plan, "--json"], THREE), want);
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
    let report = json(&[&path, "--planner", &plan]);
    assert_eq!(report["alphas"][1]["planned_pools"], 1);
    // Comparing each with each would take minutes here.
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_text_without_a_plan_leaves_nothing_to_score() {
    let plan = write("no_plan.txt", "I would rather not.");
    let path = write("unplanned.jsonl", THREE);
    let (path, plan) = (&path, &plan);
    let report = json(&[path, "--planner", plan, "--alpha", "0.5"]);
    let at = &report["alphas"][0];
    assert_eq!(["eta_advisory", "regret_enforced"].map(|key| value(at, key)), [&Value::Null; 2]);
    assert_eq!(at["plans"]["unparseable"], at["pools"]);
    noted(&report, "regret_enforced: undefined, because there is no pool with a plan");
    let why = "no plan was found for pool 0: the text contains no JSON, at byte 19 of the answer";
    noted(&report, why);
    let picture = in_folder("nothing.svg");
    let arguments = [path, "--planner", plan, "--plot", &picture];
    refusal(&run(&arguments), "nothing to draw");
}

#[test]
fn fewer_shuffles_and_orders_change_what_they_sample_and_nothing_else() {
    let path = write("sampled.jsonl", THREE);
    let of = |arguments: &[&str]| {
        let planned = [path.as_str(), "--planner", "random", "--alpha", "0.5", "--json"];
        json(&[&planned[..], arguments].concat())["alphas"][0].clone()
    };
    let all = of(&[]);
    assert_eq!(of(&["--shuffles", "1000", "--orders", "1000"]), all);
    for (option, key) in [
        ("--shuffles", "random_sampled"),
        ("--orders", "eta_enforced"),
        ("--seed", "random_sampled"),
    ] {
        let few = of(&[option, "7"]);
        assert_ne!(few[key], all[key], "{option}");
        assert_eq!((&few["oracle"], &few["random_exact"]), (&all["oracle"], &all["random_exact"]));
    }
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

/// Forty problems, all solved, and forty that are not.
fn solvable_and_unsolvable() -> (String, String) {
    let lines = |name: &str, solved: u8| -> String {
        let line = |i: usize| {
            let tokens = 100 + i % 7;
            format!(r#"{{"problem":"{name}-{i}","solved":{solved},"output_tokens":{tokens}}}"#)
        };
        (0..40).map(line).collect::<Vec<_>>().join("\n")
    };
    (write("solvable.jsonl", &lines("s", 1)), write("unsolvable.jsonl", &lines("u", 0)))
}

#[test]
fn injected_problems_are_detected_by_the_oracle_and_not_by_a_planner_that_takes_all() {
    let (path, unsolvable) = solvable_and_unsolvable();
    let file =
        [&path, "--unsolvable", &unsolvable, "--pool-size", "20", "--alpha", "0.5", "--json"];
    let naive = json(&file);
    let ratios: Vec<f64> =
        naive["injections"].as_array().unwrap().iter().map(|at| number(at, "ratio")).collect();
    assert_eq!(ratios, [0.25, 0.5, 0.75, 1.0]);
    for at in naive["injections"].as_array().unwrap() {
        assert_eq!(number(at, "unsolvable"), 40.0 * number(at, "ratio"));
        assert_eq!((number(at, "left_out"), number(at, "detection_rate")), (0.0, 0.0));
        // Every problem has an equal share of the budget of its pool.
        assert!((number(at, "waste_rate") - number(at, "ratio")).abs() < 0.01, "{at}");
        // Two pools have no interval.
        for end in
            ["/detection_rate/ci_high", "/detection_rate/standard_error", "/waste_rate/ci_low"]
        {
            assert_eq!(at.pointer(end), Some(&Value::Null), "{end}: {at}");
        }
    }
    let why = "2 clusters; a 95 % interval needs at least 6";
    noted(&naive, why);
    let mut with_oracle = file.to_vec();
    with_oracle.extend(["--planner", "oracle", "--ratio", "0.5", "--ratio", "1"]);
    let oracle = json(&with_oracle);
    let [half, all] = &oracle["injections"].as_array().unwrap()[..] else { panic!("{oracle}") };
    assert_eq!((number(half, "detection_rate"), number(half, "waste_rate")), (1.0, 0.0));
    assert_eq!((number(half, "eta_advisory"), number(half, "eta_enforced")), (1.0, 1.0));
    assert_eq!((number(all, "detection_rate"), value(all, "waste_rate")), (1.0, &Value::Null));
    noted(&oracle, "ratio 1, alpha 0.5: waste_rate: undefined, because in every pool");
    // The pools without injected problems are those of a call without a file of them.
    let without = json(&[&path, "--pool-size", "20", "--alpha", "0.5"]);
    assert_eq!(naive["alphas"], without["alphas"]);
    assert_eq!(without.get("injections"), None);
}

#[test]
fn a_model_is_shown_the_injected_pools_and_answers_by_ratio() {
    let (path, unsolvable) = solvable_and_unsolvable();
    let shown = in_folder("shown_pools.jsonl");
    let file = [
        &path,
        "--unsolvable",
        &unsolvable,
        "--pool-size",
        "20",
        "--alpha",
        "0.5",
        "--ratio",
        "0.25",
    ];
    assert!(run(&[&file[..], &["--write-pools", &shown]].concat()).status.success());
    let text = fs::read_to_string(&shown).unwrap();
    let pools: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(pools.len(), 4);
    // The answers plan the problems that are not marked, as a model would that recognizes all.
    let mut answers = String::new();
    for pool in pools.iter().filter(|pool| pool["ratio"] == 0.25) {
        let marks = pool["unsolvable"].as_array().unwrap();
        let problems = pool["problems"].as_array().unwrap().iter().zip(marks);
        let solvable: Vec<Value> = problems
            .filter(|(_, mark)| **mark == false)
            .map(|(problem, _)| json!({ "id": problem, "allocation": 10 }))
            .collect();
        assert_eq!(solvable.len(), 15);
        let answer = json!({ "plan": solvable }).to_string();
        let row = json!({ "pool": pool["pool"], "ratio": 0.25, "answer": answer });
        answers.push_str(&format!("{row}\n"));
    }
    let plan = write("by_ratio.jsonl", &answers);
    let report = json(&[&file[..], &["--planner", &plan]].concat());
    let at = &report["injections"][0];
    assert_eq!((number(at, "planned_pools"), number(at, "detection_rate")), (2.0, 1.0));
    assert_eq!(at["plans"], json!({ "as_asked": 2 }));
    assert_eq!(number(at, "waste_rate"), 0.0);
    // The answers are for the injected pools only.
    assert_eq!(number(&report["alphas"][0], "planned_pools"), 0.0);
    let wrong = write("wrong_ratio.jsonl", &answers.replace("0.25", "1.25"));
    refused(
        &run(&[&file[..], &["--planner", &wrong]].concat()),
        "wrong_ratio.jsonl:1: field ratio: ",
    );
}

#[test]
fn outcomes_of_capped_attempts_replace_the_assumption_of_the_enforced_regime() {
    let path = write("capped_problems.jsonl", THREE);
    let plan = write(
        "capped_plan.txt",
        r#"{"plan": [{"id": "a", "allocation": 200}, {"id": "b", "allocation": 300}]}"#,
    );
    let file = [&path, "--planner", &plan, "--alpha", "0.5", "--json"];
    let enforced = |name: &str, rows: &str| {
        let capped = write(name, rows);
        json(&[&file[..], &["--capped", &capped]].concat())
    };
    let regret = |report: &Value| value(&report["alphas"][0], "regret_enforced").clone();
    assert_eq!(regret(&json(&file)), 0.0);
    let failed = enforced("failed.jsonl", r#"{"problem":"b","allocation":300,"solved":0}"#);
    assert_eq!(regret(&failed), 1.0);
    let at = &failed["alphas"][0];
    assert_eq!((number(at, "capped_attempts"), number(at, "assumed_attempts")), (1.0, 1.0));
    noted(&failed, "the other 1 count as solved");
    // A run at another allocation is not used.
    let other = enforced("other.jsonl", r#"{"problem":"b","allocation":299,"solved":0}"#);
    assert_eq!(regret(&other), 0.0);
    // With a solved within 200 tokens too, two problems are solved where the oracle has one.
    let more = enforced("more.jsonl", r#"{"problem":"a","allocation":200,"solved":true}"#);
    assert!(value(&more["alphas"][0], "eta_enforced").is_null() && regret(&more).is_null());
    assert_eq!(number(&more["alphas"][0], "eta_advisory"), 1.0);
    noted(&more, "earned more than the oracle");
    let row = r#"{"problem":"b","allocation":300,"solved":0}"#;
    let twice = write("capped_twice.jsonl", &format!("{row}\n{row}"));
    refused(
        &run(&[&file[..], &["--capped", &twice]].concat()),
        "capped_twice.jsonl:2: field allocation: ",
    );
}

fn source(path: &str) -> Source {
    Source::from(PathBuf::from(path))
}

/// The JSON object of a report that no subcommand makes.
fn question(report: Result<Report, Box<dyn Error>>) -> Value {
    serde_json::to_value(report.unwrap()).unwrap()
}

const VARIANTS: &str = r#"{"model":"K","mode":"think","dataset":"x","variant":"A","alpha":0.5,"eta_advisory":0.2,"eta_enforced":-1}
{"model":"K","mode":"think","dataset":"y","variant":"A","alpha":0.5,"eta_advisory":0.4}
{"model":"K","mode":"think","dataset":"x","variant":"B","alpha":0.5,"eta_advisory":0.5,"eta_enforced":-2}
{"model":"K","mode":"think","dataset":"y","variant":"B","alpha":0.5,"eta_advisory":0.1}
{"model":"Q","mode":"think","dataset":"x","variant":"A","alpha":0.5,"eta_advisory":0.9}
{"model":"Q","mode":"think","dataset":"x","variant":"B","alpha":0.5,"eta_advisory":0.4}"#;

#[test]
fn scores_under_prompt_variants_are_averaged_over_data_sets_and_ranked() {
    let path = write("variants.jsonl", VARIANTS);
    let report = question(triage_variants(&[source(&path)]));
    let [advisory, enforced] = &report["tables"].as_array().unwrap()[..] else {
        panic!("{report}")
    };
    assert_eq!([&advisory["regime"], &enforced["regime"]], ["advisory", "enforced"]);
    let [k, q] = &advisory["rows"].as_array().unwrap()[..] else { panic!("{advisory}") };
    assert_eq!(k["eta"], json!({ "A": 0.3, "B": 0.3 }));
    assert_eq!((number(k, "range"), number(q, "range")), (0.0, 0.5));
    has(advisory, json!({"ranges_below_0_1": 1, "median_range": 0.25}));
    let at = &advisory["by_alpha"][0];
    assert_eq!((number(at, "alpha"), number(at, "min_tau_b")), (0.5, 1.0));
    assert_eq!(number(at, "max_range"), 0.5);
    // One configuration has no ranking.
    assert_eq!(enforced["by_alpha"][0]["min_tau_b"], Value::Null);
    let one: String = VARIANTS.lines().take(2).collect::<Vec<_>>().join("\n");
    let one = question(triage_variants(&[source(&write("one_variant.jsonl", &one))]));
    assert_eq!(one["tables"][0]["rows"][0]["range"], Value::Null);
    // What was not tried under each variant is left out and counted, as of a folder with several calls.
    let other = VARIANTS.replace(
        r#""x","variant":"B","alpha":0.5,"eta_advisory":0.4"#,
        r#""x","variant":"A","alpha":1,"eta_advisory":0.4"#,
    );
    let other = question(triage_variants(&[source(&write("other_variants.jsonl", &other))]));
    let rows = other["tables"][0]["rows"].as_array().unwrap();
    assert_eq!((rows.len(), &other["tables"][0]["n_left_out"]), (1, &2.into()));
    let ends = [VARIANTS.lines().next().unwrap(), VARIANTS.lines().last().unwrap()].join("\n");
    let half = r#""alpha":0.5,"eta_advisory":0.9"#;
    for (name, text, want) in [
        (
            "sets",
            VARIANTS.replace(r#""y","variant":"B""#, r#""z","variant":"B""#),
            "different data sets",
        ),
        (
            "same",
            VARIANTS.replace(r#""y","variant":"A""#, r#""x","variant":"A""#),
            "same.jsonl:2: field dataset",
        ),
        ("alpha", VARIANTS.replace(half, &half.replace("0.5", "0")), "alpha.jsonl:5: field alpha"),
        ("none", r#"{"model":"K","alpha":0.5}"#.to_owned(), "no line has"),
        ("no_pair", ends, "under every variant"),
    ] {
        let path = write(&format!("{name}.jsonl"), &text);
        says(&triage_variants(&[source(&path)]).unwrap_err().to_string(), want);
    }
}

#[test]
fn counts_with_a_disclosed_budget_are_added_over_data_sets() {
    let row = |dataset: &str, tokens: u64, before: bool, after: bool| {
        format!(
            r#"{{"model":"M","dataset":"{dataset}","allocation":100,"output_tokens":{tokens},"solved_before":{before},"solved_after":{after}}}"#
        )
    };
    let rows = [
        row("x", 100, true, true),
        row("x", 101, false, true),
        row("x", 500, false, false),
        row("y", 90, true, false),
    ];
    let path = write("re_solved.jsonl", &rows.join("\n"));
    let report = question(re_solved(&source(&path)));
    let model = &report["models"][0];
    assert_eq!((number(model, "n"), number(model, "compliance_rate")), (4.0, 0.5));
    let accuracies = ["baseline_accuracy", "budget_aware_accuracy"];
    assert_eq!(accuracies.map(|name| number(model, name)), [0.5, 0.5]);
    let counts = ["newly_correct", "lost_correct", "kept_correct", "still_wrong"];
    assert_eq!(counts.map(|name| number(model, name)), [1.0; 4]);
    assert_eq!(model["datasets"].as_array().unwrap().len(), 2);
    assert_eq!(number(&model["datasets"][1], "budget_aware_accuracy"), 0.0);
    let zero = write("zero_allocation.jsonl", &rows.join("\n").replace("100,", "0,"));
    let error = re_solved(&source(&zero)).unwrap_err().to_string();
    assert!(error.contains("zero_allocation.jsonl:1: field allocation: "), "{error}");
}
