//! Sessions of Claude Code and rollouts of Codex: every answer of the server is one turn with its counts, whatever the programs write
//! twice, and what the files do not say is unknown.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::PathBuf,
};

use censoring::StopReason;
use run_logs::{Caller, FactRules, Format, Problem, ReadLimits, ReadOptions, Run, Turn, Usage};
use serde_json::{Value as Json, json};
use trajectory_metrics::tool_calls::Value;

use crate::common::{Folder, all, fault, golden, gzip, limited, reply, runs_at, table, too_large};

/// The answers of the server that wrote to this file or folder, by their ids.
fn served(kind: &str) -> BTreeMap<String, Json> {
    let text = fs::read_to_string(golden("sessions/served.jsonl")).unwrap();
    let answers = text.lines().map(|line| serde_json::from_str::<Json>(line).unwrap());
    let answered =
        answers.filter(|it| it["kind"] == kind && it["id"].is_string() && it["side"] == false);
    answered.map(|it| (it["id"].as_str().unwrap().to_owned(), it)).collect()
}

/// The counts that a complete answer has in the logs.
fn counts(answer: &Json) -> Usage {
    let count = |name: &str| answer["usage"][name].as_u64();
    let mut usage = Usage {
        output_tokens: count("output"),
        cached_tokens: count("cached"),
        ..Usage::default()
    };
    if answer["kind"] == "claude" {
        usage.cache_write_tokens = count("written");
        usage.input_tokens =
            Some(["input", "written", "cached"].iter().filter_map(|name| count(name)).sum());
    } else {
        usage.cache_write_tokens = Some(0);
        usage.input_tokens = count("input");
        usage.reasoning_tokens = count("reasoning");
    }
    usage
}

fn replies(run: &Run) -> impl Iterator<Item = (&Turn, &str)> {
    run.turns.iter().filter_map(|turn| Some((turn, turn.reply.as_ref()?.id.as_deref()?)))
}

fn of(kind: &str, name: &str) -> Run {
    let folder = golden("sessions").join(kind);
    let starts = |path: &PathBuf| {
        path.is_file() && path.file_name().unwrap().to_str().unwrap().starts_with(name)
    };
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).filter(starts).collect();
    files.sort();
    let format = match kind {
        "claude" => Format::ClaudeCode,
        "codex" => Format::Codex,
        _ => Format::ClaudeCodeStream,
    };
    let mut runs = runs_at(&files[0], format);
    assert_eq!(runs.len(), 1, "{name}");
    runs.remove(0)
}

