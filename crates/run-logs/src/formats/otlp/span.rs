use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
};

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::{Error, Problem},
    format::RunsBy,
    formats::otlp::{
        DIALECTS, Dialect,
        attributes::{ATTRIBUTES, Fact, KINDS, Kind},
        scores,
    },
    values::run::value_size,
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
    /// Reads a span, or a record if `is_event`, in OTLP/JSON or in the form of MLflow. Attributes that nobody reads are dropped, and
    /// if `is_light` all but the name of the session.
    pub(crate) fn read(json: &mut Json<'_>, is_event: bool, is_light: bool) -> Result<Self, Error> {
        json.hold(size_of::<Self>())?;
        let mut span = Self { is_event, ..Self::default() };
        let (mut body, mut events) = (Value::Null, Vec::new());
        fields!(given |json| {
            "traceId" | "trace_id" => span.trace = json.text()?,
            "spanId" | "span_id" => span.id = json.text()?,
            "parentSpanId" | "parent_span_id" => span.parent = json.text()?,
            "name" | "eventName" => span.name = json.text()?,
            "startTimeUnixNano" | "start_time_unix_nano" | "timeUnixNano" | "time_unix_nano" => {
                span.start = nanoseconds(json)?;
            },
            "endTimeUnixNano" | "end_time_unix_nano" => span.end = nanoseconds(json)?,
            "observedTimeUnixNano" if span.start == 0 => span.start = nanoseconds(json)?,
            "attributes" => attributes(json, &mut span.attributes, is_light)?,
            "events" if !is_light => events = json.list_of(|json| Self::read(json, true, false))?,
            "body" => body = any_value(json)?,
            "status" => span.error = failure(json)?,
        })?;
        if is_event {
            span.complete_event(body);
        } else {
            let kind = span.kind();
            // What goes in and out is repeated by the spans around a call, and by the next calls.
            span.attributes.retain(|name, _| {
                let is_of = |of: fn(&Dialect) -> &'static [&'static str]| {
                    DIALECTS.iter().any(|dialect| is_in(name, of(dialect)))
                };
                (kind == Some(Kind::Tool) || !is_of(|it| it.inputs))
                    && (kind == Some(Kind::ModelCall) || !is_of(|it| it.outputs))
            });
        }
        for event in &mut events {
            (event.trace, event.parent) = (span.trace.clone(), span.id.clone());
        }
        events
            .retain(|event| scores::is_result(&event.name) || PARTS.contains(&event.name.as_str()));
        span.events = events;
        Ok(span)
    }

    /// Gives an event the id of its content: a copy has the same one. A record has the id of the span in which it was written.
    fn complete_event(&mut self, body: Value) {
        self.parent = std::mem::take(&mut self.id);
        self.end = self.start;
        let named = |value: &Value| match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        };
        let event_name = self.attributes.get("event.name").and_then(named);
        if self.name.is_empty() && event_name.is_some() {
            self.name = named(&body).or(event_name).unwrap_or_default();
        }
        if matches!(body, Value::Map(_)) {
            self.attributes.insert("body".to_owned(), body);
        }
        let mut hasher = DefaultHasher::new();
        format!("{self:?}").hash(&mut hasher);
        self.id = format!("event {:x}", hasher.finish());
    }

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
        Value::Integer(number) => *number as f64,
        Value::Real(number) => *number,
        Value::Text(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// Whether an attribute is read.
fn is_read(name: &str) -> bool {
    let of_dialect = |it: &Dialect| {
        let lists = [it.names, it.inputs, it.outputs, &[it.counts, it.costs]];
        lists.iter().any(|list| is_in(name, list))
    };
    ATTRIBUTES.iter().any(|(known, _)| *known == name)
        || DIALECTS.iter().any(of_dialect)
        || is_in(name, scores::NAMES)
}

/// Whether a name is in a list, in which a name that ends with a dot stands for all that start with it.
pub(crate) fn is_in(name: &str, list: &[&str]) -> bool {
    list.iter().any(|it| if it.ends_with('.') { name.starts_with(it) } else { name == *it })
}

/// Reads attributes: a list of keys and values, or the map of MLflow, whose values are JSON in a text.
fn attributes(
    json: &mut Json<'_>,
    read: &mut BTreeMap<String, Value>,
    is_light: bool,
) -> Result<(), Error> {
    let is_session = |key: &str| ATTRIBUTES.contains(&(key, Fact::SessionId));
    let is_wanted =
        |key: &str| key == "event.name" || if is_light { is_session(key) } else { is_read(key) };
    if json.token()? == b'{' {
        return json.map(|json, key| {
            if !is_wanted(&key) {
                return json.skip();
            }
            let value = json.value()?;
            read.insert(key, decoded(value, json));
            Ok(())
        });
    }
    pairs(json, read, &is_wanted)
}

/// Reads a list of keys and values, which are kept if the key is wanted.
fn pairs(
    json: &mut Json<'_>,
    read: &mut BTreeMap<String, Value>,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Result<(), Error> {
    json.list(|json| {
        let (mut key, mut value) = (String::new(), Value::Null);
        fields!(given |json| {
            "key" => key = json.text()?,
            "value" if !key.is_empty() && !is_wanted(&key) => json.skip()?,
            "value" => value = any_value(json)?,
        })?;
        if is_wanted(&key) {
            let is_json = key.starts_with("mlflow.");
            read.insert(key, if is_json { decoded(value, json) } else { value });
        }
        Ok(())
    })
}

/// Returns the value of a text that is a short JSON text itself, such as `"\"AGENT\""`. Objects stay as they are.
fn decoded(value: Value, json: &Json<'_>) -> Value {
    let Value::Text(text) = &value else { return value };
    let read = Json::new(text.as_bytes(), json.limits).value();
    match read {
        Ok(read @ (Value::Text(_) | Value::Integer(_) | Value::Real(_) | Value::Bool(_))) => read,
        _ => value,
    }
}

/// Reads a value with its type.
pub(crate) fn any_value(json: &mut Json<'_>) -> Result<Value, Error> {
    json.hold(size_of::<Value>())?;
    let mut value = Value::Null;
    fields!(given |json| {
        "stringValue" | "bytesValue" => value = Value::Text(json.text()?),
        "boolValue" => value = Value::Bool(json.boolean()?),
        "intValue" => value = Value::Integer(integer(json)?),
        // NaN and the infinities are texts, which are no numbers for anybody here.
        "doubleValue" => value = if json.token()? == b'"' {
            Value::Text(json.text()?)
        } else {
            Value::Real(json.any_real()?)
        },
        "arrayValue" => {
            value = Value::List(Vec::new());
            fields!(given |json| { "values" => value = Value::List(json.list_of(any_value)?), })?;
        },
        "kvlistValue" => {
            let mut map = BTreeMap::new();
            fields!(given |json| { "values" => pairs(json, &mut map, &|_| true)?, })?;
            value = Value::Map(map);
        },
    })?;
    Ok(value)
}

/// Reads a whole number: Python writes it as a text, JavaScript as a number.
fn integer(json: &mut Json<'_>) -> Result<i128, Error> {
    if json.token()? == b'"' {
        let value = json.text()?;
        let expected = "a whole number";
        return value.parse().map_err(|_| {
            let value = value.chars().take(40).collect();
            json.error(Problem::Value { value, expected })
        });
    }
    match json.number()? {
        Value::Integer(number) => Ok(number),
        number => {
            let value = format!("{number:?}");
            Err(json.error(Problem::Value { value, expected: "a whole number" }))
        }
    }
}

fn nanoseconds(json: &mut Json<'_>) -> Result<u64, Error> {
    let time = integer(json)?;
    u64::try_from(time).map_err(|_| {
        let expected = "nanoseconds since 1970";
        json.error(Problem::Value { value: time.to_string(), expected })
    })
}

/// Reads the message of a failure; `None` unless the status is one.
fn failure(json: &mut Json<'_>) -> Result<Option<String>, Error> {
    let (mut is_failure, mut message) = (false, String::new());
    fields!(given |json| {
        "code" => is_failure = matches!(json.name()?.as_str(), "2" | "STATUS_CODE_ERROR" | "ERROR"),
        "message" => message = json.text()?,
    })?;
    Ok(is_failure.then_some(message))
}
