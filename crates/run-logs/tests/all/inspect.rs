//! Logs that inspect_ai wrote, read as its own reader reads them (`golden/inspect/make.py`).

use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File},
};

use run_logs::{
    Arguments, Caller, Format, ReadOptions, RecordedCall, Run, RunLimit, Turn, Usage, read,
    read_path,
};
use serde_json::Value as Json;
use trajectory_metrics::tool_calls::Value;

use crate::common::{self, compare, golden, reply, text, used, value, with_requests};

const LOGS: [&str; 8] = [
    "0.3.110.eval",
    "0.3.110.json",
    "0.3.110.killed.eval",
    "0.3.285.eval",
    "0.3.285.json",
    "0.3.285.killed.eval",
    "0.3.285.edited.eval",
    "0.3.285.chunked.eval",
];

/// What the package's reader says of each sample, by id and epoch.
fn expected(log: &str) -> BTreeMap<(String, u64), Json> {
    let log = log.replace("chunked.eval", "eval");
    let text = fs::read_to_string(golden(&format!("inspect/{log}.golden"))).unwrap();
    let mut lines = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let origin = lines.next().unwrap();
    assert!(origin["origin"].as_str().unwrap().starts_with("read_eval_log of inspect_ai 0.3."));
    let key = |row: &Json| (row["id"].as_str().unwrap().to_owned(), row["epoch"].as_u64().unwrap());
    lines.map(|row| (key(&row), row)).collect()
}

fn runs(log: &str, options: &ReadOptions) -> Vec<Run> {
    let runs =
        read(File::open(golden("inspect").join(log)).unwrap(), Format::Auto, options).unwrap();
    assert_eq!(runs.format(), Format::Inspect);
    runs.map(|run| run.unwrap_or_else(|error| panic!("{log}: {error}"))).collect()
}

fn check_usage(found: &Usage, expected: &Json, at: &str) {
    assert_eq!(compare(&used(found), expected, at, 0.0), Ok(6));
}

fn check_call(found: &RecordedCall, expected: &Json, results: &[Json], at: &str) {
    assert_eq!(found.id, text(&expected["id"]), "{at}");
    assert_eq!(Some(&found.name), text(&expected["name"]).as_ref(), "{at}");
    assert_eq!(found.arguments, Arguments::Parsed(value(&expected["arguments"])), "{at}");
    let result = results.iter().find(|result| result["id"] == expected["id"]);
    let error = match result {
        Some(result) => text(&result["error"]),
        None => text(&expected["parse_error"]),
    };
    let ok = result.map(|_| error.is_none()).or(error.as_ref().map(|_| false));
    assert_eq!((found.ok, &found.error), (ok, &error), "{at}: {}", found.name);
}

fn check_turn(found: &Turn, expected: &Json, results: &[Json], at: &str) {
    assert_eq!(found.model, text(&expected["model"]), "{at}");
    assert_eq!(found.error, text(&expected["error"]), "{at}");
    let Some(reply) = &found.reply else {
        assert_eq!(expected["text"], Json::Null, "{at}");
        return;
    };
    assert_eq!(Some(&reply.text), text(&expected["text"]).as_ref(), "{at}");
    assert_eq!(reply.stop, Some(expected["stop"].as_str().unwrap().parse().unwrap()), "{at}");
    assert_eq!(reply.usage.is_some(), expected["usage"].is_object(), "{at}");
    reply.usage.iter().for_each(|usage| check_usage(usage, &expected["usage"], at));
    let calls = expected["calls"].as_array().unwrap();
    assert_eq!(reply.tool_calls.len(), calls.len(), "{at}");
    for (found, expected) in reply.tool_calls.iter().zip(calls) {
        check_call(found, expected, results, at);
    }
    let Some(tokens) = &reply.tokens else {
        assert_eq!(expected["logprobs"], Json::Null, "{at}");
        return;
    };
    let logprobs = expected["logprobs"].as_array().unwrap();
    assert_eq!(tokens.len(), logprobs.len(), "{at}");
    for (token, row) in tokens.iter().zip(logprobs) {
        let written = row[0].as_str().unwrap();
        let bytes = row[2].as_array().map_or(written.as_bytes().to_vec(), |bytes| {
            bytes.iter().map(|byte| byte.as_u64().unwrap().try_into().unwrap()).collect()
        });
        assert_eq!((token.bytes, Some(token.logprob)), (&bytes[..], row[1].as_f64()), "{at}");
        let alternatives: Vec<(&[u8], f64)> = token.alternatives().collect();
        let listed = row[3].as_array().unwrap();
        let listed: Vec<(&[u8], f64)> = listed
            .iter()
            .map(|row| (row[0].as_str().unwrap().as_bytes(), row[1].as_f64().unwrap()))
            .collect();
        assert_eq!(alternatives, listed, "{at}");
    }
}

