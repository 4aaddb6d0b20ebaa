//! The serialized form of numbers, and the range checks on reading. Infinite numbers are written as the
//! texts `inf` and `-inf`, because JSON has no infinite numbers.

use scoring_rules::Interval;
pub(crate) use scoring_rules::infinite::{Number, deserialize, serialize};
use serde::{Deserialize, Deserializer, de::Error as _};

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

/// Reads a number from 0 to 1.
pub(crate) fn share<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, "from 0 to 1", |value| (0.0..=1.0).contains(&value))
}

/// Reads an interval within [0, 1].
pub(crate) fn shares<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Interval, D::Error> {
    let interval = Interval::deserialize(deserializer)?;
    if interval.low() >= 0.0 && interval.high() <= 1.0 {
        Ok(interval)
    } else {
        Err(D::Error::custom(format!("found {interval}; give an interval within [0, 1]")))
    }
}

/// Reads a standard error or a weight.
pub(crate) fn not_negative<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, "that is finite and at least 0", |value| {
        (0.0..=f64::MAX).contains(&value)
    })
}

/// Reads a number of clusters.
pub(crate) fn at_least_two<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let count = usize::deserialize(deserializer)?;
    if count >= 2 { Ok(count) } else { Err(D::Error::custom("give at least 2 clusters")) }
}

/// Reads an invalid forecast.
pub(crate) fn outside<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = deserialize(deserializer)?;
    if (0.0..=1.0).contains(&value) {
        return Err(D::Error::custom(format!("found {value}; give a number outside [0, 1]")));
    }
    Ok(value)
}

/// Reads a difference of two shares.
pub(crate) fn difference<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    checked(deserializer, "from -1 to 1", |value| (-1.0..=1.0).contains(&value))
}
