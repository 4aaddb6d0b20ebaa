//! Logs that agents write, read as their programs and packages see them (`oracles/agents.py`).

use std::{
    fs,
    path::{Path, PathBuf},
};

use run_logs::{
    Caller, ConfidenceStream, Format, Problem, ReadLimits, ReadOptions, Run, StreamOptions, Turn,
    Usage, json_lines::json_value, read_path,
};
use serde_json::{Value as Json, json};

use crate::common::{
    Folder, all, calls, compare, fault, golden, limited, reply, runs, runs_at, too_large, used,
};

/// The turn as an expectation.
fn turn(turn: &Turn) -> Json {
    let Some(reply) = &turn.reply else { return json!({"failed": true}) };
    let caller = match &turn.caller {
        Caller::Subagent(name) | Caller::Role(name) => Json::from(name.as_str()),
        _ => Json::Null,
    };
    let mut found = json!({
        "model": turn.model, "caller": caller, "text": reply.text, "calls": calls(reply),
        "stop": reply.stop.as_ref().map(|stop| stop.name()), "n_other": turn.other_replies.len(),
        "others": turn.other_replies.iter().map(|reply| &reply.text).collect::<Vec<_>>(),
        "tokens": reply.tokens.as_ref().map(|tokens| tokens.iter().map(|token| json!({
            "text": String::from_utf8_lossy(token.bytes), "logprob": token.logprob,
            "others": token.alternatives().map(|(_, logprob)| logprob).collect::<Vec<_>>(),
        })).collect::<Vec<_>>()),
    });
    add_usage(&mut found, &reply.usage.clone().unwrap_or_default());
    found
}

fn add_usage(found: &mut Json, usage: &Usage) {
    found.as_object_mut().unwrap().append(used(usage).as_object_mut().unwrap());
}

/// The run as an expectation.
fn run(run: &Run) -> Json {
    let scores = run.scores.iter().map(|(name, score)| (name.clone(), json_value(&score.value)));
    let mut found = json!({
        "id": run.id, "task": run.task, "model": run.model, "outcome": run.outcome,
        "stop": run.stop.as_ref().map(|stop| stop.name()), "trial": run.trial,
        "limit": run.limit.as_ref().map(|limit| limit.kind.clone()), "error": run.error.is_some(),
        "scores": scores.collect::<serde_json::Map<_, _>>(), "turns": run.turns.iter().map(turn).collect::<Vec<_>>(),
        "cut_off": run.metadata.contains_key("incomplete_last_line"),
    });
    add_usage(&mut found, &run.usage);
    found
}