fn check_run(run: &Run, expected: &Json, at: &str) {
    let task = format!("{}/{}", expected["task"].as_str().unwrap(), run.id);
    assert_eq!(run.task, Some(task), "{at}");
    assert_eq!(run.model, text(&expected["model"]), "{at}");
    let scores = expected["scores"].as_object().unwrap();
    assert_eq!(run.scores.keys().collect::<Vec<_>>(), scores.keys().collect::<Vec<_>>(), "{at}");
    for (name, score) in &run.scores {
        let expected = &scores[name];
        assert_eq!(score.value, value(&expected["value"]), "{at}: {name}");
        assert_eq!(score.answer, text(&expected["answer"]), "{at}: {name}");
        assert_eq!(score.explanation, text(&expected["explanation"]), "{at}: {name}");
        let metadata = expected["metadata"].as_object();
        let metadata: BTreeMap<String, Value> =
            metadata.into_iter().flatten().map(|(key, json)| (key.clone(), value(json))).collect();
        assert_eq!(score.metadata, metadata, "{at}: {name}");
    }
    let limit = expected["limit"].as_object().map(|limit| RunLimit {
        kind: text(&limit["type"]).unwrap(),
        limit: limit["limit"].as_f64(),
        reason: text(&limit["reason"]),
    });
    assert_eq!(run.limit, limit, "{at}");
    assert_eq!(run.error, text(&expected["error"]), "{at}");
    assert_eq!(run.excluded.is_some(), expected["invalidated"] == true, "{at}");
    let retried = run.metadata.get("error_retries").cloned().unwrap_or(Value::List(Vec::new()));
    assert_eq!(retried, value(&expected["error_retries"]), "{at}");
    let usage = expected["usage"].as_object().unwrap();
    let models: Vec<&String> = usage.keys().collect();
    assert_eq!(run.usage_by_model.keys().collect::<Vec<_>>(), models, "{at}");
    for (model, used) in &run.usage_by_model {
        check_usage(used, &usage[model], at);
    }
    // A count is known if every model of the agent has it; the grader has a model of its own.
    let agents = usage.iter().filter(|(model, _)| *model != "mockllm/grader");
    let agents: Vec<&Json> = agents.map(|(_, used)| used).collect();
    let sum = |field: &str| agents.iter().map(|used| used[field].as_u64()).sum();
    assert_eq!(run.usage.input_tokens, sum("input"), "{at}");
    assert_eq!(run.usage.cached_tokens, sum("cached"), "{at}");
    assert_eq!(run.usage.output_tokens, sum("output"), "{at}");
    let (attempts, turns): (Vec<&Turn>, Vec<&Turn>) =
        run.turns.iter().partition(|turn| turn.caller == Caller::FailedAttempt);
    let rows = |field: &str| expected[field].as_array().unwrap().clone();
    let is_grader = |row: &Json| row["model"] == "mockllm/grader";
    for (found, expected) in [(attempts, rows("attempts")), (turns, rows("turns"))] {
        assert_eq!(found.len(), expected.len(), "{at}");
        for (turn, row) in found.iter().zip(&expected) {
            check_turn(turn, row, &rows("tools"), at);
            assert_eq!(turn.caller == Caller::Grader, is_grader(row), "{at}");
        }
    }
}

#[test]
fn a_log_that_was_killed_has_the_status_that_the_package_gives_it() {
    for (log, status) in [
        ("0.3.110.killed.eval", "started"),
        ("0.3.285.killed.eval", "started"),
        ("0.3.285.eval", "success"),
    ] {
        for run in runs(log, &ReadOptions::default()) {
            assert_eq!(run.evaluation.unwrap().status.as_deref(), Some(status), "{log}");
        }
    }
}

