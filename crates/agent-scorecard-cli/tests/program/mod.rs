//! The built command, run as its users run it. A test has the name of the subcommand that it runs.
#![allow(clippy::print_stdout, dead_code, reason = "each test uses a part of it")]

mod figures;

pub(crate) use figures::values;

use std::{
    env, fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

/// The subcommand that the test is named after.
fn own() -> String {
    env!("CARGO_CRATE_NAME").replace('_', "-")
}

/// Runs the subcommand that the test is named after.
pub(crate) fn run(arguments: &[&str]) -> Output {
    run_other(&own(), arguments)
}

/// Runs it with a text on its standard input, which is a pipe.
pub(crate) fn run_with_input(arguments: &[&str], input: &str) -> Output {
    run_words_with_input(&[&[own().as_str()], arguments].concat(), input)
}

/// Runs the command with these words and a text on its standard input.
pub(crate) fn run_words_with_input(words: &[&str], input: &str) -> Output {
    let mut child = Command::new(BUILT)
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

/// Runs another subcommand, with which options may come.
pub(crate) fn run_other(subcommand: &str, arguments: &[&str]) -> Output {
    run_words(&subcommand.split(' ').chain(arguments.iter().copied()).collect::<Vec<_>>())
}

/// Runs the command with these words.
pub(crate) fn run_words(words: &[&str]) -> Output {
    run_words_in(Path::new("."), words)
}

/// The same in a folder.
pub(crate) fn run_words_in(folder: &Path, words: &[&str]) -> Output {
    Command::new(BUILT).args(words).current_dir(folder).output().unwrap()
}

/// The words of a line, in which one may stand in quotation marks.
pub(crate) fn line_of(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = parts.flat_map(|(at, part)| match at % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    words.collect()
}

/// Runs the command with the words of a line in the folder of the test, so that its files have short names.
pub(crate) fn run_line(line: &str) -> Output {
    let words = line_of(line);
    run_words_in(in_folder("").as_ref(), &words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// What a subcommand writes as text.
pub(crate) fn shown(subcommand: &str, arguments: &[&str]) -> String {
    let output = run_other(subcommand, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// A run of exchanges with these fields, a turn for each reply, and these fields of each response.
pub(crate) fn exchange(run: &str, replies: &[&str], response: &str) -> String {
    let turn = |text: &&str| {
        format!(
            r#"{{"response": {{{response}"choices": [{{"message": {{"content": "{text}"}}}}]}}}}"#
        )
    };
    let turns: Vec<String> = replies.iter().map(turn).collect();
    format!(r#"{{{run}, "turns": [{}]}}"#, turns.join(", "))
}

/// The built command.
pub(crate) const BUILT: &str = env!("CARGO_BIN_EXE_agent-scorecard");

/// What the subcommand writes with `--json`.
pub(crate) fn json(arguments: &[&str]) -> Value {
    json_of(&own(), arguments)
}

/// The same with the value of each figure in its place.
pub(crate) fn plain(arguments: &[&str]) -> Value {
    values(json(arguments))
}

/// What another subcommand writes with `--json`.
pub(crate) fn json_of(subcommand: &str, arguments: &[&str]) -> Value {
    let output = run_other(subcommand, &[arguments, &["--json"]].concat());
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {stderr}");
    report(&output)
}

/// The one line of an error: exit code 2 and nothing on standard output.
pub(crate) fn refusal(output: &Output, case: &str) -> String {
    assert_eq!(output.status.code(), Some(2), "{case}");
    assert!(output.stdout.is_empty(), "{case}: nothing but the error may be written");
    let error = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(error.lines().count(), 1, "{case}: {error}");
    error
}

/// Checks that a call is refused with a line that has these parts, with an ellipsis between them.
#[track_caller]
pub(crate) fn refused(output: &Output, parts: &str) {
    says(&refusal(output, parts), parts);
}

/// Checks that a text has these parts, with an ellipsis between them.
#[track_caller]
pub(crate) fn says(text: &str, parts: &str) {
    for part in parts.split(" … ") {
        assert!(text.contains(part), "{part}: {text}");
    }
}

/// Checks that a value has these entries, of which a number may be that of a figure.
#[track_caller]
pub(crate) fn has(found: &Value, expected: Value) {
    assert!(is_part(found, &expected), "{expected} is not in {found}");
}

fn is_part(found: &Value, expected: &Value) -> bool {
    let value = found.get("value").unwrap_or(found);
    match expected {
        Value::Object(fields) => {
            fields.iter().all(|(key, field)| found.get(key).is_some_and(|it| is_part(it, field)))
        }
        Value::Number(number) => value.as_f64() == number.as_f64(),
        expected => value == expected,
    }
}

/// Checks that a note of a report has this part.
pub(crate) fn noted(report: &Value, part: &str) {
    let mut notes = report["notes"].as_array().unwrap().iter();
    assert!(notes.any(|note| note.as_str().unwrap().contains(part)), "{part}: {}", report["notes"]);
}

/// Whether an error begins with file and line and then names the field: by its path, or, where serde reports
/// the object around it, in the message.
pub(crate) fn names_field(error: &str, path: &str, line: usize, field: &str) -> bool {
    let Some(rest) = error.strip_prefix(&format!("error: {path}:{line}: ")) else { return false };
    let (parent, own) = field.rsplit_once('.').unwrap_or(("", field));
    let around = if parent.is_empty() { String::new() } else { format!("field {parent}: ") };
    let message = rest.strip_prefix(&around).unwrap_or_default();
    rest.starts_with(&format!("field {field}: "))
        || message.starts_with(&format!("missing field `{own}`"))
        || message.starts_with(&format!("field `{own}` "))
}

/// A place to write to, of this file of tests alone.
pub(crate) fn in_folder(name: &str) -> String {
    // Tests are named after their modules, and so are their threads.
    let thread = thread::current();
    let module = thread.name().and_then(|test| test.split_once("::"));
    let module = module.map_or(env!("CARGO_CRATE_NAME"), |(module, _)| module);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(module);
    fs::create_dir_all(&folder).unwrap();
    text(folder.join(name))
}

/// A folder of this test alone that does not exist yet.
pub(crate) fn fresh(name: &str) -> String {
    let folder = in_folder(name);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// An empty folder of this test alone.
pub(crate) fn empty(name: &str) -> String {
    let folder = fresh(name);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The JSON object that a call wrote, in which every figure has the one form.
pub(crate) fn report(output: &Output) -> Value {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(figures::other_forms(&report), Vec::<String>::new());
    report
}

/// The body of a request to a server of a test.
pub(crate) fn body(stream: &TcpStream) -> io::Result<Value> {
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
            length = value.trim().parse().unwrap();
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(serde_json::from_slice(&body)?)
}

/// Sends the response of a server of a test.
pub(crate) fn respond(mut stream: &TcpStream, status: &str, response: &Value) -> io::Result<()> {
    let (text, length) = (response.to_string(), response.to_string().len());
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
    )
}

/// A response of chat completions with a text of so many tokens.
pub(crate) fn chat(text: &str, tokens: u64, end: &str) -> Value {
    let message = json!({"role": "assistant", "content": text});
    let usage = json!({"prompt_tokens": 50, "completion_tokens": tokens});
    json!({"choices": [{"message": message, "finish_reason": end}], "usage": usage})
}

/// Listens on the loopback address, and returns the base URL of the server.
pub(crate) fn listen(answer: impl Fn(TcpStream) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    thread::spawn(move || listener.incoming().for_each(|stream| answer(stream.unwrap())));
    url
}

/// The bodies of the requests to a server.
pub(crate) type Bodies = Arc<Mutex<Vec<Value>>>;

/// A server whose responses follow from the bodies of requests.
pub(crate) fn serve(reply: impl Fn(&Value) -> Value + Send + 'static) -> (String, Bodies) {
    let bodies = Bodies::default();
    let kept = Arc::clone(&bodies);
    let url = listen(move |stream| {
        let Ok(body) = body(&stream) else { return };
        let response = reply(&body);
        kept.lock().unwrap().push(body);
        let _ = respond(&stream, "200 OK", &response);
    });
    (url, bodies)
}

/// Runs a benchmark with a model behind a server; a line has the benchmark and its options.
pub(crate) fn ask(url: &str, out: &str, line: &str) -> Output {
    let words = line_of(line);
    let common = ["--base-url", url, "--model", "m", "--out", out];
    run_other("run", &words.iter().map(String::as_str).chain(common).collect::<Vec<_>>())
}

/// The report of such a run.
pub(crate) fn asked(url: &str, out: &str, line: &str) -> Value {
    report(&ask(url, out, &format!("{line} --json")))
}

/// A file of its own for each case.
pub(crate) fn write(name: &str, content: &str) -> String {
    let path = in_folder(name);
    // Tests that write the same file at the same time must not see half of it.
    let beside = format!("{path}.{:?}", thread::current().id());
    fs::write(&beside, content).unwrap();
    fs::rename(beside, &path).unwrap();
    path
}

/// A bundled file.
pub(crate) fn bundled(name: &str) -> String {
    text(Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name))
}

/// A file of recorded runs, which this project does not ship; none where their folder is not named.
pub(crate) fn recorded(path: &str) -> Option<String> {
    let Some(folder) = env::var_os("REAL_RUNS") else {
        println!("skipped for {path}: REAL_RUNS does not name the folder of recorded runs");
        return None;
    };
    let file = Path::new(&folder).join(path);
    assert!(file.is_file(), "REAL_RUNS lacks {path}");
    Some(text(file))
}

/// A recorded stream of forecasts over all models of its file, whose names would split it.
pub(crate) fn recorded_stream(name: &str) -> Option<String> {
    Some(pooled(&recorded(&format!("data/traces/{name}.jsonl"))?))
}

/// A file of runs that name no model, in place of one whose models would be columns.
pub(crate) fn pooled(path: &str) -> String {
    let lines = fs::read_to_string(path).unwrap();
    let without_model = |line: &str| {
        let mut run: Value = serde_json::from_str(line).unwrap();
        run.as_object_mut().unwrap().remove("model");
        format!("{run}\n")
    };
    let all: String = lines.lines().map(without_model).collect();
    let name = Path::new(path).file_name().unwrap().to_str().unwrap();
    write(&format!("pooled_{name}"), &all)
}

/// A file by its stem: bundled where that says so, else recorded in a folder.
pub(crate) fn bundled_or_recorded(folder: &str, stem: &str) -> Option<String> {
    if stem.starts_with("demo") {
        Some(bundled(&format!("{stem}.jsonl")))
    } else {
        recorded(&format!("{folder}/{stem}.jsonl"))
    }
}

fn text(path: PathBuf) -> String {
    path.into_os_string().into_string().unwrap()
}

/// Compares a text with a golden file, which `UPDATE_GOLDEN=1` writes.
pub(crate) fn golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    let line = known.lines().zip(text.lines()).position(|(known, own)| known != own);
    let line = line.unwrap_or_else(|| known.lines().count().min(text.lines().count()));
    let [known_line, own] = [&known, text].map(|text| text.lines().nth(line).unwrap_or_default());
    assert!(
        known == text,
        "{name}:{}: {known_line:?} is now {own:?}; if that is right, run this test with UPDATE_GOLDEN=1",
        line + 1
    );
}
