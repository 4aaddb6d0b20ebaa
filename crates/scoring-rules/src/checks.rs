//! Checks of arguments, and errors, for this crate and for other crates with the same errors. Other crates can make
//! these variants only with these functions, so that a new field breaks no other crate.

use crate::error::Error;

/// Creates an [`Error::Entry`] for a list entry outside its range.
#[must_use]
pub const fn entry(what: &'static str, index: usize, value: f64, range: &'static str) -> Error {
    Error::Entry { what, index, value, range }
}

/// Creates an [`Error::Length`] for an argument of the wrong length.
#[must_use]
pub const fn length(what: &'static str, expected: usize, found: usize) -> Error {
    Error::Length { what, expected, found }
}

/// Creates an [`Error::Undefined`] from a quantity's name with its article, such as "the mean", and a reason.
#[must_use]
pub const fn undefined(name: &'static str, reason: &'static str) -> Error {
    Error::Undefined { name, reason }
}

/// Creates an [`Error::StoredValue`] with this problem.
#[must_use]
pub const fn stored_value(problem: &'static str) -> Error {
    Error::StoredValue { problem }
}

/// Creates an [`Error::NotFinite`] for a number.
#[must_use]
pub const fn not_finite(what: &'static str, value: f64) -> Error {
    Error::NotFinite { what, value }
}

/// Checks that a number, which may be infinite, is not NaN.
///
/// # Errors
///
/// [`Error::NotANumber`] for NaN.
pub const fn not_nan(what: &'static str, value: f64) -> Result<(), Error> {
    if value.is_nan() { Err(Error::NotANumber { what }) } else { Ok(()) }
}

/// Checks that there are at least `least` items.
///
/// # Errors
///
/// [`Error::TooFew`] if there are fewer than `least`.
pub const fn at_least(what: &'static str, least: usize, found: usize) -> Result<(), Error> {
    if found < least { Err(Error::TooFew { what, least, found }) } else { Ok(()) }
}

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
    if expected == found { Ok(()) } else { Err(length(what, expected, found)) }
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
pub const fn setting(
    name: &'static str,
    value: f64,
    is_valid: bool,
    range: &'static str,
) -> Result<(), Error> {
    if is_valid { Ok(()) } else { Err(Error::Setting { name, value, range }) }
}

/// Checks that `is_valid` accepts each number in `values`.
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
        Some(index) => Err(entry(what, index, values[index], range)),
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

/// Checks that numbers ascend: that `ascends` holds for each number and the next one.
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
