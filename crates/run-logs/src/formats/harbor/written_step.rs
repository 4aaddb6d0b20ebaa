use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    formats::harbor::metrics::value,
    values::{
        message::Reply,
        recorded_call::{Arguments, RecordedCall},
        run::Turn,
        tokens::Tokens,
        usage::Usage,
    },
};

/// An object of the fields that have a value.
pub(crate) fn map<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let fields = fields.into_iter().filter_map(|(name, field)| Some((name.to_owned(), field?)));
    Value::Map(fields.collect())
}

pub(crate) fn number(number: u64) -> Value {
    Value::Integer(i128::from(number))
}

fn list<T>(entries: &[T], write: impl Fn(&T) -> Value) -> Option<Value> {
    (!entries.is_empty()).then(|| entries.iter().map(write).collect::<Vec<_>>().into())
}

fn text(text: &Option<String>) -> Option<Value> {
    text.as_deref().map(Value::from)
}

/// A turn as the step with this number. A model that is that of the trajectory is left out.
pub(crate) fn step(id: usize, position: usize, turn: &Turn, model: Option<&str>) -> Value {
    let reply = turn.reply.as_ref();
    let own_model = turn.model.as_deref().filter(|own| Some(*own) != model);
    let calls = reply.map(|reply| reply.tool_calls.as_slice()).unwrap_or_default();
    // A step without a model call has no metrics.
    let metrics = reply.filter(|_| turn.model_calls != Some(0)).and_then(metrics);
    map([
        ("step_id", Some(number(id as u64))),
        ("source", Some("agent".into())),
        ("message", Some(reply.map(|reply| reply.text.as_str()).unwrap_or_default().into())),
        ("model_name", own_model.map(Value::from)),
        ("tool_calls", tool_calls(calls, position)),
        ("metrics", metrics),
        ("llm_call_count", turn.model_calls.map(number)),
        ("extra", Some(map([("run_logs", Some(kept_step(position, turn, model)))]))),
    ])
}

fn metrics(reply: &Reply) -> Option<Value> {
    let logprobs = reply.tokens.as_ref().map(Tokens::logprobs);
    // Numbers that are not finite have no place in the format.
    let logprobs = logprobs.filter(|logprobs| logprobs.iter().all(|logprob| logprob.is_finite()));
    let logprobs = logprobs.map(|logprobs| {
        Value::List(logprobs.iter().map(|logprob| Value::Real(*logprob)).collect())
    });
    if reply.usage.is_none() && logprobs.is_none() {
        return None;
    }
    let none = Usage::default();
    let usage = reply.usage.as_ref().unwrap_or(&none);
    let details = usage.cache_write_tokens.is_some() || usage.reasoning_tokens.is_some();
    let details = details.then(|| {
        map([
            ("cache_write_tokens", usage.cache_write_tokens.map(number)),
            ("reasoning_tokens", usage.reasoning_tokens.map(number)),
        ])
    });
    Some(map([
        ("prompt_tokens", usage.input_tokens.map(number)),
        ("completion_tokens", usage.output_tokens.map(number)),
        ("cached_tokens", usage.cached_tokens.map(number)),
        ("cost_usd", usage.cost_usd.map(Value::Real)),
        ("logprobs", logprobs),
        ("extra", details),
    ]))
}

fn kept_step(position: usize, turn: &Turn, model: Option<&str>) -> Value {
    let reply = turn.reply.as_ref();
    let kept_reply = reply.map(|reply| {
        let usage = reply.usage.as_ref().filter(|_| turn.model_calls == Some(0));
        map([
            ("refusal", text(&reply.refusal)),
            ("tokens", reply.tokens.as_ref().map(tokens)),
            ("stop", reply.stop.as_ref().map(|stop| stop.to_string().into())),
            ("usage", usage.map(value)),
        ])
    });
    let without_model = turn.model.is_none() && model.is_some();
    let is_unmeasured = reply.is_some_and(|reply| reply.usage.is_none());
    map([
        ("turn", Some(number(position as u64))),
        ("failed", reply.is_none().then_some(Value::Bool(true))),
        ("without_model", without_model.then_some(Value::Bool(true))),
        ("unmeasured", is_unmeasured.then_some(Value::Bool(true))),
        ("error", text(&turn.error)),
        ("reply", kept_reply.filter(|reply| *reply != map([]))),
        ("other_replies", list(&turn.other_replies, whole_reply)),
    ])
}

/// A reply that no step holds.
fn whole_reply(reply: &Reply) -> Value {
    map([
        ("text", Some(reply.text.as_str().into())),
        ("refusal", text(&reply.refusal)),
        ("tool_calls", tool_calls(&reply.tool_calls, 0)),
        ("tokens", reply.tokens.as_ref().map(tokens)),
        ("stop", reply.stop.as_ref().map(|stop| stop.to_string().into())),
        ("usage", reply.usage.as_ref().map(value)),
    ])
}

/// The calls. The format wants an id for each, and arguments that are an object.
fn tool_calls(calls: &[RecordedCall], position: usize) -> Option<Value> {
    let numbered: Vec<(usize, &RecordedCall)> = calls.iter().enumerate().collect();
    list(&numbered, |(number, call)| {
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
            ("written", text(&call.written)),
            ("ok", call.ok.map(Value::Bool)),
            ("error", text(&call.error)),
        ]);
        let extra = (kept != map([])).then(|| map([("run_logs", Some(kept))]));
        map([
            ("tool_call_id", Some(id.into())),
            ("function_name", Some(call.name.as_str().into())),
            ("arguments", Some(object)),
            ("extra", extra),
        ])
    })
}

/// Tokens as `[[token, logprob, [token, logprob], …], …]`; a token that is not UTF-8 is a list of
/// bytes.
fn tokens(tokens: &Tokens) -> Value {
    let pair = |bytes: &[u8], logprob: f64| {
        let token = match str::from_utf8(bytes) {
            Ok(text) => text.into(),
            Err(_) => Value::List(bytes.iter().map(|byte| number(u64::from(*byte))).collect()),
        };
        vec![token, Value::Real(logprob)]
    };
    let tokens = tokens.iter().map(|token| {
        let mut entry = pair(token.bytes, token.logprob);
        entry.extend(token.alternatives().map(|(bytes, logprob)| pair(bytes, logprob).into()));
        entry.into()
    });
    Value::List(tokens.collect())
}
