//! Checks of input that several functions share.

use crate::error::Error;

/// Whether a score is from -1e100 to 1e100, so that its products with weights cannot overflow.
pub(crate) fn can_be_averaged(score: f64) -> bool {
    (-1e100..=1e100).contains(&score)
}

/// The error for a score that is not from -1e100 to 1e100.
pub(crate) const fn too_large(run: usize, value: f64) -> Error {
    Error::Entry { what: "score of run", index: run, value, range: "from -1e100 to 1e100" }
}

/// The error for a score that is NaN or plus infinity.
pub(crate) const fn no_score(run: usize, value: f64) -> Error {
    Error::Entry { what: "score of run", index: run, value, range: "finite or minus infinity" }
}

/// Checks that two arguments have the same length.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}
