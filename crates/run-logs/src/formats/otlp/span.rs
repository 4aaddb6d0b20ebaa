use std::collections::BTreeMap;

use trajectory_metrics::tool_calls::Value;

use crate::{
    format::RunsBy,
    formats::otlp::attributes::{ATTRIBUTES, Fact, KINDS, Kind},
    values::run::{number_of, value_size},
};

/// A span, an event of a span, or a record of a log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Span {
    pub(crate) trace: String,
    pub(crate) id: String,
    /// The id of the span around it; empty if it has none.
    pub(crate) parent: String,
    pub(crate) name: String,
    /// Nanoseconds since 1970; 0 if unknown. An event starts and ends at once.
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) is_event: bool,
    pub(crate) attributes: BTreeMap<String, Value>,
    /// The message of a failure.
    pub(crate) error: Option<String>,
    pub(crate) events: Vec<Span>,
}

impl Span {
    /// Returns what makes its run, before sessions are joined: its trace, or for a program that names each session its session.
    pub(crate) fn unit(&self) -> &str {
        let session = self.fact(Fact::SessionId).filter(|_| self.name.starts_with("claude_code."));
        match session {
            Some(Value::Text(session)) => session,
            _ => &self.trace,
        }
    }

    /// Returns the session that makes its run, if sessions do.
    pub(crate) fn session(&self, by: RunsBy) -> Option<String> {
        self.text(Fact::SessionId).filter(|_| by == RunsBy::Session)
    }

    /// Whether it is a span that has started and, as far as the log says, has not ended.
    pub(crate) const fn is_open(&self) -> bool {
        !self.is_event && self.end == 0
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.attributes.get(name)
    }

    /// Returns the value under the first name that the span has for this fact.
    pub(crate) fn fact(&self, fact: Fact) -> Option<&Value> {
        let mut rows = ATTRIBUTES.iter().filter(|(_, of)| *of == fact);
        rows.find_map(|(name, _)| self.get(name))
    }

    /// Returns the stated kind. A span that states none is that of a tool if it names one, and of a model call if it states a model
    /// or tokens.
    pub(crate) fn kind(&self) -> Option<Kind> {
        if let Some(stated) = self.text(Fact::Kind) {
            return KINDS.iter().find(|(name, _)| *name == stated).map(|(_, kind)| *kind);
        }
        let is_call = [Fact::Model, Fact::InputTokens, Fact::OutputTokens];
        let is_call = is_call.iter().any(|&fact| self.fact(fact).is_some());
        let is_tool = self.fact(Fact::ToolName).is_some();
        (is_tool || is_call).then_some(if is_tool { Kind::Tool } else { Kind::ModelCall })
    }

    pub(crate) fn text(&self, fact: Fact) -> Option<String> {
        self.fact(fact).and_then(text)
    }

    pub(crate) fn whole(&self, fact: Fact) -> Option<u64> {
        self.fact(fact).and_then(whole)
    }

    pub(crate) fn real(&self, fact: Fact) -> Option<f64> {
        self.fact(fact).and_then(real)
    }

    /// Returns the time from its start to its end in seconds, if it has both.
    pub(crate) fn seconds(&self) -> Option<f64> {
        let is_timed = !self.is_event && self.start > 0;
        self.end.checked_sub(self.start).filter(|_| is_timed).map(|time| time as f64 / 1e9)
    }

    /// The bytes that it holds.
    pub(crate) fn size(&self) -> usize {
        let texts = [&self.trace, &self.id, &self.parent, &self.name].map(String::len);
        let attributes = self.attributes.iter().map(|(name, it)| 48 + name.len() + value_size(it));
        let events: usize = self.events.iter().map(Self::size).sum();
        size_of::<Self>() + texts.iter().sum::<usize>() + attributes.sum::<usize>() + events
    }
}

/// Events that hold a part of their span.
pub(crate) const PARTS: [&str; 3] =
    ["exception", "gen_ai.choice", "gen_ai.client.inference.operation.details"];

/// A number, a boolean or a text that is not blank, as a text.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.clone()).filter(|text| !text.trim().is_empty()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Real(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// A whole number of at least 0, which may be written as a text. Another value is unknown.
pub(crate) fn whole(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(number) => u64::try_from(*number).ok(),
        // Up to 2^53, a real number states each whole number exactly.
        Value::Real(number) => {
            let is_whole =
                number.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(number);
            is_whole.then_some(*number as u64)
        }
        Value::Text(text) => text.trim().parse().ok(),
        _ => None,
    }
}

/// A finite number, which may be written as a text.
pub(crate) fn real(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Text(text) => text.trim().parse().ok(),
        number => number_of(number),
    };
    number.filter(|number| number.is_finite())
}
