//! Trajectories that the package atif wrote and trials that Harbor wrote, read as these packages
//! read them (`golden/harbor/make.py`); trajectories that this crate writes.

use std::{collections::BTreeMap, fs, io::Cursor, path::Path};

use crate::common::{
    self, Folder, calls, compare, fault, golden, lines, runs_at, table_at, text, unpacked, used,
    value, with_requests,
};
use censoring::StopReason;
use run_logs::{
    Caller, FactRules, Format, Problem, ReadOptions, Role, Run, Turn, Usage, read, read_path,
    to_atif,
};
use serde_json::{Value as Json, json};
use trajectory_metrics::tool_calls::Value;

/// Compares turns with what the package reads; returns how many values were compared.
fn compare_turns(turns: &[Turn], expected: &Json, at: &str) -> usize {
    let shown = turns.iter().map(|turn| {
        let subagent = match &turn.caller {
            Caller::Subagent(name) => Some(name),
            caller => (*caller != Caller::Agent).then(|| panic!("{at}: {caller:?}")),
        };
        let reply = turn.reply.as_ref().unwrap();
        assert!(reply.tool_calls.iter().all(|call| call.ok.is_none() && call.error.is_none()));
        let counted =
            |it: &Usage| (it.cache_write_tokens, it.total, it.remark) == (None, None, None);
        assert!(reply.usage.as_ref().is_none_or(counted), "{at}");
        json!({
            "subagent": subagent, "model": turn.model, "model_calls": turn.model_calls,
            "text": reply.text, "calls": calls(reply), "usage": reply.usage.as_ref().map(used),
            "logprobs": reply.tokens.as_ref().map(|tokens| tokens.logprobs()),
        })
    });
    compare(&shown.collect(), expected, at, 0.0).unwrap()
}

#[test]
fn trials_of_a_job_that_were_planned_and_are_missing_are_counted() {
    let account = |models: [&str; 2], total: u64, job: &str| {
        let folder = Folder::new("harbor-job");
        let results = json!({"id": "job-1", "started_at": "2026-11-22", "n_total_trials": total, "stats": {"evals": {}}});
        folder.write("result.json", results.to_string());
        for (at, model) in models.iter().enumerate() {
            let trial = json!({"id": format!("uuid-{at}"), "trial_name": format!("t__{at}"), "task_name": "t", "source": "set",
                "agent_info": {"name": "a", "version": "1", "model_info": {"name": model}}, "config": if job.is_empty() { json!({}) } else { json!({"job_id": job}) },
                "verifier_result": {"rewards": {"reward": 1}}});
            folder.write(&format!("t__{at}/result.json"), trial.to_string());
        }
        let table = table_at(&folder.0, &FactRules::default());
        let whole = table.account("");
        let (columns, missing): (Vec<_>, Vec<_>) = table
            .by_model()
            .into_iter()
            .map(|(model, table)| (table.account(""), model))
            .map(|(account, model)| (account.clone(), (model, account.n_missing)))
            .unzip();
        // The columns together were planned as the whole was.
        let columns = run_logs::Account::of_columns(columns);
        assert_eq!((columns.n_planned, columns.n_missing), (whole.n_planned, whole.n_missing));
        (whole.n_found, whole.n_planned, whole.n_missing, missing)
    };
    let of = |model: &str, missing| (Some(model.to_owned()), missing);
    assert_eq!(account(["m", "m"], 2, "job-1"), (2, Some(2), 0, vec![of("m", 0)]));
    assert_eq!(account(["m", "m"], 5, "job-1"), (2, Some(5), 3, vec![(None, 3), of("m", 0)]));
    assert_eq!(account(["m", "o"], 2, "job-1"), (2, Some(2), 0, vec![of("m", 0), of("o", 0)]));
    // Trials that do not say of which job they are may be these.
    assert_eq!(account(["m", "m"], 5, ""), (2, None, 0, vec![of("m", 0)]));
    // Of which model the others would have been, nobody says.
    assert_eq!(
        account(["m", "o"], 3, "job-1"),
        (2, Some(3), 1, vec![(None, 1), of("m", 0), of("o", 0)])
    );
}

