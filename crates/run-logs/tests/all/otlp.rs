//! Spans and records of OpenTelemetry, traces of MLflow and spans of the OpenAI Agents SDK: what the real instrumentations write.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use run_logs::{
    Caller, Error, Format, Problem, ReadLimits, ReadOptions, Reply, Run, RunsBy, StopReason, Turn,
    Usage, Value, read_path,
};
use serde_json::{Value as Json, json};

use crate::common::{self, Folder, all, fault, golden, limited, reply, too_large, unpacked};

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
    let turns = run.turns.iter().filter(|turn| turn.model_calls != Some(0));
    let replies: Vec<&Reply> = turns.filter_map(|turn| turn.reply.as_ref()).collect();
    let count = |of: fn(&Usage) -> Option<u64>| {
        let counts = replies.iter().filter_map(|reply| reply.usage.as_ref().and_then(of));
        json!(counts.sum::<u64>())
    };
    let texts = |of: fn(&Reply) -> Option<String>| {
        sorted(replies.iter().filter_map(|reply| of(reply)).collect())
    };
    let calls = run.turns.iter().filter_map(|turn| turn.reply.as_ref());
    let tools = calls.flat_map(|reply| &reply.tool_calls).map(|call| {
        let arguments = serde_json::to_string(&call.tool_call().arguments).unwrap();
        (call.name.clone(), arguments, call.id.clone(), call.ok)
    });
    let mut tools: Vec<_> = tools.collect();
    tools.sort();
    let is_sub = |turn: &&Turn| matches!(turn.caller, Caller::Subagent(_)) && turn.reply.is_some();
    let scores = run.scores.iter().map(|(name, score)| (name, &score.value));
    let n_tokens = replies.iter().filter_map(|reply| Some(reply.tokens.as_ref()?.len()));
    let is_limit = |stop: &StopReason| stop.class() == run_logs::censoring::StopClass::Censored;
    BTreeMap::from([
        ("n_replies", json!(replies.len())),
        ("n_failed", json!(run.turns.iter().filter(|turn| turn.reply.is_none()).count())),
        ("input", count(|usage| usage.input_tokens)),
        ("output", count(|usage| usage.output_tokens)),
        ("cached", count(|usage| usage.cached_tokens)),
        ("reasoning", count(|usage| usage.reasoning_tokens)),
        ("run_input", json!(run.usage.input_tokens.unwrap_or(0))),
        ("run_output", json!(run.usage.output_tokens.unwrap_or(0))),
        ("replies", texts(|reply| reply.id.clone())),
        ("texts", texts(|reply| Some(reply.text.clone()).filter(|text| !text.is_empty()))),
        ("stops", texts(|reply| reply.stop.as_ref().map(ToString::to_string))),
        ("n_tokens", json!(n_tokens.sum::<usize>())),
        ("n_subagent_turns", json!(run.turns.iter().filter(is_sub).count())),
        ("tools", json!(tools)),
        ("scores", json!(scores.collect::<BTreeMap<_, _>>())),
        ("seconds", json!(run.seconds)),
        ("is_limited", json!(run.stop.as_ref().is_some_and(is_limit))),
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
        let expected: BTreeMap<String, Json> =
            serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let log = PathBuf::from(path.to_string_lossy().replace(".expected.json", ".jsonl"));
        let packed = PathBuf::from(format!("{}.gz", log.display()));
        let log = if packed.exists() { packed } else { log };
        let runs: BTreeMap<String, Run> =
            runs_of(&log).into_iter().map(|run| (run.id.clone(), run)).collect();
        if !runs.keys().eq(expected.keys()) {
            let (found, expected) = (runs.len(), expected.len());
            differences.push(format!("{}: {found} runs, expected {expected}", log.display()));
        }
        for (id, mut expected) in expected {
            let Some(run) = runs.get(&id) else { continue };
            n_runs += 1;
            for (name, of) in [("run_input", "input"), ("run_output", "output")] {
                expected.get(of).cloned().into_iter().for_each(|it| expected[name] = it);
            }
            // The words of providers have names of their own here.
            if let Some(words) = expected.get("stops").and_then(Json::as_array) {
                let words = words.iter().map(|word| word.as_str().unwrap().to_owned());
                let names = words.map(|word| StopReason::from(word).to_string());
                expected["stops"] = sorted(names.collect());
            }
            let scores = expected.get("scores").and_then(Json::as_object);
            if scores.is_some_and(|scores| scores.len() != run.scores.len()) {
                differences.push(format!("{id}: {:?}", run.scores));
            }
            match common::compare(&json!(found(run)), &expected, &id, 1e-9) {
                Ok(n) => n_values += n,
                Err(difference) => differences.push(difference),
            }
        }
    }
    (n_runs, n_values, differences)
}

/// The unpacked lines of a golden file.
fn text(name: &str) -> String {
    unpacked(&format!("otlp/{name}"))
}

/// A new folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> Folder {
    let folder = Folder::new(&format!("otlp-{name}"));
    files.iter().for_each(|(file, text)| _ = folder.write(file, text));
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
    let both = runs_of(&folder("claude", &[("a.jsonl", &traces), ("b.jsonl", &logs)]).0);
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
        runs_of(&folder.0).into_iter().partition(|run| run.is_numbered);
    assert_eq!((others.len(), sorted_runs(found)), (1, runs.clone()));
    // A file that is named alone is read alone.
    assert_eq!(sorted_runs(runs_of(&folder.write("z.jsonl", &document))), runs);
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
    let ok = |runs: Vec<Run>| reply(&runs[0], 0).tool_calls[0].ok;
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
    let call = &reply(&run, 0).tool_calls[0];
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
    let call = &reply(&run, 0).tool_calls[0];
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
    let options = limited(ReadLimits { max_run: 1 << 20, ..ReadLimits::default() });
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
