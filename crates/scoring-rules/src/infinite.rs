//! The stored form of numbers that may be infinite, for `serde(with = "scoring_rules::infinite")`.
//!
//! Text formats such as JSON have no infinity: there an infinite number is the text `"inf"` or
//! `"-inf"`. Binary formats store the number itself. NaN is refused.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Unexpected, Visitor},
    ser,
};

/// A number that is not NaN.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f64);

/// Writes a number that may be infinite. Human-readable formats such as JSON have `"inf"` and `"-inf"` for infinite
/// numbers.
///
/// # Errors
///
/// An error for NaN; the errors of the format.
pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Number(*number).serialize(serializer)
}

/// Reads a number that may be infinite, as [`serialize`] writes it.
///
/// # Errors
///
/// An error for NaN and for anything else that is not a number; the errors of the format.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Number::deserialize(deserializer)?.0)
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.0;
        if number.is_nan() {
            return Err(ser::Error::custom("NaN cannot be stored"));
        }
        if number.is_finite() || !serializer.is_human_readable() {
            return serializer.serialize_f64(number);
        }
        serializer.serialize_str(if number > 0.0 { "inf" } else { "-inf" })
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = if deserializer.is_human_readable() {
            deserializer.deserialize_any(NumberOrText)?
        } else {
            f64::deserialize(deserializer)?
        };
        if number.is_nan() {
            return Err(de::Error::invalid_value(Unexpected::Float(number), &NumberOrText));
        }
        Ok(Self(number))
    }
}

struct NumberOrText;

impl Visitor<'_> for NumberOrText {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"inf\" or \"-inf\"")
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
        match text {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}
