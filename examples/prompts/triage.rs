use agent_benchmarks::{
    Attempted, Checker, Question, Sampling,
    triage::{Alpha, Attempts, Framing, Prompts, Regime, SolveConversation, Triage},
};

use crate::{Sample, Samples, requests, text};

pub(crate) fn samples() -> Samples {
    let question = |id, text, answer| {
        let checker = Checker::Numeric { answer, tolerance: 0.0 };
        let recorded = Attempted { output_tokens: 300, solved: true };
        Question::new(id, text, checker).with_recorded(recorded)
    };
    let questions = [
        question("a", "What is 6 times 7?", 42.0),
        question("b", "How many primes are there below 1,000?", 168.0),
    ];
    let plan = |framing, replies: &[&str]| {
        let settings = Triage::new(Alpha::new(0.5)?)
            .with_framing(framing)
            .with_attempts(Attempts::Live { regime: Regime::Enforced, announced: true });
        let instance = settings.instance("pool", &questions)?;
        requests(instance.conversation(), replies.iter().map(|it| text(it)))
    };
    let chosen = r#"{"plan": [{"id": "a", "allocation": 200}]}"#;
    let solve = |announced: Option<u64>| {
        let [question, _] = &questions;
        let sampling = Sampling::default();
        let conversation = match announced {
            None => SolveConversation::new(question, sampling),
            Some(tokens) => SolveConversation::with_announced_budget(
                question,
                sampling,
                &Prompts::default(),
                tokens,
            ),
        };
        requests(conversation, [])
    };
    Ok(vec![
        Sample {
            name: "triage_plan",
            title: "TRIAGE: the plan, and a problem of it with an enforced allocation",
            published: "TRIAGE, appendix B, and appendix C.2, variant A: --published, planner_neutral.txt",
            requests: plan(Framing::Neutral, &[chosen])?,
        },
        Sample {
            name: "triage_plan_agent",
            title: "TRIAGE: the plan of an agent",
            published: "TRIAGE, appendix C.2, variant B: --published, planner_agent.txt",
            requests: plan(Framing::Agent, &[])?,
        },
        Sample {
            name: "triage_plan_exam",
            title: "TRIAGE: the plan for an examination",
            published: "TRIAGE, appendix C.2, variant C: --published, planner_exam.txt",
            requests: plan(Framing::Exam, &[])?,
        },
        Sample {
            name: "triage_solve",
            title: "TRIAGE: a problem without a budget",
            published: "not printed; TRIAGE, section 4, names the standard prompt of a solver",
            requests: solve(None)?,
        },
        Sample {
            name: "triage_solve_announced",
            title: "TRIAGE: a problem with an announced budget",
            published: "TRIAGE, appendix C.1: --published, banner.txt",
            requests: solve(Some(200))?,
        },
    ])
}