#[test]
fn trajectories_of_all_versions_are_read_as_the_package_atif_reads_them() {
    let folder = Folder::new("atif");
    let all = unpacked("harbor/atif.jsonl.gz");
    let read = runs_at(&folder.write("atif.jsonl", all), Format::Atif);
    let expected = lines("harbor/atif.expected.jsonl.gz");
    assert!(expected[0]["origin"].as_str().unwrap().contains("atif 1.8.0, harbor 0.25.0"));
    assert_eq!((read.len(), expected.len()), (240, 241));
    let (mut compared, mut n_differ, mut n_without_totals) = (0, 0, 0);
    for (run, expected) in read.iter().zip(&expected[1..]) {
        let at = &run.id;
        assert_eq!(Some(run.id.clone()), text(&expected["session"]));
        assert_eq!(run.model, text(&expected["model"]), "{at}");
        let described = |name: &str| run.metadata.get(name).cloned().unwrap_or_default();
        assert_eq!(described("schema_version"), value(&expected["version"]), "{at}");
        assert_eq!(described("agent"), value(&expected["agent"]), "{at}");
        assert_eq!(
            described("n_copied_steps"),
            match expected["copied"].as_u64() {
                Some(0) => Value::Null,
                _ => value(&expected["copied"]),
            }
        );
        compared += 5 + compare_turns(&run.turns, &expected["turns"], at);
        // The log's totals and the sum of the steps are both there.
        let usage_at = |name: &str, field: &str| match run.metadata.get(name) {
            Some(Value::Map(usage)) => usage.get(field).cloned().unwrap_or_default(),
            _ => Value::Null,
        };
        let (totals, steps) = (&expected["final"], &expected["steps"]);
        n_without_totals += usize::from(totals.is_null());
        for (field, total, step) in [
            ("input_tokens", &totals["input"], &steps["prompt_tokens"]),
            ("output_tokens", &totals["output"], &steps["completion_tokens"]),
            ("cached_tokens", &totals["cached"], &steps["cached_tokens"]),
        ] {
            assert_eq!(usage_at("final_metrics", field), value(total), "{at}");
            assert_eq!(usage_at("step_metrics", field), value(step), "{at}");
            n_differ += usize::from(!total.is_null() && total != step);
            compared += 2;
        }
        if expected["alone"] == true {
            let or = |total: &Json, step: &Json| total.as_u64().or(step.as_u64());
            assert_eq!(run.usage.input_tokens, or(&totals["input"], &steps["prompt_tokens"]));
            assert_eq!(run.usage.output_tokens, or(&totals["output"], &steps["completion_tokens"]));
            assert_eq!(run.usage.cached_tokens, or(&totals["cached"], &steps["cached_tokens"]));
            compared += 3;
        }
        let models = expected["by_model"].as_object().unwrap();
        assert_eq!(run.usage_by_model.len(), models.len(), "{at}");
        for (model, expected) in models {
            let usage = &run.usage_by_model[model];
            assert_eq!(usage.input_tokens.unwrap_or(0), expected["n_input_tokens"], "{at}");
            assert_eq!(usage.cached_tokens.unwrap_or(0), expected["n_cache_tokens"], "{at}");
            assert_eq!(usage.output_tokens.unwrap_or(0), expected["n_output_tokens"], "{at}");
            assert_eq!(usage.cost_usd, expected["cost_usd"].as_f64(), "{at}");
            compared += 4;
        }
    }
    println!("{compared} fields of {} trajectories", read.len());
    assert!(compared > 7_000 && n_differ > 30 && n_without_totals > 30);
}

