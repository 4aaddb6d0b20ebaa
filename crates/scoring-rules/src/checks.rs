//! Checks of arguments, for this crate and for other crates with the same errors.

use crate::error::Error;

/// Checks that an argument has the expected length.
///
/// # Errors
///
/// [`Error::Length`] if it has another length.
///
/// # Examples
///
/// ```
/// use scoring_rules::{Error, checks::same_length};
///
/// assert_eq!(same_length("outcomes", 3, 3), Ok(()));
/// assert!(matches!(same_length("outcomes", 3, 2), Err(Error::Length { found: 2, .. })));
/// ```
pub fn same_length(what: &'static str, expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(Error::Length { what, expected, found }) }
}

/// Checks that a setting is in its range.
///
/// # Errors
///
/// [`Error::Setting`] with its name and range if it is outside the range.
///
/// # Examples
///
/// ```
/// use scoring_rules::{Error, checks::setting};
///
/// let ratio = f64::NAN;
/// let checked = setting("ratio", ratio, (0.0..=1.0).contains(&ratio), "from 0 to 1");
/// assert_eq!(checked.unwrap_err().to_string(), "ratio is NaN; it must be from 0 to 1");
/// ```
pub fn setting(
    name: &'static str,
    value: f64,
    is_valid: bool,
    range: &'static str,
) -> Result<(), Error> {
    if is_valid { Ok(()) } else { Err(Error::Setting { name, value, range }) }
}

/// Checks that each number is in a range.
///
/// # Errors
///
/// [`Error::Entry`] with the first number outside the range.
///
/// # Examples
///
/// ```
/// use scoring_rules::{Error, checks::entries};
///
/// let error = entries("time of run", &[0.5, -1.0], |time| *time >= 0.0, "at least 0");
/// assert!(matches!(error, Err(Error::Entry { index: 1, .. })));
/// ```
pub fn entries(
    what: &'static str,
    values: &[f64],
    is_valid: impl Fn(&f64) -> bool,
    range: &'static str,
) -> Result<(), Error> {
    match values.iter().position(|value| !is_valid(value)) {
        None => Ok(()),
        Some(index) => Err(Error::Entry { what, index, value: values[index], range }),
    }
}

/// Checks that all numbers are finite.
///
/// # Errors
///
/// [`Error::NotFiniteAt`] with the first number that is NaN or infinite.
///
/// # Examples
///
/// ```
/// use scoring_rules::{Error, checks::all_finite};
///
/// let error = all_finite("scores", &[0.5, f64::NAN]);
/// assert!(matches!(error, Err(Error::NotFiniteAt { index: 1, .. })));
/// ```
pub fn all_finite(what: &'static str, values: &[f64]) -> Result<(), Error> {
    match values.iter().position(|value| !value.is_finite()) {
        None => Ok(()),
        Some(index) => Err(Error::NotFiniteAt { what, index, value: values[index] }),
    }
}

/// Checks that numbers are in ascending order, by comparing neighbours.
///
/// # Errors
///
/// [`Error::OutOfOrder`] with the first number that may not follow the one before it.
pub fn ascending<T: Copy + Into<f64>>(
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
