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
/// assert_eq!(error, Error::NotAProbabilityAt { index: 1, value: 1.2 });
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

    /// Checks one number.
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

    /// Checks a slice and views it as probabilities, without a copy.
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

    /// The number, in [0, 1]. Never negative zero.
    #[must_use]
    #[inline]
    pub const fn get(self) -> f64 {
        self.0.0 + 0.0
    }

    /// The probability of the complementary event, `1 - p`, rounded once.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_outside_0_to_1_are_refused() {
        for value in [-1e-300, 1.0 + f64::EPSILON, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Probability::new(value), Err(Error::NotAProbability { value }));
        }
        assert!(matches!(
            Probability::new(f64::NAN),
            Err(Error::NotAProbability { value }) if value.is_nan()
        ));
    }

    #[test]
    fn the_first_invalid_entry_of_a_slice_is_named_at_any_position() {
        for n in [1, 63, 64, 65, 130] {
            for (bad, wrong) in
                (0..n).flat_map(|bad| [f64::NAN, -1e-300, 1.5].map(|wrong| (bad, wrong)))
            {
                let mut values = vec![0.5; n];
                values[bad] = wrong;
                if bad + 1 < n {
                    values[n - 1] = 7.0;
                }
                match Probability::from_slice(&values) {
                    Err(Error::NotAProbabilityAt { index, value }) => {
                        assert_eq!(index, bad);
                        assert_eq!(value.to_bits(), wrong.to_bits());
                    }
                    other => panic!("{other:?}"),
                }
            }
        }
    }

    #[test]
    fn a_slice_is_viewed_not_copied() {
        let values = [0.0, 0.3, 1.0];
        let view = Probability::from_slice(&values).unwrap();
        assert_eq!(view.as_ptr().cast::<f64>(), values.as_ptr());
        assert_eq!(Probability::as_f64_slice(view), values);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn json_is_checked_as_new_checks() {
        assert_eq!(serde_json::from_str::<Probability>("0.25").unwrap().get(), 0.25);
        let message = serde_json::from_str::<Probability>("1.2").unwrap_err().to_string();
        assert!(message.contains("1.2 is not a probability"), "{message}");
        assert_eq!(serde_json::to_string(&Probability::HALF).unwrap(), "0.5");
    }

    #[test]
    fn a_probability_is_shown_as_its_number_and_zero_without_a_sign() {
        let [zero, quarter] = [-0.0, 0.25].map(|value| Probability::new(value).unwrap());
        assert_eq!((zero.to_string(), format!("{zero:?}")), ("0".into(), "0.0".into()));
        assert_eq!((quarter.to_string(), format!("{quarter:?}")), ("0.25".into(), "0.25".into()));
    }
}
