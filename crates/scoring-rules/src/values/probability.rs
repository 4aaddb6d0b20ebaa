use std::{cmp::Ordering, fmt};

use bytemuck::TransparentWrapper;

use crate::error::Error;

/// The door's far side: only this module can make one. The derived
/// `Probability: TransparentWrapper<Checked>` is of no use elsewhere, as the compiler refuses a
/// private type in the code of others also where it would be inferred.
#[derive(Clone, Copy, PartialEq, TransparentWrapper)]
#[repr(transparent)]
struct Checked(f64);

/// A number in [0, 1], checked once.
///
/// Holds no NaN and nothing outside the range, so that everything computed from it needs no check
/// of its own. A slice of numbers becomes a slice of probabilities without a copy.
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

impl Probability {
    /// Zero: the event is ruled out.
    pub const ZERO: Self = Self(Checked(0.0));
    /// One half.
    pub const HALF: Self = Self(Checked(0.5));
    /// One: the event is certain.
    pub const ONE: Self = Self(Checked(1.0));

    /// Checks one number.
    ///
    /// # Errors
    ///
    /// [`Error::NotAProbability`] for a NaN and for a number outside [0, 1].
    pub const fn new(value: f64) -> Result<Self, Error> {
        // Written so that a NaN falls into the error arm.
        if value >= 0.0 && value <= 1.0 {
            Ok(Self(Checked(value)))
        } else {
            Err(Error::NotAProbability { value })
        }
    }

    /// Checks a slice and views it as probabilities, without a copy.
    ///
    /// # Errors
    ///
    /// [`Error::NotAProbabilityAt`] with the first entry that is none.
    pub fn from_slice(values: &[f64]) -> Result<&[Self], Error> {
        // A chunk at a time without an early exit inside, which compiles to vector compares.
        for (chunk, entries) in values.chunks(64).enumerate() {
            let ok = entries.iter().fold(true, |ok, v| ok & (*v >= 0.0) & (*v <= 1.0));
            if !ok {
                for (i, &value) in entries.iter().enumerate() {
                    if Self::new(value).is_err() {
                        return Err(Error::NotAProbabilityAt { index: 64 * chunk + i, value });
                    }
                }
            }
        }
        Ok(Self::wrap_slice(Checked::wrap_slice(values)))
    }

    /// Views probabilities as plain numbers, without a copy; a negative zero is still one.
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

    /// The number, in [0, 1]. Never negative zero, which is taken for zero.
    #[must_use]
    #[inline]
    pub const fn get(self) -> f64 {
        self.0.0 + 0.0
    }

    /// The probability of the opposite event, `1 - p`, rounded once.
    #[must_use]
    #[inline]
    pub const fn complement(self) -> Self {
        Self(Checked(1.0 - self.0.0))
    }
}

impl Eq for Probability {}

impl Ord for Probability {
    fn cmp(&self, other: &Self) -> Ordering {
        // No NaN is ever inside, so a comparison always has an answer.
        self.get().partial_cmp(&other.get()).unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Probability {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.get(), f)
    }
}

impl fmt::Display for Probability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.get(), f)
    }
}

impl TryFrom<f64> for Probability {
    type Error = Error;

    fn try_from(value: f64) -> Result<Self, Error> {
        Self::new(value)
    }
}

impl From<Probability> for f64 {
    fn from(probability: Probability) -> Self {
        probability.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_probability_is_refused() {
        for value in [-1e-300, 1.0 + f64::EPSILON, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(Probability::new(value), Err(Error::NotAProbability { value }));
        }
        assert!(matches!(
            Probability::new(f64::NAN),
            Err(Error::NotAProbability { value }) if value.is_nan()
        ));
    }

    #[test]
    fn the_first_bad_entry_of_a_slice_is_named_wherever_it_stands() {
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
    fn json_goes_through_the_same_door() {
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
