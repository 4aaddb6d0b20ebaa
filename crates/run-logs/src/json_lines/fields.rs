use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value as Json};
use trajectory_metrics::tool_calls::{ToolCall, Value};

/// Reads true and false, or 1 and 0, which some benchmarks write.
///
/// # Errors
///
/// An error of the format for any other value.
///
/// ```
/// use run_logs::json_lines::{InputError, parse_line, yes_or_no};
///
/// #[derive(serde::Deserialize)]
/// struct Row {
///     #[serde(deserialize_with = "yes_or_no")]
///     solved: bool,
/// }
///
/// assert!(parse_line::<Row>("rows.jsonl", 1, br#"{"solved": 1}"#)?.solved);
/// assert!(parse_line::<Row>("rows.jsonl", 1, br#"{"solved": 1.0}"#)?.solved);
/// assert!(parse_line::<Row>("rows.jsonl", 1, br#"{"solved": 0.5}"#).is_err());
/// assert!(parse_line::<Row>("rows.jsonl", 1, br#"{"solved": "yes"}"#).is_err());
/// # Ok::<(), InputError>(())
/// ```
pub fn yes_or_no<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    const EXPECTED: &str = "true, false, 1 or 0";
    match deserializer.deserialize_any(OutcomeOrScore(EXPECTED))? {
        Given::Outcome(outcome) => Ok(outcome),
        Given::Score(score) if score == 0.0 || score == 1.0 => Ok(score == 1.0),
        Given::Score(score) => Err(D::Error::invalid_value(Unexpected::Float(score), &EXPECTED)),
    }
}

/// Reads a name: a text, or a whole number as its digits, even if written as `3.0`.
///
/// # Errors
///
/// An error of the format for any other value.
pub fn name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    struct Name;

    impl Visitor<'_> for Name {
        type Value = String;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a text or a whole number")
        }

        fn visit_str<E: Error>(self, value: &str) -> Result<String, E> {
            Ok(value.to_owned())
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<String, E> {
            Ok(value.to_string())
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<String, E> {
            Ok(value.to_string())
        }

        // Data frames convert whole numbers to real numbers if some are missing.
        fn visit_f64<E: Error>(self, value: f64) -> Result<String, E> {
            if value.fract() == 0.0 && value.abs() < 1e15 {
                Ok(format!("{value:.0}"))
            } else {
                Err(E::invalid_type(Unexpected::Float(value), &self))
            }
        }
    }

    deserializer.deserialize_any(Name)
}

/// A [`name`] as a value.
#[derive(Deserialize)]
pub(crate) struct Name(#[serde(deserialize_with = "name")] pub(crate) String);

/// Reads a [`name`], or null.
pub(crate) fn optional_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    let name: Option<Name> = Option::deserialize(deserializer)?;
    Ok(name.map(|Name(name)| name))
}

/// True and false as a value, as [`yes_or_no`] reads them.
#[derive(Deserialize)]
pub(crate) struct YesOrNo(#[serde(deserialize_with = "yes_or_no")] pub(crate) bool);

/// An outcome, or a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Given {
    Outcome(bool),
    Score(f64),
}

impl<'de> Deserialize<'de> for Given {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OutcomeOrScore("true, false or a score"))
    }
}

/// A reader, with the expected value in words.
struct OutcomeOrScore(&'static str);

impl Visitor<'_> for OutcomeOrScore {
    type Value = Given;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Given, E> {
        Ok(Given::Outcome(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Given, E> {
        Ok(Given::Score(value as f64))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Given, E> {
        Ok(Given::Score(value as f64))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Given, E> {
        let wrong = || E::invalid_value(Unexpected::Float(value), &self);
        value.is_finite().then_some(Given::Score(value)).ok_or_else(wrong)
    }
}

/// A struct that can be deserialized only from a JSON object. A derived `Deserialize` would also accept a list of the
/// values of its fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Map<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Map<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(entries))
            }
        }

        deserializer.deserialize_map(Map(PhantomData)).map(Self)
    }
}

/// Writes a call as files of tool calls have it. Integers beyond 64 bits are text, because they would lose digits.
pub(crate) fn written<S: Serializer>(call: &ToolCall, serializer: S) -> Result<S::Ok, S::Error> {
    let call = Map::from_iter([
        ("name".to_owned(), Json::from(call.name.as_str())),
        ("args".to_owned(), json_value(&call.arguments)),
    ]);
    call.serialize(serializer)
}

/// Writes calls as [`written`] does.
pub(crate) fn all_written<S: Serializer>(
    calls: &[ToolCall],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Written<'a>(#[serde(serialize_with = "written")] &'a ToolCall);
    serializer.collect_seq(calls.iter().map(Written))
}

/// Converts a value of a log to JSON: non-finite numbers are null, and integers beyond 64 bits are text.
///
/// ```
/// use run_logs::json_lines::json_value;
/// use trajectory_metrics::tool_calls::Value;
///
/// assert_eq!(json_value(&Value::Integer(1 << 70)), "1180591620717411303424");
/// ```
#[must_use]
pub fn json_value(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => (*value).into(),
        Value::Integer(number) => i64::try_from(*number)
            .map(Json::from)
            .or_else(|_| u64::try_from(*number).map(Json::from))
            .unwrap_or_else(|_| number.to_string().into()),
        Value::Real(number) => (*number).into(),
        Value::Text(text) => text.as_str().into(),
        Value::List(values) => values.iter().map(json_value).collect(),
        Value::Map(values) => Json::Object(
            values.iter().map(|(key, value)| (key.clone(), json_value(value))).collect(),
        ),
    }
}