#[test]
fn trials_of_harbor_are_read_as_harbor_reads_them() {
    let folder = Folder::new("harbor");
    folder.unpack("harbor/harbor.jsonl.gz");
    let mut files = read_path(&folder.0, Format::Auto, &ReadOptions::default()).unwrap();
    let read: Vec<Run> = files.by_ref().map(|run| run.unwrap()).collect();
    assert_eq!((files.format(), files.unrecognized().len()), (Format::Harbor, 0));
    let expected = lines("harbor/harbor.expected.jsonl.gz");
    let expected: BTreeMap<&str, &Json> =
        expected[1..].iter().map(|trial| (trial["name"].as_str().unwrap(), trial)).collect();
    assert_eq!((read.len(), expected.len()), (220, 220));
    let (mut compared, mut kinds) = (0, BTreeMap::<&str, usize>::new());
    for run in &read {
        let (at, expected) = (run.id.as_str(), expected[run.id.as_str()]);
        assert_eq!(run.task, text(&expected["task"]));
        if !expected["model"].is_null() {
            assert_eq!(run.model, text(&expected["model"]), "{at}");
        }
        let rewards = run.scores.iter().map(|(name, score)| (name.clone(), score.value.clone()));
        let rewards: BTreeMap<String, Value> = rewards.collect();
        assert_eq!(Value::Map(rewards.clone()), value(&expected["rewards"]), "{at}");
        let is_valid = run.excluded.is_none() && !rewards.is_empty();
        assert_eq!(is_valid, expected["reward_valid"].as_bool().unwrap(), "{at}");
        assert_eq!(run.error.is_some(), run.excluded.is_some(), "{at}");
        let exceptions = expected["exceptions"].as_array().unwrap();
        if let Some(first) = exceptions.first() {
            assert_eq!(run.metadata["exception_type"], value(&first[0]), "{at}");
        }
        let spent = exceptions.iter().any(|e| e[2] == "agent_exhausted_budget");
        assert_eq!(run.limit.is_some(), spent && run.excluded.is_none(), "{at}");
        let totals = &expected["totals"];
        let used = &run.usage;
        let counts = [used.input_tokens, used.cached_tokens, used.output_tokens];
        for (place, count) in counts.into_iter().enumerate() {
            if expected["complete"][place] == true {
                assert_eq!(count, totals[place].as_u64(), "{at}");
                compared += 1;
            }
        }
        if expected["complete"][3] == true {
            assert_eq!(used.cost_usd, totals[3].as_f64(), "{at}");
        }
        compared += 6 + compare_turns(&run.turns, &expected["turns"], at);
        let mut count = |kind, is: bool| *kinds.entry(kind).or_default() += usize::from(is);
        count("several steps", run.metadata.contains_key("step_results"));
        count("subagents", run.turns.iter().any(|turn| turn.caller != Caller::Agent));
        count("without turns", run.turns.is_empty());
        count("limit", run.limit.is_some());
        count("excluded", run.excluded.is_some());
        count("missing files", run.metadata.contains_key("unread_trajectories"));
        count("judged", is_valid);
    }
    println!("{compared} fields of {} trials, {kinds:?}", read.len());
    assert!(compared > 5_000 && kinds.values().all(|&count| count >= 5), "{kinds:?}");
}

#[test]
fn exceptions_leave_a_valid_reward_where_the_table_of_harbor_says_so() {
    let table = fs::read_to_string(golden("harbor/policies.json")).unwrap();
    let table: Json = serde_json::from_str(&table).unwrap();
    let policies = table["policies"].as_object().unwrap();
    assert!(policies.len() >= 55);
    let mut policies = policies.clone();
    policies.insert("SomeOtherError".to_owned(), json!([false, "unclassified"]));
    for (name, policy) in &policies {
        let result = json!({"task_name": "t", "trial_name": "n", "trial_uri": "u",
            "verifier_result": {"rewards": {"reward": 1.0}},
            "exception_info": {"exception_type": name, "exception_message": "m"}});
        let run = common::runs(result.to_string()).remove(0);
        assert_eq!(run.excluded.is_none(), policy[0].as_bool().unwrap(), "{name}");
        let stop = run.stop.unwrap();
        match policy[1].as_str().unwrap() {
            "agent_exhausted_budget" => {
                assert!(matches!(stop, StopReason::MaxTime | StopReason::MaxTokens), "{name}");
                assert_eq!(run.limit.unwrap().kind, *name);
            }
            "agent_refused_task" => assert_eq!(stop, StopReason::Completed, "{name}"),
            "verifier_failed" => assert_eq!(stop, StopReason::Unjudged, "{name}"),
            "cancelled" => assert_eq!(stop, StopReason::UserStop, "{name}"),
            "unclassified" => assert_eq!(stop, StopReason::Other(name.clone()), "{name}"),
            _ => assert_eq!(stop, StopReason::EnvironmentEnd, "{name}"),
        }
    }
    let bare = r#"{"task_name":"t","trial_name":"n","trial_uri":"u"}"#;
    assert_eq!(common::runs(bare).remove(0).stop, Some(StopReason::Unjudged));
}

