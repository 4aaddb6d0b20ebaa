use std::{
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    mem,
};

use trajectory_metrics::tool_calls::Value;

use crate::{
    engines::json::reader::{Json, fields},
    error::Error,
    formats::otlp::{
        attributes::{ATTRIBUTES, Fact, Kind},
        scores,
        span::{PARTS, Span},
        step::Dialect,
    },
    values::run::text_of,
};

/// Reads a span, or a record if `is_event`, in OTLP/JSON or in the form of MLflow. Attributes that no dialect reads are dropped;
/// without a dialect all but the name of the session.
pub(crate) fn span(
    json: &mut Json<'_>,
    is_event: bool,
    dialects: &[Dialect],
) -> Result<Span, Error> {
    json.hold(size_of::<Span>())?;
    let mut span = Span { is_event, ..Span::default() };
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
        "attributes" => attributes(json, &mut span.attributes, dialects)?,
        "events" if !dialects.is_empty() => {
            events = json.list_of(|json| self::span(json, true, dialects))?;
        },
        "body" => body = any_value(json)?,
        "status" => span.error = failure(json)?,
    })?;
    if is_event {
        complete_event(&mut span, body);
    } else {
        let kind = span.kind();
        // What goes in and out is repeated by the spans around a call, and by the next calls.
        span.attributes.retain(|name, _| {
            let is_of = |of: fn(&Dialect) -> &'static [&'static str]| {
                dialects.iter().any(|dialect| is_in(name, of(dialect)))
            };
            (kind == Some(Kind::Tool) || !is_of(|it| it.inputs))
                && (kind == Some(Kind::ModelCall) || !is_of(|it| it.outputs))
        });
    }
    for event in &mut events {
        (event.trace, event.parent) = (span.trace.clone(), span.id.clone());
    }
    events.retain(|event| scores::is_result(&event.name) || PARTS.contains(&event.name.as_str()));
    span.events = events;
    Ok(span)
}

/// Gives an event the id of its content: a copy has the same one. A record has the id of the span in which it was written.
fn complete_event(span: &mut Span, body: Value) {
    span.parent = mem::take(&mut span.id);
    span.end = span.start;
    let event_name = span.attributes.get("event.name").and_then(text_of);
    if let (true, Some(event_name)) = (span.name.is_empty(), event_name) {
        span.name = text_of(&body).unwrap_or(event_name).to_owned();
    }
    if matches!(body, Value::Map(_)) {
        span.attributes.insert("body".to_owned(), body);
    }
    let mut hasher = DefaultHasher::new();
    format!("{span:?}").hash(&mut hasher);
    span.id = format!("event {:x}", hasher.finish());
}

/// Whether an attribute is read.
fn is_read(name: &str, dialects: &[Dialect]) -> bool {
    let of_dialect = |it: &Dialect| {
        let lists = [it.names, it.inputs, it.outputs, &[it.counts, it.costs]];
        lists.iter().any(|list| is_in(name, list))
    };
    let is_known = || ATTRIBUTES.iter().any(|(known, _)| *known == name);
    !dialects.is_empty()
        && (is_known() || dialects.iter().any(of_dialect) || is_in(name, scores::NAMES))
}

/// Whether a name is in a list, in which a name that ends with a dot stands for all that start with it.
fn is_in(name: &str, list: &[&str]) -> bool {
    list.iter().any(|it| if it.ends_with('.') { name.starts_with(it) } else { name == *it })
}

/// Reads attributes: a list of keys and values, or the map of MLflow, whose values are JSON in a text.
fn attributes(
    json: &mut Json<'_>,
    read: &mut BTreeMap<String, Value>,
    dialects: &[Dialect],
) -> Result<(), Error> {
    let is_session = |key: &str| ATTRIBUTES.contains(&(key, Fact::SessionId));
    let is_wanted = |key: &str| key == "event.name" || is_session(key) || is_read(key, dialects);
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
        let text = json.text()?;
        let short = || text.chars().take(40).collect::<String>();
        return text.parse().map_err(|_| json.wrong_value(short(), "a whole number"));
    }
    match json.number()? {
        Value::Integer(number) => Ok(number),
        number => Err(json.wrong_value(format!("{number:?}"), "a whole number")),
    }
}

fn nanoseconds(json: &mut Json<'_>) -> Result<u64, Error> {
    let time = integer(json)?;
    u64::try_from(time).map_err(|_| json.wrong_value(time, "nanoseconds since 1970"))
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
