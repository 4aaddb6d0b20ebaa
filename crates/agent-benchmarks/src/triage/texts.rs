//! What a model reads, in this crate's own words.

use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    questions::Checker,
    triage::{pool::TriagePool, settings::Framing},
};

/// The instructions for solving one question.
pub(super) fn solving(checker: &Checker) -> String {
    format!(
        "Solve the problem. End your reply with {}, between tags, as in <answer>…</answer>. Only what is \
         between the tags is checked.",
        checker.form(),
    )
}

/// The same under a limit, which the model is told.
pub(super) fn solving_within(checker: &Checker, allocation: u64) -> String {
    format!(
        "Your reply may have at most {allocation} tokens, all thoughts and drafts included; it is cut off \
         there. Be brief, and write the answer before the limit.\n\n{}",
        solving(checker),
    )
}

/// The instructions for planning.
pub(super) fn planning(pool: &TriagePool) -> String {
    let (domain, budget) = (&pool.settings.domain, pool.budget);
    let opening = match pool.settings.framing {
        Framing::Neutral => format!(
            "Below is a set of {domain}. They share one budget of {budget} output tokens. You may leave \
             out any of them; to choose which ones to attempt, and in which order, is part of the task."
        ),
        Framing::Agent => format!(
            "You are an agent that plans its own work, with {budget} output tokens of compute. You have \
             been assigned a set of {domain}, more than you can expect to finish. Choose which ones to \
             execute, and in which order, so that the total reward is as large as possible. Some may be \
             beyond you, and tokens spent on those bring nothing."
        ),
        Framing::Exam => format!(
            "You are sitting an exam in which {budget} output tokens are the time for all questions \
             together. In front of you is a set of {domain}. No question is compulsory, and some may be too \
             hard or have no answer. Choose which ones to attempt, and in which order, so that your score is \
             as high as possible."
        ),
    };
    format!(
        "{opening}\n\n\
         Rules:\n\
         - Do not solve anything now. Write a plan only.\n\
         - A problem brings its points if your answer to it is right, and nothing otherwise.\n\
         - Every token of an attempt counts, thoughts and drafts included.\n\
         - Problems are attempted in the order of your plan, until the budget is spent.\n\
         - Give each problem of the plan an allocation of tokens, a whole number. The allocations together may \
         be at most {budget}.\n\
         - Copy the ids exactly. Leave out the problems that you do not attempt.\n\n\
         Reply with one JSON object and nothing else, in this form:\n\
         {{\"plan\": [{{\"id\": \"<id>\", \"allocation\": <tokens>}}, …]}}"
    )
}

/// The problems of a pool.
pub(super) fn problems(pool: &TriagePool) -> String {
    let blocks = pool.questions.iter().map(|question| {
        format!("[id: {}] (points: {})\n{}", question.id, question.value, question.block())
    });
    blocks.collect::<Vec<_>>().join("\n\n")
}

/// The JSON Schema of a plan.
pub(super) fn plan_schema() -> Value {
    let id = object([("type", "string".into())]);
    let allocation = object([("type", "integer".into()), ("minimum", Value::Integer(0))]);
    let step = object([
        ("type", "object".into()),
        ("properties", object([("id", id), ("allocation", allocation)])),
        ("required", Value::List(vec!["id".into(), "allocation".into()])),
        ("additionalProperties", Value::Bool(false)),
    ]);
    let plan = object([("type", "array".into()), ("items", step)]);
    object([
        ("type", "object".into()),
        ("properties", object([("plan", plan)])),
        ("required", Value::List(vec!["plan".into()])),
        ("additionalProperties", Value::Bool(false)),
    ])
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Map(
        fields
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect::<BTreeMap<_, _>>(),
    )
}