/// Runs of every format that this crate reads.
fn runs_of_all_formats() -> Vec<Run> {
    let mut all = Vec::new();
    let mut take = |path: &Path| {
        let read = read_path(path, Format::Auto, &ReadOptions::default()).unwrap();
        all.extend(read.map(|run| run.unwrap()));
    };
    for name in ["openai_chat", "openai_responses", "gemini", "ollama"] {
        take(&golden(&format!("chat/{name}.jsonl")));
    }
    take(&golden("inspect/0.3.285.json"));
    take(&golden("inspect/0.3.110.json"));
    take(&golden("inspect/0.3.285.eval"));
    let folder = Folder::new("all-formats");
    for name in ["tau2/tau2.jsonl.gz", "harbor/harbor.jsonl.gz"] {
        folder.unpack(name);
    }
    take(&folder.0);
    all
}

/// What a written trajectory keeps of a turn, without the texts of tokens.
fn kept(turn: &Turn) -> String {
    let reply = turn.reply.as_ref().map(|reply| {
        let calls = reply.tool_calls.iter().map(|call| {
            (&call.id, &call.name, call.arguments.value(), call.ok, call.error.as_deref())
        });
        let usage = reply.usage.as_ref().filter(|_| turn.model_calls != Some(0));
        let usage = usage.filter(|usage| **usage != Usage::default());
        (&reply.text, &reply.refusal, &reply.stop, calls.collect::<Vec<_>>(), usage)
    });
    format!("{:#?}", (&turn.caller, reply, &turn.error, turn.model_calls))
}

#[test]
fn a_written_trajectory_is_read_with_the_facts_the_calls_the_texts_and_the_usage_of_the_run() {
    let all = runs_of_all_formats();
    assert!(all.len() > 1_400, "{}", all.len());
    let texts: Vec<String> = all.iter().map(to_atif).collect();
    for (run, text) in all.iter().zip(&texts) {
        let mut back =
            read(Cursor::new(text.as_bytes()), Format::Auto, &ReadOptions::default()).unwrap();
        assert_eq!(back.format(), Format::Atif);
        let back = back.next().unwrap().unwrap();
        let facts = |run: &Run| {
            let Run { id, task, trial, model, outcome, stop, horizon, .. } = run.clone();
            let Run { limit, error, excluded, scores, metadata, .. } = run.clone();
            let facts = (id, task, trial, model, outcome, stop, horizon);
            // Debug texts also compare NaN.
            format!("{facts:?} {:?}", (limit, error, excluded, scores, metadata))
        };
        assert_eq!(facts(&back), facts(run));
        assert_eq!(back.turns.len(), run.turns.len(), "{text}");
        for (back, turn) in back.turns.iter().zip(&run.turns) {
            assert_eq!(kept(back), kept(turn), "{text}");
        }
        // The format wants numbered steps, and calls with an id and an object of arguments.
        let written: Json = serde_json::from_str(text).unwrap();
        for (number, step) in written["steps"].as_array().unwrap().iter().enumerate() {
            assert_eq!(step["step_id"], number + 1);
            for call in step["tool_calls"].as_array().into_iter().flatten() {
                assert!(call["tool_call_id"].is_string() && call["arguments"].is_object());
            }
        }
    }
    // For `golden/harbor/make.py --check`.
    if let Some(path) = std::env::var_os("WRITTEN_TRAJECTORIES") {
        fs::write(path, texts.join("\n")).unwrap();
    }
}

