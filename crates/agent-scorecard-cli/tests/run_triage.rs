//! `run triage` against a server whose replies are worked out by hand.
#![cfg(feature = "client")]
#![allow(clippy::unwrap_used)]

mod program;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Output,
    sync::{Arc, Mutex},
    thread,
};

use program::{in_folder, refusal, run_other, write};
use serde_json::{Value, json};

/// The body of a request, and what is replied: text, tokens, and why it ends.
type Script = fn(&Value) -> (String, u64, &'static str);

/// A server, and the bodies that it was sent.
fn serve(script: Script) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let bodies = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&bodies);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = answer(stream.unwrap(), script, &seen);
        }
    });
    (url, bodies)
}

fn answer(mut stream: TcpStream, script: Script, seen: &Mutex<Vec<Value>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let body: Value = serde_json::from_slice(&body).unwrap();
    let (text, tokens, end) = script(&body);
    seen.lock().unwrap().push(body);
    let message = json!({"role": "assistant", "content": text});
    let usage = json!({"prompt_tokens": 50, "completion_tokens": tokens});
    let text = json!({"choices": [{"message": message, "finish_reason": end}], "usage": usage});
    let (text, length) = (text.to_string(), text.to_string().len());
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}")
}

fn prompt(body: &Value) -> &str {
    body["messages"][0]["content"].as_str().unwrap()
}