#[test]
fn every_field_is_as_the_reader_of_inspect_ai_says() {
    let (mut samples, mut limits, mut models, mut epochs) =
        (0, BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut errors, mut retried, mut cached, mut unscored, mut failed) = (0, 0, 0, 0, 0);
    for log in LOGS {
        let expected = expected(log);
        let runs = runs(log, &ReadOptions::default());
        let keys: BTreeSet<_> =
            runs.iter().map(|run| (run.id.clone(), run.trial.unwrap())).collect();
        assert!(keys.iter().eq(expected.keys()), "{log}: {keys:?}");
        assert_eq!(runs.len(), expected.len(), "{log}");
        for run in runs {
            let key = (run.id.clone(), run.trial.unwrap());
            check_run(&run, &expected[&key], &format!("{log}: {key:?}"));
            samples += 1;
            limits.extend(run.limit.as_ref().map(|limit| limit.kind.clone()));
            models.extend(run.usage_by_model.keys().cloned());
            epochs.insert(key.1);
            errors += usize::from(run.error.is_some());
            retried += usize::from(run.metadata.contains_key("error_retries"));
            let mut by_model = run.usage_by_model.values();
            cached += usize::from(by_model.any(|used| used.cached_tokens > Some(0)));
            let nan = run.scores.values().filter(|score| score.value == Value::Null);
            unscored += nan.count();
            failed += run.turns.iter().filter(|turn| turn.error.is_some()).count();
        }
    }
    let kinds: Vec<&str> = limits.iter().map(String::as_str).collect();
    assert_eq!(kinds.join(" "), "context cost custom message operator time token turn working");
    assert!(samples >= 200 && models.len() == 5 && epochs.len() == 3, "{samples} {models:?}");
    assert!(errors >= 10 && retried >= 10 && cached >= 20 && unscored >= 10 && failed >= 10);
}

#[test]
fn limits_and_errors_are_stop_reasons_and_scores_stand_beside_limits() {
    let all = runs("0.3.285.eval", &ReadOptions::default());
    let limited: Vec<&Run> = all.iter().filter(|run| run.limit.is_some()).collect();
    assert!(limited.iter().all(|run| !run.scores.is_empty()));
    let stop_of = |kind: &str| {
        let run = limited.iter().find(|run| run.limit.as_ref().unwrap().kind == kind);
        run.unwrap().stop.clone().unwrap().to_string()
    };
    assert_eq!(stop_of("message"), "max_steps");
    assert_eq!(stop_of("token"), "max_tokens");
    assert_eq!(stop_of("time"), "max_time");
    let failed = all.iter().find(|run| run.error.is_some()).unwrap();
    assert_eq!(failed.stop.as_ref().unwrap().to_string(), "error");
    let completed = all.iter().filter(|run| run.limit.is_none() && run.error.is_none());
    assert!(completed.clone().all(|run| run.stop.as_ref().unwrap().to_string() == "completed"));
    assert!(completed.count() > 40);
}

#[test]
fn requests_are_resolved_from_pools_and_from_events_alike() {
    // The old version writes every request whole; the new one refers to a pool.
    for log in ["0.3.110.eval", "0.3.285.eval"] {
        let runs = runs(log, &with_requests());
        let tools = runs.iter().find(|run| run.id == "a/b 2").unwrap();
        let turns: Vec<&Turn> = tools.agent_turns().collect();
        let lengths: Vec<usize> = turns.iter().map(|turn| turn.request.len()).collect();
        assert_eq!(lengths, [1, 3, 6, 8, 10], "{log}");
        assert_eq!(turns[0].request[0].text, "question 1", "{log}");
        assert_eq!(turns[1].request[1].text, "turn 0", "{log}");
        assert_eq!(turns[1].request[2].tool_call_id.as_deref(), Some("c1"), "{log}");
        let plain = self::runs(log, &ReadOptions::default());
        assert!(plain.iter().flat_map(|run| &run.turns).all(|turn| turn.request.is_empty()));
    }
}

