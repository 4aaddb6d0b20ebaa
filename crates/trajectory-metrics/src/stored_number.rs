//! The stored form of a number that need not be finite: a number where it is, else one of the texts
//! `inf`, `-inf` and `NaN`, which JSON has no numbers for.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A number, or the name of one that JSON cannot write as a number.
#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Stored {
    Finite(f64),
    Named(String),
}

pub(crate) fn serialize<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    if value.is_finite() { serializer.serialize_f64(*value) } else { serializer.collect_str(value) }
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    match Stored::deserialize(deserializer)? {
        Stored::Finite(value) => Ok(value),
        Stored::Named(name) => match name.as_str() {
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "NaN" => Ok(f64::NAN),
            _ => Err(D::Error::custom(format!(
                "{name:?} is not a number; give a number, \"inf\", \"-inf\" or \"NaN\""
            ))),
        },
    }
}
