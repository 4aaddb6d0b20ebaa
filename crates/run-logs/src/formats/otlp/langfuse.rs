//! The attributes of Langfuse's SDK.

use trajectory_metrics::tool_calls::Value;

use crate::{
    error::Error,
    formats::{
        otlp::{
            attributes::Kind,
            reading::Reading,
            span::{Span, text, whole},
            step::{Dialect, NO_DIALECT, Step, filled},
        },
        token_counts::{Counts, Dialect as Rule},
    },
};

pub(crate) const DIALECT: Dialect = Dialect {
    names: &[LEVEL, MESSAGE],
    inputs: &[INPUT],
    outputs: &["langfuse.observation.output"],
    counts: COUNTS,
    costs: "langfuse.observation.cost_details",
    read,
    ..NO_DIALECT
};

const LEVEL: &str = "langfuse.observation.level";
const MESSAGE: &str = "langfuse.observation.status_message";
const INPUT: &str = "langfuse.observation.input";
const COUNTS: &str = "langfuse.observation.usage_details";

fn read(span: &Span, step: &mut Step, reading: &mut Reading) -> Result<(), Error> {
    if span.get(LEVEL).and_then(text).as_deref() == Some("ERROR") {
        let message = span.get(MESSAGE).and_then(text).unwrap_or_default();
        step.error = step.error.take().filter(|error| !error.is_empty()).or(Some(message));
    }
    let get = |name: &str| span.get(name).unwrap_or(&Value::Null);
    if step.kind == Some(Kind::Tool)
        && let Value::Map(input) = reading.value(get(INPUT))?
        && let (Some(Value::List(args)), Some(named)) = (input.get("args"), input.get("kwargs"))
        && args.is_empty()
    {
        // The decorator writes the arguments of a function by their position and by their names.
        step.arguments = Some(reading.arguments(named));
    }
    if step.kind == Some(Kind::ModelCall)
        && let Value::Map(counts) = reading.value(get(COUNTS))?
    {
        // Its own names; those of providers are known.
        let names =
            ["input", "output", "total", "input_cached_tokens", "", "output_reasoning_tokens"];
        let own = names.map(|name| counts.get(name).and_then(whole));
        step.usage = filled(&step.usage, &Counts::of(own, None).usage(Rule::OpenAi));
    }
    Ok(())
}
