//! Checks that several functions make at their door.

use crate::error::Error;

/// That two arguments which go together have one length.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}