#[test]
fn a_written_trajectory_has_scores_under_extra_and_only_the_agents_turns_as_steps() {
    let mut run = Run::new("r");
    run.scores.insert("match".to_owned(), Default::default());
    run.scores.get_mut("match").unwrap().value = "C".into();
    for caller in [Caller::Agent, Caller::Grader, Caller::Subagent("helper".to_owned())] {
        let mut turn = Turn::default();
        turn.caller = caller;
        turn.reply = Some(Default::default());
        run.turns.push(turn);
    }
    let written: Json = serde_json::from_str(&to_atif(&run)).unwrap();
    assert_eq!(written["schema_version"], "ATIF-v1.8");
    assert_eq!(written["extra"]["scores"]["match"]["value"], "C");
    assert_eq!(written["steps"].as_array().unwrap().len(), 1);
    assert_eq!(written["subagent_trajectories"].as_array().unwrap().len(), 2);
    // Harbor wants at least one step.
    let empty: Json = serde_json::from_str(&to_atif(&Run::new("e"))).unwrap();
    assert_eq!(empty["steps"][0]["source"], "system");
}

#[test]
fn requests_are_the_steps_before_a_turn_with_results_in_their_order() {
    let log = json!({"schema_version": "ATIF-v1.9", "session_id": "s", "agent": {"name": "a", "version": "1"},
        "unknown": {"field": []},
        "steps": [
            {"step_id": 1, "source": "user", "message": [{"type": "text", "text": "go"}]},
            {"step_id": 2, "source": "agent", "message": "", "is_copied_context": true,
             "metrics": {"prompt_tokens": 100}},
            {"step_id": 3, "source": "agent", "message": "", "tool_calls": [
                {"tool_call_id": "x", "function_name": "f", "arguments": {}},
                {"tool_call_id": "y", "function_name": "g", "arguments": {}}],
             "metrics": {"prompt_tokens": 10, "cached_tokens": 4},
             "observation": {"results": [{"source_call_id": "y", "content": "2"}, {"content": "?"}]}},
            {"step_id": 4, "source": "agent", "message": "done", "llm_call_count": 0}]});
    let run = common::all(log.to_string(), Format::Auto, &with_requests()).unwrap().remove(0);
    assert_eq!((run.turns.len(), run.n_model_calls()), (2, 1));
    assert_eq!((run.usage.input_tokens, run.usage.cached_tokens), (Some(10), Some(4)));
    let sent: Vec<_> = run.turns[1].request.iter().map(|m| (m.role, m.text.as_str())).collect();
    let expected = [
        (Role::User, "go"),
        (Role::Assistant, ""),
        (Role::Assistant, ""),
        (Role::Tool, "2"),
        (Role::Tool, "?"),
    ];
    assert_eq!(sent, expected);
    assert_eq!(run.turns[1].request[3].tool_call_id.as_deref(), Some("y"));
}

