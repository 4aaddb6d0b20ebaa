//! Numbers of which some are missing. Any number that is not finite marks a missing one and is stored as `null`, which is
//! read as minus infinity.

use serde::{Deserialize, Deserializer, Serializer};

pub(crate) fn serialize<S: Serializer>(rows: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(rows.iter().map(|x| x.is_finite().then_some(*x)))
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<f64>, D::Error> {
    let rows = Vec::<Option<f64>>::deserialize(deserializer)?;
    Ok(rows.into_iter().map(|x| x.unwrap_or(f64::NEG_INFINITY)).collect())
}
