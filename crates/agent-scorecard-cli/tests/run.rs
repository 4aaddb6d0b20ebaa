//! `run` against a server on the loopback address.
#![cfg(feature = "client")]
#![allow(clippy::unwrap_used)]

mod program;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Command, Output},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use program::{in_folder, refusal, run, write};
use serde_json::{Value, json};

/// A server whose replies depend on the last message, and the number of its replies.
fn serve(reply: fn(&str) -> String) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let _ = answer(stream.unwrap(), reply);
            counted.fetch_add(1, Ordering::SeqCst);
        }
    });
    (url, count)
}

fn answer(mut stream: TcpStream, reply: fn(&str) -> String) -> std::io::Result<()> {
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
    let last = body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    let message = json!({"role": "assistant", "content": reply(last)});
    let usage = json!({"prompt_tokens": 50, "completion_tokens": 10});
    let text = json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage});
    let text = text.to_string();
    let length = text.len();
    write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}")
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

/// All files of a folder as text.
fn content(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| if path.is_dir() { content(&path) } else { fs::read_to_string(path).unwrap() })
        .collect()
}

#[test]
fn costbench_is_run_reported_and_not_asked_again() {
    let (url, count) = serve(|_| "<answer>nothing</answer>".to_owned());
    let out = fresh("costbench");
    let arguments = [
        "costbench",
        "--base-url",
        &url,
        "--model",
        "m",
        "--out",
        &out,
        "--queries",
        "6",
        "--prices",
        "1,2",
        "--json",
    ];
    let command = |arguments: &[&str]| {
        let binary = env!("CARGO_BIN_EXE_agent-scorecard");
        let mut command = Command::new(binary);
        command.arg("run").args(arguments).env("AGENT_SCORECARD_API_KEY", "sk-secret-of-a-test");
        command.output().unwrap()
    };
    let first = report(&command(&arguments));
    assert_eq!((&first["n_runs"], count.load(Ordering::SeqCst)), (&json!(6), 6));
    assert_eq!((&first["input_tokens"], &first["output_tokens"]), (&json!(300), &json!(60)));
    assert!((first["cost_usd"].as_f64().unwrap() - 420e-6).abs() < 1e-12);
    let row = &first["rows"][0];
    // As in the released evaluation, runs without a call are left out of all means.
    assert_eq!(row["metrics"]["task_completion_ratio"], json!(null));
    assert_eq!(row["setting"], "5 steps, events: none");
    assert_eq!(
        (&row["counts"]["runs"], &row["counts"]["left_out_without_calls"]),
        (&json!(0), &json!(6))
    );

    let again = report(&command(&arguments));
    assert_eq!((&again["input_tokens"], count.load(Ordering::SeqCst)), (&json!(300), 6));
    assert_eq!(again["rows"], first["rows"]);
    assert!(!content(Path::new(&out)).contains("sk-secret-of-a-test"));
    assert_eq!(fs::read_dir(format!("{out}/runs")).unwrap().count(), 6);
    let page = fs::read_to_string(format!("{out}/report.html")).unwrap();
    assert!(
        page.contains("left out without calls") && page.contains("task completion ratio (TCR)")
    );

    let mut other = arguments;
    other[4] = "another model";
    let error = refusal(&command(&other), "another model");
    assert!(error.contains("it is of another setting, costbench with m"), "{error}");
    // The runs are a log that the other subcommands read.
    let logs = program::json_of("logs", &[&format!("{out}/runs"), "--json"]);
    assert_eq!((&logs["format"], &logs["n_runs"]), (&json!("atif"), &json!(6)));
}

#[test]
fn triage_solves_plans_and_scores() {
    let (url, count) = serve(|last| {
        if last.contains("q-easy") {
            r#"{"plan": [{"id": "q-easy", "allocation": 10}]}"#.to_owned()
        } else {
            "<answer>4</answer>".to_owned()
        }
    });
    let questions = write(
        "questions.jsonl",
        "{\"id\": \"q-easy\", \"question\": \"What is 2 + 2?\", \"answer\": 4}\n\
         {\"id\": \"q-hard\", \"question\": \"What is 2 + 3?\", \"answer\": 5}\n",
    );
    let out = fresh("triage");
    let arguments =
        ["triage", &questions, "--base-url", &url, "--model", "m", "--out", &out, "--json"];
    let report = report(&run(&arguments));
    assert_eq!((&report["n_runs"], count.load(Ordering::SeqCst)), (&json!(3), 3));
    for row in report["rows"].as_array().unwrap() {
        assert_eq!(
            (&row["counts"]["questions_solved"], &row["counts"]["pools"]),
            (&json!(1), &json!(1))
        );
        assert_eq!(
            (&row["metrics"]["efficiency"]["value"], &row["metrics"]["regret"]["value"]),
            (&json!(1.0), &json!(0.0))
        );
    }
}