#[test]
fn every_answer_of_the_server_is_one_turn_with_its_counts() {
    for (kind, format) in [("claude", Format::ClaudeCode), ("codex", Format::Codex)] {
        let served = served(kind);
        let mut read = BTreeSet::new();
        let runs = runs_at(&golden("sessions").join(kind), format);
        for run in &runs {
            for (turn, id) in replies(run) {
                assert!(read.insert(id.to_owned()), "{id} twice");
                let usage = turn.reply.as_ref().unwrap().usage.as_ref().unwrap();
                let mut expected = counts(&served[id]);
                if served[id]["status"] != 200 {
                    expected.output_tokens = None;
                }
                assert_eq!(*usage, expected, "{kind} {id}");
            }
        }
        let in_log = |answer: &&Json| match kind {
            // An answer that was cut off has no id in the log of Codex, and a compaction none in that of Claude Code.
            "codex" => answer["status"] == 200,
            _ => answer["compact"] == false,
        };
        let all: BTreeSet<_> = served
            .values()
            .filter(in_log)
            .map(|it| it["id"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(read, all, "{kind}");
        assert!(runs.len() > 4 && all.len() > 12, "{kind}");
    }
}

#[test]
fn the_turns_of_subagents_follow_the_turn_that_called_them() {
    let run = of("claude", "par");
    let callers: Vec<String> = run
        .turns
        .iter()
        .map(|turn| match &turn.caller {
            Caller::Subagent(name) => name.split(' ').next().unwrap().to_owned(),
            caller => format!("{caller:?}"),
        })
        .collect();
    let general = "general-purpose";
    assert_eq!(callers, ["Agent", general, general, general, general, general, "Explore", "Agent"]);
    // The third subagent was called by the first one.
    let names: BTreeSet<String> =
        run.turns.iter().map(|turn| format!("{:?}", turn.caller)).collect();
    assert_eq!(names.len(), 4);
    assert_eq!(run.turns[1].caller, run.turns[5].caller);
    assert_ne!(run.turns[1].caller, run.turns[3].caller);
    let calls = &reply(&run, 0).tool_calls;
    assert_eq!(
        calls.iter().map(|call| call.name.as_str()).collect::<Vec<_>>(),
        ["Agent", "Agent", "Bash"]
    );
    assert!(calls[1].seconds.unwrap() >= 1.0 && calls[2].seconds.is_none());
    let run = of("codex", "xsub");
    let callers: Vec<bool> = run.turns.iter().map(|turn| turn.caller == Caller::Agent).collect();
    assert_eq!(callers, [true, false, false, false, false, true, true]);
    assert_eq!(run.n_model_calls(), 7);
    // Without the folder, the log says how many are missing.
    let path = golden("sessions/claude/par.jsonl");
    let alone = all(fs::read(path).unwrap(), Format::ClaudeCode, &ReadOptions::default()).unwrap();
    assert_eq!(alone[0].metadata["n_unread_subagents"], Value::Integer(2));
    assert_eq!(alone[0].turns.len(), 2);
}

#[test]
fn ends_are_named_where_the_files_name_them() {
    let turns = of("claude", "turns");
    assert_eq!((turns.stop, turns.limit.unwrap().limit), (Some(StopReason::MaxSteps), Some(2.0)));
    assert_eq!(of("printed", "turns").stop, Some(StopReason::MaxSteps));
    // Only what is printed says that the budget ended the run.
    let budget = of("claude", "budget");
    assert_eq!((budget.stop, budget.limit), (None, None));
    assert_eq!(budget.metadata["max_budget_usd"], Value::Real(0.05));
    assert_eq!(of("printed", "budget").stop, Some(StopReason::MaxCost));
    let stopped = of("claude", "stopped");
    assert_eq!(
        (stopped.stop, of("printed", "stopped").stop),
        (Some(StopReason::UserStop), Some(StopReason::UserStop))
    );
    let interrupted = of("codex", "xinterrupt");
    assert_eq!(interrupted.stop, Some(StopReason::UserStop));
    for kind in ["claude", "printed"] {
        let failed = of(kind, "error");
        assert_eq!(failed.stop, Some(StopReason::EnvironmentEnd), "{kind}");
        assert_eq!(failed.error.as_deref(), Some("API Error: 400 scripted failure"), "{kind}");
        assert_eq!(failed.n_model_calls(), 1);
        // Only what is printed has the attempts that were repeated.
        let repeated =
            failed.turns.iter().filter(|turn| turn.caller == Caller::FailedAttempt).count();
        assert_eq!(repeated, usize::from(kind == "printed"));
    }
    assert_eq!(of("claude", "first").stop, Some(StopReason::Completed));
}

#[test]
fn the_success_of_calls_is_that_of_their_results() {
    let oks = |run: &Run| -> Vec<(String, Option<bool>)> {
        let calls = run.turns.iter().flat_map(|turn| &turn.reply.as_ref().unwrap().tool_calls);
        calls.map(|call| (call.name.clone(), call.ok)).collect()
    };
    let named = |calls: &[(&str, Option<bool>)]| -> Vec<(String, Option<bool>)> {
        calls.iter().map(|&(name, ok)| (name.to_owned(), ok)).collect()
    };
    let denied = of("claude", "denied");
    assert_eq!(oks(&denied), named(&[("Write", Some(false)), ("NoSuchTool", Some(false))]));
    let error = &reply(&denied, 0).tool_calls[1].error;
    assert!(error.as_ref().unwrap().contains("No such tool"), "{error:?}");
    // A call that was never answered.
    assert_eq!(oks(&of("claude", "budget")), named(&[("Bash", None)]));
    assert_eq!(
        oks(&of("codex", "xcut")),
        named(&[("nosuch", Some(false)), ("exec_command", Some(false))])
    );
    let fork = of("codex", "xfork");
    assert_eq!(oks(&fork), named(&[("exec_command", Some(false)), ("exec_command", Some(true))]));
    assert!(
        fork.turns[0]
            .reply
            .as_ref()
            .unwrap()
            .tool_calls
            .iter()
            .all(|call| call.seconds.unwrap() > 0.0)
    );
}

#[test]
fn a_branch_holds_only_its_own_replies() {
    let fork = of("claude", "fork");
    assert_eq!(fork.metadata["n_copied_replies"], Value::Integer(4));
    assert_eq!(fork.turns.len(), 2);
    // The session that was continued twice, and compacted in between.
    let first = of("claude", "first");
    assert_eq!(first.n_model_calls(), 5);
    assert_eq!(of("codex", "xfork").turns.len(), 2);
    assert_eq!(of("codex", "xfirst").turns.len(), 4);
    // A branch does not take the replies of the first session, although its name comes first.
    let folder = runs_at(&golden("sessions/claude"), Format::ClaudeCode);
    let of_first = folder.iter().find(|run| run.id == first.id).unwrap();
    assert_eq!(of_first.turns, first.turns);
}

#[test]
fn compactions_are_calls_of_the_program() {
    let compaction = Caller::Role("compaction".to_owned());
    let compacted = of("codex", "xcompact");
    let turn = compacted.turns.iter().find(|turn| turn.caller == compaction).unwrap();
    let used = &compacted.other_usage["compaction"]["mock-model"];
    assert_eq!(Some(used), turn.reply.as_ref().unwrap().usage.as_ref());
    let agent: u64 = compacted
        .agent_turns()
        .map(|turn| turn.reply.as_ref().unwrap().usage.as_ref().unwrap().input_tokens.unwrap())
        .sum();
    assert_eq!(compacted.usage.input_tokens, Some(agent));
    // Claude Code says how long it took, and not what it used.
    let first = of("claude", "first");
    let turn = first.turns.iter().find(|turn| turn.caller == compaction).unwrap();
    assert!(turn.seconds.unwrap() > 0.0 && turn.reply.as_ref().unwrap().usage.is_none());
    assert!(first.other_usage.is_empty());
}

#[test]
fn what_is_printed_has_the_totals_of_all_replies() {
    let served = served("claude");
    let printed = of("printed", "par");
    let of_run = |answer: &&Json| answer["key"].as_str().unwrap().starts_with("par");
    let sum = |name: fn(&Usage) -> Option<u64>| {
        served.values().filter(of_run).map(|it| name(&counts(it)).unwrap()).sum()
    };
    let total: [u64; 4] = [
        sum(|it| it.input_tokens),
        sum(|it| it.cached_tokens),
        sum(|it| it.cache_write_tokens),
        sum(|it| it.output_tokens),
    ];
    let usage = &printed.usage;
    let read =
        [usage.input_tokens, usage.cached_tokens, usage.cache_write_tokens, usage.output_tokens];
    assert_eq!(read.map(Option::unwrap), total);
    assert!(usage.cost_usd.unwrap() > 0.0);
    assert_eq!(printed.usage_by_model.len(), 2);
    // The output of single replies is never printed.
    assert!(replies(&printed).all(|(turn, _)| {
        turn.reply.as_ref().unwrap().usage.as_ref().unwrap().output_tokens.is_none()
    }));
    // The file of the same session has the sum of the same replies.
    let file = of("claude", "par");
    assert_eq!(
        (file.id, file.usage.output_tokens),
        (printed.id.clone(), printed.usage.output_tokens)
    );
    assert_eq!(file.usage.input_tokens, printed.usage.input_tokens);
}

#[test]
fn results_alone_are_runs_without_turns() {
    let result = |id: &str, cost: f64| {
        json!({"type": "result", "subtype": "success", "is_error": false, "session_id": id, "total_cost_usd": cost, "duration_ms": 1500,
        "modelUsage": {"m": {"inputTokens": 5, "outputTokens": 7, "cacheReadInputTokens": 1, "cacheCreationInputTokens": 2, "costUSD": cost}}})
    };
    let log = joined(&[result("a", 0.5), result("b", 0.25)]);
    let runs = all(log, Format::Auto, &ReadOptions::default()).unwrap();
    let found: Vec<_> = runs
        .iter()
        .map(|run| (run.id.as_str(), run.usage.cost_usd, run.usage.total_tokens(), run.seconds))
        .collect();
    assert_eq!(
        found,
        [("a", Some(0.5), Some(15), Some(1.5)), ("b", Some(0.25), Some(15), Some(1.5))]
    );
    assert!(runs.iter().all(|run| run.turns.is_empty() && run.stop == Some(StopReason::Completed)));
}

#[test]
fn half_of_a_surrogate_pair_in_a_session_is_replaced() {
    let run = of("claude", "cut");
    assert_eq!(reply(&run, 1).text, "again \u{fffd}");
    assert_eq!(run.metadata["n_unfinished_replies"], Value::Integer(1));
    for half in [r"\ud83d", r"\udc00", r"\ud83d\ud83d", r"\ud83d\n", r"\ud83dx"] {
        let text =
            line(0, "m", Some("end_turn"), [9, 0, 0, 3], json!([{"type": "text", "text": "HALF"}]))
                .to_string();
        let run = session(&text.replace("HALF", half));
        let expected =
            half.replace(r"\ud83d", "\u{fffd}").replace(r"\udc00", "\u{fffd}").replace(r"\n", "\n");
        assert_eq!(reply(&run, 0).text, expected, "{half}");
    }
}

/// The line of a reply of Claude Code, with its counts: input, written, read, output.
fn line(number: u32, id: &str, stop: Option<&str>, counts: [u64; 4], content: Json) -> Json {
    let [input, written, read, output] = counts;
    json!({"type": "assistant", "sessionId": "s", "uuid": format!("u{number}"), "parentUuid": null, "isSidechain": false,
        "timestamp": format!("2026-01-01T00:00:{number:02}Z"),
        "message": {"id": id, "model": "m", "role": "assistant", "content": content, "stop_reason": stop,
            "usage": {"input_tokens": input, "cache_creation_input_tokens": written, "cache_read_input_tokens": read, "output_tokens": output}}})
}

fn text(text: &str) -> Json {
    json!([{"type": "text", "text": text}])
}

fn session(log: &str) -> Run {
    all(log, Format::Auto, &ReadOptions::default()).unwrap().remove(0)
}

fn joined(lines: &[Json]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn usages(run: &Run) -> Vec<[Option<u64>; 4]> {
    let usages =
        run.turns.iter().map(|turn| turn.reply.as_ref().unwrap().usage.clone().unwrap_or_default());
    usages
        .map(|it| [it.input_tokens, it.cache_write_tokens, it.cached_tokens, it.output_tokens])
        .collect()
}

#[test]
fn a_reply_of_several_lines_counts_once_and_its_last_line_counts() {
    let call = json!([{"type": "tool_use", "id": "t", "name": "f", "input": {"x": 1}}]);
    let lines = [
        line(1, "a", None, [9, 0, 0, 1], text("one ")),
        line(2, "a", Some("tool_use"), [9, 0, 0, 50], text("two")),
        line(3, "a", Some("tool_use"), [9, 0, 0, 70], call),
        // The same line again, as continued sessions have them.
        line(2, "a", Some("tool_use"), [9, 0, 0, 50], text("two")),
        line(4, "b", Some("end_turn"), [1, 0, 90, 5], text("done")),
    ];
    let run = session(&joined(&lines));
    assert_eq!(
        usages(&run),
        [[Some(9), Some(0), Some(0), Some(70)], [Some(91), Some(0), Some(90), Some(5)]]
    );
    let reply = reply(&run, 0);
    assert_eq!((reply.text.as_str(), reply.tool_calls.len()), ("one two", 1));
    assert_eq!(
        (run.usage.input_tokens, run.usage.output_tokens, run.seconds),
        (Some(100), Some(75), Some(3.0))
    );
}

#[test]
fn counts_of_a_stream_that_was_not_completed_are_unknown() {
    // The output; and the input, where it is a placeholder, too.
    let cases = [
        ([900, 0, 0, 1], None, [Some(900), Some(0), Some(0), None]),
        ([1, 600, 30, 25], None, [None, Some(600), Some(30), None]),
        ([0, 0, 0, 0], None, [None, Some(0), Some(0), None]),
        ([1, 600, 30, 25], Some("end_turn"), [Some(631), Some(600), Some(30), Some(25)]),
        ([0, 0, 0, 25], Some("end_turn"), [None, Some(0), Some(0), Some(25)]),
    ];
    for (counts, stop, expected) in cases {
        let run = session(&joined(&[line(1, "a", stop, counts, text("x"))]));
        assert_eq!(usages(&run), [expected], "{counts:?} {stop:?}");
        assert_eq!(run.usage.output_tokens, expected[3]);
    }
}

#[test]
fn branches_of_old_versions_in_the_file_of_the_agent_are_subagents() {
    let call =
        json!([{"type": "tool_use", "id": "t", "name": "Task", "input": {"prompt": "look"}}]);
    let mut prompt = json!({"type": "user", "sessionId": "s", "uuid": "r", "parentUuid": null, "isSidechain": true, "message": {"role": "user", "content": "look"}});
    let mut inner = line(2, "b", Some("end_turn"), [9, 0, 0, 3], text("seen"));
    inner["isSidechain"] = true.into();
    inner["parentUuid"] = "r".into();
    let lines = [
        line(1, "a", Some("tool_use"), [9, 0, 0, 3], call),
        line(3, "c", Some("end_turn"), [9, 0, 0, 3], text("done")),
        prompt.clone(),
        inner.clone(),
    ];
    let run = session(&joined(&lines));
    let is_agent: Vec<bool> = run.turns.iter().map(|turn| turn.caller == Caller::Agent).collect();
    assert_eq!(is_agent, [true, false, true]);
    // Parents in a circle end.
    prompt["parentUuid"] = "u2".into();
    assert_eq!(session(&joined(&[prompt, inner])).turns.len(), 1);
}

/// The lines of a rollout of Codex.
fn rollout(lines: &[(&str, Json)]) -> String {
    let line = |(number, (kind, payload)): (usize, &(&str, Json))| {
        json!({"timestamp": format!("2026-01-01T00:00:{number:02}Z"), "type": kind, "payload": payload}).to_string() + "\n"
    };
    lines.iter().enumerate().map(line).collect()
}

const OWN: &str = "01a20000-0000-7000-8000-000000000000";
const BEFORE: &str = "01a10000-0000-7000-8000-000000000000";
const AFTER: &str = "01a30000-0000-7000-8000-000000000000";

fn head(more: Json) -> (&'static str, Json) {
    let mut head = json!({"id": OWN, "cli_version": "0.1"});
    head.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ("session_meta", head)
}

fn said(text: &str) -> (&'static str, Json) {
    (
        "response_item",
        json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
    )
}

fn event(kind: &str, more: Json) -> (&'static str, Json) {
    let mut event = json!({"type": kind});
    event.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    ("event_msg", event)
}

/// The cumulative total, and the last response.
fn total(input: u64, output: u64, last: [u64; 2]) -> (&'static str, Json) {
    let of = |input, output| json!({"input_tokens": input, "cached_input_tokens": input / 2, "output_tokens": output, "reasoning_output_tokens": 0, "total_tokens": input + output});
    event(
        "token_count",
        json!({"info": {"total_token_usage": of(input, output), "last_token_usage": of(last[0], last[1])}}),
    )
}

fn inputs(run: &Run) -> Vec<Option<u64>> {
    usages(run).iter().map(|counts| counts[0]).collect()
}

#[test]
fn without_records_the_differences_of_the_total_count_and_repeats_do_not() {
    let lines = [
        head(json!({})),
        said("a"),
        total(100, 10, [100, 10]),
        total(100, 10, [100, 10]),
        said("b"),
        total(250, 30, [150, 20]),
        total(250, 30, [0, 0]),
        // Interrupted: the total does not change.
        said("c"),
        total(250, 30, [150, 20]),
        // A total that starts again.
        said("d"),
        total(40, 4, [40, 4]),
        event("task_complete", json!({"last_agent_message": "d"})),
    ];
    let run = session(&rollout(&lines));
    assert_eq!(inputs(&run), [Some(100), Some(150), None, Some(40)]);
    assert_eq!(reply(&run, 1).usage.as_ref().unwrap().cached_tokens, Some(75));
    assert_eq!(run.metadata["n_unfinished_replies"], Value::Integer(1));
    assert_eq!((run.stop, run.usage.input_tokens), (Some(StopReason::Completed), None));
}

#[test]
fn the_history_that_a_fork_repeats_is_not_its_own() {
    let history = |turn: &str| {
        [
            event("task_started", json!({"turn_id": turn})),
            said("old"),
            total(500, 50, [500, 50]),
            event("task_complete", json!({"turn_id": turn})),
        ]
    };
    let own = |turn: &str| {
        [
            event("task_started", json!({"turn_id": turn})),
            said("new"),
            total(700, 60, [200, 10]),
            event("task_complete", json!({"turn_id": turn})),
        ]
    };
    let parent = ("session_meta", json!({"id": BEFORE}));
    let lines = [
        &[head(json!({"forked_from_id": BEFORE})), parent.clone()][..],
        &history(BEFORE),
        &own(AFTER),
    ]
    .concat();
    let run = session(&rollout(&lines));
    assert_eq!((inputs(&run), run.id.as_str()), (vec![Some(200)], OWN));
    // Records name their thread.
    let record = |thread: &str, id: &str, input: u64| {
        (
            "token_usage_record",
            json!({"thread_id": thread, "response_id": id, "usage": {"input_tokens": input, "output_tokens": 1}}),
        )
    };
    let lines = [
        head(json!({"forked_from_id": BEFORE})),
        said("old"),
        record(BEFORE, "r1", 500),
        said("new"),
        record(OWN, "r2", 200),
        record(OWN, "r2", 200),
    ];
    assert_eq!(inputs(&session(&rollout(&lines))), [Some(200)]);
    // A fork that refers to the history has the total of both; its first response was interrupted.
    let lines = [
        head(json!({"forked_from_id": BEFORE})),
        event("task_started", json!({"turn_id": AFTER})),
        said("cut"),
        total(500, 50, [90, 5]),
        said("new"),
        total(700, 60, [200, 10]),
    ];
    assert_eq!(inputs(&session(&rollout(&lines))), [None, Some(200)]);
    // Turns without such ids: what is copied is not known.
    let lines = [&[head(json!({"forked_from_id": BEFORE}))][..], &history("1"), &own("2")].concat();
    let run = session(&rollout(&lines));
    assert_eq!(run.usage, Usage::default());
    assert_eq!(run.metadata["has_copied_history"], Value::Bool(true));
}

#[test]
fn a_budget_of_tokens_censors() {
    let lines = [
        head(json!({})),
        event("thread_goal_updated", json!({"goal": {"token_budget": 5000}})),
        said("a"),
        total(100, 10, [100, 10]),
        event("turn_aborted", json!({"reason": "budget_limited"})),
    ];
    let run = session(&rollout(&lines));
    let limit = run.limit.unwrap();
    assert_eq!(
        (run.stop, limit.kind.as_str(), limit.limit),
        (Some(StopReason::MaxTokens), "token", Some(5000.0))
    );
    for (error, stop) in
        [("context_window_exceeded", StopReason::MaxTokens), ("other", StopReason::EnvironmentEnd)]
    {
        let end =
            event("task_complete", json!({"error": {"message": "m", "codex_error_info": error}}));
        let run = session(&rollout(&[head(json!({})), said("a"), end]));
        assert_eq!((run.stop, run.error.as_deref()), (Some(stop), Some("m")));
    }
}

#[test]
fn outputs_of_commands_say_how_they_ended_in_the_words_of_all_versions() {
    let cases = [
        (
            json!("Chunk ID: 1\nWall time: 0.5 seconds\nProcess exited with code 0\nOutput:\nx"),
            Some(true),
            Some(0.5),
        ),
        (
            json!("Exit code: 2\nWall time: 1 seconds\nOutput:\nExit code: 0"),
            Some(false),
            Some(1.0),
        ),
        (
            json!(r#"{"output":"x","metadata":{"exit_code":1,"duration_seconds":0.25}}"#),
            Some(false),
            Some(0.25),
        ),
        (json!({"content": "x", "success": true}), Some(true), None),
        (
            json!([{"type": "input_text", "text": "Wall time: 2 seconds\nOutput:\n"}]),
            None,
            Some(2.0),
        ),
        (json!("Exit code: 0\nWall time: inf seconds\nOutput:\n"), Some(true), None),
        (json!("unsupported call: f"), Some(false), None),
        (json!("Process running with session ID 7"), None, None),
    ];
    for (output, ok, seconds) in cases {
        let call = (
            "response_item",
            json!({"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}),
        );
        let result = (
            "response_item",
            json!({"type": "function_call_output", "call_id": "c", "output": output}),
        );
        let run = session(&rollout(&[head(json!({})), call, result]));
        let call = &reply(&run, 0).tool_calls[0];
        assert_eq!((call.ok, call.seconds), (ok, seconds), "{output}");
    }
}

fn files() -> Vec<(Format, Vec<u8>)> {
    let folders = [
        ("claude", Format::ClaudeCode),
        ("printed", Format::ClaudeCodeStream),
        ("codex", Format::Codex),
    ];
    let of = |(folder, format): (&str, Format)| {
        let paths =
            fs::read_dir(golden("sessions").join(folder)).unwrap().map(|it| it.unwrap().path());
        let mut paths: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        paths.sort();
        paths.into_iter().map(|path| (format, fs::read(path).unwrap())).collect::<Vec<_>>()
    };
    folders.into_iter().flat_map(of).collect()
}

#[test]
fn a_last_line_that_is_cut_off_is_dropped_and_noted() {
    let options = ReadOptions::default();
    for (format, log) in files() {
        let starts: Vec<usize> = log
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1)
            .collect();
        let last = *starts.iter().rev().nth(1).unwrap();
        for end in (last..log.len()).step_by(7).chain([log.len() - 2]) {
            let runs = all(&log[..end], format, &options)
                .unwrap_or_else(|error| panic!("{format} {end}: {error}"));
            let is_cut = runs[0].metadata.contains_key("incomplete_last_line");
            assert_eq!(is_cut, end > last && end + 1 < log.len(), "{format} {end}");
        }
        // Any other broken line is an error that names it.
        let mut broken = log.clone();
        broken[starts[1] + 1] = b'?';
        let (place, problem) = fault(all(&broken, format, &options));
        assert!(matches!(problem, Problem::Syntax { .. }), "{problem:?}");
        assert_eq!(place.line, Some(3));
    }
}

#[test]
fn a_session_has_a_limit_in_memory() {
    let options = limited(ReadLimits { max_run: 1 << 20, ..ReadLimits::default() });
    let lines: Vec<Json> = (0..20_000)
        .map(|number| line(number, &format!("m{number}"), Some("end_turn"), [9, 0, 0, 3], text("")))
        .collect();
    let (_, problem) = fault(all(joined(&lines), Format::ClaudeCode, &options));
    assert_eq!(problem, too_large("a run holds more", 1 << 20, "bytes"));
    let lines: Vec<_> = [head(json!({}))]
        .into_iter()
        .chain((0..20_000).flat_map(|number| [said("x"), total(number * 2 + 9, 9, [2, 0])]))
        .collect();
    let (_, problem) = fault(all(rollout(&lines), Format::Codex, &options));
    assert_eq!(problem, too_large("a run holds more", 1 << 20, "bytes"));
}

#[test]
fn threads_that_start_each_other_end() {
    let folder = Folder::new("threads");
    let start = |ids: Json| {
        event(
            "item_completed",
            json!({"item": {"type": "CollabAgentToolCall", "id": "c", "tool": "spawn_agent", "receiver_thread_ids": ids}}),
        )
    };
    let write = |id: &str, ids: Json| {
        let call = (
            "response_item",
            json!({"type": "function_call", "name": "spawn_agent", "arguments": "{}", "call_id": "c"}),
        );
        let head = (
            "session_meta",
            json!({"id": id, "source": {"subagent": {"thread_spawn": {"agent_role": "explorer"}}}}),
        );
        let lines = [head, call, start(ids), total(9, 1, [9, 1])];
        folder.write(&format!("rollout-{id}.jsonl"), rollout(&lines));
    };
    write("a", json!(["b", "missing"]));
    write("b", json!(["a", "b"]));
    let runs = runs_at(&folder.0, Format::Codex);
    assert_eq!(runs.len(), 1);
    assert_eq!(runs[0].turns.len(), 2);
    assert_eq!(runs[0].metadata["n_unread_subagents"], Value::Integer(1));
}

/// Lines of replies with these ids in a session.
fn session_of(session: &str, ids: &[&str]) -> String {
    let lines = (1..).zip(ids);
    let lines =
        lines.map(|(number, id)| line(number, id, Some("end_turn"), [9, 0, 0, 5], text(id)));
    joined(&Vec::from_iter(lines))
        .replace(r#""sessionId":"s""#, &format!(r#""sessionId":"{session}""#))
}

#[test]
fn a_session_that_goes_on_in_another_file_counts_each_reply_once() {
    let folder = Folder::new("resumed");
    folder.write("a.jsonl", session_of("first", &["m1", "m2"]));
    folder.write("b.jsonl", session_of("second", &["m1", "m2", "m3"]));
    let [first, second] = &runs_at(&folder.0, Format::ClaudeCode)[..] else { panic!() };
    assert_eq!((first.turns.len(), first.usage.total_tokens()), (2, Some(28)));
    assert_eq!((second.turns.len(), second.usage.total_tokens()), (1, Some(14)));
    assert_eq!(second.metadata["n_copied_replies"], Value::Integer(2));
    // The lines that were copied have times, too, and the run's own time is not known.
    assert_eq!((first.seconds, second.seconds), (Some(1.0), None));
    // What only repeats another session used an unknown amount of its own.
    folder.write("c.jsonl", session_of("third", &["m1", "m3"]));
    let third = runs_at(&folder.0, Format::ClaudeCode).remove(2);
    assert_eq!((third.turns.len(), third.usage), (0, Usage::default()));
}

#[test]
fn of_a_session_and_its_backup_the_longer_one_counts() {
    for [here, there] in [["a", "b"], ["b", "a"]] {
        let folder = Folder::new("backup");
        folder.write(&format!("{here}/s.jsonl"), session_of("s", &["m1"]));
        folder.write(&format!("{there}/s.jsonl"), session_of("s", &["m1", "m2"]));
        let table = table(runs_at(&folder.0, Format::ClaudeCode), &FactRules::default()).unwrap();
        assert_eq!(table.account("").n_repeats, 1);
        let [row] = table.rows() else { panic!() };
        assert_eq!((row.n_turns, row.usage.total_tokens()), (2, Some(28)));
    }
}

#[test]
fn packed_sessions_of_claude_have_their_subagents_and_own_only_their_files() {
    let expected = runs_at(&golden("sessions/claude/par.jsonl"), Format::ClaudeCode);
    assert!(expected[0].turns.iter().any(|turn| turn.caller != Caller::Agent));
    let folder = Folder::new("packed-session");
    let packed = gzip(fs::read(golden("sessions/claude/par.jsonl")).unwrap());
    let packed = folder.write("par.jsonl.gz", packed);
    for entry in fs::read_dir(golden("sessions/claude/par/subagents")).unwrap() {
        let entry = entry.unwrap();
        let (name, text) = (entry.file_name(), fs::read(entry.path()).unwrap());
        let name = name.to_str().unwrap();
        match name.ends_with(".jsonl") {
            true => folder.write(&format!("par/subagents/{name}.gz"), gzip(text)),
            false => folder.write(&format!("par/subagents/{name}"), text),
        };
    }
    assert_eq!(runs_at(&packed, Format::ClaudeCode), expected);
    assert_eq!(runs_at(&folder.0, Format::ClaudeCode), expected);
    // The results of tools belong to the session; other files in the folder do not.
    let first = fs::read(golden("sessions/claude/first.jsonl")).unwrap();
    folder.write("par/tool-results/a.txt", &first);
    folder.write("par/first.jsonl", &first);
    assert_eq!(runs_at(&folder.0, Format::ClaudeCode).len(), 2);
}
