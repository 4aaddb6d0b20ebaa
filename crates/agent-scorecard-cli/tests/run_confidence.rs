//! `run confidence` with pages, published texts and continuations, against a server on the loopback address.
#![cfg(feature = "client")]
#![allow(clippy::unwrap_used)]

mod program;

use std::{fs, path::Path};

use program::{
    Bodies, ask, asked, empty, fresh, has, in_folder, refused, report, run_words, says, write,
};
use serde_json::{Value, json};

fn serve(reply: fn(&Value) -> String) -> (String, Bodies) {
    program::serve(move |body| program::chat(&reply(body), 10, "stop"))
}

fn step(action: &str, confidence: f64) -> String {
    format!("<think>t</think><action>{action}</action><confidence>{confidence}</confidence>")
}

fn row<'a>(report: &'a Value, setting: &str) -> &'a Value {
    let rows = report["rows"].as_array().unwrap();
    rows.iter().find(|row| row["setting"] == setting).unwrap()
}

/// Hard questions are cut off after three steps, and are then answered by the seed, rightly if it is even; of those, the
/// ones that go on from their beginning are answered at once by the seed, too. Easy ones are answered in the first step.
fn by_seed(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    let question = messages[1]["content"].as_str().unwrap();
    let steps = messages.iter().filter(|message| message["role"] == "assistant").count();
    let seed = body["seed"].as_u64();
    match seed {
        _ if question.contains("easy") => step("answer: yes", 0.9),
        None => step("continue", 0.4),
        Some(_) if steps == 0 => step("answer: no", 0.5),
        Some(seed) => step(if seed / 1_000 % 2 == 0 { "answer: yes" } else { "answer: no" }, 0.5),
    }
}

fn questions(name: &str) -> String {
    let line = |number: usize| {
        let kind = if number < 4 { "an easy" } else { "a hard" };
        let question = json!({"id": format!("q{number}"), "question": format!("Is this {kind} one?"), "answer": !number.is_multiple_of(4)});
        format!("{question}\n")
    };
    write(name, &(0..12).map(line).collect::<String>())
}

#[test]
fn runs_that_were_cut_off_go_on_and_their_chances_fill_the_tables_and_are_read_by_cut_off() {
    let (url, bodies) = serve(by_seed);
    let (file, out) = (questions("continued.jsonl"), fresh("continued"));
    let line = format!("confidence {file} --steps 3 --continue 10");
    let first = asked(&url, &out, &line);
    // 4 easy runs of one step, 8 of three, and 10 continuations of one step for each of these.
    let requests = 4 + 8 * 3 + 8 * 10;
    assert_eq!((&first["n_runs"], bodies.lock().unwrap().len()), (&json!(12), requests));
    let stated = row(&first, "stated_confidence");
    assert_eq!((&stated["counts"]["runs"], &stated["counts"]["cut_off"]), (&json!(4), &json!(8)));

    // Seeds of the branches of a run are 1,000 apart, so that half of them is even, whatever the first one is.
    let audit = &stated["continuations"];
    has(audit, json!({"retained": 8, "left_out": 0, "mean_valid": 10, "mean": 0.5}));
    has(audit, json!({"zero_share": 0, "above_half_share": 0}));
    let comparisons = audit["comparisons"].as_array().unwrap();
    let log = comparisons.iter().filter(|row| row["rule"] == "log").collect::<Vec<_>>();
    assert!(log.iter().map(|row| &row["schedule"]).eq(["linear-front", "uniform"]));
    for comparison in log {
        let found = comparison["exact_minus_simple"]["value"].as_f64().unwrap();
        assert!((found - 0.5 * (0.4_f64 / 0.6).ln()).abs() < 1e-12, "{comparison}");
    }
    let metric = |key: &str| stated["metrics"][key]["value"].as_f64().unwrap();
    let easy = 3.0 * 0.9_f64.ln() + 0.1_f64.ln();
    let exact = (easy + 8.0 * 0.5 * (0.4_f64.ln() + 0.6_f64.ln())) / 12.0;
    assert!((metric("tps_log_censored_exact") - exact).abs() < 1e-12);
    assert_eq!((metric("accuracy"), metric("solved")), (0.75, 0.25));
    // The constant beside it forecasts the share of the easy questions that are answered rightly.
    let constant = row(&first, "base rate of the runs of stated_confidence");
    assert_eq!(constant["metrics"]["tps_brier"]["value"], json!(-0.1875));

    let runs = Path::new(&out).join("runs").display().to_string();
    let chances = Path::new(&out).join("continuations.jsonl").display().to_string();
    let traces = in_folder("continued_traces.jsonl");
    let words = ["convert", &runs, "--to", "traces", "--output", &traces];
    let converted = run_words(&words);
    assert!(converted.status.success(), "{}", String::from_utf8_lossy(&converted.stderr));
    let words = ["cut-off", &traces, "--continuations", &chances, "--resamples", "0", "--json"];
    let cut_off = report(&run_words(&words));
    let chances = &cut_off["files"][0]["success_chance"];
    has(chances, json!({"source": "continuations", "n_continuations": 8}));

    // People see the columns of the tables, too.
    let table = ask(&url, &out, &format!("{line} --markdown"));
    let table = String::from_utf8(table.stdout).unwrap();
    says(&table, "| mean | 0.500 … median chance of success … exact - as failures");

    // Nothing is asked again.
    let again = asked(&url, &out, &line);
    assert_eq!(bodies.lock().unwrap().len(), requests);
    assert_eq!(row(&again, "stated_confidence"), stated);
}

