//! Checks that several functions make at their door. A NaN is in no range.

use crate::error::Error;

/// Nothing above this is taken for a cost, so that no sum or product leaves the range of numbers.
pub(crate) const MOST: f64 = 1e100;

/// That two arguments which go together have one length.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// Whether this can be spent, or be a cap.
#[inline]
pub(crate) fn is_amount(value: f64) -> bool {
    (0.0..=MOST).contains(&value)
}

/// That a setting is above 0, and no more than can be spent.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value <= MOST {
        Ok(())
    } else {
        Err(Error::Setting { name, value, range: "above 0 and at most 1e100" })
    }
}
