//! `run` that is stopped, interrupted or killed: it says where it stands, and goes on to the record of one call.
#![cfg(all(feature = "client", unix))]
#![allow(clippy::unwrap_used)]

mod program;

use std::{
    collections::BTreeMap,
    fs,
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use program::{fresh, listen, refusal, run_other, write};
use serde_json::{Value, json};

/// A server whose replies follow from the requests, and the number of the requests that it answered. It refuses those
/// beyond the number that it may answer.
#[derive(Clone)]
struct Server {
    url: String,
    asked: Arc<AtomicUsize>,
    may: Arc<AtomicUsize>,
    refused: Arc<AtomicUsize>,
    /// Whether it refuses because it is busy, for half a minute, and not for ever.
    is_busy: Arc<AtomicBool>,
    /// Milliseconds before a reply.
    wait: Arc<AtomicU64>,
}

fn serve() -> Server {
    let [asked, may, refused] = [0, usize::MAX, 0].map(|count| Arc::new(AtomicUsize::new(count)));
    let (is_busy, wait) = (Arc::default(), Arc::default());
    let server = Server { url: String::new(), asked, may, refused, is_busy, wait };
    let own = server.clone();
    let url = listen(move |stream| {
        let own = own.clone();
        // A client that was killed is no fault of the server.
        thread::spawn(move || answer(&stream, &own));
    });
    Server { url, ..server }
}

fn answer(stream: &TcpStream, server: &Server) -> std::io::Result<()> {
    let body = program::body(stream)?;
    let may = &server.may;
    let left = may.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
    let (status, text) = match left {
        Ok(_) => ("200 OK", reply(&body)),
        Err(_) if server.is_busy.load(Ordering::SeqCst) => {
            ("429 Too Many Requests\r\nRetry-After: 30", json!({"error": "busy"}))
        }
        Err(_) => ("402 Payment Required", json!({"error": "no credit"})),
    };
    let count = if left.is_ok() { &server.asked } else { &server.refused };
    count.fetch_add(1, Ordering::SeqCst);
    thread::sleep(Duration::from_millis(server.wait.load(Ordering::SeqCst)));
    program::respond(stream, status, &text)
}

/// A reply that a model could give in any of the benchmarks.
fn reply(body: &Value) -> Value {
    let messages = body["messages"].as_array().unwrap();
    let text = |message: &Value| message["content"].as_str().unwrap_or_default().to_owned();
    let (first, last) = (text(&messages[0]), text(messages.last().unwrap()));
    let said = messages.iter().filter(|message| message["role"] == "assistant").count();
    let seed = body["seed"].as_u64();
    let mut message = json!({"role": "assistant"});
    let mut tokens = 10 + last.len() % 7;
    if let Some(tools) = body["tools"].as_array().filter(|_| said < 2) {
        let function = json!({"name": tools[said]["function"]["name"], "arguments": "{}"});
        message["tool_calls"] =
            json!([{"id": format!("c{said}"), "type": "function", "function": function}]);
    } else if body["tools"].is_array() {
        message["content"] = "<answer>nothing</answer>".into();
    } else if last.contains("(A) true") {
        message["content"] = "A".into();
    } else if first.contains("<confidence>") {
        let action = match (said, seed) {
            (1.., Some(seed)) if seed.is_multiple_of(3) => "answer: yes",
            _ if last.contains("easy") => "answer: yes",
            _ => "continue",
        };
        message["content"] =
            format!("<think>t</think><action>{action}</action><confidence>0.5</confidence>").into();
    } else if first.contains("Rules:") {
        let ids = first.split("[id: ").skip(1).filter_map(|rest| rest.split(']').next());
        let steps = ids.map(|id| json!({"id": id, "allocation": 20}));
        message["content"] = json!({"plan": steps.collect::<Vec<_>>()}).to_string().into();
    } else if last.contains("impossible") {
        message["content"] = "<answer>[1, 1000]</answer>".into();
    } else {
        tokens = 100;
        message["content"] = "<answer>yes</answer>".into();
    }
    let usage = json!({"prompt_tokens": 50, "completion_tokens": tokens});
    json!({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})
}

fn questions(count: usize) -> String {
    let line = |number: usize| {
        let kind = if number.is_multiple_of(3) { "an easy" } else { "a hard" };
        let question = format!("Is {number} {kind} one?");
        let question = json!({"id": format!("q{number}"), "question": question, "answer": true});
        format!("{question}\n")
    };
    write(&format!("questions_{count}.jsonl"), &(0..count).map(line).collect::<String>())
}

fn unsolvable(count: usize) -> String {
    let line = |number: usize| {
        format!("{{\"id\": \"u{number}\", \"question\": \"Is it?\", \"answer\": null}}\n")
    };
    write(&format!("unsolvable_{count}.jsonl"), &(0..count).map(line).collect::<String>())
}

/// Runs of four turns of the released evaluation.
fn dialogues(count: usize) -> String {
    let run = |run: usize| {
        let turns = (1..=4).map(|turn| {
            json!({"turn_idx": turn, "user_prompt": format!("grid {run} {turn}"), "raw_response": "Up",
                "actions": ["Up"], "api_input_tokens": 100 * turn + run, "api_output_tokens": 20})
        });
        json!({"rollout_success": run.is_multiple_of(2), "turns": turns.collect::<Vec<_>>()})
    };
    let runs = json!((0..count).map(run).collect::<Vec<_>>()).to_string();
    write(&format!("dialogues_{count}.json"), &runs)
}

/// Each benchmark with all that it may ask about so many tasks.
fn benchmarks(count: usize) -> [Vec<String>; 5] {
    let (questions, dialogues) = (questions(count), dialogues(count));
    let unsolvable = unsolvable(count);
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    [
        words(&format!("costbench --level 0 --queries {count}")),
        words(&format!(
            "triage {questions} --alpha 0.5 --alpha 1 --pool-size 3 --unsolvable {unsolvable} --unsolvable-share 0.4 --re-solve"
        )),
        words(&format!("budget {dialogues} --dialogues sokoban")),
        words(&format!("confidence {questions} --steps 2 --continue 2 --at all --p-true")),
        words(&format!("sokoban --preset training --count {count} --ask --show-answers")),
    ]
}

/// The options that each call on a folder has.
fn with(words: &[String], server: &Server, out: &str, more: &[&str]) -> Vec<String> {
    let common = ["--base-url", &server.url, "--model", "m", "--out", out, "--resamples", "50"];
    let limits = ["--at-a-time", "2", "--unreadable-limit", "0"];
    let common = common.iter().chain(&limits).chain(more).map(|word| (*word).to_owned());
    words.iter().cloned().chain(common).collect()
}

fn call(words: &[String]) -> std::process::Output {
    run_other("run", &words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The conversations, and the fewest and the most requests, of a dry run.
fn expected(words: &[String]) -> [usize; 3] {
    let output = call(words);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let number = |before: &str| {
        let (_, rest) = text.split_once(before)?;
        rest.split(' ').next()?.parse::<usize>().ok()
    };
    let least = number("at least ").unwrap();
    [number(": ").unwrap(), least, number("at most ").unwrap_or(least)]
}

#[test]
fn a_dry_run_counts_what_is_left_and_no_fewer_than_are_asked() {
    for words in benchmarks(6) {
        let (server, name) = (serve(), words[0].clone());
        let out = fresh(&format!("dry-{name}"));
        let asked = || server.asked.swap(0, Ordering::SeqCst);
        let dry = with(&words, &server, &out, &["--dry-run"]);
        let real = with(&words, &server, &out, &["--json"]);
        let [conversations, least, most] = expected(&dry);
        assert!(asked() == 0 && !Path::new(&out).exists(), "{name}");

        server.may.store(5, Ordering::SeqCst);
        refusal(&call(&real), &name);
        let before = asked();
        assert_eq!(before, 5, "{name}");
        let left = expected(&dry);
        // What is known of runs may raise the fewest requests.
        assert!(left[0] <= conversations && left[2] < most, "{name}: {left:?}");

        server.may.store(usize::MAX, Ordering::SeqCst);
        assert!(call(&real).status.success(), "{name}");
        let after = asked();
        // The cheapest solution of CostBench may not be the model's.
        let is_bounded = name != "costbench";
        assert!(!is_bounded || (left[1]..=left[2]).contains(&after), "{name}: {left:?}, {after}");
        let all = before + after;
        assert!(!is_bounded || (least..=most).contains(&all), "{name}: {least} to {most}, {all}");
        assert_eq!(expected(&dry), [0; 3], "{name}");
    }
}

fn start(words: &[String]) -> Child {
    let mut command = Command::new(program::BUILT);
    command.arg("run").args(words).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
}

/// Waits until the server has answered so many requests.
fn wait(server: &Server, asked: usize) {
    wait_for(&server.asked, asked);
}

fn wait_for(count: &AtomicUsize, least: usize) {
    let begun = Instant::now();
    while count.load(Ordering::SeqCst) < least {
        assert!(begun.elapsed() < Duration::from_secs(60), "nothing is asked");
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn one_interrupt_ends_a_run_after_the_replies_under_way_and_says_where_it_stands() {
    let [words, ..] = benchmarks(6);
    let (server, out) = (serve(), fresh("interrupted"));
    let words = with(&words, &server, &out, &["--json"]);
    server.wait.store(300, Ordering::SeqCst);
    let child = start(&words);
    wait(&server, 3);
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{error}");
    // The third and the fourth reply were under way.
    let asked = server.asked.load(Ordering::SeqCst);
    let expected = format!(
        "interrupted: costbench: 0 of 6 are done; {asked} answers are kept, and the same command continues from here\n"
    );
    assert_eq!(error, expected);
    server.wait.store(0, Ordering::SeqCst);
    assert!(call(&words).status.success());
    assert_eq!(server.asked.load(Ordering::SeqCst), 18, "nothing is asked twice");
}

#[test]
fn a_second_interrupt_ends_a_run_at_once() {
    let [words, ..] = benchmarks(6);
    let (server, out) = (serve(), fresh("interrupted-twice"));
    server.wait.store(30_000, Ordering::SeqCst);
    let child = start(&with(&words, &server, &out, &[]));
    wait(&server, 2);
    signal(&child, "-INT");
    thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(130), 0));
    assert!(begun.elapsed() < Duration::from_secs(10));
}

#[test]
fn an_interrupt_ends_the_waits_for_a_busy_server_and_loses_no_reply() {
    let [words, ..] = benchmarks(6);
    let (server, whole, out) = (serve(), fresh("not-busy"), fresh("busy"));
    let undisturbed = call(&with(&words, &server, &whole, &["--json"]));
    let asked = server.asked.swap(0, Ordering::SeqCst);
    let words = with(&words, &server, &out, &["--json"]);
    server.may.store(5, Ordering::SeqCst);
    server.is_busy.store(true, Ordering::SeqCst);
    let child = start(&words);
    // Two conversations at a time, which both wait soon.
    wait_for(&server.refused, 2);
    thread::sleep(Duration::from_millis(200));
    let begun = Instant::now();
    signal(&child, "-INT");
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}: {error}", begun.elapsed());
    assert_eq!((output.status.code(), output.stdout.len()), (Some(130), 0), "{error}");
    assert!(
        error.ends_with("5 answers are kept, and the same command continues from here\n"),
        "{error}"
    );
    server.may.store(usize::MAX, Ordering::SeqCst);
    let resumed = call(&words);
    assert_eq!(server.asked.load(Ordering::SeqCst), asked, "nothing is asked twice");
    assert!(record(&out, &resumed.stdout) == record(&whole, &undisturbed.stdout));
}

/// What a run leaves, without its folder's name and without what says how it came about.
fn record(out: &str, stdout: &[u8]) -> BTreeMap<String, Vec<u8>> {
    fn add(folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if path.is_dir() {
                add(&path, files);
            } else if name != "answers.jsonl" && name != "report.html" {
                files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    add(Path::new(out), &mut files);
    let mut report: Value = serde_json::from_slice(stdout).unwrap();
    report.as_object_mut().unwrap().remove("notes");
    files.insert("report".to_owned(), report.to_string().into_bytes());
    files
}

/// Kills each benchmark so many times, at all sorts of moments, and compares its record with that of one call.
fn kill(times: usize) {
    for words in benchmarks(times) {
        let (server, name) = (serve(), words[0].clone());
        let folders = [format!("whole-{times}-{name}"), format!("killed-{times}-{name}")];
        let [whole, killed] = folders.map(|name| fresh(&name));
        let undisturbed = call(&with(&words, &server, &whole, &["--json"]));
        assert!(undisturbed.status.success(), "{}", String::from_utf8_lossy(&undisturbed.stderr));
        let words = with(&words, &server, &killed, &["--json"]);
        let compare = || {
            let resumed = call(&words);
            assert!(
                resumed.status.success(),
                "{name}: {}",
                String::from_utf8_lossy(&resumed.stderr)
            );
            assert!(
                record(&whole, &undisturbed.stdout) == record(&killed, &resumed.stdout),
                "{name}: {whole} and {killed} differ"
            );
        };
        let mut kills = 0;
        while kills < times {
            let before = server.asked.load(Ordering::SeqCst);
            let mut command = Command::new(program::BUILT);
            command.arg("run").args(&words).stdout(Stdio::null()).stderr(Stdio::null());
            let mut child = command.spawn().unwrap();
            // The first reply may be on its way, or its line half written, or the second request be there.
            let has_begun = || server.asked.load(Ordering::SeqCst) > before + kills % 2;
            let mut has_ended = false;
            while !has_ended && !has_begun() {
                thread::sleep(Duration::from_millis(1));
                has_ended = child.try_wait().unwrap().is_some();
            }
            thread::sleep(Duration::from_micros(300 * (kills % 7) as u64));
            if has_ended || child.try_wait().unwrap().is_some() {
                // On a busy machine a run may get to its end; the next one begins anew.
                compare();
                fs::remove_dir_all(&killed).unwrap();
                continue;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
        }
        compare();
    }
}

#[test]
fn a_run_that_is_killed_50_times_has_the_record_of_one_call() {
    kill(50);
}