#[test]
fn budget_asks_after_each_turn_but_the_last() {
    let (url, count) = serve(|_| "<answer>[1, 1000]</answer>".to_owned());
    let log = program::bundled("demo_log.jsonl");
    let out = fresh("budget");
    let arguments = ["budget", &log, "--base-url", &url, "--model", "m", "--out", &out, "--json"];
    let report = report(&run(&arguments));
    // Of the three runs, one has two turns.
    assert_eq!((&report["n_runs"], count.load(Ordering::SeqCst)), (&json!(3), 1));
    let row = &report["rows"][0];
    assert_eq!((&row["setting"], &row["counts"]["samples"]), (&json!("output_tokens"), &json!(1)));
    assert_eq!(row["metrics"]["hit_rate"]["value"], 1.0);
}

#[test]
fn confidence_has_a_row_for_each_stream_of_the_replies() {
    let (url, count) = serve(|last| {
        let (action, confidence) =
            if last.contains("2 + 2") { ("answer: 4", 0.9) } else { ("answer: 6", 0.4) };
        format!(
            "<thought>t</thought><action>{action}</action><confidence>{confidence}</confidence>"
        )
    });
    let questions = write(
        "steps.jsonl",
        "{\"id\": \"a\", \"question\": \"What is 2 + 2?\", \"answer\": 4}\n\
         {\"id\": \"b\", \"question\": \"What is 2 + 3?\", \"answer\": 5}\n",
    );
    let out = fresh("confidence");
    let arguments =
        ["confidence", &questions, "--base-url", &url, "--model", "m", "--out", &out, "--json"];
    let report = report(&run(&arguments));
    assert_eq!((&report["n_runs"], count.load(Ordering::SeqCst)), (&json!(2), 2));
    let rows = report["rows"].as_array().unwrap();
    let stated = rows.iter().find(|row| row["setting"] == "stated_confidence").unwrap();
    assert_eq!(
        (&stated["counts"]["runs"], &stated["metrics"]["auroc"]["value"]),
        (&json!(2), &json!(1.0))
    );
    let brier = stated["metrics"]["tps_brier"]["value"].as_f64().unwrap();
    assert!((brier + f64::midpoint(0.01, 0.16)).abs() < 1e-12, "{brier}");
    // The server sends no log-probabilities.
    let tokens = rows.iter().find(|row| row["setting"] == "token_probability").unwrap();
    assert_eq!((&tokens["counts"]["runs"], &tokens["metrics"]), (&json!(0), &json!({})));
}

#[test]
fn replies_that_cannot_be_read_stop_a_fresh_run_and_one_is_shown_with_the_expected_form() {
    let (url, count) = serve(|_| "<answer>it is \"4\"</answer>".to_owned());
    let line =
        |id: usize| format!("{{\"id\": \"q{id}\", \"question\": \"2 + 2?\", \"answer\": 4}}\n");
    let questions = write("unreadable.jsonl", &(0..30).map(line).collect::<String>());
    let out = fresh("unreadable");
    let arguments =
        ["confidence", &questions, "--base-url", &url, "--model", "m", "--out", &out, "--json"];
    let error = refusal(&run(&arguments), "unreadable");
    for part in
        ["first 5 replies", "there is no <action>", "<answer>it is", "<action>answer: ...</action>"]
    {
        assert!(error.contains(part), "{error}");
    }
    let asked = count.load(Ordering::SeqCst);
    assert!((5..30).contains(&asked), "{asked}");
    // Whoever calls again insists.
    let report = report(&run(&arguments));
    assert_eq!(report["rows"][0]["counts"]["excluded"], 30);
}

#[test]
fn a_dry_run_asks_nothing_and_writes_nothing() {
    let out = fresh("dry");
    let arguments = [
        "costbench",
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model",
        "m",
        "--out",
        &out,
        "--queries",
        "60",
        "--dry-run",
        "--prices",
        "1,1",
    ];
    let output = run(&arguments);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        output.status.success() && text.starts_with("costbench: 60 conversations, at least "),
        "{text}"
    );
    assert!(text.contains("US dollars") && !Path::new(&out).exists());
    let number = |before: &str| {
        let (_, rest) = text.split_once(before).unwrap();
        rest.split(' ').next().unwrap().parse::<u64>().unwrap()
    };
    // Prompts that repeat no reply, and prompts that repeat replies of 1,024 tokens.
    let [requests, least] = ["at least ", "prompts of about "].map(number);
    let most = number("tokens, up to ");
    assert!(requests >= 180 && least > 500 * requests && most > least + 1_024 * requests, "{text}");
}

