//! Infinite numbers that mark missing values, stored as `null`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An amount without a cap: plus infinity.
pub(crate) mod cap {
    use super::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(cap: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        cap.is_finite().then_some(cap).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(deserializer)?.unwrap_or(f64::INFINITY))
    }
}

/// Rows of features: minus infinity, as `PrefixFeatures::MISSING`.
pub(crate) mod features {
    use super::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(rows: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(rows.iter().map(|x| x.is_finite().then_some(*x)))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<f64>, D::Error> {
        let rows = Vec::<Option<f64>>::deserialize(deserializer)?;
        Ok(rows.into_iter().map(|x| x.unwrap_or(f64::NEG_INFINITY)).collect())
    }
}
