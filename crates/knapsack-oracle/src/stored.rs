//! The stored form of values, and the checks of values that are read from storage.

/// Returns `Ok` if the condition holds, and the message otherwise.
#[cfg(feature = "serde")]
pub(crate) const fn must(condition: bool, message: &'static str) -> Result<(), &'static str> {
    if condition { Ok(()) } else { Err(message) }
}
