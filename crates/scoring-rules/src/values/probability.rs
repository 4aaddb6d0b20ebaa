use bytemuck::TransparentWrapper;

use crate::{
    error::Error,
    values::checked_number::{Checked, checked_number, first_invalid},
};

/// A probability: a number in [0, 1], checked once.
///
/// Functions that take a `Probability` do not check it again. A slice of numbers is viewed as a
/// slice of probabilities without a copy. In JSON a probability is its number.
///
/// ```
/// use scoring_rules::{Error, Probability};
///
/// let p = Probability::new(0.25)?;
/// assert_eq!(p.get(), 0.25);
/// assert_eq!(p.complement().get(), 0.75);
///
/// let stream = [0.5, 0.7, 0.9];
/// let forecasts = Probability::from_slice(&stream)?;
/// assert_eq!(forecasts[2].get(), 0.9);
///
/// let error = Probability::from_slice(&[0.5, 1.2]).unwrap_err();
/// assert!(matches!(error, Error::NotAProbabilityAt { index: 1, value: 1.2, .. }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, TransparentWrapper)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
#[repr(transparent)]
pub struct Probability(Checked);

checked_number!(Probability);

const fn is_probability(value: f64) -> bool {
    value >= 0.0 && value <= 1.0
}

impl Probability {
    /// Zero: the event is certain not to happen.
    pub const ZERO: Self = Self(Checked(0.0));
    /// One half.
    pub const HALF: Self = Self(Checked(0.5));
    /// One: the event is certain to happen.
    pub const ONE: Self = Self(Checked(1.0));

    /// Creates a probability from a number.
    ///
    /// # Errors
    ///
    /// [`Error::NotAProbability`] for NaN and for a number outside [0, 1].
    pub const fn new(value: f64) -> Result<Self, Error> {
        if is_probability(value) {
            Ok(Self(Checked(value)))
        } else {
            Err(Error::NotAProbability { value })
        }
    }

    /// Checks that all numbers of a slice are probabilities, and views the slice as probabilities without a copy.
    ///
    /// # Errors
    ///
    /// [`Error::NotAProbabilityAt`] with the first entry that is NaN or outside [0, 1].
    pub fn from_slice(values: &[f64]) -> Result<&[Self], Error> {
        match first_invalid(values, is_probability) {
            None => Ok(Self::wrap_slice(Checked::wrap_slice(values))),
            Some(index) => Err(Error::NotAProbabilityAt { index, value: values[index] }),
        }
    }

    /// Views probabilities as plain numbers, without a copy. Unlike [`get`](Self::get), the view
    /// shows a zero with the sign with which it was given.
    ///
    /// ```
    /// use scoring_rules::Probability;
    ///
    /// assert_eq!(Probability::as_f64_slice(&[Probability::HALF]), &[0.5]);
    /// ```
    #[must_use]
    pub fn as_f64_slice(probabilities: &[Self]) -> &[f64] {
        Checked::peel_slice(Self::peel_slice(probabilities))
    }

    /// Returns the number, in [0, 1]. Never negative zero.
    #[must_use]
    #[inline]
    pub const fn get(self) -> f64 {
        self.0.0 + 0.0
    }

    /// Returns the probability of the complementary event, `1 - p`, rounded once.
    #[must_use]
    #[inline]
    pub const fn complement(self) -> Self {
        Self(Checked(1.0 - self.0.0))
    }

    /// The bits of the number. They are in the order of the probabilities, and the two highest bits
    /// are 0.
    #[inline]
    pub(crate) const fn bits(self) -> u64 {
        self.get().to_bits()
    }

    /// The probability with these [bits](Self::bits), which must come from a probability.
    #[inline]
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(Checked(f64::from_bits(bits)))
    }
}
