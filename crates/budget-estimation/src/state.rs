//! The learnt state of an estimator, and memory that later calls reuse.

/// Reusable memory that is not part of the state. All instances compare equal, and none is stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<T>(pub(crate) T);

impl<T> PartialEq for Scratch<T> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// A learnt state. It is stored with a fingerprint of its content, and read only if the two fit, so that its parts
/// always belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Sealed<T>(pub(crate) T);

#[cfg(feature = "serde")]
mod stored {
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

    use super::Sealed;
    use crate::fingerprint::fingerprint;

    #[derive(Deserialize, Serialize)]
    #[serde(deny_unknown_fields)]
    struct Stored<T> {
        state: T,
        fingerprint: u64,
    }

    impl<T: Serialize> Serialize for Sealed<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let fingerprint = fingerprint(&self.0).map_err(ser::Error::custom)?;
            Stored { state: &self.0, fingerprint }.serialize(serializer)
        }
    }

    impl<'de, T: Serialize + Deserialize<'de>> Deserialize<'de> for Sealed<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let stored = Stored::<T>::deserialize(deserializer)?;
            if fingerprint(&stored.state).is_ok_and(|found| found == stored.fingerprint) {
                return Ok(Self(stored.state));
            }
            let problem = "the state was changed after it was written";
            Err(de::Error::custom(scoring_rules::checks::stored_value(problem)))
        }
    }
}
