//! What a model reads. The wording is this crate's own.

use trajectory_metrics::tool_calls::Value;

use crate::{
    triage::settings::{Framing, Triage},
    values::{question::Question, tool_definition::object},
};

fn opening(settings: &Triage, budget: u64) -> String {
    let subject = &settings.subject;
    match settings.framing {
        Framing::Neutral => format!(
            "Below are {subject}. You will attempt some of them with at most {budget} output tokens in \
             total. Leaving problems out is allowed: choose which ones to attempt, and their order."
        ),
        Framing::Agent => format!(
            "You work on your own and have compute for {budget} output tokens. Your assignments are \
             {subject}, more than the compute is likely to cover, and some may be beyond your means; \
             tokens spent on those are lost. Choose which assignments to run, and their order, so that \
             your total reward is as large as possible."
        ),
        Framing::Exam => format!(
            "This is an examination with a time limit: your answers may take {budget} output tokens \
             altogether. The paper in front of you has {subject}. Some questions may be too hard for the \
             time or have no answer you can find, and none is compulsory. Choose which to attempt, and \
             their order, so that your total score is as large as possible."
        ),
    }
}

/// The request for a plan.
pub(super) fn planning(settings: &Triage, questions: &[Question], budget: u64) -> String {
    let mut text = opening(settings, budget);
    text.push_str(
        "\n\nRules:\n\
         - A right answer earns the points of its problem. A wrong one, or none, earns nothing.\n\
         - Problems are attempted in the order of your plan until the budget does not allow the next \
         one. Nothing is attempted after that.\n\
         - Each entry allots output tokens to one problem. Everything that you write for it counts, \
         drafts and reasoning included.\n\
         - Do not solve anything now. Only the plan is wanted.\n\nProblems:\n",
    );
    for question in questions {
        let (id, value) = (&question.id, question.value);
        text.push_str(&format!("\n[id: {id}] (points: {value})\n{}\n", question.block()));
    }
    text.push_str(&format!(
        "\nBudget: {budget} output tokens. The allocations of your plan together must not exceed it.\n\n\
         Reply with one JSON object and nothing else, first problem first:\n\
         {{\"plan\": [{{\"id\": \"<id of a problem>\", \"allocation\": <tokens>}}]}}"
    ));
    text
}

/// The JSON Schema of a plan.
pub(super) fn plan_schema(questions: &[Question]) -> Value {
    let ids = questions.iter().map(|question| Value::from(question.id.as_str())).collect();
    let id = object(vec![("type", "string".into()), ("enum", Value::List(ids))]);
    let allocation = object(vec![("type", "integer".into()), ("minimum", Value::Integer(0))]);
    let entry = closed(vec![("id", id), ("allocation", allocation)]);
    let plan = object(vec![("type", "array".into()), ("items", entry)]);
    closed(vec![("plan", plan)])
}

/// The schema of an object that has these properties and no others.
fn closed(properties: Vec<(&str, Value)>) -> Value {
    let required = properties.iter().map(|(name, _)| Value::from(*name)).collect();
    object(vec![
        ("type", "object".into()),
        ("properties", object(properties)),
        ("required", Value::List(required)),
        ("additionalProperties", Value::Bool(false)),
    ])
}

/// The request to solve a problem, with a budget that is announced or without one.
pub(super) fn solving(question: &Question, announced: Option<u64>) -> String {
    let banner = announced.map_or(String::new(), |tokens| {
        format!(
            "Budget: {tokens} output tokens for this problem, and not one more. All that you write counts, \
             reasoning, drafts and notes included. Plan a solution that fits, be brief and leave out \
             explanations that nobody needs, and commit to your final answer before the budget is used up.\n\n"
        )
    });
    let prompt = question.prompt();
    format!(
        "{banner}{prompt}\n\nSolve the problem and end with your answer between tags: <answer>…</answer>"
    )
}
