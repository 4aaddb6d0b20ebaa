//! The stored form of a number that may be infinite: a number, or `"inf"` or `"-inf"`, for which JSON
//! has no numbers.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A number that is not NaN.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredNumber(pub(crate) f64);

impl Serialize for StoredNumber {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f64(self.0)
        } else {
            serializer.collect_str(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for StoredNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Stored {
            Number(f64),
            Name(String),
        }

        match Stored::deserialize(deserializer)? {
            Stored::Number(value) if !value.is_nan() => Ok(Self(value)),
            Stored::Name(name) if name == "inf" => Ok(Self(f64::INFINITY)),
            Stored::Name(name) if name == "-inf" => Ok(Self(f64::NEG_INFINITY)),
            _ => Err(D::Error::custom("give a number, \"inf\" or \"-inf\"")),
        }
    }
}
