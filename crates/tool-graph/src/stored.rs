//! Reading stored values back: the fields first, then the rule that ties them.

/// Reads a type by its fields, all of which are named again, and refuses what the check refuses.
/// The check says which rule the fields break. Unknown and repeated fields are refused.
macro_rules! checked {
    (struct $stored:ident for $type:ident = $name:tt, $check:path, {
        $($(#[$attribute:meta])* $field:ident: $kind:ty,)*
    }) => {
        /// The fields as they are stored; nothing outside this file can read them unchecked.
        #[derive(serde::Deserialize)]
        #[serde(remote = $name, deny_unknown_fields)]
        struct $stored {
            $($(#[$attribute])* $field: $kind,)*
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = $stored::deserialize(deserializer)?;
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