#[test]
fn samples_in_chunks_are_read_as_the_same_samples_in_one_entry() {
    for options in [ReadOptions::default(), with_requests()] {
        let whole = runs("0.3.285.eval", &options);
        assert!(whole.iter().any(|run| run.turns.len() > 4));
        assert_eq!(runs("0.3.285.chunked.eval", &options), whole);
    }
}

#[test]
fn a_folder_of_logs_is_read_file_by_file_and_other_files_are_listed() {
    let mut runs = read_path(&golden("inspect"), Format::Auto, &ReadOptions::default()).unwrap();
    let count = runs.by_ref().filter(|run| run.is_ok()).count();
    assert_eq!(count, LOGS.iter().map(|log| expected(log).len()).sum::<usize>());
    let mut left_out: Vec<String> = runs
        .unrecognized()
        .iter()
        .map(|it| it.path.file_name().unwrap().to_str().unwrap().to_owned())
        .collect();
    left_out.retain(|name| !name.ends_with(".golden"));
    assert_eq!(left_out, ["make.py", "make_large.py"]);
}

/// The only run of a log with these fields of a sample.
fn one(fields: &str) -> Run {
    let log = format!(
        r#"{{"version":2,"status":"success","eval":{{"task":"t","model":"m"}},"samples":[{{"id":1,"epoch":1,{fields}}}]}}"#
    );
    common::runs(log).remove(0)
}

