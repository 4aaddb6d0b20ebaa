//! Reading of states that are resumed, with one check after serde's own.

/// Implements `serde::Serialize` and `serde::Deserialize` for a type whose derived ones are its own functions
/// (`#[serde(remote = "Self")]`), and checks what was read. The check may also fill in fields that are not
/// stored.
macro_rules! checked {
    ($type:ident $(<$($parameter:ident),+>)?, $check:expr) => {
        impl $(<$($parameter: serde::Serialize),+>)? serde::Serialize
            for $type $(<$($parameter),+>)?
        {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, serializer)
            }
        }

        impl<'de $($(, $parameter: serde::Deserialize<'de>)+)?> serde::Deserialize<'de>
            for $type $(<$($parameter),+>)?
        {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let mut read = Self::deserialize(deserializer)?;
                $check(&mut read).map_err(serde::de::Error::custom)?;
                Ok(read)
            }
        }
    };
}

pub(crate) use checked;
