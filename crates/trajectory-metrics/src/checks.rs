//! Checks of input and of results that several modules share.

pub(crate) use scoring_rules::checks::{all_finite, entries, same_length, setting};
use scoring_rules::checks::{at_least, entry, not_finite};

use crate::error::Error;

/// Checks that there are at least two rows or clusters to resample. Every resample of a single one is
/// the same, and its lack of spread would look like certainty.
pub(crate) fn at_least_two(what: &'static str, found: usize) -> Result<(), Error> {
    Ok(at_least(what, 2, found)?)
}

/// Checks that a result has not overflowed.
pub(crate) fn finite(what: &'static str, value: f64) -> Result<f64, Error> {
    if value.is_finite() { Ok(value) } else { Err(not_finite(what, value).into()) }
}

/// The largest size of a value that is averaged. Products of weights and values, and squares of
/// values, then stay in the range of `f64`.
pub(crate) const MAX_VALUE: f64 = 1e100;
const BOUNDED: &str = "from -1e100 to 1e100";

/// Checks that every value is a number of at most [`MAX_VALUE`] in size.
pub(crate) fn bounded(what: &'static str, values: &[f64]) -> Result<(), Error> {
    let is_valid = |value: &f64| (-MAX_VALUE..=MAX_VALUE).contains(value);
    Ok(entries(what, values, is_valid, BOUNDED)?)
}

/// The error for a value that is NaN or larger than [`MAX_VALUE`] in size.
pub(crate) fn too_large(what: &'static str, index: usize, value: f64) -> Error {
    entry(what, index, value, BOUNDED).into()
}