#[test]
fn the_calls_of_subagents_and_graders_are_told_from_those_of_the_agent() {
    let model = |span: &str, role: &str| {
        format!(r#"{{"event":"model","span_id":"{span}","role":{role},"output":{{"choices":[]}}}}"#)
    };
    let span = |id: &str, parent: &str, kind: &str| {
        format!(
            r#"{{"event":"span_begin","id":"{id}","parent_id":{parent},"type":"{kind}","name":"n-{id}"}}"#
        )
    };
    let events = [
        span("1", "null", "solver"),
        span("2", "\"1\"", "agent"),
        model("2", "null"),
        span("3", "\"2\"", "tool"),
        span("4", "\"3\"", "agent"),
        model("4", "null"),
        model("2", "\"grader\""),
        span("5", "null", "scorers"),
        span("6", "\"5\"", "scorer"),
        model("6", "null"),
        model("unknown", "null"),
    ];
    let run = one(&format!(r#""events":[{}]"#, events.join(",")));
    let callers: Vec<&Caller> = run.turns.iter().map(|turn| &turn.caller).collect();
    let subagent = Caller::Subagent("n-4".to_owned());
    let expected = [&Caller::Agent, &subagent, &Caller::Grader, &Caller::Grader, &Caller::Agent];
    assert_eq!(callers, expected);
    assert_eq!(run.agent_turns().count(), 3);
}

#[test]
fn attachments_are_put_back_wherever_they_stand_and_dangling_ones_stay() {
    let events = r#""events":[{"event":"model","output":{"choices":[{"message":{"content":[{"type":"text","text":"attachment://a"},{"type":"image","image":"x"},{"type":"text","text":"attachment://none"}],"tool_calls":[{"id":"c","function":"f","arguments":{"deep":[{"x":"tc://b"}]}}]}}]}}]"#;
    let attachments = r#""attachments":{"a":"long","b":"longer","unused":"z"}"#;
    let scores = r#""scores":{"s":{"value":"C","explanation":"attachment://a"}}"#;
    for fields in [
        [events, attachments, scores],
        [scores, events, attachments],
        [attachments, scores, events],
    ] {
        let run = one(&fields.join(","));
        let reply = reply(&run, 0);
        assert_eq!(reply.text, "long\nattachment://none");
        let deep = Value::Map([("x".to_owned(), "longer".into())].into());
        let arguments = Value::Map([("deep".to_owned(), vec![deep].into())].into());
        assert_eq!(reply.tool_calls[0].arguments, Arguments::Parsed(arguments));
        // Samples as the package writes them have their scores before the events.
        if fields[2] != scores {
            assert_eq!(run.scores["s"].explanation.as_deref(), Some("long"));
        }
    }
}

#[test]
fn a_log_without_events_has_the_turns_of_its_conversation() {
    let run = one(
        r#""messages":[{"role":"user","content":"q"},{"role":"assistant","content":"a","tool_calls":[{"id":"c","function":"f","arguments":{}}]},{"role":"tool","tool_call_id":"c","content":"r"},{"role":"assistant","content":"b"}]"#,
    );
    let texts: Vec<&str> =
        run.turns.iter().map(|turn| turn.reply.as_ref().unwrap().text.as_str()).collect();
    assert_eq!(texts, ["a", "b"]);
    assert_eq!(reply(&run, 0).tool_calls[0].name, "f");
}

#[test]
fn a_tool_that_says_that_it_failed_is_a_failed_call_even_without_an_error() {
    for (failed, ok) in [("true", false), ("false", true), ("null", true)] {
        let run = one(&format!(
            r#""events":[{{"event":"model","output":{{"choices":[{{"message":{{"content":"","tool_calls":[{{"id":"c","function":"f","arguments":{{}}}}]}}}}]}}}},{{"event":"tool","id":"c","failed":{failed}}}]"#
        ));
        assert_eq!(reply(&run, 0).tool_calls[0].ok, Some(ok), "{failed}");
    }
}

#[test]
fn a_sample_without_totals_has_the_sum_of_its_turns_or_an_unknown_usage() {
    let turn = |usage: &str| {
        format!(
            r#"{{"event":"model","output":{{"choices":[{{"message":{{"content":"a"}}}}]{usage}}}}}"#
        )
    };
    let counted = turn(r#","usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}"#);
    let used = |fields: &str| {
        let usage = one(fields).usage;
        (usage.input_tokens, usage.cached_tokens, usage.output_tokens)
    };
    let events = format!(r#""events":[{counted},{counted}]"#);
    assert_eq!(used(&events), (Some(20), None, Some(10)));
    assert_eq!(used(&format!(r#""model_usage":null,{events}"#)), (Some(20), None, Some(10)));
    let partly = format!(r#""events":[{counted},{}]"#, turn(""));
    assert_eq!(used(&partly), (None, None, None));
    assert_eq!(used(r#""messages":[{"role":"assistant","content":"a"}]"#), (None, None, None));
    assert_eq!(used(r#""events":[]"#), (None, None, None));
    // No model was called.
    assert_eq!(used(r#""model_usage":{},"events":[]"#), (Some(0), Some(0), Some(0)));
    let total = r#""model_usage":{"m":{"input_tokens":7,"output_tokens":3}}"#;
    assert_eq!(used(total), (Some(7), None, Some(3)));
}

#[test]
fn the_task_is_the_sample_of_the_evaluation_and_its_epochs_are_trials() {
    let log = |eval: &str| {
        format!(
            r#"{{"version":2,"status":"success","eval":{eval},"samples":[{{"id":"prime-0","epoch":1}},{{"id":"prime-0","epoch":2}},{{"id":7,"epoch":1}}]}}"#
        )
    };
    let named = |eval: &str| {
        let runs = common::all(log(eval), Format::Inspect, &ReadOptions::default()).unwrap();
        let runs = runs.into_iter();
        runs.map(|run| (run.task.unwrap(), run.id, run.trial.unwrap())).collect::<Vec<_>>()
    };
    let own = |task: &str, id: &str, trial| (task.to_owned(), id.to_owned(), trial);
    let expected = [
        own("arith/prime-0", "prime-0", 1),
        own("arith/prime-0", "prime-0", 2),
        own("arith/7", "7", 1),
    ];
    assert_eq!(named(r#"{"task":"arith","model":"m"}"#), expected);
    assert_eq!(named(r#"{"model":"m"}"#)[1], own("prime-0", "prime-0", 2));
}

#[test]
fn what_graders_and_other_roles_used_is_not_the_agents() {
    let call = |model: &str, role: &str, span: &str, input: u64, more: &str| {
        format!(
            r#"{{"event":"model","model":"{model}","role":{role},"span_id":"{span}"{more},"output":{{"choices":[{{"message":{{"content":"a"}}}}],
            "usage":{{"input_tokens":{input},"output_tokens":5,"total_tokens":{}}}}}}}"#,
            input + 5
        )
    };
    let spans = r#"{"event":"span_begin","id":"solve","type":"solver","name":"s"},{"event":"span_begin","id":"score","type":"scorer","name":"s"}"#;
    let used = |total: &str, calls: &[String]| {
        one(&format!(r#""model_usage":{{{total}}},"events":[{spans},{}]"#, calls.join(",")))
    };
    let total = |model: &str, input: u64, output: u64| {
        format!(
            r#""{model}":{{"input_tokens":{input},"output_tokens":{output},"total_tokens":{}}}"#,
            input + output
        )
    };
    let input = |run: &Run, role: &str| {
        let models = run.other_usage.get(role)?;
        models.values().map(|used| used.input_tokens).sum::<Option<u64>>()
    };
    let agent = call("m", "null", "solve", 10, "");
    // A grader of another model, and one of the agent's own.
    let grader = call("g", "null", "score", 1_000, "");
    let run =
        used(&format!("{},{}", total("m", 10, 5), total("g", 1_000, 5)), &[agent.clone(), grader]);
    assert_eq!((run.usage.total_tokens(), input(&run, "grader")), (Some(15), Some(1_000)));
    assert_eq!(run.agent_usage_by_model().keys().collect::<Vec<_>>(), ["m"]);
    let grader = call("m", r#""grader""#, "score", 1_000, "");
    let run = used(&total("m", 1_010, 10), &[agent.clone(), grader.clone()]);
    assert_eq!((run.usage.total_tokens(), input(&run, "grader")), (Some(15), Some(1_000)));
    // A reply that was kept from an earlier call used nothing.
    let kept = call("m", r#""grader""#, "score", 1_000, r#","cache":"read""#);
    let run = used(&total("m", 10, 5), &[agent.clone(), kept]);
    assert_eq!((run.usage.total_tokens(), run.other_usage.len()), (Some(15), 0));
    // Other roles are neither the agent nor its turns, unless there is nothing else.
    let critic = call("m", r#""critic""#, "solve", 200, "");
    let run = used(&total("m", 210, 10), &[agent.clone(), critic.clone()]);
    assert_eq!((run.usage.total_tokens(), input(&run, "critic")), (Some(15), Some(200)));
    assert_eq!(run.agent_turns().count(), 1);
    let run = used(&total("m", 1_200, 10), &[critic, grader]);
    assert_eq!((run.usage.total_tokens(), input(&run, "grader")), (Some(205), Some(1_000)));
    assert_eq!(run.agent_turns().next().unwrap().caller, Caller::Subagent("critic".to_owned()));
    // Without totals and without events.
    let events = [agent, call("g", "null", "score", 1_000, "")].join(",");
    let run = one(&format!(r#""events":[{spans},{events}]"#));
    assert_eq!(run.usage.total_tokens(), Some(15));
    let both = format!("{},{}", total("m", 10, 5), total("g", 1_000, 5));
    let run = one(&format!(r#""model_usage":{{{both}}},"messages":[]"#));
    assert_eq!((run.usage.total_tokens(), input(&run, "other models")), (Some(15), Some(1_000)));
    let roles =
        r#""role_usage":{"grader":{"input_tokens":1000,"output_tokens":5,"total_tokens":1005}}"#;
    let run = one(&format!(r#""model_usage":{{{}}},{roles},"messages":[]"#, total("m", 1_010, 10)));
    assert_eq!((run.usage.total_tokens(), input(&run, "grader")), (Some(15), Some(1_000)));
}

#[test]
fn only_scores_that_are_marked_as_intermediate_are_noted() {
    let log = r#"{"version":2,"status":"success","eval":{"task":"t","model":"m"},"samples":[
        {"id":1,"epoch":1,"events":[{"event":"score","intermediate":true,"score":{"value":0.5}}]},
        {"id":2,"epoch":1,"events":[{"event":"score","score":{"value":0.5}}]}]}"#;
    let runs = read(std::io::Cursor::new(log), Format::Auto, &ReadOptions::default()).unwrap();
    let noted: Vec<bool> =
        runs.map(|run| run.unwrap().metadata.contains_key("intermediate_scores")).collect();
    assert_eq!(noted, [true, false]);
}
