//! The conventions of OpenTelemetry for generative AI, also under their older names.

use trajectory_metrics::tool_calls::Value;

use crate::{
    error::Error,
    formats::otlp::{
        message::reply,
        reading::Reading,
        span::{Span, real, text},
        step::{Dialect, NO_DIALECT, Step},
    },
    values::run::Reply,
};

pub(crate) const DIALECT: Dialect = Dialect {
    names: &[
        "gen_ai.usage.cost.amount",
        "gen_ai.usage.cost.currency",
        "exception.message",
        "exception.type",
        // The parts of a choice, which is an event.
        "index",
        "finish_reason",
        "message",
    ],
    outputs: &["gen_ai.output.messages"],
    read,
    ..NO_DIALECT
};

fn read(span: &Span, step: &mut Step, reading: &mut Reading) -> Result<(), Error> {
    let currency = span.get("gen_ai.usage.cost.currency").and_then(text);
    let amount = span.get("gen_ai.usage.cost.amount").and_then(real);
    if currency.is_none_or(|currency| currency == "USD") {
        step.usage.cost_usd = step.usage.cost_usd.or(amount.filter(|amount| *amount >= 0.0));
    }
    let choices = span.attributes.iter().filter(|(name, _)| name.starts_with("gen_ai.choice."));
    let mut replies = Vec::new();
    for (_, choice) in choices {
        let Value::Map(choice) = choice else { continue };
        let message = reading.value(choice.get("message").unwrap_or(&Value::Null))?;
        let stop = choice.get("finish_reason").and_then(text).map(Into::into);
        replies.push(Reply { stop, ..reply(&message, reading)? });
    }
    if step.reply.is_none() && !replies.is_empty() {
        step.other_replies = replies.split_off(1);
        step.reply = replies.pop();
    }
    Ok(())
}
