use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    formats::harbor::metrics::{map, number},
    values::{
        message::Reply,
        recorded_call::{Arguments, RecordedCall},
        run::Turn,
        tokens::Tokens,
        usage::Usage,
    },
};

pub(crate) fn text(text: &Option<String>) -> Option<Value> {
    text.as_deref().map(Value::from)
}

/// A turn as the step with this number. A model that is that of the trajectory is left out.
pub(crate) fn step(id: usize, position: usize, turn: &Turn, model: Option<&str>) -> Value {
    let reply = turn.reply.as_ref();
    let own_model = turn.model.as_deref().filter(|own| Some(*own) != model);
    let calls = reply.map(|reply| reply.tool_calls.as_slice()).unwrap_or_default();
    // A step without a model call has no metrics.
    let metrics = reply.filter(|_| turn.model_calls != Some(0)).and_then(reply_metrics);
    map([
        ("step_id", Some(number(id as u64))),
        ("source", Some("agent".into())),
        ("message", Some(reply.map(|reply| reply.text.as_str()).unwrap_or_default().into())),
        ("model_name", own_model.map(Value::from)),
        ("tool_calls", tool_calls(calls, position)),
        ("metrics", metrics),
        ("llm_call_count", turn.model_calls.map(number)),
        ("extra", Some(map([("run_logs", Some(kept_step(position, turn)))]))),
    ])
}

fn reply_metrics(reply: &Reply) -> Option<Value> {
    let logprobs = reply.tokens.as_ref().map(Tokens::logprobs);
    // Numbers that are not finite have no place in the format.
    let logprobs = logprobs.filter(|logprobs| logprobs.iter().all(|logprob| logprob.is_finite()));
    let logprobs = logprobs.map(|logprobs| {
        Value::List(logprobs.iter().map(|logprob| Value::Real(*logprob)).collect())
    });
    let is_any = reply.usage.is_some() || logprobs.is_some();
    is_any.then(|| metrics(reply.usage.as_ref().unwrap_or(&Usage::default()), logprobs))
}

/// What was used, as the metrics of a step.
pub(crate) fn metrics(usage: &Usage, logprobs: Option<Value>) -> Value {
    let details = usage.cache_write_tokens.is_some() || usage.reasoning_tokens.is_some();
    let details = details.then(|| {
        map([
            ("cache_write_tokens", usage.cache_write_tokens.map(number)),
            ("reasoning_tokens", usage.reasoning_tokens.map(number)),
        ])
    });
    map([
        ("prompt_tokens", usage.input_tokens.map(number)),
        ("completion_tokens", usage.output_tokens.map(number)),
        ("cached_tokens", usage.cached_tokens.map(number)),
        ("cost_usd", usage.cost_usd.map(Value::Real)),
        ("logprobs", logprobs),
        ("extra", details),
    ])
}

fn kept_step(position: usize, turn: &Turn) -> Value {
    let reply = turn.reply.as_ref();
    let stop = reply.and_then(|reply| reply.stop.as_ref());
    map([
        ("turn", Some(number(position as u64))),
        ("failed", reply.is_none().then_some(Value::Bool(true))),
        ("error", text(&turn.error)),
        ("refusal", reply.and_then(|reply| text(&reply.refusal))),
        ("stop", stop.map(|stop| stop.to_string().into())),
    ])
}

/// The calls. The format wants an id for each, and arguments that are an object.
fn tool_calls(calls: &[RecordedCall], position: usize) -> Option<Value> {
    let calls = calls.iter().enumerate().map(|(number, call)| {
        let id = call.id.clone().unwrap_or_else(|| format!("{position}.{number}"));
        let without_id = call.id.is_none().then_some(Value::Bool(true));
        let (mut object, mut other) = (Value::Map(BTreeMap::new()), None);
        let (mut unparsed, mut problem) = (None, None);
        match &call.arguments {
            Arguments::Parsed(value @ Value::Map(_)) => object = value.clone(),
            Arguments::Parsed(value) => other = Some(value.clone()),
            Arguments::Unparsed { text, problem: why } => {
                (unparsed, problem) = (Some(text.as_str().into()), Some(why.as_str().into()));
            }
        }
        let kept = map([
            ("arguments", other),
            ("unparsed", unparsed),
            ("problem", problem),
            ("without_id", without_id),
            ("ok", call.ok.map(Value::Bool)),
            ("error", text(&call.error)),
        ]);
        map([
            ("tool_call_id", Some(id.into())),
            ("function_name", Some(call.name.as_str().into())),
            ("arguments", Some(object)),
            ("extra", (kept != map([])).then(|| map([("run_logs", Some(kept))]))),
        ])
    });
    let calls: Vec<Value> = calls.collect();
    (!calls.is_empty()).then(|| calls.into())
}
