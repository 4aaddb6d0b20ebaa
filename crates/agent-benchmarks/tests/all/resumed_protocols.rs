//! TRIAGE, budget estimation and stated confidence through the runner and the JSON of chat servers: stopped
//! again and again and resumed, they have the records of one uninterrupted run, and nothing is asked twice.

use std::{
    fmt::Debug,
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use agent_benchmarks::{
    Attempted, Branch, Checker, Conversation, Error, Intervals, ModelError, Question, Request,
    budget::{Budget, ResourceKind, Rollouts},
    client::{AskError, Journal, run_all},
    confidence::{Confidence, ConfidenceFigures, ConfidenceStream, FollowUp},
    converse, count_continuations, read_openai_chat,
    triage::{Alpha, Attempts, Regime, Triage, TriageFigures},
};
use serde_json::json;

/// The response of a server whose model says this, in one token per word.
fn response(text: &str, tokens: usize) -> Vec<u8> {
    let words = text.split_inclusive(' ').map(|word| {
        let top: Vec<_> = (0..5)
            .map(|place| json!({"token": word, "logprob": -1.7 - f64::from(place)}))
            .collect();
        json!({"token": word, "logprob": -1.7, "top_logprobs": top})
    });
    let content: Vec<_> = words.collect();
    let choice = json!({
        "message": {"role": "assistant", "content": text},
        "logprobs": {"content": content},
        "finish_reason": "stop",
    });
    let usage =
        json!({"prompt_tokens": 10, "completion_tokens": tokens, "total_tokens": 10 + tokens});
    json!({"choices": [choice], "usage": usage}).to_string().into_bytes()
}

/// The records of all conversations, run with a stop after every three requests; equal to those of
/// one run without the runner.
fn resumed<'a, T: Sync, C: Conversation>(
    name: &str,
    named: &'a [(String, T)],
    start: impl Fn(&'a T) -> C + Sync + Copy,
    policy: impl Fn(&Request) -> Vec<u8> + Sync,
) -> Vec<C::Record>
where
    C::Record: Send + PartialEq + Debug,
{
    let folder = std::env::temp_dir().join(format!("resumed-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = folder.join("answers.jsonl");
    let (asked, stops) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let records = loop {
        let left = AtomicUsize::new(3);
        let ask = |request: &Request| {
            let may =
                left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            may.map_err(|_| AskError::Stop("three are enough".to_owned()))?;
            asked.fetch_add(1, Ordering::SeqCst);
            Ok(policy(request))
        };
        let journal = Journal::open(&path, name).unwrap();
        match run_all(&journal, named, start, ask, 2, |_, _| {}) {
            Ok(records) => break records,
            Err(Error::Stopped { .. }) => stops.fetch_add(1, Ordering::SeqCst),
            Err(error) => panic!("{error}"),
        };
    };
    fs::remove_dir_all(&folder).unwrap();
    let direct_requests = AtomicUsize::new(0);
    let direct = named.iter().map(|(_, instance)| {
        let model = |request: &Request| {
            direct_requests.fetch_add(1, Ordering::SeqCst);
            read_openai_chat(&policy(request)).map_err(|error| ModelError::new(error.to_string()))
        };
        converse(start(instance), model).unwrap()
    });
    assert_eq!(records, direct.collect::<Vec<_>>());
    assert_eq!(asked.into_inner(), direct_requests.into_inner(), "nothing is asked twice");
    assert!(stops.into_inner() > 2, "the run was stopped several times");
    records
}

#[test]
fn a_live_plan_of_triage_is_resumed_between_its_problems() {
    let setting = Triage::new(Alpha::new(0.5).unwrap())
        .with_attempts(Attempts::Live { regime: Regime::Enforced, announced: false });
    let question = |number: u64| {
        let checker = Checker::Numeric { answer: 1.0, tolerance: 0.0 };
        let attempt = Attempted { output_tokens: 40 + 10 * number, solved: number > 0 };
        Question::new(format!("q{number}"), "What is 1?", checker).with_recorded(attempt)
    };
    let questions: Vec<_> = (0..4).map(question).collect();
    let pool = |number: u64| {
        let name = format!("pool {number}");
        (name.clone(), setting.instance(name, &questions).unwrap())
    };
    let named: Vec<_> = (0..4).map(pool).collect();
    let entries = [1, 2].map(|it| json!({"id": format!("q{it}"), "allocation": 40 + 10 * it}));
    let policy = |request: &Request| match request.response_schema.is_some() {
        true => response(&json!({"plan": entries}).to_string(), 30),
        false => response("So <answer>1</answer>", 9),
    };
    let records = resumed("triage", &named, |instance| instance.conversation(), policy);
    assert!(records.iter().all(|it| it.execution(Regime::Enforced).unwrap().earned == 2.0));
    let how = Intervals { resamples: 0, ..Intervals::default() };
    let rows = TriageFigures::of(&records, how).unwrap();
    assert_eq!((rows.len(), rows[0].pools, rows[0].is_live), (1, 4, true));
    assert_eq!(rows[0].figure("efficiency").unwrap().value, 1.0, "the plan is that of the oracle");
}

#[test]
fn the_questions_about_a_run_are_resumed_at_the_next_prefix() {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    for run in 0..4 {
        rollouts.push(&[5.0; 4], run > 0).unwrap();
    }
    let setting = Budget::new([("tokens", ResourceKind::Tokens)]).unwrap();
    let instance = |run: usize| (run.to_string(), setting.instance(&rollouts, run).unwrap());
    let named: Vec<_> = (0..4).map(instance).collect();
    let policy = |request: &Request| {
        let asked = request.messages.last().unwrap().text.matches(": tokens ").count();
        response(&format!("Well, <answer>[{asked}, 20]</answer>"), 9)
    };
    let records = resumed("budget", &named, |instance| instance.conversation(), policy);
    assert!(records.iter().all(|record| record.samples(0).len() == 3));
}

#[cfg(feature = "play")]
#[test]
fn a_benchmark_of_ones_own_is_resumed_with_its_tools() {
    use crate::own_environment::Lock;
    use agent_benchmarks::{openai_chat_body, play::Play};

    let locks: Vec<_> = (0..3).map(|at| (format!("lock {at}"), Lock::default())).collect();
    let play = Play::new();
    let start = |lock: &Lock| play.conversation("lock", lock.clone()).unwrap();
    let policy = |request: &Request| {
        let has_tools = !request.tools.is_empty();
        assert_eq!(openai_chat_body(request, "m").contains("\"tools\""), has_tools);
        let message = match request.tools.first() {
            None => json!({"content": "open"}),
            Some(tool) => {
                let function = json!({"name": tool.name, "arguments": "{}"});
                json!({"tool_calls": [{"id": "c", "type": "function", "function": function}]})
            }
        };
        json!({"choices": [{"message": message}]}).to_string().into_bytes()
    };
    let records = resumed("locks", &locks, start, policy);
    assert!(records.iter().all(|record| record.succeeded && record.turns.len() == 4));
}

#[test]
fn all_streams_come_out_of_the_responses_of_a_server_with_log_probabilities() {
    let setting = Confidence::new(4).unwrap();
    let named: Vec<_> = (0..8)
        .map(|number| {
            let checker = Checker::YesNo { answer: number % 3 > 0 };
            let question =
                Question::new(format!("q{number}"), format!("Is it so, {number}?"), checker);
            (question.id.clone(), setting.instance(&question))
        })
        .collect();
    let policy = |request: &Request| {
        let action = if request.messages.len() < 4 { "continue" } else { "answer: yes" };
        let text = format!(
            "<thought> Hm. </thought> <action> {action} </action> <confidence>0.75</confidence>"
        );
        response(&text, 12)
    };
    let records = resumed("confidence", &named, |instance| instance.conversation(), policy);
    let none = FollowUp::default();
    let how = Intervals { resamples: 0, ..Intervals::default() };
    let rows = ConfidenceFigures::of(records.iter().map(|it| (it, &none)), how).unwrap();
    assert_eq!(rows.len(), ConfidenceStream::ALL.len());
    for row in rows {
        let complete = row.complete.unwrap_or_else(|| panic!("{:?} has no run", row.stream));
        assert_eq!((complete.traces.len(), complete.base_rate), (8, 0.625), "{:?}", row.stream);
    }
}

#[test]
fn continuations_that_are_killed_and_resumed_are_those_of_one_call() {
    let setting = Confidence::new(2).unwrap();
    let question = |id: &str| Question::new(id, "Yes?", Checker::YesNo { answer: true });
    let instances = ["a", "b", "c"].map(|id| setting.instance(&question(id)));
    let step = |action: &str| format!("<action>{action}</action><confidence>0.5</confidence>");
    let mut slow = |_: &Request| Ok(read_openai_chat(&response(&step("continue"), 9)).unwrap());
    let named: Vec<_> = instances
        .iter()
        .flat_map(|instance| {
            let run = converse(instance.conversation(), &mut slow).unwrap().record.run;
            let stopped = instance.after(&run, 2, 2).unwrap().unwrap();
            Branch::several(&run.id, &stopped, 5)
        })
        .collect();
    // The first step beyond the limit goes on, and the second one answers by the seed.
    let policy = |request: &Request| {
        let seed = request.sampling.seed.unwrap();
        let action = match request.messages.len() {
            ..=6 => "continue",
            _ if (seed / 1_000).is_multiple_of(2) => "answer: yes",
            _ => "answer: no",
        };
        response(&step(action), 9)
    };
    let records = resumed("continuations", &named, Clone::clone, policy);
    let counts = count_continuations(records.iter().map(|record| &record.record.run));
    assert_eq!((counts.valid(), counts.unresolved + counts.invalid), (15, 0));
    assert!((6..=9).contains(&counts.successes), "{counts:?}");
}
