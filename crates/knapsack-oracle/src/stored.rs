//! Reading stored results: the checks that what was computed passes by itself.

/// Implements `Deserialize` for a record by its fields and a check of what was read.
macro_rules! checked_when_read {
    ($type:ident { $($field:ident: $kind:ty),* $(,)? }, $check:expr) => {
        #[cfg(feature = "serde")]
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let check: fn(&Self) -> Result<(), &'static str> = $check;
                #[derive(serde::Deserialize)]
                struct Stored {
                    $($field: $kind),*
                }
                let Stored { $($field),* } = Stored::deserialize(deserializer)?;
                let read = Self { $($field),* };
                check(&read).map_err(serde::de::Error::custom)?;
                Ok(read)
            }
        }
    };
}

pub(crate) use checked_when_read;

/// `Ok` if something holds, else what is wrong.
#[cfg(feature = "serde")]
pub(crate) const fn must(holds: bool, wrong: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(wrong) }
}

/// Whether positions are in ascending order, none twice.
#[cfg(feature = "serde")]
pub(crate) fn ascending(positions: &[usize]) -> bool {
    positions.is_sorted_by(|a, b| a < b)
}

/// Whether a number is finite and at least 0.
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
    Err(serde::de::Error::custom(format_args!("{value} is not a finite number of at least 0")))
}

/// Writes one number for each resource.
#[cfg(feature = "serde")]
pub(crate) fn as_list<S: serde::Serializer>(
    numbers: &[u64],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(numbers)
}

/// Reads one number for each resource.
#[cfg(feature = "serde")]
pub(crate) fn from_list<'de, D: serde::Deserializer<'de>, const R: usize>(
    deserializer: D,
) -> Result<[u64; R], D::Error> {
    let numbers = <Vec<u64> as serde::Deserialize>::deserialize(deserializer)?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| {
        serde::de::Error::custom(format_args!("there are {found} numbers for {R} resources"))
    })
}
