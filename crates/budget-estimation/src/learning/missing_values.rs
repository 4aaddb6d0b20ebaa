//! Missing values as `null`, which JSON has no number for.

use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<S: Serializer>(values: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(values.iter().map(|x| x.is_finite().then_some(*x)))
}

pub(super) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<f64>, D::Error> {
    let values = Vec::<Option<f64>>::deserialize(deserializer)?;
    Ok(values.into_iter().map(|x| x.unwrap_or(f64::NEG_INFINITY)).collect())
}
