//! The serialized form of a number that may be undefined: the number, as in
//! [`stored_number`](crate::stored_number), or `{"undefined": "reason"}`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{error::Error, stored_number::Number};

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Undefined {
    undefined: String,
}

#[derive(Deserialize, Serialize)]
#[serde(untagged)]
enum Stored<T> {
    Undefined(Undefined),
    Defined(T),
}

fn write<T: Serialize, S: Serializer>(
    value: Result<T, &Error>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Ok(value) => Stored::Defined(value),
        Err(error) => Stored::Undefined(Undefined { undefined: error.to_string() }),
    }
    .serialize(serializer)
}

fn read<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Result<T, Error>, D::Error> {
    Ok(match Stored::deserialize(deserializer)? {
        Stored::Defined(value) => Ok(value),
        Stored::Undefined(Undefined { undefined }) => Err(Error::Stored { reason: undefined }),
    })
}

pub(crate) fn serialize<S: Serializer>(
    value: &Result<f64, Error>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    write(value.as_ref().map(|&value| Number(value)), serializer)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Result<f64, Error>, D::Error> {
    Ok(read(deserializer)?.map(|Number(value)| value))
}

/// The serialized form of other results that may be undefined.
pub(crate) mod any {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::error::Error;

    pub(crate) fn serialize<T: Serialize, S: Serializer>(
        value: &Result<T, Error>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        super::write(value.as_ref(), serializer)
    }

    pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Result<T, Error>, D::Error> {
        super::read(deserializer)
    }
}

/// The serialized form of an optional interval that may be undefined.
pub(crate) mod interval {
    use serde::{Deserialize, Deserializer, Serializer};

    use super::Stored;
    use crate::{error::Error, resampling::replicates::BootstrapEstimate};

    type Interval = Option<Result<BootstrapEstimate, Error>>;

    pub(crate) fn serialize<S: Serializer>(
        value: &Interval,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            None => serializer.serialize_none(),
            Some(value) => super::write(value.as_ref(), serializer),
        }
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Interval, D::Error> {
        let stored = Option::<Stored<BootstrapEstimate>>::deserialize(deserializer)?;
        Ok(stored.map(|stored| match stored {
            Stored::Defined(value) => Ok(value),
            Stored::Undefined(why) => Err(Error::Stored { reason: why.undefined }),
        }))
    }
}
