use std::{cmp::Ordering, fmt};

use crate::error::Error;

/// A finite number that ranks rows: a logit, a margin, any score that is higher where success is
/// claimed to be more likely.
///
/// What depends on ranks only, such as AUROC, is defined for such scores as it is for
/// probabilities. Squeezing them into [0, 1] first would merge large ones: the probabilities of the
/// logits 40 and 41 are both 1 in a machine.
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

impl OrderedScore {
    /// Checks one number. Negative zero becomes zero.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] for a NaN and for an infinite number.
    pub const fn new(value: f64) -> Result<Self, Error> {
        if value.is_finite() {
            Ok(Self(value + 0.0))
        } else {
            Err(Error::NotFinite { what: "score", value })
        }
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Bits in the order of the numbers.
    pub(crate) const fn bits(self) -> u64 {
        let bits = self.0.to_bits();
        // Negative numbers in reverse, below all others.
        if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
    }

    /// The score that has these [bits](Self::bits).
    pub(crate) const fn from_bits(bits: u64) -> Self {
        Self(f64::from_bits(if bits >> 63 == 1 { bits & !(1 << 63) } else { !bits }))
    }
}

// No score is a NaN.
impl Eq for OrderedScore {}

impl PartialOrd for OrderedScore {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OrderedScore {
    fn cmp(&self, other: &Self) -> Ordering {
        // There is no negative zero.
        self.0.total_cmp(&other.0)
    }
}

impl fmt::Debug for OrderedScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for OrderedScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl TryFrom<f64> for OrderedScore {
    type Error = Error;

    fn try_from(value: f64) -> Result<Self, Error> {
        Self::new(value)
    }
}

impl From<OrderedScore> for f64 {
    fn from(score: OrderedScore) -> Self {
        score.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_in_the_order_of_the_numbers_and_go_back() {
        let rising = [f64::MIN, -40.0, -1.0, -5e-324, 0.0, 5e-324, 0.5, 40.0, f64::MAX];
        let scores = rising.map(|value| OrderedScore::new(value).unwrap());
        assert!(scores.is_sorted_by(|a, b| a < b && a.bits() < b.bits()));
        assert_eq!(scores.map(|score| OrderedScore::from_bits(score.bits())), scores);
        let negative_zero = OrderedScore::new(-0.0).unwrap();
        assert_eq!(negative_zero.bits(), OrderedScore::new(0.0).unwrap().bits());
        for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let error = OrderedScore::new(value).unwrap_err();
            assert!(matches!(error, Error::NotFinite { what: "score", .. }), "{error}");
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn a_stored_score_is_read_through_the_same_door() {
        assert_eq!(serde_json::from_str::<OrderedScore>("-3.5").unwrap().get(), -3.5);
        assert!(serde_json::from_str::<OrderedScore>("null").is_err());
    }
}
