//! Spans and records of OpenTelemetry, traces of MLflow and spans of the OpenAI Agents SDK: what the real instrumentations write.

use std::{
    collections::BTreeMap,
    fs,
    io::Read,
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;
use run_logs::{
    Caller, Error, Format, Problem, ReadLimits, ReadOptions, Run, RunsBy, StopReason, Value,
    read_path,
};
use serde_json::{Value as Json, json};

use crate::common::{all, fault, golden, too_large};

fn runs_of(path: &Path) -> Vec<Run> {
    let runs = read_path(path, Format::Auto, &ReadOptions::default()).unwrap();
    runs.collect::<Result<Vec<_>, Error>>().unwrap()
}

fn sorted(mut texts: Vec<String>) -> Json {
    texts.sort();
    json!(texts)
}

/// What a run holds, under the names of the script that knows what it must hold.
fn found(run: &Run) -> BTreeMap<&'static str, Json> {
    let replies = || {
        run.turns
            .iter()
            .filter(|turn| turn.model_calls != Some(0))
            .filter_map(|turn| turn.reply.as_ref())
    };
    let count = |of: fn(&run_logs::Usage) -> Option<u64>| {
        json!(replies().filter_map(|reply| reply.usage.as_ref().and_then(of)).sum::<u64>())
    };
    let is_sub = |caller: &Caller| matches!(caller, Caller::Subagent(_));
    let mut tools: Vec<(String, String, Option<String>, Option<bool>)> = run
        .turns
        .iter()
        .filter_map(|turn| turn.reply.as_ref())
        .flat_map(|reply| &reply.tool_calls)
        .map(|call| {
            (
                call.name.clone(),
                serde_json::to_string(&call.tool_call().arguments).unwrap(),
                call.id.clone(),
                call.ok,
            )
        })
        .collect();
    tools.sort();
    let scores = run
        .scores
        .iter()
        .map(|(name, score)| (name.clone(), serde_json::to_value(&score.value).unwrap()));
    BTreeMap::from([
        ("n_replies", json!(replies().count())),
        ("n_failed", json!(run.turns.iter().filter(|turn| turn.reply.is_none()).count())),
        ("input", count(|usage| usage.input_tokens)),
        ("output", count(|usage| usage.output_tokens)),
        ("cached", count(|usage| usage.cached_tokens)),
        ("reasoning", count(|usage| usage.reasoning_tokens)),
        ("run_input", json!(run.usage.input_tokens)),
        ("run_output", json!(run.usage.output_tokens)),
        ("replies", sorted(replies().filter_map(|reply| reply.id.clone()).collect())),
        (
            "texts",
            sorted(
                replies().map(|reply| reply.text.clone()).filter(|text| !text.is_empty()).collect(),
            ),
        ),
        (
            "stops",
            sorted(
                replies()
                    .filter_map(|reply| reply.stop.as_ref().map(ToString::to_string))
                    .collect(),
            ),
        ),
        (
            "n_tokens",
            json!(
                replies()
                    .filter_map(|reply| reply.tokens.as_ref())
                    .map(|tokens| tokens.len())
                    .sum::<usize>()
            ),
        ),
        (
            "n_subagent_turns",
            json!(
                run.turns
                    .iter()
                    .filter(|turn| is_sub(&turn.caller) && turn.reply.is_some())
                    .count()
            ),
        ),
        ("tools", json!(tools)),
        ("scores", Json::Object(scores.collect())),
        ("seconds", json!(run.seconds)),
        (
            "is_limited",
            json!(
                run.stop
                    .as_ref()
                    .is_some_and(|stop| stop.class() == run_logs::censoring::StopClass::Censored)
            ),
        ),
        ("is_error", json!(run.error.is_some())),
    ])
}

