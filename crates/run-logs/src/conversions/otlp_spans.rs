//! Writes runs as spans of OpenTelemetry.

use censoring::StopReason;
use serde_json::{Value as Json, json};
use trajectory_metrics::tool_calls::Value;

use crate::{conversions::logged_run::LoggedRun, engines::json::writing::to_json};

/// The name under which the grade of a run is written.
const GRADE: &str = "outcome";

impl LoggedRun {
    /// Returns the run as an OTLP/JSON request with one span, `invoke_agent`. The span states the model, the usage, the
    /// reason for the end, and the results as evaluation events. The result named `outcome` is the grade under the
    /// rules of the [`RunTable`](crate::RunTable); each scorer's value is a result with the name of the scorer. Viewers
    /// that follow OpenInference find the results in the attributes `trace.evaluations`.
    ///
    /// If the id of the run is a trace id of 32 hexadecimal digits, as in logs of spans, the span is part of that trace. Other
    /// runs get a trace id from their names. The span of a run without times starts in 1970.
    ///
    /// Reference: OpenTelemetry, Semantic conventions for generative AI, events `gen_ai.evaluation.result`; Arize, OpenInference
    /// annotations.
    ///
    /// ```
    /// use run_logs::{FactRules, Run, RunTable, StreamOptions};
    ///
    /// let mut run = Run::new("a");
    /// run.outcome = Some(true);
    /// let table = RunTable::new([Ok(run)], &FactRules::default(), &StreamOptions::default())?;
    /// let written = table.rows()[0].to_otlp();
    /// let span = &written["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    /// assert_eq!(span["events"][0]["name"], "gen_ai.evaluation.result");
    /// # Ok::<(), run_logs::Error>(())
    /// ```
    #[must_use]
    pub fn to_otlp(&self) -> Json {
        let evaluation = self.evaluation.as_ref().and_then(|it| it.id.as_ref());
        // Runs of several logs may have the same name.
        let name = format!(
            "{evaluation:?} {:?} {:?} {} {}",
            self.name(),
            self.model,
            self.log,
            self.index
        );
        let is_trace = self.id.len() == 32 && self.id.bytes().all(|it| it.is_ascii_hexdigit());
        let [first, second] = [digest(&name, 1), digest(&name, 2)];
        let trace =
            if is_trace { self.id.to_lowercase() } else { format!("{first:016x}{second:016x}") };
        let nanos = |seconds: f64| format!("{:.0}", (seconds.max(0.0) * 1e9).min(1.8e19));
        let start = self.started.unwrap_or(0.0);
        let results = self.results();
        let usage = &self.usage;
        let attributes = [
            ("gen_ai.operation.name", Some(json!("invoke_agent"))),
            ("openinference.span.kind", Some(json!("AGENT"))),
            ("gen_ai.conversation.id", Some(json!(self.name()))),
            ("agent_scorecard.task", self.task.as_ref().map(|task| json!(task))),
            ("gen_ai.request.model", self.model.as_ref().map(|model| json!(model))),
            ("gen_ai.usage.input_tokens", usage.input_tokens.map(|it| json!(it))),
            ("gen_ai.usage.output_tokens", usage.output_tokens.map(|it| json!(it))),
            ("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens.map(|it| json!(it))),
            ("gen_ai.usage.cost", usage.cost_usd.map(|it| json!(it))),
            (
                "gen_ai.agent.finish_reason",
                self.stop.as_ref().map(|stop| json!(finish_reason(stop))),
            ),
        ];
        let attributes =
            attributes.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        let annotations = results.iter().enumerate().flat_map(|(at, (name, score, label))| {
            let key = |part: &str| format!("trace.evaluations.{at}.evaluation.{part}");
            let parts = [
                (key("name"), Some(json!(name))),
                (key("score"), score.map(|score| json!(score))),
                (key("label"), label.as_ref().map(|label| json!(label))),
            ];
            parts.into_iter().filter_map(|(key, value)| Some((key, value?)))
        });
        let end = nanos(start + self.seconds.unwrap_or(0.0));
        let events = results.iter().map(|(name, score, label)| {
            let parts = [
                ("gen_ai.evaluation.name", Some(json!(name))),
                ("gen_ai.evaluation.score.value", score.map(|score| json!(score))),
                ("gen_ai.evaluation.score.label", label.as_ref().map(|label| json!(label))),
            ];
            let parts = parts.into_iter().filter_map(|(key, value)| Some(attribute(key, value?)));
            json!({"name": "gen_ai.evaluation.result", "timeUnixNano": end, "attributes": parts.collect::<Vec<_>>()})
        });
        let mut span = json!({
            "traceId": trace,
            "spanId": format!("{:016x}", digest(&name, 3)),
            "name": "invoke_agent",
            "kind": 1,
            "startTimeUnixNano": nanos(start),
            "attributes": attributes.chain(annotations).map(|(key, value)| attribute(&key, value)).collect::<Vec<_>>(),
            "events": events.collect::<Vec<_>>(),
            "status": if self.has_error { json!({"code": 2}) } else { json!({}) },
        });
        // A run without a known duration has no end, rather than one at its start.
        if self.seconds.is_some() {
            span["endTimeUnixNano"] = json!(end);
        }
        json!({"resourceSpans": [{
            "resource": {"attributes": [attribute("service.name", json!("agent-scorecard"))]},
            "scopeSpans": [{"scope": {"name": "run-logs"}, "spans": [span]}],
        }]})
    }

    /// Returns the results: each with its name, and a number or a label.
    fn results(&self) -> Vec<(String, Option<f64>, Option<String>)> {
        let label = self.outcome.map(|outcome| if outcome { "pass" } else { "fail" }.to_owned());
        let grade = self.grade.map(|grade| (GRADE.to_owned(), Some(grade), label));
        let has_grade = self.grade.is_some();
        let scores = self.scores.iter().filter(|(name, _)| !has_grade || name.as_str() != GRADE);
        let scores = scores.map(|(name, value)| match value {
            Value::Integer(number) => (name.clone(), Some(*number as f64), None),
            Value::Real(number) if number.is_finite() => (name.clone(), Some(*number), None),
            Value::Bool(value) => (name.clone(), Some(f64::from(u8::from(*value))), None),
            Value::Text(word) => (name.clone(), None, Some(word.clone())),
            other => (name.clone(), None, Some(to_json(other))),
        });
        grade.into_iter().chain(scores).collect()
    }
}

/// Returns the convention's word for the end of an agent's run; an end for which it has none keeps its own.
fn finish_reason(stop: &StopReason) -> String {
    match stop {
        StopReason::MaxSteps => "max_iterations".to_owned(),
        other => other.to_string(),
    }
}

/// Returns an attribute in the form of OTLP/JSON, in which whole numbers are text.
fn attribute(key: &str, value: Json) -> Json {
    let value = match &value {
        Json::Number(number) if number.is_f64() => json!({"doubleValue": value}),
        Json::Number(number) => json!({"intValue": number.to_string()}),
        _ => json!({"stringValue": value}),
    };
    json!({"key": key, "value": value})
}

/// Returns the FNV-1a hash of a text, which is never 0: an id of zeros is invalid.
fn digest(text: &str, seed: u8) -> u64 {
    let bytes = std::iter::once(seed).chain(text.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash.max(1)
}
