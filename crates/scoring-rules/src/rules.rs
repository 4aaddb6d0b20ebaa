//! Rules for yes/no events.

pub(crate) mod any_rule;
pub(crate) mod beta;
pub(crate) mod boosting;
pub(crate) mod brier;
pub(crate) mod log;
pub(crate) mod power;
pub(crate) mod quadrature;
pub(crate) mod sides;
pub(crate) mod smooth;
pub(crate) mod spherical;
pub(crate) mod thresholds;

/// Implements `Serialize` and `Deserialize` for a rule without parameters: its name in snake case.
#[cfg(feature = "serde")]
macro_rules! by_name {
    ($rule:ident) => {
        const _: () = {
            #[derive(serde::Deserialize, serde::Serialize)]
            #[serde(rename_all = "snake_case")]
            enum Written {
                $rule,
            }

            impl serde::Serialize for $rule {
                fn serialize<S: serde::Serializer>(
                    &self,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    Written::$rule.serialize(serializer)
                }
            }

            impl<'de> serde::Deserialize<'de> for $rule {
                fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                    Written::deserialize(from).map(|Written::$rule| $rule)
                }
            }
        };
    };
}
#[cfg(feature = "serde")]
use by_name;