#[test]
fn with_all_steps_each_stream_has_its_distance_to_the_true_chance_and_branches_are_predictors() {
    let (url, _) = serve(by_seed);
    let (file, out) = (questions("all_steps.jsonl"), fresh("all_steps"));
    let line =
        format!("confidence {file} --steps 3 --continue 10 --at all --p-true --resamples 100");
    let found = asked(&url, &out, &line);
    // Each of the 24 steps of hard questions has the chance 1/2, from 5 of 10 branches: (0.4 - 0.5)^2 - 0.25 / 9.
    let stated = row(&found, "stated_confidence");
    let distance = stated["metrics"]["squared_distance_to_truth"]["value"].as_f64().unwrap();
    assert!((distance - (0.01 - 0.25 / 9.0)).abs() < 1e-12, "{stated}");
    // Before the first step, all branches agree; they say yes to easy questions and no to hard ones.
    let agreement = row(&found, "agreement");
    let counts = json!({"runs": 4, "cut_off": 8});
    has(agreement, json!({"counts": counts, "metrics": {"tps_brier": -0.25}}));
    for stream in ["semantic_entropy", "uprop"] {
        assert_eq!(row(&found, stream)["counts"]["runs"], 4, "{stream}");
    }
    // The server sends no log-probabilities.
    for stream in ["saup", "p_true"] {
        assert_eq!(row(&found, stream)["counts"]["without_stream"], 12, "{stream}");
    }
    let steps = fs::read_to_string(Path::new(&out).join("steps.jsonl")).unwrap();
    assert_eq!(steps.lines().count(), 4 + 8 * 3);
    let line: Value = serde_json::from_str(steps.lines().last().unwrap()).unwrap();
    has(&line, json!({"id": "q11", "step": 2, "successes": 5}));
}

/// Searches, follows a link, looks something up, and answers with what it was told last.
fn with_pages(body: &Value) -> String {
    let messages = body["messages"].as_array().unwrap();
    let last = messages.last().unwrap()["content"].as_str().unwrap();
    match messages.len() {
        2 => step("Search[city on a river]", 0.3),
        4 => step("Click[Aare]", 0.5),
        6 => step("Lookup[288]", 0.7),
        _ => {
            let is_found = last.contains("It is 288 km long.");
            step(if is_found { "Finish[Aare]" } else { "Finish[unknown]" }, 0.9)
        }
    }
}

const PAGES: &str = r#"{"title": "Bern", "text": "Bern is a city on a river.", "links": ["Aare"]}
{"title": "Aare", "text": "The Aare flows north. It is 288 km long. It has many weirs."}
{"title": "Mont Blanc", "text": "A mountain."}
"#;

#[test]
fn published_texts_reach_the_server_unchanged_and_pages_are_searched_opened_and_read() {
    let (url, bodies) = serve(with_pages);
    let (pages, out) = (write("pages.jsonl", PAGES), fresh("pages"));
    let question = "{\"id\": \"a\", \"question\": \"Which river?\", \"answer\": \"Aare\"}\n";
    let questions = write("river.jsonl", question);
    let folder = empty("published");
    let text = "You may use Search[query].\n<confidence>0.XX</confidence>\n\nBe brief.  \n";
    fs::write(Path::new(&folder).join("system.txt"), text).unwrap();
    let line = format!("confidence {questions} --preset hotpotqa --published {folder}");
    refused(&ask(&url, &out, &line), "give --corpus, too");
    let found = asked(&url, &out, &format!("{line} --corpus {pages}"));
    assert_eq!(row(&found, "stated_confidence")["metrics"]["accuracy"]["value"], json!(1.0));
    let bodies = bodies.lock().unwrap();
    assert_eq!(bodies.len(), 4);
    for body in bodies.iter() {
        assert_eq!(body["messages"][0]["content"], text);
        has(body, json!({"temperature": 0.2, "top_p": 1, "seed": 42}));
    }
    let shown = |body: usize| {
        bodies[body]["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap()
    };
    for (body, start) in [
        (1, "Observation: [Bern] Bern is a city on a river. Links: Aare."),
        (2, "Observation: [Aare] The Aare flows north."),
        (3, "Observation: It is 288 km long."),
    ] {
        assert!(shown(body).starts_with(start), "{}", shown(body));
    }
    assert!(shown(3).ends_with("4 steps are left. Take the next one."));
}

#[test]
fn a_run_of_stated_confidence_concludes_and_says_what_was_clipped() {
    let (url, _) = serve(|body| {
        let question = body["messages"][1]["content"].as_str().unwrap();
        step("answer: yes", if question.contains("easy") { 95.0 } else { 0.4 })
    });
    let file = questions("clipped.jsonl");
    let call =
        |out: &str, more: &str| asked(&url, &fresh(out), &format!("confidence {file} {more}"));
    let clipped = call("clipped", "");
    assert_eq!(row(&clipped, "stated_confidence")["counts"]["runs"], 12);
    let said = clipped["conclusion"].to_string();
    assert!(said.contains("points [-23, 41] below the success rate, which may be noise"), "{said}");
    says(
        &said,
        "4 stated confidences outside [0, 1] counted as the nearer of 0 and 1, as in the paper.",
    );
    let metrics = &row(&clipped, "stated_confidence")["metrics"];
    // Four runs at 1 of which three succeed, eight at 0.4 of which six succeed.
    let over = metrics["overconfidence"]["value"].as_f64().unwrap();
    assert!((over - (4.0 + 8.0 * 0.4 - 9.0) / 12.0).abs() < 1e-12, "{over}");
    let again = call("asked-again", "--out-of-range ask-again --unreadable-limit 0");
    assert_eq!(row(&again, "stated_confidence")["counts"]["runs"], 8);
    assert!(!again["conclusion"].to_string().contains("clipped"), "{again}");
}
