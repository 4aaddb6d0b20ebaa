//! TRIAGE, budget estimation and stated confidence through the runner and the JSON of chat servers: stopped
//! again and again and resumed, they have the records of one uninterrupted run, and nothing is asked twice.

use std::{
    fmt::Debug,
    fs,
    sync::atomic::{AtomicUsize, Ordering},
};

use agent_benchmarks::{
    Attempted, Branch, Checker, Conversation, Error, Intervals, Level, ModelError, Question,
    Request, Seed,
    budget::{Budget, ResourceKind, Rollouts},
    client::{AskError, Journal, run_all},
    confidence::{Confidence, ConfidenceFigures, ConfidenceStream, FollowUp},
    converse, count_continuations, read_openai_chat,
    triage::{Alpha, Attempts, Regime, Triage, TriageFigures},
};
use budget_estimation::Metrics;
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

fn how() -> Intervals {
    Intervals { level: Level::new(0.95).unwrap(), resamples: 100, seed: Seed::new(1) }
}

#[test]
fn a_live_oracle_of_triage_has_efficiency_1() {
    let setting = Triage::new(Alpha::new(0.5).unwrap())
        .with_attempts(Attempts::Live { regime: Regime::Enforced, announced: false });
    let pools = (0..6_u64).map(|pool| {
        let question = |number: u64| {
            let checker = Checker::Numeric { answer: number as f64, tolerance: 0.0 };
            let tokens = 40 + (17 * pool + 31 * number) % 60;
            let attempt =
                Attempted { output_tokens: tokens, solved: !(pool + number).is_multiple_of(3) };
            Question::new(format!("q{number}"), format!("What is {number} + 0?"), checker)
                .with_recorded(attempt)
        };
        let questions: Vec<_> = (0..6).map(question).collect();
        (format!("pool {pool}"), setting.instance(format!("pool {pool}"), &questions).unwrap())
    });
    let named: Vec<_> = pools.collect();
    let policy = |request: &Request| {
        let text = &request.messages[0].text;
        if request.response_schema.is_none() {
            let number = text.split_once("What is ").unwrap().1.split_once(' ').unwrap().0;
            let limit = request.sampling.max_output_tokens.unwrap() as usize;
            return response(&format!("So <answer>{number}</answer>"), limit);
        }
        let is_asked = |budget: u64| text.contains(&format!("Budget: {budget} output tokens."));
        let shown = named.iter().map(|(_, instance)| instance);
        // No two pools have the same budget, as is checked below.
        let instance = shown.into_iter().find(|it| is_asked(it.budget())).unwrap();
        let best = instance.pool().oracle(instance.budget()).unwrap().chosen;
        let items = instance.pool().items();
        let entries =
            best.iter().map(|&it| json!({"id": items[it].id(), "allocation": items[it].cost()}));
        response(&json!({"plan": entries.collect::<Vec<_>>()}).to_string(), 30)
    };
    let budgets: std::collections::BTreeSet<u64> =
        named.iter().map(|(_, instance)| instance.budget()).collect();
    assert_eq!(budgets.len(), named.len(), "budgets tell the pools apart");
    let records = resumed("triage", &named, |instance| instance.conversation(), policy);
    let rows = TriageFigures::of(&records, how()).unwrap();
    assert_eq!((rows.len(), rows[0].pools, rows[0].is_live), (1, 6, true));
    assert_eq!(rows[0].figure("efficiency").unwrap().value, 1.0);
}

#[test]
fn a_model_that_knows_the_truth_about_each_prefix_has_hit_rate_1() {
    let mut rollouts = Rollouts::new(["tokens"]).unwrap();
    for run in 0..8 {
        let costs: Vec<f64> =
            (0..3 + run % 3).map(|turn| (100 * run + 7 * turn + 5) as f64).collect();
        rollouts.push(&costs, run % 4 > 0).unwrap();
        rollouts.set_content(run, 0, format!("Puzzle <{run}>")).unwrap();
    }
    let resource = rollouts.resource("tokens").unwrap();
    let setting = Budget::new([("tokens", ResourceKind::Tokens)]).unwrap();
    let named: Vec<_> = (0..8)
        .map(|run| (format!("run {run}"), setting.instance(&rollouts, run).unwrap()))
        .collect();
    let policy = |request: &Request| {
        let [first, .., last] = &request.messages[..] else {
            panic!("a system prompt and a question")
        };
        let (_, run) = first.text.split_once('<').unwrap();
        let run = run.split_once('>').unwrap().0.parse().unwrap();
        let turns = last.text.matches(": tokens ").count();
        let rollout = rollouts.get(run).unwrap();
        let rest = rollout.remaining(resource, turns).unwrap();
        match rollout.succeeded() {
            true => response(&format!("Well, <answer>[{rest}, {rest}]</answer>"), 9),
            false => response("No: <answer>impossible</answer>", 4),
        }
    };
    let records = resumed("budget", &named, |instance| instance.conversation(), policy);
    let mut metrics = Metrics::default();
    let mut samples = records.iter().flat_map(|record| record.samples(0));
    samples.try_for_each(|sample| metrics.update(sample)).unwrap();
    let found = metrics.finish().unwrap();
    let (intervals, feasibility) = (found.intervals.unwrap(), found.feasibility);
    assert_eq!((intervals.hit_rate, intervals.interval_reward), (1.0, 1.0));
    assert_eq!((feasibility.macro_f1, feasibility.impossible.f1), (Some(1.0), Some(1.0)));
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
    let rows = ConfidenceFigures::of(records.iter().map(|it| (it, &none)), how()).unwrap();
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
