//! The stored form of values, and the checks of values that are read from storage.

/// Returns `Ok` if the condition holds, and the message otherwise.
#[cfg(feature = "serde")]
pub(crate) const fn must(condition: bool, message: &'static str) -> Result<(), &'static str> {
    if condition { Ok(()) } else { Err(message) }
}

/// Writes the numbers of all resources as a list.
#[cfg(feature = "serde")]
pub(crate) fn as_list<S: serde::Serializer>(
    numbers: &[u64],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers)
}
