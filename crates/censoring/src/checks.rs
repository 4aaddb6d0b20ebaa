//! Checks of input that several functions share.

use crate::error::Error;

/// Whether a score is from -1e100 to 1e100, so that its products with weights cannot overflow.
pub(crate) fn can_be_averaged(score: f64) -> bool {
    (-1e100..=1e100).contains(&score)
}

/// Checks that two arguments have the same length.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}
