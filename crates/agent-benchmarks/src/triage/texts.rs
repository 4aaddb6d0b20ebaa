//! The texts for a model.

use trajectory_metrics::tool_calls::Value;

use crate::{
    triage::{prompts::Prompts, settings::Triage},
    values::{question::Question, tool_definition::object},
};

/// Returns the request for a plan.
pub(super) fn planning(settings: &Triage, questions: &[Question], budget: u64) -> String {
    let block = |question: &Question| {
        let Question { id, value, .. } = question;
        format!("[id: {id}] (points: {value})\n{}", question.block())
    };
    settings.prompts.plan(settings.framing).fill(|place| match place {
        "domain" => settings.subject.as_str().into(),
        "B" => budget.to_string().into(),
        _ => questions.iter().map(block).collect::<Vec<_>>().join("\n\n").into(),
    })
}

/// Returns the JSON Schema of a plan.
pub(super) fn plan_schema(questions: &[Question]) -> Value {
    let ids = questions.iter().map(|question| Value::from(question.id.as_str())).collect();
    let id = object(vec![("type", "string".into()), ("enum", Value::List(ids))]);
    let allocation = object(vec![("type", "integer".into()), ("minimum", Value::Integer(0))]);
    let entry = closed(vec![("id", id), ("allocation", allocation)]);
    let plan = object(vec![("type", "array".into()), ("items", entry)]);
    closed(vec![("plan", plan)])
}

/// Returns the schema of an object that has these properties and no others.
fn closed(properties: Vec<(&str, Value)>) -> Value {
    let required = properties.iter().map(|(name, _)| Value::from(*name)).collect();
    object(vec![
        ("type", "object".into()),
        ("properties", object(properties)),
        ("required", Value::List(required)),
        ("additionalProperties", Value::Bool(false)),
    ])
}

/// Returns the request to solve a problem, with or without an announced budget.
pub(super) fn solving(question: &Question, announced: Option<(&Prompts, u64)>) -> String {
    let banner = announced.map_or(String::new(), |(prompts, tokens)| {
        prompts.banner.fill(|_| tokens.to_string().into()) + "\n\n"
    });
    let prompt = question.prompt();
    format!(
        "{banner}{prompt}\n\nSolve the problem and end with your answer between tags: <answer>…</answer>"
    )
}
