//! Range checks that several functions share. NaN fails all of them.

use crate::error::Error;

/// The largest cost, so that sums and products of costs do not overflow.
pub(crate) const MOST: f64 = 1e100;

/// The largest stored number of runs: whole numbers up to here are exact in 64-bit floating point, and
/// counting on does not overflow.
#[cfg(feature = "serde")]
pub(crate) const MOST_RUNS: u64 = 1 << 53;

/// Checks that two arguments have the same length.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// Whether a number is a valid cost or cap.
#[inline]
pub(crate) fn is_amount(value: f64) -> bool {
    (0.0..=MOST).contains(&value)
}

/// Checks that a setting is above 0 and at most the largest cost.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    if value > 0.0 && value <= MOST {
        Ok(())
    } else {
        Err(Error::Setting { name, value, range: "above 0 and at most 1e100" })
    }
}
