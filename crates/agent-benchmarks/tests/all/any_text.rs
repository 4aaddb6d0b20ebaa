//! Whatever a model says, the conversations of TRIAGE, budget estimation and stated confidence end within
//! their bounds, and the same replies lead to the same record.

use agent_benchmarks::{
    Attempted, Checker, Conversation, Intervals, Level, Question, Reply, Sampling, Seed,
    StopReason, Tokens, Usage,
    budget::{Budget, ResourceKind, Rollouts},
    confidence::{Confidence, ConfidenceFigures, FollowUp},
    triage::{Alpha, Attempts, Regime, SolveConversation, Triage, TriageFigures},
};
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("<answer>".to_owned()),
        Just("</answer>".to_owned()),
        Just("<action>".to_owned()),
        Just("</action>".to_owned()),
        Just("continue".to_owned()),
        Just("answer: 1".to_owned()),
        Just("<confidence>0.5</confidence>".to_owned()),
        Just("impossible".to_owned()),
        Just("[1, 20]".to_owned()),
        Just("tokens:[1, 2], usd:[0, 9]".to_owned()),
        (0..4_usize, 0..200_u64)
            .prop_map(|(id, tokens)| format!(r#"{{"id":"q{id}","allocation":{tokens}}}"#)),
        Just("{\"plan\":[".to_owned()),
        Just(",".to_owned()),
        Just("]}".to_owned()),
        "\\PC{0,6}",
    ];
    let whole = prop_oneof![
        Just("<action>continue</action><confidence>0.5</confidence>".to_owned()),
        Just("<answer>1</answer>".to_owned()),
        prop::sample::subsequence(vec![0, 1, 2, 3], 0..4).prop_map(|ids| {
            let entry = |id: &i32| format!(r#"{{"id":"q{id}","allocation":{}}}"#, 40 * (id + 1));
            format!("{{\"plan\":[{}]}}", ids.iter().map(entry).collect::<Vec<_>>().join(","))
        }),
    ];
    prop_oneof![prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat()), whole]
}

pub(crate) fn reply(text: impl Strategy<Value = String>) -> impl Strategy<Value = Reply> {
    let stop = prop_oneof![Just(None), Just(Some(StopReason::MaxTokens))];
    let used = prop::option::of(prop_oneof![0..300_u64, 0..(1_u64 << 60)]);
    (text, stop, used, any::<bool>(), prop::option::weighted(0.05, "\\PC{0,8}")).prop_map(
        |(text, stop, used, has_tokens, refusal)| {
            let mut tokens = Tokens::default();
            tokens.push(text.as_bytes(), -0.25);
            let tokens = has_tokens.then_some(tokens);
            let usage = used.map(|used| Usage { output_tokens: Some(used), ..Usage::default() });
            Reply { text, refusal, tokens, stop, usage, ..Reply::default() }
        },
    )
}

/// Gives the replies in turn, again and again, until the conversation ends; at most `bound` of them.
fn drive<C: Conversation>(mut conversation: C, replies: &[Reply], bound: usize) -> C::Record {
    for reply in replies.iter().cycle().take(bound) {
        if conversation.request().is_none() {
            break;
        }
        conversation.reply(reply.clone()).unwrap();
    }
    assert_eq!(conversation.request(), None, "the conversation ends after {bound} replies");
    conversation.finish()
}

const PLAIN: Intervals = Intervals { level: Level::HALF, resamples: 0, seed: Seed(1) };

fn questions() -> Vec<Question> {
    let question = |number: u32| {
        let checker = Checker::Numeric { answer: 1.0, tolerance: 0.0 };
        let attempt = Attempted { output_tokens: u64::from(40 + 30 * number), solved: number != 2 };
        Question::new(format!("q{number}"), "What is 1?", checker).with_recorded(attempt)
    };
    (0..4).map(question).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn a_plan_is_executed_within_the_budget_or_not_at_all(
        replies in prop::collection::vec(reply(text()), 1..8),
        live in prop::option::of(any::<bool>()),
    ) {
        let attempts = match live {
            None => Attempts::Recorded,
            Some(true) => Attempts::Live { regime: Regime::Enforced, announced: false },
            Some(false) => Attempts::Live { regime: Regime::Advisory, announced: false },
        };
        let setting = Triage::new(Alpha::new(0.5).unwrap()).with_attempts(attempts);
        let instance = setting.instance("pool", &questions()).unwrap();
        let record = drive(instance.conversation(), &replies, 5);
        for execution in &record.executions {
            prop_assert!(execution.spent <= instance.budget());
            if live.is_none() {
                prop_assert!(record.efficiency(execution.regime).unwrap().score() <= 1.0);
            }
        }
        let has_plan = record.reading.as_ref().is_some_and(|reading| reading.plan().is_some());
        prop_assert!(has_plan || record.executions.is_empty());
        TriageFigures::of([&record], PLAIN).unwrap();
        prop_assert_eq!(drive(instance.conversation(), &replies, 5), record);
    }

    #[test]
    fn each_prefix_has_one_sample_whatever_is_said(
        replies in prop::collection::vec(reply(text()), 1..6),
        joint in any::<bool>(),
    ) {
        let mut rollouts = Rollouts::new(["tokens", "usd"]).unwrap();
        rollouts.push(&[5.0, 1.0, 6.0, 1.0, 7.0, 0.5], true).unwrap();
        let names = [("tokens", ResourceKind::Tokens), ("usd", ResourceKind::Money)];
        let setting = Budget::new(names.into_iter().take(1 + usize::from(joint))).unwrap();
        let instance = setting.instance(&rollouts, 0).unwrap();
        let record = drive(instance.conversation(), &replies, 2);
        for place in 0..record.resources.len() {
            prop_assert_eq!(record.samples(place).len(), 2);
        }
        prop_assert_eq!(drive(instance.conversation(), &replies, 2), record);
    }

    #[test]
    fn a_question_ends_with_an_answer_or_a_reason(
        replies in prop::collection::vec(reply(text()), 1..8),
        limit in 1..6_usize,
    ) {
        let question = &questions()[0];
        let instance = Confidence::new(limit).unwrap().instance(question);
        // Each step may be asked for again twice.
        let record = drive(instance.conversation(), &replies, 3 * limit);
        let run = &record.record.run;
        let expected = match run.stop {
            Some(StopReason::Completed) => run.outcome.is_some(),
            Some(StopReason::MaxSteps | StopReason::ParseError) => run.outcome.is_none(),
            _ => false,
        };
        prop_assert!(expected, "{:?}, {:?}", run.stop, run.outcome);
        ConfidenceFigures::of([(&record, &FollowUp::default())], PLAIN).unwrap();
        prop_assert_eq!(drive(instance.conversation(), &replies, 3 * limit), record);
    }

    #[test]
    fn an_attempt_without_a_limit_is_one_request(reply in reply(text())) {
        let question = &questions()[0];
        let conversation = SolveConversation::new(question, Sampling::default());
        let record = drive(conversation, std::slice::from_ref(&reply), 1);
        prop_assert!(record.record.run.outcome.is_some());
        let solved = record.attempt.map(|attempt| attempt.solved);
        prop_assert!(solved.is_none() || solved == record.record.run.outcome);
    }
}
