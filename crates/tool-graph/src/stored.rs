//! Deserialization of types whose fields must satisfy a rule.

/// Implements `Deserialize` by reading the listed fields and then running the check, whose error
/// names the violated rule. Unknown and repeated fields are errors.
macro_rules! checked {
    (struct $stored:ident for $type:ident = $name:tt, $check:path, {
        $($(#[$attribute:meta])* $field:ident: $kind:ty,)*
    }) => {
        /// The stored fields, private so that they are never read unchecked.
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

/// Returns the message as an error unless the rule holds.
pub(crate) fn rule(holds: bool, rule: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(rule) }
}

/// Whether the value can be a sum of costs.
pub(crate) fn is_cost(cost: f64) -> bool {
    cost >= 0.0 && cost.is_finite()
}
