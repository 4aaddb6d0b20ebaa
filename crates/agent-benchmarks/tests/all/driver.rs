//! The client and the runner against a server on the loopback address that speaks OpenAI's protocol and
//! plays a policy, well or badly, and against SIGKILL.

use std::{
    env, fs,
    path::PathBuf,
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use crate::{
    policies::{Said, greedy, optimal, random, stubborn, wrong_call},
    server::{Served, client, fresh, instances, named, policy, quick, response, serve},
};
use agent_benchmarks::{
    Error, ModelError, Reply, ReplyEvent, Request, Value,
    client::{ApiKey, AskError, Client, ClientSettings, Journal, run_all},
    converse,
    costbench::{
        CostBench, CostBenchRecord, EnvironmentRules, EventKind, Instance, Split, queries,
    },
};

/// Runs the instances with a client, or goes on from the journal.
fn run(
    journal: &Journal,
    named: &[(String, Instance)],
    client: &Client,
    at_a_time: usize,
) -> Result<Vec<CostBenchRecord>, Error> {
    let ask = |request: &Request| client.ask(request);
    run_all(journal, named, |it| it.conversation(), ask, at_a_time, |_, _| {})
}

fn with_key(url: &str, key: &str) -> Client {
    Client::new(url, "policy", Some(ApiKey::new(key)), quick()).unwrap()
}

fn assert_served_as_direct<M: FnMut(&Request) -> Said>(
    bench: &CostBench,
    start: impl Fn(&Instance) -> M + Copy + Send + Sync + 'static,
) {
    let queries = queries(Split::Test, 42);
    let instances: Vec<_> = queries[..10].iter().map(|query| bench.instance(query)).collect();
    let client = client(&serve(policy(&instances, start)).0, quick());
    for instance in &instances {
        let record = converse(instance.conversation(), |it| client.reply(it)).unwrap();
        let direct = converse(instance.conversation(), start(instance)).unwrap();
        assert_eq!(record.transcript, direct.transcript, "{}", record.query_id());
        assert_eq!(record.record.events, direct.record.events, "{}", record.query_id());
    }
}

#[test]
fn every_policy_behind_a_server_has_its_runs_and_events() {
    let bench = |rules, events: &[EventKind]| {
        CostBench::new(2).unwrap().with_rules(rules).with_events(events.to_vec())
    };
    let (released, papers) = (EnvironmentRules::RELEASED, EnvironmentRules::PAPER_TEXT);
    assert_served_as_direct(&bench(released, &[]), |_| |_: &Request| Ok(wrong_call()));
    assert_served_as_direct(&bench(released, &[EventKind::BanTool]), stubborn);
    assert_served_as_direct(&bench(papers, &[EventKind::BanTool]), stubborn);
    let events = [EventKind::BanTool, EventKind::PreferenceChange];
    assert_served_as_direct(&bench(released, &events), |it| random(it, it.query().seed()));
    assert_served_as_direct(&bench(released, &[]), greedy);
    assert_served_as_direct(&bench(released, &[]), optimal);
}

#[test]
fn passing_faults_are_repeated_and_leave_no_trace_in_the_record() {
    let instance = &instances(0, 400)[0];
    let play = policy(std::slice::from_ref(instance), greedy);
    let (url, count) = serve(move |asked| {
        assert_eq!(asked.header("authorization"), Some("Bearer sk-secret-of-a-test"));
        match asked.number {
            0 => Served::Status(500, "", "{\"error\": {\"message\": \"oops\"}}".to_owned()),
            1 => Served::Status(429, "Retry-After: 0.2\r\n", String::new()),
            2 => Served::Cut,
            3 => Served::Slow(Duration::from_millis(20)),
            4 => Served::Json("{\"choices\": [".to_owned()),
            5 => Served::Json("{\"error\": {\"message\": \"overloaded\"}}".to_owned()),
            _ => play(asked),
        }
    });
    let settings = ClientSettings { attempts: 7, timeout: Duration::from_millis(1_500), ..quick() };
    let (client, began) = (client(&url, settings), std::time::Instant::now());
    let record = converse(instance.conversation(), |it| client.reply(it)).unwrap();
    assert!(began.elapsed() >= Duration::from_millis(1_700), "the waits were kept");
    let direct = converse(instance.conversation(), greedy(instance)).unwrap();
    assert_eq!((&record.transcript, record.record.events.len()), (&direct.transcript, 0));
    assert_eq!(count.load(Ordering::SeqCst), 6 + record.record.run.turns.len());
}

#[test]
fn a_client_that_is_stopped_waits_no_longer_and_makes_no_further_attempt() {
    let stops = Arc::new(AtomicBool::new(false));
    let own = Arc::clone(&stops);
    let (url, count) = serve(move |_| {
        let own = Arc::clone(&own);
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(300));
            own.store(true, Ordering::SeqCst);
        });
        Served::Status(429, "Retry-After: 30\r\n", String::new())
    });
    let client = client(&url, ClientSettings::default()).with_stop(stops);
    let begun = std::time::Instant::now();
    for attempts in 1..=2 {
        let stopped = client.ask(&Request::default());
        assert_eq!(stopped, Err(AskError::Stop("the server replied with status 429".to_owned())));
        assert_eq!(count.load(Ordering::SeqCst), attempts);
    }
    let waited = begun.elapsed();
    assert!(waited >= Duration::from_millis(300) && waited < Duration::from_secs(5), "{waited:?}");
}

