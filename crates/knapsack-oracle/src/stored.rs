//! Checks of results that are read from storage.

/// Returns `Ok` if the condition holds, and the message otherwise.
#[cfg(feature = "serde")]
pub(crate) const fn must(condition: bool, message: &'static str) -> Result<(), &'static str> {
    if condition { Ok(()) } else { Err(message) }
}

/// Returns whether positions are strictly ascending.
#[cfg(feature = "serde")]
pub(crate) fn ascending(positions: &[usize]) -> bool {
    positions.is_sorted_by(|a, b| a < b)
}

/// Returns whether a number is finite and at least 0.
#[cfg(feature = "serde")]
pub(crate) fn is_amount(value: f64) -> bool {
    (0.0..=f64::MAX).contains(&value)
}

/// Reads a number that is finite and at least 0.
#[cfg(feature = "serde")]
pub(crate) fn amount<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = <f64 as serde::Deserialize>::deserialize(deserializer)?;
    if is_amount(value) {
        return Ok(value);
    }
    Err(serde::de::Error::custom(format_args!("{value} must be a finite number of at least 0")))
}

/// Writes the numbers of all resources as a list.
#[cfg(feature = "serde")]
pub(crate) fn as_list<S: serde::Serializer>(
    numbers: &[u64],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers)
}

/// Reads the numbers of all resources from a list.
#[cfg(feature = "serde")]
pub(crate) fn from_list<'de, D: serde::Deserializer<'de>, const R: usize>(
    deserializer: D,
) -> Result<[u64; R], D::Error> {
    let numbers = <Vec<u64> as serde::Deserialize>::deserialize(deserializer)?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| {
        serde::de::Error::custom(format_args!("found {found} numbers for {R} resources"))
    })
}
