use bytemuck::TransparentWrapper;

use crate::{
    error::Error,
    values::checked_number::{Checked, checked_number, first_invalid},
};

/// The weight of a row: 0, or a number from 1e-100 to 1e100, checked once.
///
/// A row of weight 2 counts as much as two equal rows, and a row of weight 0 does not count. The
/// range is wide enough for any real weight, and narrow enough that sums and products of weights
/// and ordinary scores are finite. A slice of numbers is viewed as a slice of weights without a
/// copy. In JSON a weight is its number.
///
/// ```
/// use scoring_rules::{Error, Weight};
///
/// assert_eq!(Weight::new(2.5)?.get(), 2.5);
/// assert_eq!(Weight::from(3_u32).get(), 3.0);
///
/// let weights = Weight::from_slice(&[2.0, 0.0, 1.0])?;
/// assert_eq!(weights[2], Weight::ONE);
///
/// let error = Weight::from_slice(&[1.0, -1.0]).unwrap_err();
/// assert!(matches!(error, Error::WeightAt { index: 1, value: -1.0, .. }));
/// assert_eq!(error.to_string(), "row 1: weight is -1; weights must be 0 or from 1e-100 to 1e100");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, TransparentWrapper)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
#[repr(transparent)]
pub struct Weight(Checked);

checked_number!(Weight);

const fn is_weight(value: f64) -> bool {
    value == 0.0 || (value >= 1e-100 && value <= 1e100)
}

impl Weight {
    /// Zero: the row has no effect.
    pub const ZERO: Self = Self(Checked(0.0));
    /// One: the weight of every row if no weights are given.
    pub const ONE: Self = Self(Checked(1.0));

    /// Creates a weight from one number.
    ///
    /// # Errors
    ///
    /// [`Error::Weight`] unless the number is 0 or from 1e-100 to 1e100.
    pub const fn new(value: f64) -> Result<Self, Error> {
        if is_weight(value) { Ok(Self(Checked(value))) } else { Err(Error::Weight { value }) }
    }

    /// Checks that all numbers of a slice are weights, and views the slice as weights without a copy.
    ///
    /// # Errors
    ///
    /// [`Error::WeightAt`] with the first entry that is not 0 and not from 1e-100 to 1e100.
    pub fn from_slice(values: &[f64]) -> Result<&[Self], Error> {
        match first_invalid(values, is_weight) {
            None => Ok(Self::wrap_slice(Checked::wrap_slice(values))),
            Some(index) => Err(Error::WeightAt { index, value: values[index] }),
        }
    }

    /// Views weights as plain numbers, without a copy.
    pub(crate) fn as_f64_slice(weights: &[Self]) -> &[f64] {
        Checked::peel_slice(Self::peel_slice(weights))
    }

    /// Returns the number: 0, or from 1e-100 to 1e100. Never negative zero.
    #[must_use]
    #[inline]
    pub const fn get(self) -> f64 {
        self.0.0 + 0.0
    }

    /// The weight with the bits of [`get`](Self::get) of a weight.
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(Checked(f64::from_bits(bits)))
    }
}

impl Default for Weight {
    /// One.
    fn default() -> Self {
        Self::ONE
    }
}

/// Converts a number of copies of a row to the weight of the row.
impl From<u32> for Weight {
    fn from(copies: u32) -> Self {
        Self(Checked(copies.into()))
    }
}
