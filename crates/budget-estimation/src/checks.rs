//! Range checks that several functions share. NaN fails all of them.

pub(crate) use scoring_rules::checks::{same_length, setting};

#[cfg(feature = "serde")]
use crate::error::Error;

/// The largest cost, so that sums and products of costs do not overflow.
pub(crate) const MOST: f64 = 1e100;

/// Returns whether a number is a valid cost or cap.
#[inline]
pub(crate) fn is_amount(value: f64) -> bool {
    (0.0..=MOST).contains(&value)
}

/// Checks that a setting is above 0 and at most the largest cost.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), scoring_rules::Error> {
    setting(name, value, value > 0.0 && value <= MOST, "above 0 and at most 1e100")
}

/// Returns an error unless a stored value has the property that all values of its type have in this crate.
#[cfg(feature = "serde")]
pub(crate) fn stored(valid: bool, problem: &'static str) -> Result<(), Error> {
    if valid { Ok(()) } else { Err(scoring_rules::Error::StoredValue { problem }.into()) }
}