/// Compares the logs of a folder with what they must hold. Returns the numbers of runs and of values, and the differences.
fn compare(folder: &Path) -> (usize, usize, Vec<String>) {
    let (mut n_runs, mut n_values, mut differences) = (0, 0, Vec::new());
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths.iter().filter(|path| path.to_string_lossy().ends_with(".expected.json")) {
        let expected: BTreeMap<String, BTreeMap<String, Json>> =
            serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let log = PathBuf::from(path.to_string_lossy().replace(".expected.json", ".jsonl"));
        let packed = PathBuf::from(format!("{}.gz", log.display()));
        let log = if packed.exists() { packed } else { log };
        let family = log.file_stem().unwrap().to_string_lossy().into_owned();
        let runs: BTreeMap<String, Run> =
            runs_of(&log).into_iter().map(|run| (run.id.clone(), run)).collect();
        if !runs.keys().eq(expected.keys()) {
            differences.push(format!("{family}: {} runs, expected {}", runs.len(), expected.len()));
        }
        for (id, expected) in &expected {
            let Some(run) = runs.get(id) else { continue };
            n_runs += 1;
            let found = found(run);
            let total = |name: &str| expected.get(name).cloned();
            let sums = [("run_input", total("input")), ("run_output", total("output"))];
            let own = expected.iter().map(|(name, value)| (name.as_str(), Some(value.clone())));
            // The words of providers have names of their own here.
            let named = |name: &str, value: Json| match (name, &value) {
                ("stops", Json::Array(words)) => {
                    let words = words.iter().map(|word| {
                        StopReason::from(word.as_str().unwrap().to_owned()).to_string()
                    });
                    sorted(words.collect())
                }
                _ => value,
            };
            for (name, expected) in
                own.chain(sums).filter_map(|(name, it)| Some((name, named(name, it?))))
            {
                n_values += 1;
                let is_same = match (found[name].as_f64(), expected.as_f64()) {
                    (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * b.abs(),
                    (None, Some(0.0)) => true,
                    _ => found[name] == expected,
                };
                if !is_same {
                    differences.push(format!(
                        "{family} {id} {name}: found {}, expected {expected}",
                        found[name]
                    ));
                }
            }
        }
    }
    (n_runs, n_values, differences)
}

/// The unpacked lines of a golden file.
fn text(name: &str) -> String {
    let mut text = String::new();
    let file = fs::File::open(golden("otlp").join(name)).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

/// A new folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("run-logs-otlp-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    for (file, text) in files {
        fs::write(folder.join(file), text).unwrap();
    }
    folder
}

fn in_memory(text: &str) -> Result<Vec<Run>, Error> {
    all(text, Format::Auto, &ReadOptions::default())
}

fn sorted_runs(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_by(|a, b| a.id.cmp(&b.id));
    runs.iter_mut().for_each(|run| run.log = 0);
    runs
}

/// A request with these spans, each a JSON object without its trace.
fn request(spans: &[&str]) -> String {
    let spans: Vec<String> =
        spans.iter().map(|span| format!(r#"{{"traceId":"t",{span}}}"#)).collect();
    format!(r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{}]}}]}}]}}"#, spans.join(","))
}

/// A span with ids, times in seconds, and attributes.
fn span(id: &str, parent: &str, times: [u64; 2], attributes: &str) -> String {
    let [start, end] = times.map(|time| time * 1_000_000_000);
    format!(
        r#""spanId":"{id}","parentSpanId":"{parent}","name":"n","startTimeUnixNano":"{start}","endTimeUnixNano":{end},"attributes":[{attributes}]"#
    )
}