#[test]
fn final_faults_end_the_conversation_with_an_event_that_does_not_have_the_key() {
    type Case = (fn() -> Served, &'static str, usize);
    let cases: [Case; 4] = [
        (
            || Served::Status(401, "", "wrong key sk-secret-of-a-test".to_owned()),
            "status 401: wrong key [key]",
            1,
        ),
        (
            || Served::Status(302, "Location: http://127.0.0.1:9/\r\n", String::new()),
            "status 302",
            1,
        ),
        (|| Served::Json(" ".repeat(10_000_000)), "more than 1000000 bytes", 1),
        (|| Served::Status(503, "", String::new()), "status 503 (3 attempts)", 3),
    ];
    for (fault, part, attempts) in cases {
        let (url, count) = serve(move |_| fault());
        let settings = ClientSettings { attempts: 3, max_reply: 1_000_000, ..quick() };
        let (client, instance) = (client(&url, settings), &instances(0, 400)[0]);
        let record = converse(instance.conversation(), |it| client.reply(it)).unwrap();
        let [event] = &record.record.events[..] else { panic!("{:?}", record.record.events) };
        assert!(
            matches!(&event.event, ReplyEvent::NoReply { problem } if problem.contains(part)),
            "{event:?}"
        );
        assert_eq!((count.load(Ordering::SeqCst), record.record.run.outcome), (attempts, None));
        assert!(!format!("{record:?}").contains("sk-secret"));
    }
    let nobody = client("http://127.0.0.1:9/v1", ClientSettings { attempts: 1, ..quick() });
    assert!(!format!("{nobody:?}").contains("sk-secret"));
    assert!(matches!(nobody.ask(&Request::default()), Err(AskError::Stop(_))));
}

#[test]
fn a_refused_key_stops_the_run_and_nothing_is_kept_that_a_right_key_would_have_to_undo() {
    let instances = instances(0, 200);
    let play = policy(&instances, greedy);
    let (url, count) = serve(move |asked| {
        let key = asked.header("authorization").unwrap();
        if key == "Bearer right" {
            return play(asked);
        }
        // The key is at the end of what is shown of a message.
        Served::Status(401, "", format!("{}{key}", "x".repeat(285)))
    });
    let (path, named) = (fresh("key.jsonl"), named(instances));
    let run =
        |key: &str| run(&Journal::open(&path, "key").unwrap(), &named, &with_key(&url, key), 1);
    let error = run("sk-secret-that-is-wrong").unwrap_err();
    assert!(
        matches!(&error, Error::Stopped { reason } if reason.contains("status 401")),
        "{error}"
    );
    assert!(error.to_string().contains("Bearer") && !error.to_string().contains("sk-"), "{error}");
    assert_eq!(count.load(Ordering::SeqCst), 1);
    assert!(run("right").unwrap().iter().all(|it| it.record.events.is_empty()));
}

#[test]
fn a_journal_is_used_by_one_program_at_a_time_and_has_each_name_once() {
    let (path, mut named) = (fresh("lock.jsonl"), named(instances(0, 200)));
    let journal = Journal::open(&path, "lock").unwrap();
    let error = Journal::open(&path, "lock").unwrap_err().to_string();
    assert!(error.contains("another program uses it"), "{error}");
    named.push(named[0].clone());
    let error = run(&journal, &named, &with_key("http://127.0.0.1:9/v1", "m"), 1).unwrap_err();
    assert!(error.to_string().contains("two conversations are called"), "{error}");
}

#[test]
fn settings_out_of_range_are_refused() {
    let new = |url: &str, settings| Client::new(url, "m", None, settings).map(|_| ());
    assert!(matches!(new("localhost:1", quick()), Err(Error::Invalid { .. })));
    let lasting = |seconds| ClientSettings { timeout: Duration::from_secs(seconds), ..quick() };
    let timeouts = [0, 1 << 40, 1 << 63, u64::MAX].map(|seconds| ("timeout", lasting(seconds)));
    let others = [
        ("attempts", ClientSettings { attempts: 0, ..quick() }),
        ("price", ClientSettings { prices: Some([1.0, -1.0]), ..quick() }),
        ("price", ClientSettings { prices: Some([1.0, 1e308]), ..quick() }),
        ("cost_cap", ClientSettings { cost_cap: Some(1.0), ..quick() }),
        ("uncounted_tokens", ClientSettings { uncounted_tokens: Some(0), ..quick() }),
    ];
    for (setting, settings) in timeouts.into_iter().chain(others) {
        let refused = new("http://x", settings).unwrap_err();
        let Error::ScoringRules(scoring_rules::Error::Setting { name, .. }) = refused else {
            panic!("{setting}: {refused:?}")
        };
        assert_eq!(name, setting);
    }
}

#[test]
fn at_a_cap_nothing_more_is_asked_and_the_same_call_goes_on_later() {
    let instances = instances(0, 100);
    let (url, _) = serve(policy(&instances, greedy));
    let (path, named) = (fresh("cap.jsonl"), named(instances));
    let run = |settings| {
        let client = client(&url, settings);
        let journal = Journal::open(&path, "cap").unwrap();
        let before = journal.answers();
        client.count_before(journal.spent());
        let records = run(&journal, &named, &client, 1);
        let spent = client.spent();
        (before, [spent.input_tokens, spent.output_tokens], client.cost(), records)
    };
    let capped = ClientSettings { token_cap: Some(360), ..quick() };
    let (_, tokens, _, stopped) = run(capped);
    assert_eq!(tokens, [300, 60]);
    assert!(
        matches!(&stopped, Err(Error::Stopped { reason }) if reason.contains("360")),
        "{stopped:?}"
    );
    let priced = ClientSettings { prices: Some([1e6, 0.0]), cost_cap: Some(400.0), ..quick() };
    let (before, _, cost, stopped) = run(priced);
    assert_eq!((before, cost), (3, Some(400.0)));
    assert!(matches!(stopped, Err(Error::Stopped { .. })));
    let (before, _, _, records) = run(quick());
    assert_eq!((before, records.unwrap().len()), (4, 4));
}

#[test]
fn a_journal_keeps_its_setting_and_requests_and_drops_a_torn_line_only() {
    let instances = instances(0, 200);
    let client = client(&serve(policy(&instances, greedy)).0, quick());
    let (path, conversations) = (fresh("torn.jsonl"), named(instances));
    let run = |conversations: &[(String, Instance)]| {
        run(&Journal::open(&path, "setting A")?, conversations, &client, 2)
    };
    let whole = run(&conversations).unwrap();
    let content = fs::read(&path).unwrap();
    // Whatever the length at which the file was torn, the records are the same.
    for length in (0..content.len()).step_by(701) {
        fs::write(&path, &content[..length]).unwrap();
        assert_eq!(run(&conversations).unwrap(), whole, "{length}");
    }
    let before = fs::read(&path).unwrap();
    let other = Journal::open(&path, "setting B").unwrap_err().to_string();
    assert!(other.contains("setting A; this one is setting B"), "{other}");
    let mut others = conversations.clone();
    others[0].1 = CostBench::new(3).unwrap().instance(conversations[0].1.query());
    let error = run(&others).unwrap_err().to_string();
    assert!(error.contains("request 0 of"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);

    let twice =
        [content.as_slice(), content.splitn(3, |&byte| byte == b'\n').nth(1).unwrap(), b"\n"];
    fs::write(&path, twice.concat()).unwrap();
    assert!(
        Journal::open(&path, "setting A").unwrap_err().to_string().contains("repeated or removed")
    );
    for notes in
        ["notes of mine", r#"{"journal":notes of mine"#, r#"{"journal":2,"setting":"setting B"#]
    {
        fs::write(&path, notes).unwrap();
        let error = Journal::open(&path, "setting A").map(drop).unwrap_err().to_string();
        assert!(error.contains("line 1"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), notes.as_bytes());
    }
}

/// The program that is killed: this test in a process of its own.
#[test]
fn runner_in_a_process() {
    let (Ok(url), Ok(path)) = (env::var("DRIVER_URL"), env::var("DRIVER_PATH")) else { return };
    let journal = Journal::open(&path, "killed").unwrap();
    let records = run(&journal, &named(instances(0, 6)), &client(&url, quick()), 3).unwrap();
    let logs: Vec<Value> = records.iter().map(|it| Value::Text(it.record.to_atif())).collect();
    fs::write(format!("{path}.done"), run_logs::to_json(&Value::List(logs))).unwrap();
}

fn process(url: &str, path: &std::path::Path) -> std::process::Child {
    Command::new(env::current_exe().unwrap())
        .args(["--exact", "driver::runner_in_a_process"])
        .env("DRIVER_URL", url)
        .env("DRIVER_PATH", path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn killed_50_times_the_record_is_that_of_a_run_that_was_not() {
    let play = policy(&instances(0, 6), greedy);
    let (url, _) = serve(move |asked| {
        thread::sleep(Duration::from_millis(25));
        play(asked)
    });
    let done = |path: &PathBuf| fs::read_to_string(format!("{}.done", path.display())).ok();
    let [whole, killed] = ["whole.jsonl", "killed.jsonl"].map(|name| {
        let _ = fs::remove_file(fresh(&format!("{name}.done")));
        fresh(name)
    });
    assert!(process(&url, &whole).wait().unwrap().success());
    let expected = done(&whole).unwrap();
    let lines = |path| fs::read_to_string(path).unwrap().lines().count() - 1;
    let requests = lines(&whole);
    assert!(requests >= 200, "{requests}");

    let mut random = 1_u64;
    let (mut kills, mut at_work) = (0, 0);
    while kills < 50 {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = process(&url, &killed);
        thread::sleep(Duration::from_millis(20 + (random >> 33) % 60));
        let before = fs::read(&killed).map_or(0, |content| content.len());
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            panic!("the run was over after {kills} kills; requests must take longer");
        }
        kills += 1;
        at_work += usize::from(before > 0);
    }
    assert!(at_work >= 10, "{at_work}");
    assert!(process(&url, &killed).wait().unwrap().success());
    assert_eq!(done(&killed).unwrap(), expected);
    assert_eq!(lines(&killed), requests);
    // A journal refuses a request that is answered twice.
    assert_eq!(Journal::open(&killed, "killed").unwrap().answers(), requests);
}

#[test]
fn a_model_error_of_a_cap_is_one_sentence() {
    let (url, _) = serve(|_| Served::Json(response(&Reply::default())));
    let client = client(&url, ClientSettings { token_cap: Some(0), ..quick() });
    let error: ModelError = client.reply(&Request::default()).unwrap_err();
    assert_eq!(error.to_string(), "the model gave no reply: 0 tokens are used; the cap is 0");
}

/// A reply with this text, as a server writes it.
fn answer(text: &str) -> String {
    response(&text.into())
}

#[test]
fn every_refusal_stops_the_run_and_is_asked_again_by_the_next_call() {
    let named = named(instances(0, 100));
    for status in [400, 402, 405, 407, 410, 413, 422, 451] {
        let refuses = Arc::new(AtomicBool::new(true));
        let refusing = Arc::clone(&refuses);
        let (url, count) = serve(move |asked| {
            if asked.number >= 2 && refusing.load(Ordering::SeqCst) {
                let text = r#"{"error": {"message": "no \u0062alance"}}"#;
                return Served::Status(status, "", text.to_owned());
            }
            Served::Json(answer("<answer>x</answer>"))
        });
        let (path, client) = (fresh(&format!("refused-{status}.jsonl")), client(&url, quick()));
        let run = || run(&Journal::open(&path, "refused").unwrap(), &named, &client, 1);
        let error = run().unwrap_err().to_string();
        assert!(error.contains(&format!("status {status}")), "{error}");
        assert!(error.contains(r#""no balance""#), "{error}");
        assert_eq!(Journal::open(&path, "refused").unwrap().answers(), 2, "{status}");
        refuses.store(false, Ordering::SeqCst);
        assert_eq!(run().unwrap().len(), 4);
        assert_eq!(count.load(Ordering::SeqCst), 5, "{status}");
    }
}

#[test]
fn a_short_key_changes_no_reply() {
    let text = r#"true 1 0.5 answer "confidence" EMPTY no-key-needed"#;
    let (url, _) = serve(move |_| Served::Json(answer(text)));
    for key in ["true", "1", "0.5", "\"", "m", "content", "EMPTY", "no-key-needed"] {
        let reply = with_key(&url, key).ask(&Request::default()).unwrap();
        assert_eq!(String::from_utf8(reply).unwrap(), answer(text), "{key}");
    }
}

#[test]
fn a_key_is_hidden_however_json_spells_it() {
    let key = "sk/AbCdEf0123456789+/xyz";
    let hexadecimal: String = key.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let inner = format!(r#"{{\"a\":\"{}\"}}"#, hexadecimal.replace('\\', "\\\\"));
    for spelt in [key.to_owned(), key.replace('/', "\\/"), hexadecimal, inner] {
        let said = format!(r#"{{"choices": [{{"message": {{"content": "{spelt} 1.50"}}}}]}}"#);
        let refused = said.clone();
        let (url, _) = serve(move |_| Served::Json(said.clone()));
        let reply = with_key(&url, key).ask(&Request::default()).unwrap();
        let mut text = agent_benchmarks::read_openai_chat(&reply).unwrap().text;
        if text.starts_with('{') {
            let object = text.strip_suffix(" 1.50").unwrap();
            let object: serde_json::Value = serde_json::from_str(object).unwrap();
            text = format!("{} 1.50", object["a"].as_str().unwrap());
        }
        assert_eq!(text, "[key] 1.50");
        let (url, _) = serve(move |_| Served::Status(400, "", refused.clone()));
        let error = with_key(&url, key).ask(&Request::default()).unwrap_err().to_string();
        assert!(error.contains("[key]") && !error.contains("u0073"), "{error}");
    }
}

#[test]
fn token_counts_never_wrap() {
    let text = r#"{"choices": [{"message": {"content": "x"}}],
        "usage": {"prompt_tokens": 9223372036854775808, "completion_tokens": 9223372036854775808}}"#;
    let (url, _) = serve(move |_| Served::Json(text.to_owned()));
    let client = client(&url, ClientSettings { token_cap: Some(100), ..quick() });
    client.ask(&Request::default()).unwrap();
    let stopped = client.ask(&Request::default()).unwrap_err().to_string();
    assert!(stopped.contains("18446744073709551615 tokens are used"), "{stopped}");
    let spent = client.spent();
    assert_eq!([spent.input_tokens, spent.output_tokens], [1 << 63; 2]);
    assert_eq!((spent.tokens(0), spent.tokens(5)), (u64::MAX, u64::MAX));
}

#[test]
fn an_edited_moved_or_unreadable_answer_of_a_journal_is_an_error() {
    let (url, _) = serve(|_| Served::Json(answer("<answer>nothing</answer>")));
    let (path, named) = (fresh("edited.jsonl"), named(instances(0, 100)));
    let run = || run(&Journal::open(&path, "edited")?, &named, &client(&url, quick()), 1);
    run().unwrap();
    let content = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = content.lines().collect();
    let edited = content.replacen("nothing", "another", 1);
    let moved = [lines[0], lines[2], lines[1], lines[3], lines[4], ""].join("\n");
    let removed = [lines[0], lines[2], lines[3], lines[4], ""].join("\n");
    for content in [edited, moved, removed] {
        fs::write(&path, content).unwrap();
        let error = run().unwrap_err().to_string();
        assert!(error.contains("line 2 does not follow"), "{error}");
    }
    // A response that cannot be read is no reply that is missing, and is not kept.
    fs::remove_file(&path).unwrap();
    let journal = Journal::open(&path, "edited").unwrap();
    let ask = |_: &Request| Ok(b"{}".to_vec());
    let error = run_all(&journal, &named, |it| it.conversation(), ask, 1, |_, _| {}).unwrap_err();
    assert!(matches!(&error, Error::Stopped { .. }), "{error}");
    assert_eq!(journal.answers(), 0);
}

/// A reply that uses 1,000 tokens, with these fields of `usage`.
fn used(usage: &str) -> String {
    let usage = if usage.is_empty() { String::new() } else { format!(r#", "usage": {usage}"#) };
    format!(r#"{{"choices": [{{"message": {{"content": "<answer>nothing</answer>"}}}}]{usage}}}"#)
}

#[test]
fn caps_hold_in_whatever_form_replies_count_their_tokens() {
    let counted = [
        r#"{"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000}"#,
        r#"{"prompt_tokens": 900, "completion_tokens": 100}"#,
        r#"{"prompt_tokens": 900, "completion_tokens": 100, "input_tokens": 0, "output_tokens": 0, "input_tokens_details": null}"#,
        r#"{"input_tokens": 0, "output_tokens": 0, "prompt_tokens": 900, "completion_tokens": 100}"#,
        r#"{"input_tokens": 900, "output_tokens": 100}"#,
        r#"{"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 1000, "completion_tokens_details": {"reasoning_tokens": 895}}"#,
        r#"{"prompt_tokens": 100, "completion_tokens": 5, "total_tokens": 1000}"#,
        r#"{"prompt_tokens": 100, "completion_tokens": 5, "reasoning_tokens": 895}"#,
        r#"{"total_tokens": 1000}"#,
        r#"{"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 1000}"#,
        r#"{"prompt_cache_hit_tokens": 800, "prompt_cache_miss_tokens": 100, "completion_tokens": 100}"#,
        r#"{"prompt_tokens": 100, "completion_tokens": 100, "total_tokens": 1000, "prompt_tokens_details": {"cached_tokens": 800}}"#,
    ];
    let unknown = [
        "",
        "null",
        "{}",
        r#"{"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}"#,
        r#"{"prompt_tokens": 900, "completion_tokens": 0}"#,
        r#"{"prompt_tokens": 0, "completion_tokens": 100}"#,
        r#"{"prompt_tokens": 900}"#,
        r#"{"prompt_tokens": 900, "completion_tokens": 900, "total_tokens": 1000}"#,
        r#"{"prompt_tokens": 900, "completion_tokens": 100, "input_tokens": 400}"#,
    ];
    let caps = [
        ClientSettings { token_cap: Some(5_000), ..quick() },
        // At most 1,000 * 3 / 1e6 dollars each.
        ClientSettings { prices: Some([3.0, 3.0]), cost_cap: Some(0.015), ..quick() },
    ];
    let asked = |usage: &str, settings: ClientSettings| {
        let reply = used(usage);
        let (url, _) = serve(move |_| Served::Json(reply.clone()));
        let client = client(&url, settings);
        let mut stop = None;
        let asked = (0..20).take_while(|_| {
            stop = client.ask(&Request::default()).err().map(|error| error.to_string());
            stop.is_none()
        });
        (asked.count(), stop.unwrap_or_default())
    };
    for settings in caps {
        for usage in counted {
            let (n, stop) = asked(usage, settings.clone());
            assert!(n == 5 && stop.contains("; the cap is "), "{usage}: {n}, {stop}");
        }
        for usage in unknown {
            let (n, stop) = asked(usage, settings.clone());
            assert!(
                n == 1 && stop.contains("the tokens of 1 reply are not known"),
                "{usage}: {n}, {stop}"
            );
            let reserved = ClientSettings { uncounted_tokens: Some(2_500), ..settings.clone() };
            assert_eq!(asked(usage, reserved).0, 2, "{usage}");
        }
    }
    // Without a cap, nothing needs to be counted.
    assert_eq!(asked("", quick()).0, 20);
}

#[test]
fn a_reply_that_cannot_be_read_stops_a_capped_client_before_the_next_attempt() {
    let body = r#"{"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 9}}"#;
    let (url, count) = serve(move |_| Served::Json(body.to_owned()));
    let client = client(&url, ClientSettings { token_cap: Some(5_000), ..quick() });
    let stop = client.ask(&Request::default()).unwrap_err().to_string();
    assert!(stop.contains("the tokens of 1 reply are not known"), "{stop}");
    assert_eq!(count.load(Ordering::SeqCst), 1);
}
