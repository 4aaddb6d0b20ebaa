//! Spans and records of OpenTelemetry in OTLP/JSON.
//!
//! The file is a container; what the attributes mean is the matter of dialects. A new dialect is a file with a [`Dialect`], and a
//! row in [`DIALECTS`]; names that state a plain fact go into the table of `attributes.rs`.

// The file is the same in agent-tracing, where its items are public.
#[expect(unreachable_pub)]
pub(crate) mod attributes;
mod claude_code;
mod gen_ai;
mod langfuse;
pub(crate) mod mlflow;
mod open_inference;
pub(crate) mod openai_agents;
pub(crate) mod scores;
pub(crate) mod span;
pub(crate) mod spans;
pub(crate) mod step;
pub(crate) mod trace;
mod traces;
pub(crate) mod tree;

use crate::{
    error::Error,
    format::About,
    formats::{
        log_reader::Reader,
        otlp::{
            span::Span,
            step::{Reading, Step},
        },
    },
};

/// The reader of files that hold spans, records or both.
pub(crate) const READER: Reader = Reader {
    recognizes: |shape| ["resourceSpans", "resourceLogs"].iter().any(|name| shape.has(name)),
    open: |log| {
        traces::open(log, |source, limits, is_light| spans::Spans::otlp(source, limits, is_light))
    },
    about: About {
        source: "OTLP/JSON of the collector's file exporter or of an exporter in the program, one request per line or one document: \
                 OpenTelemetry GenAI, OpenInference, Langfuse, Claude Code's telemetry, Pydantic AI, rig, adk-rust",
        reads: "a run per trace or session: model calls, usage, tool calls, times, subagents, evaluations; text if it was recorded; \
                cost if stated; log-probabilities if the provider's reply was recorded (OpenInference)",
        lacks: "task; outcomes without an evaluation: `--outcomes`; cost: `--prices`; text and arguments, unless their recording is \
                switched on",
    },
};

/// A convention for the attributes of spans: the names that it has besides those of the table, and what they need beyond a name.
pub(crate) struct Dialect {
    /// The attributes that are read of all spans. A name that ends with a dot stands for all that start with it.
    pub(crate) names: &'static [&'static str],
    /// The input of a tool; other spans repeat it.
    pub(crate) inputs: &'static [&'static str],
    /// The output of a model; other spans repeat it.
    pub(crate) outputs: &'static [&'static str],
    /// Counts of a model call, as JSON in a text.
    pub(crate) counts: &'static str,
    /// The parts of the cost of a model call in US dollars, as JSON in a text.
    pub(crate) costs: &'static str,
    /// Adds what else a span says.
    pub(crate) read: fn(&Span, &mut Step, &mut Reading) -> Result<(), Error>,
    /// Moves what one span says about another one of its run.
    pub(crate) prepare: fn(&mut [Span]),
}

/// A convention without a name.
pub(crate) const NO_DIALECT: Dialect = Dialect {
    names: &[],
    inputs: &[],
    outputs: &[],
    counts: "",
    costs: "",
    read: |_, _, _| Ok(()),
    prepare: |_| {},
};

/// The conventions that are read. What an earlier one finds in a span, a later one does not replace.
pub(crate) const DIALECTS: &[Dialect] = &[
    claude_code::DIALECT,
    open_inference::DIALECT,
    langfuse::DIALECT,
    mlflow::DIALECT,
    gen_ai::DIALECT,
];