#[test]
fn wrong_settings_are_named_before_anything_is_asked() {
    let out = fresh("wrong");
    let base = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--out", &out];
    let unfinished = fresh("unfinished.jsonl");
    fs::write(&unfinished, r#"{"id":"a","turns":[{"request":{"messages":[]},"response":{"choices":[{"message":{"role":"assistant","content":"x"}}]}}]}"#).unwrap();
    let cases: [(&[&str], &str); 23] = [
        (
            &["budget", &unfinished],
            "unfinished.jsonl: 1 runs, none of them usable: a run needs turns",
        ),
        (&["poker"], "there is no subcommand \"poker\"; --help lists them"),
        (&["triage"], "<FILE> is missing"),
        (
            &["costbench", "--block", "storm"],
            "--block: there is no \"storm\"; give one of none, ban-tool",
        ),
        (
            &["costbench", "--level", "6"],
            "--level: cannot read \"6\": give a whole number from 0 to 5",
        ),
        (&["costbench", "--block", "none,ban-tool"], "--block: none and mixed stand alone"),
        (&["costbench", "--noise-std", "-1"], "--noise-std: "),
        (&["costbench", "--published", "nowhere"], "--published: nowhere/costbench_texts.json: "),
        (&["costbench", "--queries", "0"], "give a whole number from 1 to 381"),
        (&["costbench", "--queries", "382"], "give a whole number from 1 to 381"),
        (&["costbench", "--at-a-time", "0"], "give a whole number from 1 to 1000"),
        (&["costbench", "--timeout", "0"], "give a whole number from 1 to 31536000"),
        (&["costbench", "--timeout", "18446744073709551615"], "--timeout: cannot read"),
        (&["costbench", "--alpha", "0.5"], "invalid option '--alpha'"),
        (
            &["triage", &unfinished, "--alpha", "NaN"],
            "--alpha: cannot read \"NaN\": give a number above 0",
        ),
        (&["triage", &unfinished, "--framing", "x"], "--framing: there is no \"x\""),
        (&["budget", &unfinished, "--cap", "NaN", "--dry-run"], "--cap: cannot read \"NaN\""),
        (&["costbench", "--dry-run", "--json"], "--dry-run"),
        (&["costbench", "--dry-run", "--fail-if", "x > 1"], "--dry-run"),
        (&["costbench", "--dry-run", "--plot", "x.svg"], "--dry-run"),
        (&["costbench", "--prices", "1"], "--prices: cannot read \"1\""),
        (&["costbench", "--cost-cap", "1"], "--prices"),
        (&["triage", "nowhere.jsonl"], "nowhere.jsonl: "),
    ];
    for (words, part) in cases {
        let error = refusal(&run(&[words, &base].concat()), part);
        assert!(error.contains(part), "{words:?}: {error}");
    }
    let nowhere = ["costbench", "--base-url", "localhost", "--model", "m", "--out", &out];
    assert!(refusal(&run(&nowhere), "url").contains("http:// or https://"));
}

#[test]
fn a_page_without_figures_says_so() {
    let (url, _) = serve(|_| "I do not know.".to_owned());
    let questions = write(
        "unanswered.jsonl",
        "{\"id\": \"a\", \"question\": \"What is 2 + 2?\", \"answer\": 4}\n",
    );
    let out = fresh("unanswered");
    let arguments =
        ["confidence", &questions, "--base-url", &url, "--model", "m", "--out", &out, "--json"];
    let report = report(&run(&arguments));
    assert_eq!(report["rows"][0]["counts"]["without_answer"], 1);
    let page = fs::read_to_string(format!("{out}/report.html")).unwrap();
    assert!(page.contains("no figure is defined; the counts say why"));
}

/// A server that replies with a status to every request after the first ones.
fn refusing(status: &'static str, after: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            if number < after {
                let _ = answer(stream, |_| "<answer>nothing</answer>".to_owned());
                continue;
            }
            let mut request = [0; 1 << 16];
            let _ = stream.read(&mut request);
            let text = r#"{"error": "no balance \u001b[31m"}"#;
            let length = text.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
            );
        }
    });
    url
}

#[test]
fn a_refused_request_stops_the_run_and_the_next_call_asks_it_again() {
    let out = fresh("refused");
    let call = |url: &str| {
        let words =
            ["costbench", "--base-url", url, "--model", "m", "--out", &out, "--queries", "6"];
        run(&[&words[..], &["--at-a-time", "1", "--json"]].concat())
    };
    let error = refusal(&call(&refusing("402", 2)), "402");
    assert!(error.contains(r#"status 402: {"error":"no balance \u001b[31m"}"#), "{error}");
    let (url, count) = serve(|_| "<answer>nothing</answer>".to_owned());
    let report = report(&call(&url));
    assert_eq!((&report["n_runs"], count.load(Ordering::SeqCst)), (&json!(6), 4));
}

#[test]
fn runs_of_earlier_calls_do_not_stay_in_the_folder() {
    let (url, _) = serve(|_| "<answer>nothing</answer>".to_owned());
    let out = fresh("stale");
    for queries in ["6", "2"] {
        let words = ["costbench", "--base-url", &url, "--model", "m", "--out", &out, "--json"];
        report(&run(&[&words[..], &["--queries", queries]].concat()));
        fs::write(format!("{out}/runs/.agent-scorecard-7.partial"), "half").unwrap();
    }
    let report = report(&run(&[
        "costbench",
        "--base-url",
        &url,
        "--model",
        "m",
        "--out",
        &out,
        "--json",
        "--queries",
        "2",
    ]));
    assert_eq!(report["n_runs"], 2);
    assert_eq!(fs::read_dir(format!("{out}/runs")).unwrap().count(), 2);
}