fn fresh(name: &str) -> String {
    let folder = in_folder(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn call(file: &str, url: &str, out: &str, words: &[&str]) -> Output {
    let base = ["triage", file, "--base-url", url, "--model", "m", "--out", out, "--json"];
    run_other("run", &[&base[..], words].concat())
}

fn plan(steps: &[(&str, u64)]) -> String {
    let steps = steps.iter().map(|(id, tokens)| json!({"id": id, "allocation": tokens}));
    json!({"plan": steps.collect::<Vec<_>>()}).to_string()
}

/// Problem a costs 500 and fails, b costs 300 and c 200, and both are solved. Of x and y, there are recorded attempts.
fn by_hand(body: &Value) -> (String, u64, &'static str) {
    let prompt = prompt(body);
    let text = if prompt.contains("[id: x]") {
        plan(&[("x", 100)])
    } else if prompt.contains("examination") {
        plan(&[("a", 500), ("b", 0)])
    } else if prompt.contains("You work on your own") {
        plan(&[("b", 250), ("c", 250)])
    } else if prompt.contains("Rules:") {
        plan(&[("a", 0), ("b", 300), ("c", 200)])
    } else {
        let cost = if prompt.contains("ant") {
            500
        } else if prompt.contains("bee") {
            300
        } else {
            200
        };
        let answer = if cost == 500 { 7 } else { 6 };
        return (format!("<answer>{answer}</answer>"), cost, "stop");
    };
    (text, 40, "stop")
}

fn first_file() -> String {
    let line = |id: &str, animal: &str| {
        format!(
            "{{\"id\": \"{id}\", \"question\": \"How many legs has one {animal}?\", \"answer\": 6}}\n"
        )
    };
    let lines = [line("a", "ant"), line("b", "bee"), line("c", "cricket")].concat();
    write("triage_first.jsonl", &lines)
}

const SWEEP: [&str; 14] = [
    "--alpha",
    "0.25",
    "--alpha",
    "0.5",
    "--alpha",
    "0.75",
    "--alpha",
    "1",
    "--framing",
    "neutral",
    "--framing",
    "agent",
    "--framing",
    "exam",
];

#[test]
fn a_small_table_1_has_the_cells_that_are_worked_out_by_hand_and_each_problem_is_asked_once() {
    let (url, bodies) = serve(by_hand);
    let count = || bodies.lock().unwrap().len();
    let first = first_file();
    let out = fresh("triage-first");
    report(&call(&first, &url, &out, &[]));
    assert_eq!(count(), 4, "three problems and a plan");
    let found = report(&call(&first, &url, &out, &SWEEP));
    assert_eq!(count(), 15, "three problems and a plan for each of 4 alphas and 3 framings");

    // Of budgets 250, 500, 750 and 1000, a random order earns 1/3, 1, 7/6 and 2, and the oracle 1, 2, 2 and 2.
    let advisory = [[-0.5, -0.5, -0.5], [1.0, 1.0, -1.0], [1.0, 1.0, -1.4], [1.0, 1.0, 0.0]];
    let enforced = [[-0.5, -0.5, -0.5], [1.0, 0.0, -1.0], [1.0, -0.2, -1.4], [1.0, 0.0, 0.0]];
    let framings = ["neutral", "agent", "exam"];
    let alphas = [0.25, 0.5, 0.75, 1.0];
    let near = |value: &Value, want: f64| (value.as_f64().unwrap() - want).abs() < 1e-12;
    for (alpha, (of_u, of_e)) in alphas.iter().zip(advisory.iter().zip(&enforced)) {
        for (framing, wants) in framings.iter().zip(of_u.iter().zip(of_e)) {
            for (regime, want) in [("advisory", wants.0), ("enforced", wants.1)] {
                let name = format!("alpha {alpha}, {framing}, {regime}");
                let row =
                    found["rows"].as_array().unwrap().iter().find(|it| it["setting"] == *name);
                let metrics = &row.unwrap()["metrics"];
                assert!(near(&metrics["efficiency"]["value"], *want), "{name}: {metrics}");
            }
        }
    }
    let row = &found["rows"][2]["metrics"];
    for (key, want) in [
        ("earned_random", 1.0 / 3.0),
        ("earned_cheapest_first", 1.0),
        ("earned_greedy", 1.0),
        ("earned_oracle", 1.0),
    ] {
        assert!(near(&row[key]["value"], want), "{key}: {row}");
    }

    // A second data set with recorded attempts, of which every plan takes the best: its cells are 1.
    let recorded = write(
        "triage_second.jsonl",
        "{\"id\": \"x\", \"question\": \"?\", \"output_tokens\": 100, \"solved\": true}\n\
         {\"id\": \"y\", \"question\": \"?\", \"output_tokens\": 300, \"solved\": false}\n",
    );
    let second = fresh("triage-second");
    let found = report(&call(&recorded, &url, &second, &SWEEP));
    assert_eq!(count(), 15 + 12, "recorded attempts are not asked again");
    assert_eq!(found["rows"][0]["counts"]["questions_recorded"], 2);
    let table = program::json_of("triage-variants", &[&out, &second, "--json"]);
    for (table, cells) in table["tables"].as_array().unwrap().iter().zip([advisory, enforced]) {
        for (row, cells) in table["rows"].as_array().unwrap().iter().zip(cells) {
            for (framing, cell) in framings.iter().zip(cells) {
                assert!(near(&row["eta"][framing], f64::midpoint(cell, 1.0)), "{row}");
            }
        }
    }
}

#[test]
fn what_cannot_be_in_a_pool_is_refused_before_the_first_request_or_left_out_and_counted() {
    let (url, bodies) = serve(|body| match prompt(body) {
        text if text.contains("Rules:") => (plan(&[("b", 300)]), 40, "stop"),
        text if text.contains("ant") => (String::new(), 0, "stop"),
        text if text.contains("bee") => ("<answer>6</answer>".to_owned(), 300, "stop"),
        _ => ("<answer>".to_owned(), 400, "length"),
    });
    let out = fresh("triage-left-out");
    let worthless = first_file().replace("triage_first", "triage_worthless");
    let lines = fs::read_to_string(first_file()).unwrap();
    fs::write(&worthless, lines.replacen("\"answer\": 6", "\"answer\": 6, \"value\": 0", 1))
        .unwrap();
    let error = refusal(&call(&worthless, &url, &out, &[]), "a");
    assert!(error.contains("value"), "{error}");
    assert_eq!(bodies.lock().unwrap().len(), 0);

    let found = report(&call(&first_file(), &url, &out, &["--alpha", "0.75"]));
    let row = &found["rows"][0];
    let counts =
        ["questions", "questions_solved", "questions_left_out", "questions_cut_off", "pools"];
    assert_eq!(counts.map(|key| row["counts"][key].as_u64().unwrap()), [3, 1, 1, 1, 1]);
    assert_eq!(row["metrics"]["efficiency"]["value"], 1.0);
}

#[test]
fn allocations_bind_silently_unless_they_are_announced_and_problems_are_solved_again_with_them() {
    let (url, bodies) = serve(by_hand);
    let out = fresh("triage-live");
    let first = first_file();
    let words = ["--alpha", "1", "--live", "enforced"];
    report(&call(&first, &url, &out, &words));
    let limit = |body: &Value| {
        let told = prompt(body).contains("Budget: ");
        (body["max_tokens"].as_u64().unwrap(), told)
    };
    let seen = |from: usize| -> Vec<_> {
        let mut seen: Vec<_> = bodies.lock().unwrap()[from..].iter().map(limit).collect();
        seen.sort_unstable();
        seen
    };
    // The plan names its budget; b and c are solved under their limits.
    assert_eq!(seen(3), [(200, false), (300, false), (4096, true)]);
    report(&call(&first, &url, &out, &[&words[..], &["--announce"]].concat()));
    assert_eq!(seen(6), [(200, true), (300, true), (4096, true)]);

    let found =
        report(&call(&first, &url, &out, &["--alpha", "1", "--framing", "agent", "--re-solve"]));
    assert_eq!(seen(9), [(4096, true), (4096, true), (4096, true)]);
    let row = found["rows"].as_array().unwrap().last().unwrap();
    // b was allotted 250 and cost 300 again; c was allotted 250 and cost 200 again.
    let counts =
        ["problems", "compliant", "kept_correct", "lost_correct", "newly_correct", "still_wrong"];
    assert_eq!(counts.map(|key| row["counts"][key].as_u64().unwrap()), [2, 1, 2, 0, 0, 0]);
    assert_eq!(row["metrics"]["compliance_rate"]["value"], 0.5);
    let error = refusal(&call(&first, &url, &out, &["--re-solve"]), "alpha");
    assert!(error.contains("--re-solve needs --alpha 1"), "{error}");
}

#[test]
fn unsolvable_questions_replace_a_share_of_a_pool_and_what_plans_do_with_them_is_reported() {
    let (url, _) = serve(|body| match prompt(body) {
        text if text.contains("[id: u]") => (plan(&[("u", 100), ("b", 300)]), 40, "stop"),
        _ => ("<answer>6</answer>".to_owned(), 300, "stop"),
    });
    let unsolvable = write(
        "triage_unsolvable.jsonl",
        "{\"id\": \"u\", \"question\": \"How many legs has a colour?\", \"answer\": null}\n",
    );
    let out = fresh("triage-unsolvable");
    let words = ["--unsolvable", &unsolvable, "--unsolvable-share", "0.4"];
    let found = report(&call(&first_file(), &url, &out, &words));
    let row = &found["rows"][0];
    assert_eq!(row["counts"]["questions"], 4);
    assert_eq!(row["metrics"]["detection_rate"]["value"], 0.0);
    // All 100 tokens, or 100 of 400 if b is still in the pool.
    let waste = row["metrics"]["waste_rate"]["value"].as_f64().unwrap();
    assert!(waste == 1.0 || waste == 0.25, "{waste}");
    let words = ["--unsolvable", &unsolvable, "--unsolvable-share", "1"];
    let error = refusal(&call(&first_file(), &url, &fresh("triage-too-few"), &words), "3");
    assert!(error.contains("unsolvable items"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_program_judges_answers_and_a_hostile_one_costs_nothing_but_its_verdict() {
    use std::os::unix::fs::PermissionsExt;

    let (url, bodies) = serve(|body| match prompt(body) {
        text if text.contains("Rules:") => (plan(&[("p", 300)]), 40, "stop"),
        _ => ("<answer>print('$(touch x)')</answer>".to_owned(), 300, "stop"),
    });
    let question = |id: &str| {
        format!(
            "{{\"id\": \"{id}\", \"question\": \"Write code {id}.\", \"checker\": \"outside\"}}\n"
        )
    };
    let file = write("triage_outside.jsonl", &["p", "q", "r", "s"].map(question).concat());
    let error = refusal(&call(&file, &url, &fresh("triage-no-checker"), &[]), "p");
    assert!(error.contains("give --checker"), "{error}");
    let script = "#!/bin/sh\nread line\ncase \"$line\" in\n\
        *'\"id\":\"p\"'*) echo '{\"solved\": true}';;\n\
        *'\"id\":\"q\"'*) yes;;\n\
        *'\"id\":\"r\"'*) sleep 100;;\n\
        *) echo '{\"solved\": false}';;\nesac\n";
    let program = write("triage_checker.sh", script);
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let out = fresh("triage-checker");
    let words = ["--checker", &program, "--checker-timeout", "2"];
    let found = report(&call(&file, &url, &out, &words));
    let counts = &found["rows"][0]["counts"];
    let keys = ["questions", "questions_solved", "questions_left_out", "pools"];
    assert_eq!(keys.map(|key| counts[key].as_u64().unwrap()), [4, 1, 2, 1]);
    // Verdicts are kept with the answers.
    fs::remove_file(&program).unwrap();
    let again = report(&call(&file, &url, &out, &words));
    assert_eq!((&again["rows"], bodies.lock().unwrap().len()), (&found["rows"], 5));
    let missing = ["--checker", "/nowhere/checker"];
    let error = refusal(&call(&file, &url, &fresh("triage-nowhere"), &missing), "nowhere");
    assert!(error.contains("/nowhere/checker cannot be run"), "{error}");
}

#[test]
fn attempts_that_are_cut_off_are_data_and_stop_no_run() {
    let (url, _) = serve(|body| match prompt(body).contains("Rules:") {
        true => (plan(&[("q0", 10)]), 40, "stop"),
        false => ("Let me think".to_owned(), 64, "length"),
    });
    let line =
        |id: usize| format!("{{\"id\": \"q{id}\", \"question\": \"Why?\", \"answer\": 6}}\n");
    let file = write("triage_cut_off.jsonl", &(0..8).map(line).collect::<String>());
    let report = report(&call(&file, &url, &fresh("triage_cut_off"), &[]));
    assert_eq!(report["rows"][0]["counts"]["questions"], 8, "{report}");
    assert_eq!(report["rows"][0]["counts"]["questions_solved"], 0);
}

#[cfg(unix)]
#[test]
fn a_checker_does_not_see_the_key_of_the_server() {
    use std::{os::unix::fs::PermissionsExt, process::Command};

    let (url, _) = serve(|body| match prompt(body).contains("Rules:") {
        true => (plan(&[("a", 300)]), 40, "stop"),
        false => ("<answer>6</answer>".to_owned(), 300, "stop"),
    });
    let seen = in_folder("triage_seen_key.txt");
    let checker = write(
        "triage_key_checker.sh",
        &format!(
            "#!/bin/sh\necho \"key:$AGENT_SCORECARD_API_KEY\" > {seen}\necho '{{\"solved\": true}}'\n"
        ),
    );
    fs::set_permissions(&checker, fs::Permissions::from_mode(0o755)).unwrap();
    let file = write(
        "triage_judged.jsonl",
        "{\"id\": \"a\", \"question\": \"Why?\", \"checker\": \"outside\"}\n",
    );
    let out = fresh("triage_judged");
    let base = ["run", "triage", &file, "--base-url", &url, "--model", "m", "--out", &out];
    let mut command = Command::new(env!("CARGO_BIN_EXE_agent-scorecard"));
    command
        .args(base)
        .args(["--checker", &checker])
        .env("AGENT_SCORECARD_API_KEY", "sk-1234567890abcdef");
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(seen).unwrap(), "key:\n");
}

#[test]
fn a_recorded_problem_that_is_asked_again_needs_a_checker() {
    let line = r#"{"id": "a", "question": "Why?", "checker": "outside", "output_tokens": 5, "solved": true}"#;
    let file = write("triage_asked_again.jsonl", line);
    let out = fresh("triage_asked_again");
    let output = call(&file, "http://127.0.0.1:9/v1", &out, &["--alpha", "1", "--re-solve"]);
    assert!(refusal(&output, "outside").contains("give --checker"));
}
