use bytemuck::TransparentWrapper;

/// The number inside a [`Probability`](crate::Probability) or a [`Weight`](crate::Weight).
///
/// The type is private to `values`, so that no other module or crate can use the conversions of
/// [`TransparentWrapper`] to make an unchecked value.
#[derive(Clone, Copy, PartialEq, TransparentWrapper)]
#[repr(transparent)]
pub(super) struct Checked(pub(super) f64);

/// Returns the position of the first number that is not valid.
///
/// Chunks are checked without an early exit, which compiles to vector comparisons.
pub(super) fn first_invalid(values: &[f64], valid: impl Fn(f64) -> bool) -> Option<usize> {
    let all_valid = |chunk: &[f64]| chunk.iter().fold(true, |all, &value| all & valid(value));
    let start = 64 * values.chunks(64).position(|chunk| !all_valid(chunk))?;
    let within = values[start..].iter().position(|&value| !valid(value))?;
    Some(start + within)
}

/// Implements order, output and conversions for a number with a checked `new` and with a `get` that
/// returns neither NaN nor negative zero.
macro_rules! checked_number {
    ($type:ident) => {
        impl Eq for $type {}

        impl Ord for $type {
            fn cmp(&self, other: &Self) -> std::cmp::Ordering {
                self.get().partial_cmp(&other.get()).unwrap_or(std::cmp::Ordering::Equal)
            }
        }

        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Debug::fmt(&self.get(), f)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(&self.get(), f)
            }
        }

        impl TryFrom<f64> for $type {
            type Error = crate::error::Error;

            fn try_from(value: f64) -> Result<Self, Self::Error> {
                Self::new(value)
            }
        }

        impl From<$type> for f64 {
            fn from(number: $type) -> Self {
                number.get()
            }
        }
    };
}
pub(super) use checked_number;
