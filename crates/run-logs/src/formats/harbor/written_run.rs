use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    formats::harbor::{
        metrics::value,
        written_step::{map, number},
    },
    values::{
        caller::Caller,
        expected_call::ExpectedCall,
        run::{Run, Score},
    },
};

/// What the format has no field for.
pub(crate) fn kept_run(run: &Run) -> Value {
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    let models = run.usage_by_model.iter();
    let models: BTreeMap<String, Value> =
        models.map(|(model, usage)| (model.clone(), value(usage))).collect();
    let expected: Vec<Value> = run.expected_calls.iter().map(expected_call).collect();
    let limit = run.limit.as_ref().map(|limit| {
        map([
            ("kind", Some(limit.kind.as_str().into())),
            ("limit", limit.limit.map(Value::Real)),
            ("reason", text(&limit.reason)),
        ])
    });
    map([
        ("id", Some(run.id.as_str().into())),
        ("task", text(&run.task)),
        ("trial", run.trial.map(number)),
        ("model", text(&run.model)),
        ("outcome", run.outcome.map(Value::Bool)),
        ("stop", run.stop.as_ref().map(|stop| stop.to_string().into())),
        ("horizon", run.horizon.map(number)),
        ("limit", limit),
        ("error", text(&run.error)),
        ("excluded", text(&run.excluded)),
        ("usage", Some(value(&run.usage))),
        ("usage_by_model", (!models.is_empty()).then(|| models.into())),
        ("expected_calls", (!expected.is_empty()).then(|| expected.into())),
        ("metadata", (!run.metadata.is_empty()).then(|| run.metadata.clone().into())),
    ])
}

fn expected_call(expected: &ExpectedCall) -> Value {
    let caller = if expected.caller == Caller::User { "user" } else { "agent" };
    let compared = expected.compared.as_ref();
    let names = |names: &Vec<String>| names.iter().map(|name| name.as_str().into()).collect();
    map([
        ("caller", Some(caller.into())),
        ("name", Some(expected.call.name.as_str().into())),
        ("arguments", Some(expected.call.arguments.clone())),
        ("compared", compared.map(names).map(Value::List)),
        ("matched", expected.matched.map(Value::Bool)),
    ])
}

/// The scores by name.
pub(crate) fn scores(run: &Run) -> Option<Value> {
    let scores = run.scores.iter().map(|(name, score)| (name.clone(), score_value(score)));
    let scores: BTreeMap<String, Value> = scores.collect();
    (!scores.is_empty()).then(|| scores.into())
}

fn score_value(score: &Score) -> Value {
    let text = |text: &Option<String>| text.as_deref().map(Value::from);
    map([
        ("value", Some(score.value.clone())),
        ("answer", text(&score.answer)),
        ("explanation", text(&score.explanation)),
        ("metadata", (!score.metadata.is_empty()).then(|| score.metadata.clone().into())),
    ])
}
