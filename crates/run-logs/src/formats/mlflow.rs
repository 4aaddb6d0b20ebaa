//! Traces of MLflow in its own JSON.

use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    format::{About, ReadOptions},
    formats::{
        log_reader::{Log, Reader},
        otlp::{
            DIALECTS,
            read_span::span,
            span::Span,
            trace::{Trace, run},
        },
    },
    values::run::{Run, Score},
};

/// The reader of traces in MLflow's JSON.
pub(crate) const READER: Reader = Reader {
    recognizes: |shape| {
        shape.has_key("spans", "start_time_unix_nano")
            || (shape.has("data")
                && ["trace_id", "request_id"].iter().any(|key| shape.has_key("info", key)))
    },
    open: |log: Log<'_>| log.documents(trace),
    about: About {
        source: "`Trace.to_json()` of each trace as a line of a file, or `traces.json` of the artifacts (MLflow 3)",
        reads: "model calls, usage, tool calls, times, assessments as scores; text and log-probabilities if the provider's reply was recorded",
        lacks: "task; outcomes without an assessment: `--outcomes`; cost: `--prices`; traces of MLflow 2",
    },
};

/// Reads one trace.
fn trace(json: &mut Json<'_>, number: u64, options: &ReadOptions) -> Result<Run, Error> {
    let (mut info, mut spans) = (Info::default(), Vec::new());
    fields!(given |json| {
        "info" => info.read(json)?,
        "data" => fields!(given |json| { "spans" => spans = self::spans(json)?, })?,
        "spans" => spans = self::spans(json)?,
    })?;
    let id = info.id.or_else(|| spans.first().map(|span| span.trace.clone()));
    let is_numbered = id.is_none();
    let id = id.unwrap_or_else(|| number.to_string());
    let read = run(Trace { id: id.clone(), spans, ..Trace::default() }, options.limits, DIALECTS)?;
    let mut run = Run { is_numbered, ..read.unwrap_or_else(|| Run::new(id)) };
    run.scores.extend(info.scores);
    run.seconds = run.seconds.or(info.seconds);
    Ok(run)
}

fn spans(json: &mut Json<'_>) -> Result<Vec<Span>, Error> {
    json.list_of(|json| span(json, false, DIALECTS))
}

/// The head of a trace.
#[derive(Default)]
struct Info {
    id: Option<String>,
    seconds: Option<f64>,
    scores: Vec<(String, Score)>,
}

impl Info {
    fn read(&mut self, json: &mut Json<'_>) -> Result<(), Error> {
        fields!(given |json| {
            "trace_id" | "request_id" => self.id = Some(json.text()?),
            "execution_duration_ms" => self.seconds = Some(json.amount()? / 1e3),
            "assessments" => json.list(|json| {
                let score = assessment(json)?;
                self.scores.extend(score);
                Ok(())
            })?,
        })
    }
}

/// Reads an assessment; `None` if a later one replaces it, or if it is an expectation.
fn assessment(json: &mut Json<'_>) -> Result<Option<(String, Score)>, Error> {
    json.hold(size_of::<Score>())?;
    let (mut name, mut value, mut score, mut is_valid) = (None, None, Score::default(), true);
    fields!(given |json| {
        "assessment_name" => name = Some(json.text()?),
        "feedback" => fields!(given |json| { "value" => value = Some(json.value()?), })?,
        "rationale" => score.explanation = Some(json.text()?),
        "valid" => is_valid = json.boolean()?,
    })?;
    Ok(name.zip(value).filter(|_| is_valid).map(|(name, value)| (name, Score { value, ..score })))
}
