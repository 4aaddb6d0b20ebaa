//! The serialized form of a result that may be undefined: the result, or `{"undefined": "reason"}`.

use scoring_rules::infinite::Number;
use serde::{Serialize, Serializer};

use crate::error::Error;

#[derive(Serialize)]
#[serde(untagged)]
enum Stored<T> {
    Undefined { undefined: String },
    Defined(T),
}

fn write<T: Serialize, S: Serializer>(
    value: Result<T, &Error>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match value {
        Ok(value) => Stored::Defined(value),
        Err(error) => Stored::Undefined { undefined: error.to_string() },
    }
    .serialize(serializer)
}

/// Writes a number, an infinite one as the text `inf` or `-inf`.
pub(crate) fn serialize<S: Serializer>(
    value: &Result<f64, Error>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    write(value.as_ref().map(|&value| Number(value)), serializer)
}

/// The serialized form of other results that may be undefined.
pub(crate) mod any {
    use serde::{Serialize, Serializer};

    use crate::error::Error;

    pub(crate) fn serialize<T: Serialize, S: Serializer>(
        value: &Result<T, Error>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        super::write(value.as_ref(), serializer)
    }
}

/// The serialized form of an optional interval that may be undefined.
pub(crate) mod interval {
    use serde::Serializer;

    use crate::{error::Error, resampling::replicates::BootstrapEstimate};

    pub(crate) fn serialize<S: Serializer>(
        value: &Option<Result<BootstrapEstimate, Error>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            None => serializer.serialize_none(),
            Some(value) => super::write(value.as_ref(), serializer),
        }
    }
}
