//! Checks that several functions make at their door.

use crate::Error;

/// That two arguments which go together have one length.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// That a weight is 0 or far from the ends of numbers, so that products of it and of usual scores
/// do not reach them. A NaN is in no range.
#[inline]
pub(crate) fn is_weight(value: f64) -> bool {
    value == 0.0 || (1e-100..=1e100).contains(&value)
}

/// The same of the weight of a row.
#[inline]
pub(crate) fn weight_of_row(row: usize, value: f64) -> Result<(), Error> {
    if is_weight(value) { Ok(()) } else { Err(Error::WeightAt { index: row, value }) }
}

/// The same of the weights of all rows.
pub(crate) fn weights_of_rows(weights: &[f64]) -> Result<(), Error> {
    weights.iter().enumerate().try_for_each(|(row, &weight)| weight_of_row(row, weight))
}
