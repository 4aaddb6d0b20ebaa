//! Reading stored values back: the fields first, then the rule that ties them.

/// Reads and writes a type by its fields and refuses what the check refuses.
///
/// The type derives both traits with `remote = "Self"`, which makes functions of the same names
/// that only this uses. The check says which rule the fields break.
macro_rules! checked {
    ($type:ty, $check:path) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, serializer)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = Self::deserialize(deserializer)?;
                $check(&value).map_err(serde::de::Error::custom)?;
                Ok(value)
            }
        }
    };
}
pub(crate) use checked;

/// A broken rule, or nothing.
pub(crate) fn rule(holds: bool, rule: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(rule) }
}

/// Whether this can be a sum of costs.
pub(crate) fn is_cost(cost: f64) -> bool {
    cost >= 0.0 && cost.is_finite()
}
