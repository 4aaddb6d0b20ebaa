//! Checks that several functions make at their door.

use crate::error::Error;

/// Whether no product with a weight and its inverse chance, nor a sum of those, leaves the range of
/// numbers.
pub(crate) fn can_be_averaged(score: f64) -> bool {
    // A NaN is in no range.
    (-1e100..=1e100).contains(&score)
}

/// That two arguments which go together have one length.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}
