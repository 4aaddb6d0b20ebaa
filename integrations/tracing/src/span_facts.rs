use std::{collections::BTreeMap, fmt};

use tracing::field::{Field, Visit};
use trajectory_metrics::tool_calls::{ToolCall, Value};

use crate::{
    attributes::{ATTRIBUTES, Fact, KINDS, Kind},
    count::Amounts,
    model_call::ModelCall,
};

/// The values of a span's known attributes, each with its row in the table.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpanFacts {
    values: Vec<(usize, Scalar)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Scalar {
    Whole(u64),
    Real(f64),
    Text(String),
}

/// Whether the attribute with this name is read.
pub(crate) fn is_read(name: &str) -> bool {
    row(name).is_some()
}

fn row(name: &str) -> Option<usize> {
    ATTRIBUTES.iter().position(|&(known, _)| known == name)
}

impl SpanFacts {
    fn put(&mut self, field: &Field, value: impl FnOnce() -> Scalar) {
        let Some(row) = row(field.name()) else { return };
        self.values.retain(|(other, _)| *other != row);
        self.values.push((row, value()));
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Replaces the values that were recorded again.
    pub(crate) fn add(&mut self, later: &Self) {
        self.values.retain(|(row, _)| later.values.iter().all(|(other, _)| other != row));
        self.values.extend(later.values.iter().cloned());
    }

    pub(crate) fn set_confidence(&mut self, confidence: f64) {
        self.values.retain(|(row, _)| ATTRIBUTES[*row].1 != Fact::Confidence);
        let row = ATTRIBUTES.iter().position(|(_, fact)| *fact == Fact::Confidence);
        self.values.extend(row.map(|row| (row, Scalar::Real(confidence))));
    }

    /// The value under the first name that the span has for this fact.
    fn get(&self, fact: Fact) -> Option<&Scalar> {
        let named = self.values.iter().filter(|(row, _)| ATTRIBUTES[*row].1 == fact);
        named.min_by_key(|(row, _)| *row).map(|(_, value)| value)
    }

    pub(crate) fn text(&self, fact: Fact) -> Option<String> {
        Some(match self.get(fact)? {
            Scalar::Text(text) => text.clone(),
            Scalar::Whole(number) => number.to_string(),
            Scalar::Real(number) => number.to_string(),
        })
    }

    /// An id that is not blank.
    pub(crate) fn id(&self, fact: Fact) -> Option<String> {
        self.text(fact).filter(|id| !id.trim().is_empty())
    }

    /// A count that is not a whole number of at least 0 is unknown.
    fn whole(&self, fact: Fact) -> Option<u64> {
        match self.get(fact)? {
            Scalar::Whole(number) => Some(*number),
            // Up to 2^53, a real number states each whole number exactly.
            Scalar::Real(number) => {
                let is_whole =
                    number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(number);
                is_whole.then_some(*number as u64)
            }
            Scalar::Text(text) => text.trim().parse().ok(),
        }
    }

    pub(crate) fn real(&self, fact: Fact) -> Option<f64> {
        match self.get(fact)? {
            Scalar::Whole(number) => Some(*number as f64),
            Scalar::Real(number) => Some(*number),
            Scalar::Text(text) => text.trim().parse().ok(),
        }
    }

    /// The stated kind. A span that states none, but a model, or tokens in or out, is a model call.
    pub(crate) fn kind(&self) -> Option<Kind> {
        if self.get(Fact::Kind).is_some() {
            let stated = self.text(Fact::Kind)?;
            return KINDS.iter().find(|(name, _)| *name == stated).map(|(_, kind)| *kind);
        }
        let of_call = [Fact::Model, Fact::InputTokens, Fact::OutputTokens];
        of_call.iter().any(|&fact| self.get(fact).is_some()).then_some(Kind::ModelCall)
    }

    /// The arguments are one object as JSON text. A text of another kind, such as one that is cut off, stays a text.
    pub(crate) fn tool_call(&self) -> ToolCall {
        let name = self.text(Fact::ToolName).unwrap_or_default();
        let Some(arguments) = self.text(Fact::ToolArguments) else {
            return ToolCall { name, arguments: Value::Null };
        };
        let arguments = match serde_json::from_str(&arguments) {
            Ok(Value::Null) => Value::Map(BTreeMap::new()),
            Ok(read @ Value::Map(_)) => read,
            _ if arguments.trim().is_empty() => Value::Map(BTreeMap::new()),
            _ => Value::Text(arguments),
        };
        ToolCall { name, arguments }
    }

    pub(crate) fn model_call(&self) -> ModelCall {
        let cached_tokens = self.whole(Fact::CachedTokens);
        let cache_write_tokens = self.whole(Fact::CacheWriteTokens);
        let cached = cached_tokens.unwrap_or(0).saturating_add(cache_write_tokens.unwrap_or(0));
        let input_tokens = self.whole(Fact::InputTokens);
        let input_tokens =
            input_tokens.map(|all| if all < cached { all.saturating_add(cached) } else { all });
        let output_tokens = self.whole(Fact::OutputTokens);
        let sum =
            input_tokens.zip(output_tokens).map(|(input, output)| input.saturating_add(output));
        let cost = self.real(Fact::CostUsd);
        ModelCall {
            model: self.text(Fact::Model),
            input_tokens,
            cached_tokens,
            cache_write_tokens,
            output_tokens,
            total_tokens: self.whole(Fact::TotalTokens).max(sum),
            cost_usd: cost.filter(|cost| is_amount(*cost)),
        }
    }
}

/// Whether a budget can count this amount.
pub(crate) fn is_amount(amount: f64) -> bool {
    (0.0..=1e100).contains(&amount)
}

/// The amounts that a call states, in the order of [`Count`](crate::Count).
pub(crate) fn amounts(call: &ModelCall) -> Amounts<Option<f64>> {
    let real = |count: Option<u64>| count.map(|count| count as f64);
    [real(call.input_tokens), real(call.output_tokens), real(call.total_tokens), call.cost_usd]
}

impl Visit for SpanFacts {
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, || Scalar::Whole(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, || match u64::try_from(value) {
            Ok(value) => Scalar::Whole(value),
            Err(_) => Scalar::Real(value as f64),
        });
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, || Scalar::Real(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, || Scalar::Text(value.to_owned()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, || Scalar::Text(format!("{value:?}")));
    }
}
