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

fn checked<'de, D: Deserializer<'de>>(
    deserializer: D,
    range: &str,
    fits: impl Fn(f64) -> bool,
) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if fits(value) {
        Ok(value)
    } else {
        Err(D::Error::custom(format!("found {value}; give a number {range}")))
    }
}

/// A number from 0 to 1.
pub(crate) fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, "from 0 to 1", |value| (0.0..=1.0).contains(&value))
}

/// A standard error or a weight.
pub(crate) fn not_negative<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, "that is finite and at least 0", |value| {
        (0.0..=f64::MAX).contains(&value)
    })
}

/// A number of clusters.
pub(crate) fn at_least_two<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let count = usize::deserialize(deserializer)?;
    if count >= 2 { Ok(count) } else { Err(D::Error::custom("give at least 2 clusters")) }
}

/// A forecast that is out of range.
pub(crate) fn outside<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = deserialize(deserializer)?;
    if value.is_nan() || (0.0..=1.0).contains(&value) {
        return Err(D::Error::custom(format!("found {value}; give a number outside [0, 1]")));
    }
    Ok(value)
}

/// A difference of two shares.
pub(crate) fn difference<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, "from -1 to 1", |value| (-1.0..=1.0).contains(&value))
}
