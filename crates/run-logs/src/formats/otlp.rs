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
pub(crate) mod message;
mod mlflow;
mod open_inference;
pub(crate) mod read_span;
pub(crate) mod reading;
pub(crate) mod scores;
pub(crate) mod span;
pub(crate) mod spans;
pub(crate) mod step;
pub(crate) mod trace;
pub(crate) mod traces;
pub(crate) mod tree;

use crate::{
    format::About,
    formats::{
        log_reader::Reader,
        otlp::{spans::Spans, step::Dialect},
    },
};

/// The reader of files that hold spans, records or both.
pub(crate) const READER: Reader = Reader {
    recognizes: |shape| ["resourceSpans", "resourceLogs"].iter().any(|name| shape.has(name)),
    open: |log| {
        traces::open(
            log,
            |source, limits, dialects| Spans::otlp(source, limits, dialects),
            DIALECTS,
        )
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

/// The conventions that are read. What an earlier one finds in a span, a later one does not replace.
pub(crate) const DIALECTS: &[Dialect] = &[
    claude_code::DIALECT,
    open_inference::DIALECT,
    langfuse::DIALECT,
    mlflow::DIALECT,
    gen_ai::DIALECT,
];
