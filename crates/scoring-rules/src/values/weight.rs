use std::{cmp::Ordering, fmt};

use bytemuck::TransparentWrapper;

use crate::error::Error;

/// The checked number. It is private, so that no other module can make one; see
/// [`Probability`](crate::Probability), which is made in the same way.
#[derive(Clone, Copy, PartialEq, TransparentWrapper)]
#[repr(transparent)]
struct Checked(f64);

/// The weight of a row: 0, or a number from 1e-100 to 1e100. Checked once.
///
/// A row of weight 2 counts as the row given twice, and a row of weight 0 leaves no trace. The range
/// is wide enough for any real weight and narrow enough that products and sums of weights and
/// ordinary scores stay within the range of finite numbers. A slice of numbers becomes a slice of
/// weights without a copy. In JSON a weight is its number.
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
/// assert_eq!(error, Error::WeightAt { index: 1, value: -1.0 });
/// assert_eq!(error.to_string(), "row 1: weight is -1; weights must be 0 or from 1e-100 to 1e100");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, TransparentWrapper)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
#[repr(transparent)]
pub struct Weight(Checked);

impl Weight {
    /// Zero: the row leaves no trace.
    pub const ZERO: Self = Self(Checked(0.0));
    /// One: the weight of every row where no weights are given.
    pub const ONE: Self = Self(Checked(1.0));

    /// Checks one number.
    ///
    /// # Errors
    ///
    /// [`Error::Weight`] unless the number is 0 or from 1e-100 to 1e100.
    pub const fn new(value: f64) -> Result<Self, Error> {
        // Written so that a NaN falls into the error arm.
        if value == 0.0 || (value >= 1e-100 && value <= 1e100) {
            Ok(Self(Checked(value)))
        } else {
            Err(Error::Weight { value })
        }
    }

    /// Checks a slice and views it as weights, without a copy.
    ///
    /// # Errors
    ///
    /// [`Error::WeightAt`] with the first entry that is not 0 and not from 1e-100 to 1e100.
    pub fn from_slice(values: &[f64]) -> Result<&[Self], Error> {
        match values.iter().position(|&value| Self::new(value).is_err()) {
            None => Ok(Self::wrap_slice(Checked::wrap_slice(values))),
            Some(index) => Err(Error::WeightAt { index, value: values[index] }),
        }
    }

    /// Views weights as plain numbers, without a copy. A negative zero stays negative.
    ///
    /// ```
    /// use scoring_rules::Weight;
    ///
    /// assert_eq!(Weight::as_f64_slice(&[Weight::ONE, Weight::ZERO]), &[1.0, 0.0]);
    /// ```
    #[must_use]
    pub fn as_f64_slice(weights: &[Self]) -> &[f64] {
        Checked::peel_slice(Self::peel_slice(weights))
    }

    /// The number: 0, or from 1e-100 to 1e100. Never negative zero.
    #[must_use]
    #[inline]
    pub const fn get(self) -> f64 {
        self.0.0 + 0.0
    }
}

impl Default for Weight {
    /// One.
    fn default() -> Self {
        Self::ONE
    }
}

impl Eq for Weight {}

impl Ord for Weight {
    fn cmp(&self, other: &Self) -> Ordering {
        // No NaN is ever inside, so a comparison always has an answer.
        self.get().partial_cmp(&other.get()).unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Weight {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.get(), f)
    }
}

impl fmt::Display for Weight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.get(), f)
    }
}

impl TryFrom<f64> for Weight {
    type Error = Error;

    fn try_from(value: f64) -> Result<Self, Error> {
        Self::new(value)
    }
}

/// A number of copies is a weight.
impl From<u32> for Weight {
    fn from(copies: u32) -> Self {
        Self(Checked(copies.into()))
    }
}

impl From<Weight> for f64 {
    fn from(weight: Weight) -> Self {
        weight.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_weight_is_zero_or_from_1e_minus_100_to_1e100() {
        for value in [0.0, -0.0, 1e-100, 1.0, 1e100] {
            assert_eq!(Weight::new(value).map(Weight::get), Ok(value), "{value:e}");
        }
        for value in [
            -1e-300,
            f64::MIN_POSITIVE,
            1e-100_f64.next_down(),
            1e100_f64.next_up(),
            -1.0,
            f64::INFINITY,
            f64::NEG_INFINITY,
        ] {
            assert_eq!(Weight::new(value), Err(Error::Weight { value }));
        }
        let nan = Weight::new(f64::NAN);
        assert!(matches!(nan, Err(Error::Weight { value }) if value.is_nan()), "{nan:?}");
    }

    #[test]
    fn the_first_bad_entry_of_a_slice_is_named() {
        for value in [-1.0, f64::INFINITY, 1e101, 1e-101] {
            let error = Weight::from_slice(&[1.0, 0.0, value, -7.0]).unwrap_err();
            assert_eq!(error, Error::WeightAt { index: 2, value });
        }
        let error = Weight::from_slice(&[f64::NAN]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "row 0: weight is NaN; weights must be 0 or from 1e-100 to 1e100"
        );
    }

    #[test]
    fn a_slice_is_viewed_not_copied() {
        let values = [0.0, 0.3, 2.0];
        let view = Weight::from_slice(&values).unwrap();
        assert_eq!(view.as_ptr().cast::<f64>(), values.as_ptr());
        assert_eq!(Weight::as_f64_slice(view), values);
    }

    #[test]
    fn a_weight_is_shown_as_its_number_and_zero_without_a_sign() {
        let zero = Weight::new(-0.0).unwrap();
        assert_eq!((zero.to_string(), format!("{zero:?}")), ("0".into(), "0.0".into()));
        assert!(zero == Weight::ZERO && zero < Weight::ONE);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn json_is_checked_as_new_checks() {
        assert_eq!(serde_json::from_str::<Weight>("0.25").unwrap().get(), 0.25);
        let message = serde_json::from_str::<Weight>("-1.0").unwrap_err().to_string();
        assert!(message.contains("weight is -1; weights must be 0 or"), "{message}");
        assert_eq!(serde_json::to_string(&Weight::ONE).unwrap(), "1.0");
    }
}