#[test]
fn a_trial_never_reads_files_outside_its_folder() {
    let folder = Folder::new("harbor-outside");
    let step = json!({"step_id": 1, "source": "agent", "message": "secret"});
    let outside = json!({"schema_version": "ATIF-v1.7", "agent": {}, "steps": [step]});
    let outside = folder.write("outside.json", outside.to_string());
    for path in ["../../outside.json", outside.to_str().unwrap(), "./../../outside.json"] {
        let inside = json!({"schema_version": "ATIF-v1.7", "agent": {}, "continued_trajectory_ref": path,
            "steps": [{"step_id": 1, "source": "agent", "message": "", "observation": {"results": [
                {"subagent_trajectory_ref": [{"trajectory_path": path}]}]}}]});
        folder.write("trial/agent/trajectory.json", inside.to_string());
        let result = json!({"task_name": "t", "trial_name": "n", "trial_uri": "u",
            "step_results": null});
        let result = folder.write("trial/result.json", result.to_string());
        let run = runs_at(&result, Format::Harbor).remove(0);
        assert_eq!(run.turns.len(), 1, "{path}");
        assert_eq!(run.metadata["unread_trajectories"], vec![path.into()].into());
    }
    // A step name cannot lead out of the folder either.
    let result = json!({"task_name": "t", "trial_name": "n", "trial_uri": "u",
        "step_results": [{"step_name": "../../.."}]});
    let result = folder.write("trial/result.json", result.to_string());
    assert!(runs_at(&result, Format::Harbor)[0].turns.is_empty());
}

#[test]
fn wrong_types_name_the_file_the_run_and_the_field() {
    let folder = Folder::new("harbor-errors");
    let head = r#"{"schema_version": "ATIF-v1.8", "session_id": "s", "agent": {"name": "a"}, "steps": [{"step_id": 1, "source": "agent", "message": """#;
    let prompt_tokens = "steps[0].metrics.prompt_tokens";
    let nested = r#"{"schema_version": "ATIF-v1.8", "steps": [], "subagent_trajectories": ["#;
    let trial = r#"{"task_name": "t", "trial_name": "n", "trial_uri": "", "verifier_result": {"rewards": {"reward": "1"}}}"#;
    type Case<'a> = (String, &'a str, Option<&'a str>, fn(&Problem) -> bool);
    let cases: [Case<'_>; 10] = [
        (
            format!("{head}, \"metrics\": {{\"prompt_tokens\": \"9\"}}}}]}}"),
            "s",
            Some(prompt_tokens),
            |it| matches!(it, Problem::Type { expected: "a number", found: "a string" }),
        ),
        (
            format!("{head}, \"metrics\": {{\"prompt_tokens\": NaN}}}}]}}"),
            "s",
            Some(prompt_tokens),
            |it| matches!(it, Problem::Value { .. }),
        ),
        (format!("{head}, \"message\": \"\"}}]}}"), "s", Some("steps[0].message"), |it| {
            matches!(it, Problem::DuplicateKey { .. })
        }),
        (
            format!("{head}, \"tool_calls\": [{{\"function_name\": \"\\ud800\"}}]}}]}}"),
            "s",
            Some("steps[0].tool_calls[0].function_name"),
            |it| *it == Problem::LoneSurrogate,
        ),
        (head.to_owned(), "s", None, |it| *it == Problem::Truncated),
        (format!("{head}, \"extra\": {}", "[".repeat(100_000)), "s", None, |it| {
            matches!(it, Problem::TooDeep { .. })
        }),
        (nested.repeat(1_000), "", None, |it| matches!(it, Problem::TooDeep { .. })),
        (
            r#"{"schema_version": "ATIF-v2.0", "steps": []}"#.to_owned(),
            "",
            Some("schema_version"),
            |it| matches!(it, Problem::Value { .. }),
        ),
        (r#"{"schema_version": "ATIF-v1.7"}"#.to_owned(), "", Some("steps"), |it| {
            *it == Problem::Missing
        }),
        (trial.to_owned(), "n", Some("verifier_result.rewards.reward"), |it| {
            matches!(it, Problem::Type { .. })
        }),
    ];
    for (text, sample, expected, is_it) in cases {
        let path = folder.write("log.json", &text);
        let read = read_path(&path, Format::Auto, &ReadOptions::default());
        let (place, problem) = fault(read.and_then(|mut runs| runs.next().unwrap()));
        assert_eq!(place.sample.unwrap_or_default(), sample, "{text:.200}");
        assert!(expected.is_none_or(|field| place.field == field), "{text:.200}: {}", place.field);
        assert!(is_it(&problem), "{text:.200}: {problem}");
    }
}
