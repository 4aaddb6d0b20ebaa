//! Checks that several functions make at their door.

use crate::error::Error;

/// Whether every product with a weight and an inverse probability, and every sum of such products,
/// is finite.
pub(crate) fn can_be_averaged(score: f64) -> bool {
    // A NaN is in no range.
    (-1e100..=1e100).contains(&score)
}

/// Checks that two arguments that belong together have the same length.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}
