use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    formats::otlp::span::{Span, real, text},
    values::run::Score,
};

/// The attributes of evaluations, by how their names start.
pub(crate) const NAMES: &[&str] = &[
    "gen_ai.evaluation.",
    "trace.evaluations.",
    "trace.annotations.",
    "session.evaluations.",
    "session.annotations.",
    "evaluations.",
    "annotations.",
    "eval.",
];

/// Whether an event or record of this name is the result of an evaluation.
pub(crate) fn is_result(name: &str) -> bool {
    name == "gen_ai.evaluation.result"
}

/// Adds the results of evaluations that a span or event holds. The last result of a name counts.
pub(crate) fn add(span: &Span, scores: &mut BTreeMap<String, Score>) {
    let mut found: BTreeMap<String, BTreeMap<&str, &Value>> = BTreeMap::new();
    for (name, value) in &span.attributes {
        if !NAMES.iter().any(|start| name.starts_with(start)) {
            continue;
        }
        // Such as `trace.evaluations.0.evaluation.score`, `eval.correct.label` and `gen_ai.evaluation.score.value`.
        let name =
            name.strip_prefix("gen_ai.evaluation.").map_or(name.as_str(), |part| match part {
                "score.value" => "score",
                "score.label" => "label",
                part => part,
            });
        let (of, part) = name.rsplit_once('.').unwrap_or(("", name));
        found.entry(of.to_owned()).or_default().insert(part, value);
    }
    for (of, parts) in found {
        let of_eval = of.strip_prefix("eval.").map(str::to_owned);
        let name = parts.get("name").copied().and_then(text).or(of_eval);
        let get = |part: &str| parts.get(part).copied();
        let label = get("label").and_then(text);
        let number = get("score").filter(|value| real(value).is_some()).cloned();
        let value = number.or_else(|| label.clone().map(Value::Text));
        let (Some(name), Some(value)) = (name, value) else { continue };
        let explanation = get("explanation").and_then(text);
        let metadata = label.map(|label| ("label".to_owned(), Value::Text(label)));
        let score = Score {
            value,
            explanation,
            metadata: metadata.into_iter().collect(),
            ..Score::default()
        };
        scores.insert(name, score);
    }
}
