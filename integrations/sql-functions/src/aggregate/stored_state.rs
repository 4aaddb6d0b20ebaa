use datafusion_common::{DataFusionError, Result};
use serde::{Serialize, de::DeserializeOwned};

use crate::specification::Specification;

/// A state as JSON. Numbers keep their bits, and the library checks what it reads.
pub(crate) fn write_json(specification: Specification, state: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(state).map_err(|error| invalid(specification, error))
}

/// The state of [`write_json`].
pub(crate) fn read_json<T: DeserializeOwned>(
    specification: Specification,
    bytes: &[u8],
) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|error| invalid(specification, error))
}

/// The error of a state that cannot be written or read.
pub(crate) fn invalid(
    specification: Specification,
    problem: impl std::fmt::Display,
) -> DataFusionError {
    specification.failed(format_args!("a stored state is invalid: {problem}"))
}
