//! Runs that are continued from one of their steps say how likely they were to succeed. The model is simulated, so that
//! its chances are known.

use std::collections::BTreeSet;

use agent_benchmarks::{
    Branch, Checker, Continuations, Conversation, ModelError, Question, Reply, Request, Role, Run,
    StopReason,
    confidence::{Confidence, ConfidenceRecord, Instance},
    converse, count_continuations,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

const STEPS: usize = 3;
const BRANCHES: usize = 10;
/// The chances of success of the two kinds of questions, once their runs were cut off.
const CHANCES: [f64; 2] = [0.2, 0.7];

fn step(action: &str, confidence: f64) -> Result<Reply, ModelError> {
    Ok(format!("<action>{action}</action><confidence>{confidence}</confidence>").into())
}

/// Questions of the two kinds in turn.
fn instances(count: usize) -> Vec<Instance> {
    let setting = Confidence::new(STEPS).unwrap();
    let question = |number: usize| {
        let text = format!("Question {number} of kind {}?", number % 2);
        Question::new(format!("q{number}"), text, Checker::YesNo { answer: true })
    };
    (0..count).map(|number| setting.instance(&question(number))).collect()
}

/// A model that takes all its steps, and answers in the first step beyond them, rightly with the chance of the kind.
fn model(request: &Request) -> Result<Reply, ModelError> {
    let replies = request.messages.iter().filter(|it| it.role == Role::Assistant).count();
    if replies < STEPS {
        return step("continue", 0.4);
    }
    let kind = usize::from(request.messages[1].text.contains("of kind 1"));
    let mut draws = ChaCha8Rng::seed_from_u64(request.sampling.seed.unwrap());
    let is_right = draws.random_bool(CHANCES[kind]);
    step(if is_right { "answer: yes" } else { "answer: no" }, 0.5)
}

fn source(instance: &Instance) -> ConfidenceRecord {
    converse(instance.conversation(), model).unwrap()
}

fn continued(instance: &Instance, run: &Run) -> Continuations {
    let stopped = instance.after(run, STEPS, 2).unwrap().unwrap();
    let branches = Branch::several(&run.id, &stopped, BRANCHES);
    let records: Vec<_> =
        branches.into_iter().map(|(_, branch)| converse(branch, model).unwrap()).collect();
    count_continuations(records.iter().map(|record| &record.record.run))
}

/// Whether the mean of estimates is within three standard errors of a chance that is counted so many times.
fn is_near(found: &[f64], chance: f64, draws: usize) -> bool {
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    (mean - chance).abs() < 3.0 * (chance * (1.0 - chance) / draws as f64).sqrt()
}

#[test]
fn continued_chances_of_cut_off_runs_are_those_of_the_model_within_three_standard_errors() {
    let instances = instances(120);
    for (kind, chance) in CHANCES.into_iter().enumerate() {
        let of_kind = instances.iter().skip(kind).step_by(CHANCES.len());
        let chances: Vec<f64> = of_kind
            .map(|instance| {
                let run = source(instance).record.run;
                assert_eq!(run.stop, Some(StopReason::MaxSteps));
                let counts = continued(instance, &run);
                assert_eq!(counts.valid(), BRANCHES as u64);
                counts.estimate().unwrap().probability.get()
            })
            .collect();
        assert!(is_near(&chances, chance, chances.len() * BRANCHES), "{chances:?}");
        // One run alone is not that near: its branches differ.
        assert!(chances.iter().any(|q| (q - chance).abs() > 0.1));
    }
}

#[test]
fn branches_share_the_past_and_differ_in_the_seeds_of_their_requests_alone() {
    let instance = &instances(1)[0];
    let run = source(instance).record.run;
    let past = instance.after(&run, 1, 2).unwrap().unwrap();
    let mut seeds = BTreeSet::new();
    for (name, mut branch) in Branch::several("q0, step 1", &past, 20) {
        assert!(name.starts_with("q0, step 1, branch "), "{name}");
        while let Some(request) = branch.request() {
            let mut plain = request.clone();
            assert!(seeds.insert(plain.sampling.seed.take().unwrap()), "each has its own");
            assert!(request.sampling.seed < Some(1 << 31));
            if request.messages.len() == past.request().unwrap().messages.len() {
                assert_eq!(&plain, past.request().unwrap());
            }
            branch.reply(step("continue", 0.5).unwrap()).unwrap();
        }
        assert_eq!(branch.finish().record.run.turns.len(), STEPS);
    }
    assert_eq!(seeds.len(), 20 * (STEPS - 1));
}

#[test]
fn a_run_is_continued_from_its_steps_and_from_its_limit_and_not_from_an_answer() {
    let instance = &instances(1)[0];
    let cut_off = source(instance).record.run;
    let requests = |run: &Run, steps: usize, more: usize| {
        let conversation = instance.after(run, steps, more).unwrap()?;
        Some(conversation.request().unwrap().messages.len())
    };
    // The system, the question, and two messages per step.
    assert_eq!([0, 1, 2].map(|steps| requests(&cut_off, steps, 2)), [Some(2), Some(4), Some(6)]);
    // The last step is followed by the leave to go on.
    assert_eq!((requests(&cut_off, 3, 2), requests(&cut_off, 3, 0)), (Some(8), None));
    assert_eq!(requests(&cut_off, 4, 2), None);
    let more = instance.after(&cut_off, STEPS, 2).unwrap().unwrap();
    let messages = &more.request().unwrap().messages;
    assert_eq!(messages.len(), 2 * STEPS + 2);
    assert!(messages.last().unwrap().text.contains("2 steps are left"));
    let again = converse(more, |_| step("continue", 0.5)).unwrap();
    assert_eq!(again.record.run.agent_turns().count(), STEPS + 2);

    let mut replies =
        [step("continue", 0.5), step("perhaps", 0.5), step("answer: no", 0.5)].into_iter();
    let answered = converse(instance.conversation(), |_| replies.next().unwrap()).unwrap();
    let run = answered.record.run;
    // A reply that was asked for again lies behind the step before it.
    assert_eq!([0, 1, 2].map(|steps| requests(&run, steps, 2)), [Some(2), Some(4), None]);
    let other = Run::new("another question");
    assert!(instance.after(&other, 0, 1).is_err());
}

#[test]
fn continuations_are_counted_by_their_outcomes_and_ends() {
    let run = |outcome: Option<bool>, stop: Option<StopReason>| {
        let mut run = Run::new("q");
        (run.outcome, run.stop) = (outcome, stop);
        run
    };
    let runs = [
        run(Some(true), Some(StopReason::Completed)),
        run(Some(false), Some(StopReason::Completed)),
        run(Some(false), Some(StopReason::Completed)),
        run(None, Some(StopReason::MaxSteps)),
        run(None, Some(StopReason::ParseError)),
        run(None, None),
    ];
    let counts = count_continuations(&runs);
    let wanted = Continuations { successes: 1, failures: 2, unresolved: 1, invalid: 2 };
    assert_eq!(counts, wanted);
}
