//! Checks of arguments.

use crate::error::Error;

/// Checks that an argument has the expected length.
pub(crate) fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// Checks that all numbers are finite.
pub(crate) fn all_finite(what: &'static str, values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFiniteAt { what, index, value: values[index] }),
    }
}

/// Checks the order of numbers by a comparison of neighbours.
pub(crate) fn ascending<T: Copy + Into<f64>>(
    what: &'static str,
    values: &[T],
    ascends: impl Fn(&T, &T) -> bool,
) -> Result<(), Error> {
    match values.windows(2).position(|pair| !ascends(&pair[0], &pair[1])) {
        None => Ok(()),
        Some(i) => Err(Error::OutOfOrder {
            what,
            index: i + 1,
            before: values[i].into(),
            value: values[i + 1].into(),
        }),
    }
}