fn attribute(name: &str, value: &str) -> String {
    format!(r#"{{"key":"{name}","value":{value}}}"#)
}

fn operation(name: &str) -> String {
    attribute("gen_ai.operation.name", &format!(r#"{{"stringValue":"{name}"}}"#))
}

fn tokens(input: u64, output: u64) -> String {
    let input = attribute("gen_ai.usage.input_tokens", &format!(r#"{{"intValue":"{input}"}}"#));
    format!(
        "{input},{}",
        attribute("gen_ai.usage.output_tokens", &format!(r#"{{"intValue":{output}}}"#))
    )
}

/// The only run of these spans, in this order and in the reverse one.
fn run_of(spans: &[String]) -> Run {
    let mut spans: Vec<&str> = spans.iter().map(String::as_str).collect();
    let run = in_memory(&request(&spans)).unwrap().remove(0);
    spans.reverse();
    assert_eq!(in_memory(&request(&spans)).unwrap(), std::slice::from_ref(&run));
    run
}

#[test]
fn the_runs_of_instrumentations_hold_what_the_server_and_the_sdks_say() {
    let (n_runs, n_values, differences) = compare(&golden("otlp"));
    assert_eq!(differences, Vec::<String>::new());
    assert!(n_runs >= 30 && n_values >= 400, "{n_runs} runs, {n_values} values");
}

/// Compares many runs, which `tests/oracles/otlp.py` wrote to the folder in the environment variable `SPAN_RUNS`.
#[test]
fn many_runs_of_instrumentations_hold_what_the_server_and_the_sdks_say() {
    let Some(folder) = std::env::var_os("SPAN_RUNS") else {
        eprintln!("skipped: SPAN_RUNS is not set");
        return;
    };
    let (n_runs, n_values, differences) = compare(Path::new(&folder));
    eprintln!("{n_runs} runs, {n_values} values, {} differences", differences.len());
    assert_eq!(differences, Vec::<String>::new());
}

#[test]
fn the_records_and_the_spans_of_a_session_of_claude_code_are_one_run() {
    let (logs, traces) = (text("claude_code.logs.jsonl.gz"), text("claude_code.traces.jsonl.gz"));
    let run = in_memory(&logs).unwrap().remove(0);
    assert_eq!(run.id, "dec0b044-d05a-4a64-960b-ef9d06faf719");
    // 612 + 702 + 792 of the agent, and as many of its subagent: the cache is beside the input.
    assert_eq!((run.usage.input_tokens, run.usage.output_tokens), (Some(4_212), Some(240)));
    assert_eq!((run.usage.cached_tokens, run.usage.cache_write_tokens), (Some(2_580), Some(1_560)));
    assert!((run.usage.cost_usd.unwrap() - 0.010_44).abs() < 1e-12);
    let callers: Vec<&Caller> = run.turns.iter().map(|turn| &turn.caller).collect();
    let (title, sub) = (
        Caller::Role("generate_session_title".to_owned()),
        Caller::Subagent("general-purpose".to_owned()),
    );
    assert_eq!(callers, [&title, &Caller::Agent, &sub, &sub, &sub, &Caller::Agent, &Caller::Agent]);
    assert_eq!(
        run.other_usage["generate_session_title"]["claude-sonnet-4-5"].input_tokens,
        Some(612)
    );
    let calls = |run: &Run| -> Vec<(String, Option<bool>)> {
        let replies = run.turns.iter().filter_map(|turn| turn.reply.as_ref());
        replies
            .flat_map(|reply| &reply.tool_calls)
            .map(|call| (call.name.clone(), call.ok))
            .collect()
    };
    let made = [("Agent", true), ("Bash", true), ("Bash", false), ("Bash", false)];
    assert_eq!(calls(&run), made.map(|(name, ok)| (name.to_owned(), Some(ok))));
    // Spans have no cost, and do not say which call made the title.
    let of_spans = in_memory(&traces).unwrap().remove(0);
    assert_eq!((of_spans.usage.input_tokens, of_spans.usage.cost_usd), (Some(4_824), None));
    assert_eq!(calls(&of_spans), calls(&run));
    let both = runs_of(&folder("claude", &[("a.jsonl", &traces), ("b.jsonl", &logs)]));
    assert_eq!(both.len(), 1);
    assert_eq!((&both[0].usage, calls(&both[0])), (&run.usage, calls(&run)));
}

#[test]
fn a_trace_may_be_spread_over_lines_files_and_documents() {
    let lines = text("gen_ai.jsonl.gz");
    let runs = sorted_runs(in_memory(&lines).unwrap());
    let requests: Vec<Json> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let resources: Vec<&Json> =
        requests.iter().flat_map(|it| it["resourceSpans"].as_array().unwrap()).collect();
    let document = serde_json::to_string_pretty(&json!({"resourceSpans": resources})).unwrap();
    assert_eq!(sorted_runs(in_memory(&document).unwrap()), runs);
    let mut parts = [String::new(), String::new(), String::new()];
    for (at, line) in lines.lines().enumerate() {
        parts[at % 3].extend([line, "\n"]);
    }
    let [a, b, c] = &parts;
    let chat = r#"{"messages":[{"role":"user","content":"x"}]}"#;
    let files =
        [("0.json", chat), ("a.jsonl", a), ("m.txt", "no log"), ("n.json", b), ("z.jsonl", c)];
    let folder = folder("parts", &files);
    let (others, found): (Vec<Run>, Vec<Run>) =
        runs_of(&folder).into_iter().partition(|run| run.is_numbered);
    assert_eq!((others.len(), sorted_runs(found)), (1, runs.clone()));
    // A file that is named alone is read alone.
    fs::write(folder.join("z.jsonl"), &document).unwrap();
    assert_eq!(sorted_runs(runs_of(&folder.join("z.jsonl"))), runs);
}

#[test]
fn the_traces_of_a_session_are_one_run_if_sessions_make_runs() {
    let lines = ["a", "b", "c"].map(|trace| {
        let session = if trace == "c" { "t" } else { "s" };
        let session =
            attribute("gen_ai.conversation.id", &format!(r#"{{"stringValue":"{session}"}}"#));
        let agent = span(
            &format!("1{trace}"),
            "",
            [1, 9],
            &format!("{},{session}", operation("invoke_agent")),
        );
        let chat = span(
            &format!("2{trace}"),
            &format!("1{trace}"),
            [2, 3],
            &format!("{},{}", operation("chat"), tokens(10, 1)),
        );
        request(&[&chat, &agent]).replace(r#""traceId":"t""#, &format!(r#""traceId":"{trace}""#))
    });
    let options = ReadOptions { runs_by: RunsBy::Session, ..ReadOptions::default() };
    let usage = |runs: Vec<Run>| {
        runs.into_iter().map(|run| (run.id, run.usage.input_tokens)).collect::<Vec<_>>()
    };
    let runs = all(lines.join("\n"), Format::Auto, &options).unwrap();
    assert_eq!(usage(runs), [("s".to_owned(), Some(20)), ("t".to_owned(), Some(10))]);
    assert_eq!(in_memory(&lines.join("\n")).unwrap().len(), 3);
}

#[test]
fn a_sum_counts_only_if_no_call_below_states_its_usage() {
    let agent = |id, parent, times, sum| {
        span(id, parent, times, &format!("{},{sum}", operation("invoke_agent")))
    };
    let chat = |id, parent, times, usage| {
        span(id, parent, times, &format!("{},{usage}", operation("chat")))
    };
    let run = run_of(&[
        agent("a", "", [1, 9], tokens(30, 3)),
        chat("b", "a", [2, 3], tokens(10, 1)),
        chat("c", "a", [4, 5], tokens(20, 2)),
    ]);
    assert_eq!((run.usage.input_tokens, run.turns.len(), run.seconds), (Some(30), 2, Some(8.0)));
    assert!(!run.metadata.contains_key("usage_of_agents"));
    // The outermost of several sums without a call.
    let run =
        run_of(&[agent("a", "", [1, 9], tokens(30, 3)), agent("b", "a", [2, 3], tokens(20, 2))]);
    assert_eq!((run.usage.input_tokens, run.turns.len()), (Some(30), 0));
    assert_eq!(run.metadata["usage_of_agents"], Value::Bool(true));
    // A subagent whose calls were not recorded, beside a call of the agent.
    let run = run_of(&[
        agent("a", "", [1, 9], tokens(30, 3)),
        chat("b", "a", [2, 3], tokens(10, 1)),
        agent("c", "a", [4, 5], tokens(20, 2)),
    ]);
    assert_eq!(run.usage.input_tokens, Some(30));
}

#[test]
fn layers_around_one_call_and_copies_of_its_reply_are_one_turn() {
    let id = attribute("gen_ai.response.id", r#"{"stringValue":"r"}"#);
    let chat = |at, parent, times, usage: String| {
        span(at, parent, times, &format!("{},{id},{usage}", operation("chat")))
    };
    let bare = span("o", "", [1, 9], &operation("chat"));
    let run = run_of(&[bare, chat("i", "o", [2, 3], tokens(10, 1))]);
    assert_eq!((run.turns.len(), run.usage.input_tokens), (1, Some(10)));
    let run =
        run_of(&[chat("o", "", [1, 4], tokens(10, 1)), span("i", "o", [2, 3], &operation("chat"))]);
    assert_eq!((run.turns.len(), run.usage.input_tokens), (1, Some(10)));
    // Two programs beside each other; and a server that gives each reply the same id.
    let run = run_of(&[chat("a", "", [1, 2], tokens(10, 1)), chat("b", "", [1, 2], tokens(10, 1))]);
    assert_eq!((run.turns.len(), run.usage.input_tokens), (1, Some(10)));
    let run = run_of(&[chat("a", "", [1, 2], tokens(10, 1)), chat("b", "", [3, 4], tokens(20, 1))]);
    assert_eq!((run.turns.len(), run.usage.input_tokens), (2, Some(30)));
}

#[test]
fn a_tool_before_the_first_call_leaves_usage_and_later_tools_as_they_are() {
    let chat =
        |id, times| span(id, "", times, &format!("{},{}", operation("chat"), tokens(100, 10)));
    let tool = |id, times| span(id, "", times, &operation("execute_tool"));
    let run = run_of(&[tool("a", [1, 2]), chat("b", [2, 3])]);
    assert_eq!((run.usage.input_tokens, run.usage.output_tokens), (Some(100), Some(10)));
    let run = run_of(&[
        tool("a", [10, 11]),
        chat("b", [100, 101]),
        chat("c", [200, 201]),
        chat("d", [300, 301]),
        tool("e", [350, 351]),
    ]);
    let n_calls: Vec<usize> =
        run.turns.iter().map(|turn| turn.reply.as_ref().unwrap().tool_calls.len()).collect();
    assert_eq!(n_calls, [0, 0, 1, 1]);
    assert_eq!(run.usage.input_tokens, Some(300));
}

#[test]
fn a_tool_that_has_not_ended_is_no_success() {
    let ok = |runs: Vec<Run>| runs[0].turns[0].reply.as_ref().unwrap().tool_calls[0].ok;
    let open = span("a", "", [1, 0], &operation("execute_tool"));
    assert_eq!(ok(in_memory(&request(&[&open])).unwrap()), None);
    let line = r#"{"object":"trace.span","id":"s","trace_id":"t","started_at":"2026-11-27T23:52:32+00:00","ended_at":null,"span_data":{"type":"function","name":"bash"}}"#;
    assert_eq!(ok(in_memory(line).unwrap()), None);
    // A copy that was exported at the end.
    let ended = span("a", "", [1, 2], &operation("execute_tool"));
    assert_eq!(ok(in_memory(&request(&[&open, &ended])).unwrap()), Some(true));
}

#[test]
fn the_ids_of_spans_are_those_of_their_traces() {
    let session = attribute("session.id", r#"{"stringValue":"s"}"#);
    let lines = ["a", "b"].map(|trace| {
        let agent = span("1", "", [1, 9], &format!("{},{session}", operation("invoke_agent")));
        let usage = format!("{},{}", operation("chat"), tokens(10, 1));
        let chat = span("2", "1", [2, 3], &usage);
        request(&[&agent, &chat]).replace(r#""traceId":"t""#, &format!(r#""traceId":"{trace}""#))
    });
    let options = ReadOptions { runs_by: RunsBy::Session, ..ReadOptions::default() };
    let runs = all(lines.join("\n"), Format::Auto, &options).unwrap();
    assert_eq!((runs.len(), runs[0].usage.input_tokens, runs[0].turns.len()), (1, Some(20), 2));
}

#[test]
fn parents_in_a_cycle_and_missing_ones_end() {
    let chat =
        |id, parent| span(id, parent, [1, 2], &format!("{},{}", operation("chat"), tokens(10, 1)));
    let agent = |id, parent| span(id, parent, [1, 2], &operation("invoke_agent"));
    let run = run_of(&[
        agent("a", "b"),
        agent("b", "a"),
        chat("c", "b"),
        chat("d", "gone"),
        chat("e", "d"),
    ]);
    assert_eq!(run.usage.input_tokens, Some(20));
    assert_eq!(run_of(&[chat("a", "a")]).turns.len(), 1);
    // A chain of many spans takes no stack.
    let n = 20_000;
    let chain: Vec<String> = (0..n)
        .map(|at| span(&at.to_string(), &(at + 1).to_string(), [1, 2], &operation("invoke_agent")))
        .chain([chat("c", "0")])
        .collect();
    assert_eq!(run_of(&chain).usage.input_tokens, Some(10));
}

#[test]
fn evaluations_of_all_forms_are_scores_and_budgets_are_limits_if_they_are_spent() {
    let real = |name: &str, value: f64| attribute(name, &format!(r#"{{"doubleValue":{value}}}"#));
    let word =
        |name: &str, value: &str| attribute(name, &format!(r#"{{"stringValue":"{value}"}}"#));
    let evaluations = [
        operation("invoke_agent"),
        word("trace.evaluations.0.evaluation.name", "correct"),
        real("trace.evaluations.0.evaluation.score", 0.5),
        word("session.annotations.3.annotation.name", "tone"),
        word("session.annotations.3.annotation.label", "polite"),
        real("eval.safe.score", 1.0),
        word("eval.safe.label", "yes"),
        word("gen_ai.agent.finish_reason", "max_iterations"),
        attribute("gen_ai.agent.token_budget.limit", r#"{"intValue":"500"}"#),
        attribute("gen_ai.agent.token_budget.consumed", r#"{"intValue":"501"}"#),
    ];
    let event = format!(
        r#","events":[{{"name":"gen_ai.evaluation.result","timeUnixNano":"5","attributes":[{},{}]}}]"#,
        word("gen_ai.evaluation.name", "helpful"),
        real("gen_ai.evaluation.score.value", 0.25)
    );
    let run = run_of(&[span("a", "", [1, 2], &evaluations.join(",")) + &event]);
    let values: Vec<(&str, Value)> =
        run.scores.iter().map(|(name, score)| (name.as_str(), score.value.clone())).collect();
    let expected = [
        ("correct", Value::Real(0.5)),
        ("helpful", Value::Real(0.25)),
        ("safe", Value::Real(1.0)),
        ("tone", Value::Text("polite".to_owned())),
    ];
    assert_eq!(values, expected);
    assert_eq!((run.stop, run.limit.unwrap().limit), (Some(StopReason::MaxSteps), Some(500.0)));
    // A record of a log, of an evaluation that ran later.
    let record = format!(
        r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"traceId":"t","spanId":"a","timeUnixNano":"9","eventName":"gen_ai.evaluation.result","attributes":[{},{}]}}]}}]}}]}}"#,
        word("gen_ai.evaluation.name", "helpful"),
        real("gen_ai.evaluation.score.value", 0.75)
    );
    let text =
        request(&[&(span("a", "", [1, 2], &operation("invoke_agent")) + &event)]) + "\n" + &record;
    assert_eq!(in_memory(&text).unwrap()[0].scores["helpful"].value, Value::Real(0.75));
}

#[test]
fn values_of_all_types_are_read_and_wrong_ones_are_named() {
    let arguments = attribute(
        "gen_ai.tool.call.arguments",
        r#"{"kvlistValue":{"values":[{"key":"a","value":{"arrayValue":{"values":[{"intValue":"-3"},{"intValue":4},{"doubleValue":0.5},{"boolValue":true},{"doubleValue":"NaN"},{"arrayValue":{}},{}]}}}]}}"#,
    );
    let run =
        run_of(&[span("a", "", [1, 2], &format!("{},{arguments}", operation("execute_tool")))]);
    let call = &run.turns[0].reply.as_ref().unwrap().tool_calls[0];
    assert_eq!(
        serde_json::to_value(&call.tool_call().arguments).unwrap(),
        json!({"a": [-3, 4, 0.5, true, "NaN", [], null]})
    );
    assert_eq!((run.turns[0].model_calls, call.ok, call.seconds), (Some(0), Some(true), Some(1.0)));
    for (value, field) in [
        (r#"{"intValue":"x"}"#, "intValue"),
        (r#"{"intValue":1.5}"#, "intValue"),
        (r#"{"boolValue":"x"}"#, "boolValue"),
    ] {
        let text =
            request(&[&span("a", "", [1, 2], &attribute("gen_ai.usage.input_tokens", value))]);
        let (place, _) = fault(in_memory(&format!("{}\n{text}", request(&[]))));
        assert_eq!(place.line, Some(2), "{value}");
        assert!(place.field.ends_with(field), "{}", place.field);
    }
    let deep = r#"{"arrayValue":{"values":["#.repeat(200) + &"]}}".repeat(200);
    let text = request(&[&span("a", "", [1, 2], &attribute("gen_ai.tool.call.arguments", &deep))]);
    assert_eq!(fault(in_memory(&text)).1, Problem::TooDeep { limit: 128 });
}

#[test]
fn a_letter_that_claude_code_cuts_in_half_is_replaced() {
    // As 2.1.197 writes the arguments of a long call: the half is in the JSON within the text.
    let attributes = [
        ("session.id", "s"),
        ("event.name", "tool_result"),
        ("tool_name", r"B\ud83d"),
        ("tool_input", r#"{\"command\":\"\\ud83d…\"}"#),
    ];
    let attributes =
        attributes.map(|(name, value)| attribute(name, &format!(r#"{{"stringValue":"{value}"}}"#)));
    let text = format!(
        r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"timeUnixNano":"9","body":{{"stringValue":"claude_code.tool_result"}},"attributes":[{}]}}]}}]}}]}}"#,
        attributes.join(",")
    );
    let run = in_memory(&text).unwrap().remove(0);
    let call = &run.turns[0].reply.as_ref().unwrap().tool_calls[0];
    assert_eq!(call.name, "B\u{fffd}");
    assert_eq!(call.arguments.get("command"), Some(&Value::Text("\u{fffd}…".to_owned())));
}

#[test]
fn a_trace_holds_no_more_than_a_run_may() {
    let long = attribute(
        "gen_ai.tool.call.arguments",
        &format!(r#"{{"stringValue":"{}"}}"#, "x".repeat(100_000)),
    );
    let spans: Vec<String> = (0..20)
        .map(|at| {
            span(&at.to_string(), "", [1, 2], &format!("{},{long}", operation("execute_tool")))
        })
        .collect();
    let spans: Vec<&str> = spans.iter().map(String::as_str).collect();
    let limits = ReadLimits { max_run: 1 << 20, ..ReadLimits::default() };
    let options = ReadOptions { limits, ..ReadOptions::default() };
    let (_, problem) = fault(all(request(&spans), Format::Auto, &options));
    assert_eq!(problem, too_large("a run holds more", 1 << 20, "bytes"));
    // Traces one after the other.
    let lines: Vec<String> = spans
        .iter()
        .enumerate()
        .map(|(at, span)| {
            request(&[span]).replace(r#""traceId":"t""#, &format!(r#""traceId":"{at}""#))
        })
        .collect();
    assert_eq!(all(lines.join("\n"), Format::Auto, &options).unwrap().len(), 20);
}

#[test]
fn a_cut_last_line_is_dropped_and_another_broken_line_is_an_error() {
    let line =
        request(&[&span("a", "gone", [1, 2], &format!("{},{}", operation("chat"), tokens(10, 1)))]);
    for end in [1, 40, line.len() - 1] {
        let runs = in_memory(&format!("{line}\n{}", &line[..end])).unwrap();
        assert_eq!((runs.len(), runs[0].usage.input_tokens), (1, Some(10)));
        assert_eq!(runs[0].metadata["incomplete_last_line"], Value::Bool(true));
    }
    let (place, _) = fault(in_memory(&format!("{line}\n{}\n{line}", &line[..line.len() - 2])));
    assert_eq!(place.line, Some(2));
    let (_, problem) = fault(in_memory(&line[..line.len() - 1]));
    assert_eq!(problem, Problem::Truncated);
}

#[test]
fn mutants_of_all_files_are_read_or_are_typed_errors() {
    let mut state = 1_u64;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let (mut n_mutants, mut n_errors) = (0, 0);
    for entry in fs::read_dir(golden("otlp")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if !name.ends_with(".gz") {
            continue;
        }
        let text = text(&name);
        let lines: Vec<&str> = text.lines().take(6).collect();
        for _ in 0..400 {
            let mut bytes = lines[random(lines.len())].as_bytes().to_vec();
            for _ in 0..=random(3) {
                let at = random(bytes.len());
                let end = (at + 1 + random(30)).min(bytes.len());
                match random(4) {
                    0 => bytes[at] = b"{}[]\",:019eE-.\\ntfu"[random(19)],
                    1 => drop(bytes.drain(at..end)),
                    2 => bytes.truncate(at.max(1)),
                    _ => drop(bytes.splice(at..at, bytes[at..end].to_vec())),
                }
                if bytes.is_empty() {
                    bytes.push(b'{');
                }
            }
            let format = if name.starts_with("mlflow") {
                Format::Mlflow
            } else if name.contains("native") {
                Format::OpenAiAgents
            } else {
                Format::Otlp
            };
            n_mutants += 1;
            n_errors += usize::from(all(&bytes, format, &ReadOptions::default()).is_err());
        }
    }
    assert!(n_mutants >= 4_000 && n_errors > n_mutants / 4, "{n_errors} errors of {n_mutants}");
}
