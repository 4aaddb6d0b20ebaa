//! Numbers that may be infinite, in formats that have no infinity; for the crates of this workspace.
//!
//! A number is written as itself if it is finite or the format is binary; otherwise as the text
//! `"inf"`, `"-inf"` or `"nan"`, which are also what `f64` is printed as and read from.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{Error, Unexpected, Visitor},
};

/// A number that is not a NaN.
#[derive(Clone, Copy, Debug)]
pub struct Number(pub f64);

/// Any number.
#[derive(Clone, Copy)]
pub(crate) struct NumberOrNan(pub(crate) f64);

/// Writes a number that is not a NaN.
///
/// # Errors
///
/// Those of the format.
pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Number(*number).serialize(serializer)
}

/// Reads a number that is not a NaN.
///
/// # Errors
///
/// For a NaN, for anything else that is no number, and those of the format.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(Number::deserialize(deserializer)?.0)
}

/// The same where the number may be missing.
pub(crate) mod optional {
    use serde::{Serialize, Serializer};

    use super::Number;

    pub(crate) fn serialize<S: Serializer>(
        number: &Option<f64>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        number.map(Number).serialize(serializer)
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        NumberOrNan(self.0).serialize(serializer)
    }
}

impl Serialize for NumberOrNan {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let number = self.0;
        if number.is_finite() || !serializer.is_human_readable() {
            return serializer.serialize_f64(number);
        }
        serializer.serialize_str(if number.is_nan() {
            "nan"
        } else if number > 0.0 {
            "inf"
        } else {
            "-inf"
        })
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = NumberOrNan::deserialize(deserializer)?.0;
        if number.is_nan() {
            return Err(D::Error::invalid_value(Unexpected::Float(number), &"a number or \"inf\""));
        }
        Ok(Self(number))
    }
}

impl<'de> Deserialize<'de> for NumberOrNan {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(Text).map(Self)
        } else {
            f64::deserialize(deserializer).map(Self)
        }
    }
}

struct Text;

impl Visitor<'_> for Text {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"inf\" or \"-inf\"")
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<f64, E> {
        Ok(number)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<f64, E> {
        Ok(number as f64)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<f64, E> {
        match text {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "nan" => Ok(f64::NAN),
            _ => Err(E::invalid_value(Unexpected::Str(text), &self)),
        }
    }
}