/// Compares the logs of a folder with the expectation beside them.
fn check(folder: &Path) {
    let text = fs::read_to_string(folder.join("expected.jsonl")).unwrap();
    let (mut n_runs, mut n_values, mut wrong) = (0, 0, Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let line: Json = serde_json::from_str(line).unwrap();
        let path = folder.parent().unwrap().join(line["path"].as_str().unwrap());
        let format: Format = line["format"].as_str().unwrap().parse().unwrap();
        let runs = read_path(&path, Format::Auto, &ReadOptions::default()).and_then(|read| {
            assert_eq!(read.format(), format, "{}", path.display());
            read.collect::<Result<Vec<_>, _>>()
        });
        let found = match runs {
            Ok(runs) => runs.iter().map(run).collect::<Vec<_>>(),
            Err(error) => {
                wrong.push(error.to_string());
                continue;
            }
        };
        n_runs += found.len();
        let (found, name) = (Json::Array(found), path.display().to_string());
        match compare(&found, &line["runs"], &name, 1e-9) {
            Ok(n) => n_values += n,
            Err(difference) => wrong.push(difference),
        }
    }
    println!("{}: {n_runs} runs, {n_values} values, {} wrong", folder.display(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Known answers, and those that `AGENT_LOGS` holds.
#[test]
fn agent_logs_say_what_their_programs_and_packages_say() {
    let made = std::env::var_os("AGENT_LOGS").map(PathBuf::from);
    for folder in [Some(golden("agents")), made].into_iter().flatten() {
        for format in ["mini_swe_agent", "opencode", "langchain", "lm_eval", "gemini_cli"] {
            let of_format = folder.join(format);
            if of_format.join("expected.jsonl").exists() {
                check(&of_format);
            }
        }
    }
}

#[test]
fn the_turns_of_a_subagent_of_gemini_cli_follow_the_call_that_names_it() {
    let runs = runs_at(&golden("agents/gemini_cli"), Format::GeminiCli);
    let mut n_agents = 0;
    for run in &runs {
        for pair in run.turns.windows(2) {
            if let (Caller::Agent, Caller::Subagent(name)) = (&pair[0].caller, &pair[1].caller) {
                let calls = &pair[0].reply.as_ref().unwrap().tool_calls;
                assert!(calls.iter().any(|call| call.name == "invoke_agent"), "{name}");
                assert!(name.starts_with("generalist "), "{name}");
                n_agents += 1;
            }
        }
    }
    // The files of the subagents are not runs of their own.
    assert_eq!((runs.len(), n_agents), (4, 4));
}

#[test]
fn a_session_of_gemini_cli_that_is_cut_off_loses_its_last_line_and_says_so() {
    let head = r#"{"sessionId":"s","projectHash":"p","startTime":"2026-11-28T00:00:00.000Z"}"#;
    let first = r#"{"id":"a","type":"gemini","content":"\u00e9","tokens":{"input":5,"output":2,"total":7},"model":"g"}"#;
    let again = r#"{"id":"a","type":"gemini","content":"x\ud83d","tokens":{"input":5,"output":2,"total":7},"model":"g"}"#;
    let text = format!("{head}\n{first}\n{again}");
    let at = head.len() + first.len() + 2;
    for end in at + 1..text.len() {
        let run = runs(&text[..end]).remove(0);
        assert_eq!(reply(&run, 0).text, "é");
        assert_eq!(run.metadata["incomplete_last_line"], true.into());
    }
    // A message that is written twice counts once, and half of a pair is U+FFFD.
    let run = runs(&text).remove(0);
    assert_eq!((run.turns.len(), run.usage.total_tokens()), (1, Some(7)));
    assert_eq!(reply(&run, 0).text, "x\u{fffd}");
    assert!(run.metadata.is_empty());
    // A broken line before the last one is an error.
    let broken = format!("{head}\n{}\n{again}", &first[..40]);
    assert!(all(broken, Format::Auto, &ReadOptions::default()).is_err());
}

#[test]
fn a_choice_of_lm_eval_has_the_confidence_of_a_softmax() {
    let line = r#"{"doc_id":7,"doc":{},"target":"1","arguments":{"gen_args_0":{"arg_0":"q","arg_1":" no"},"gen_args_1":{"arg_0":"q","arg_1":" yes"}},"resps":[[["-2.0","False"]],[["-1.0","True"]]],"filtered_resps":[],"filter":"none","metrics":["acc"],"doc_hash":"0123456789abcdef","acc":1.0}"#;
    let run = runs(line).remove(0);
    assert_eq!((run.id.as_str(), run.task.as_deref()), ("7", Some("7 0123456789ab")));
    assert_eq!(run.scores["acc,none"].value, 1.0.into());
    assert_eq!(reply(&run, 0).text, " yes");
    let options = StreamOptions::default();
    let confidence = ConfidenceStream::TokenProbability.value(&run.turns[0], &options).unwrap();
    // 1 / (1 + exp(-1))
    assert!((confidence.get() - 0.731_058_578_630_004_9).abs() < 1e-15);
}

#[test]
fn half_of_a_pair_in_a_session_of_opencode_is_replaced() {
    let log = r#"{"info":{"id":"a","projectID":"p"},"messages":[{"info":{"role":"assistant"},"parts":[{"type":"text","text":"x\udc00"}]}]}"#;
    assert_eq!(runs(log)[0].turns[0].reply.as_ref().unwrap().text, "x\u{fffd}");
}

#[test]
fn messages_inside_messages_are_read_to_the_largest_depth() {
    let options = limited(ReadLimits { max_depth: 512, ..ReadLimits::default() });
    let nested =
        |field: &str, n: usize| format!("{{\"{field}\":").repeat(n) + "{}" + &"}".repeat(n);
    let logs: [(Format, &dyn Fn(usize) -> String); 2] = [
        (Format::GeminiCli, &|n| {
            let change = nested("$set", n);
            format!(r#"{{"sessionId":"s","projectHash":"p","$set":{change}}}"#)
        }),
        (Format::LangChain, &|n| {
            let message = nested("kwargs", n);
            format!(r#"{{"messages":[{{"type":"ai","content":"x","kwargs":{message}}}]}}"#)
        }),
    ];
    for (format, text) in logs {
        assert_eq!(all(text(480), format, &options).unwrap().len(), 1, "{format}");
        let (_, problem) = fault(all(text(600), format, &options));
        assert_eq!(problem, Problem::TooDeep { limit: 512 }, "{format}");
    }
}

#[test]
fn the_filters_of_a_question_of_lm_eval_are_scores_of_one_run() {
    let line = |doc: u8, filter: &str, right: u8| {
        format!(
            r#"{{"doc_id":{doc},"doc":{{}},"arguments":{{"gen_args_0":{{"arg_0":"q","arg_1":{{}}}}}},"resps":[["reply {doc}"]],"filtered_resps":["{doc}"],"filter":"{filter}","metrics":["exact_match"],"doc_hash":"h{doc}","exact_match":{right}}}"#
        )
    };
    // All lines of a filter come before those of the next one.
    let lines =
        [line(0, "strict", 0), line(1, "strict", 1), line(0, "loose", 1), line(1, "loose", 1)];
    for log in [lines.join("\n"), format!("[{}]", lines.join(","))] {
        let runs = runs(log);
        let found = runs.iter().map(|run| {
            let scores = ["exact_match,strict", "exact_match,loose"];
            let scores =
                scores.map(|name| run.scores.get(name).map(|score| json_value(&score.value)));
            (run.id.as_str(), run.task.as_deref(), run.turns.len(), scores)
        });
        let score = |right: u8| Some(Json::from(right));
        let expected = [
            ("0", Some("0 h0"), 1, [score(0), score(1)]),
            ("1", Some("1 h1"), 1, [score(1), score(1)]),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
    }
    // A filter that answers again is another run.
    assert_eq!(runs([line(0, "strict", 0), line(0, "strict", 1)].join("\n")).len(), 2);
    // The questions that wait for their other filters are limited together.
    let options = limited(ReadLimits { max_run: 1 << 16, ..ReadLimits::default() });
    let log = |filter| (0..200).map(|doc| line(doc, filter, 1) + "\n").collect::<String>();
    let (_, problem) = fault(all(log("strict"), Format::LmEval, &options));
    assert_eq!(problem, too_large("a run holds more", 1 << 16, "bytes"));
    assert_eq!(all(log("none"), Format::LmEval, &options).unwrap().len(), 200);
}

#[test]
fn a_failed_reply_of_opencode_that_was_charged_keeps_its_usage() {
    let log = |cost: &str| {
        format!(
            r#"{{"info":{{"id":"a","projectID":"p"}},"messages":[{{"info":{{"role":"assistant","time":{{"created":2000,"completed":5000}},"error":{{"name":"MessageOutputLengthError","data":{{}}}},"cost":{cost},"tokens":{{"input":1000,"output":32000,"reasoning":0,"cache":{{"read":0,"write":0}}}}}},"parts":[]}}]}}"#
        )
    };
    let run = runs(log("0.5")).remove(0);
    let usage = &run.usage;
    assert_eq!(
        (usage.input_tokens, usage.output_tokens, usage.cost_usd),
        (Some(1000), Some(32_000), Some(0.5))
    );
    assert!(run.turns[0].error.is_some());
    assert_eq!((run.started, run.seconds), (Some(2.0), Some(3.0)));
    // The program writes 0 for a model without a price.
    let run = runs(log("0")).remove(0);
    assert_eq!((run.usage.output_tokens, run.usage.cost_usd), (Some(32_000), None));
}

#[test]
fn a_session_of_gemini_cli_starts_at_its_first_time() {
    let head = r#"{"sessionId":"s","projectHash":"p","startTime":"1970-01-01T00:00:02Z","lastUpdated":"1970-01-01T00:00:05Z"}"#;
    let run = runs(head).remove(0);
    assert_eq!((run.started, run.seconds), (Some(2.0), Some(3.0)));
}

#[test]
fn a_file_with_an_object_of_many_keys_is_no_log() {
    let folder = Folder::new("many-keys");
    let keys: Vec<String> = (0..100).map(|task| format!(r#""task {task}":{{}}"#)).collect();
    folder.write("results.json", format!(r#"{{"results":{{{}}}}}"#, keys.join(",")));
    folder.write("run.jsonl", r#"{"id":"a","outcome":true,"turns":[]}"#);
    let read = read_path(&folder.0, Format::Auto, &ReadOptions::default()).unwrap();
    assert_eq!(read.map(|run| run.unwrap().id).collect::<Vec<_>>(), ["a"]);
}

#[test]
fn the_id_of_a_conversation_of_langchain_does_not_depend_on_the_order_of_fields() {
    let messages = r#""messages":[{"type":"ai","content":"x"}]"#;
    for (log, id) in [
        (format!(r#"{{"id":"a","thread_id":"t",{messages}}}"#), "a"),
        (format!(r#"{{"thread_id":"t",{messages},"id":"a"}}"#), "a"),
        (format!(r#"{{{messages},"id":"a","thread_id":"t"}}"#), "a"),
        (format!(r#"{{{messages},"thread_id":"t"}}"#), "t"),
        (format!(r#"{{"thread_id":"t",{messages}}}"#), "t"),
    ] {
        let run = runs(&log).remove(0);
        assert_eq!((run.id.as_str(), run.is_numbered), (id, false), "{log}");
    }
    let run = runs(format!("{{{messages}}}")).remove(0);
    assert_eq!((run.id.as_str(), run.is_numbered), ("1", true));
}

#[test]
fn a_result_belongs_to_the_latest_call_with_its_id() {
    let call = r#"{"type":"ai","content":"","tool_calls":[{"name":"f","args":{},"id":"c"}]}"#;
    let result = |status| {
        format!(r#"{{"type":"tool","content":"x","tool_call_id":"c","status":"{status}"}}"#)
    };
    let (good, bad) = (result("success"), result("error"));
    let run = runs(format!(r#"{{"messages":[{call},{bad},{call},{good},{call}]}}"#)).remove(0);
    let oks = run.turns.iter().map(|turn| turn.reply.as_ref().unwrap().tool_calls[0].ok);
    assert_eq!(oks.collect::<Vec<_>>(), [Some(false), Some(true), None]);
}

/// The time grows with the number of messages, and not with its square.
#[test]
fn results_of_unknown_calls_take_no_search() {
    let pair = |at: u32| {
        format!(
            r#"{{"type":"ai","content":"x"}},{{"type":"tool","content":"x","tool_call_id":"t{at}","status":"success"}}"#
        )
    };
    let messages: Vec<String> = (0..100_000).map(pair).collect();
    let start = std::time::Instant::now();
    let run = runs(format!(r#"{{"messages":[{}]}}"#, messages.join(","))).remove(0);
    assert_eq!(run.turns.len(), 100_000);
    // A search through all turns takes about half a minute.
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}
