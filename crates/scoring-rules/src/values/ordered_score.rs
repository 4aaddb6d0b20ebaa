use crate::{error::Error, values::checked_number::checked_number};

/// A finite number that ranks rows, such as a logit or a margin. Higher means that success is more
/// likely.
///
/// Measures that depend on ranks only, such as AUROC, take these scores as well as probabilities.
/// Converting the scores to probabilities first would create ties: the logits 40 and 41 both
/// round to the probability 1. In JSON a score is its number.
///
/// ```
/// use scoring_rules::{Error, OrderedScore};
///
/// let logit = OrderedScore::new(-3.5)?;
/// assert_eq!(logit.get(), -3.5);
/// assert!(logit < OrderedScore::new(40.0)?);
/// assert!(matches!(OrderedScore::new(f64::NAN), Err(Error::NotFinite { .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct OrderedScore(f64);

checked_number!(OrderedScore);

impl OrderedScore {
    /// Creates a score from a number. Negative zero becomes zero.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] for NaN and for an infinite number.
    pub const fn new(value: f64) -> Result<Self, Error> {
        if value.is_finite() {
            Ok(Self(value + 0.0))
        } else {
            Err(Error::NotFinite { what: "the score", value })
        }
    }

    /// Returns the number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Bits that are in the order of the scores.
    pub(crate) const fn bits(self) -> u64 {
        let bits = self.0.to_bits();
        // Negative numbers come first, in reverse.
        if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
    }

    /// The score with these [bits](Self::bits).
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_in_the_order_of_the_scores_and_convert_back() {
        let rising = [f64::MIN, -40.0, -1.0, -5e-324, 0.0, 5e-324, 0.5, 40.0, f64::MAX];
        let scores = rising.map(|value| OrderedScore::new(value).unwrap());
        assert!(scores.is_sorted_by(|a, b| a < b && a.bits() < b.bits()));
        assert_eq!(scores.map(|score| OrderedScore::from_bits(score.bits())), scores);
        let negative_zero = OrderedScore::new(-0.0).unwrap();
        assert_eq!(negative_zero.bits(), OrderedScore::new(0.0).unwrap().bits());
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = OrderedScore::new(value).unwrap_err();
            assert!(matches!(error, Error::NotFinite { what: "the score", .. }), "{error}");
        }
    }
}
