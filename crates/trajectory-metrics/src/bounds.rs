use std::fmt;

use crate::Error;

/// The range of what a number can be, given what is not known. Checked once: no end is a NaN, and
/// the low one is not above the high one; either may be infinite.
///
/// ```
/// use trajectory_metrics::{Bounds, Error};
///
/// let bounds = Bounds::new(0.25, 0.75)?;
/// assert_eq!((bounds.low(), bounds.high()), (0.25, 0.75));
/// assert_eq!((bounds.width(), bounds.known()), (0.5, None));
/// assert_eq!(bounds.to_string(), "[0.25, 0.75]");
/// assert_eq!(Bounds::exact(0.5)?.known(), Some(0.5));
///
/// let reversed = scoring_rules::Error::Reversed { low: 0.75, high: 0.25 };
/// assert_eq!(Bounds::new(0.75, 0.25), Err(reversed.into()));
/// assert!(Bounds::new(f64::NAN, 0.75).is_err());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "StoredBounds", into = "StoredBounds"))]
pub struct Bounds {
    low: f64,
    high: f64,
}

// No end is a NaN.
impl Eq for Bounds {}

#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct StoredBounds {
    #[serde(with = "crate::stored_number")]
    low: f64,
    #[serde(with = "crate::stored_number")]
    high: f64,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredBounds> for Bounds {
    type Error = Error;

    fn try_from(stored: StoredBounds) -> Result<Self, Error> {
        Self::new(stored.low, stored.high)
    }
}

#[cfg(feature = "serde")]
impl From<Bounds> for StoredBounds {
    fn from(Bounds { low, high }: Bounds) -> Self {
        Self { low, high }
    }
}

impl Bounds {
    /// Checks both ends.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for an end that is a NaN; [`Error::ScoringRules`] where the low end is
    /// above the high one.
    pub const fn new(low: f64, high: f64) -> Result<Self, Error> {
        if low.is_nan() {
            Err(Error::Setting { name: "low end", value: low, range: "a number" })
        } else if high.is_nan() {
            Err(Error::Setting { name: "high end", value: high, range: "a number" })
        } else if low > high {
            Err(Error::ScoringRules(scoring_rules::Error::Reversed { low, high }))
        } else {
            Ok(Self { low, high })
        }
    }

    /// Ends that are known to be in order and not NaN.
    pub(crate) const fn in_order(low: f64, high: f64) -> Self {
        Self { low, high }
    }

    /// The bounds of a number that is known: both ends are that number.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for a NaN.
    pub const fn exact(value: f64) -> Result<Self, Error> {
        Self::new(value, value)
    }

    /// The least it can be.
    #[must_use]
    pub const fn low(self) -> f64 {
        self.low
    }

    /// The most it can be.
    #[must_use]
    pub const fn high(self) -> f64 {
        self.high
    }

    /// How far the two are apart: 0 where nothing unknown counts, and where both are infinite.
    #[must_use]
    pub const fn width(self) -> f64 {
        if self.low == self.high { 0.0 } else { self.high - self.low }
    }

    /// The number itself where nothing is unknown that could change it.
    #[must_use]
    pub const fn known(self) -> Option<f64> {
        if self.low == self.high { Some(self.low) } else { None }
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.low, self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_may_be_infinite_and_none_is_a_nan() {
        let below = Bounds::new(f64::NEG_INFINITY, 0.0).unwrap();
        assert_eq!((below.width(), below.known()), (f64::INFINITY, None));
        let impossible = Bounds::exact(f64::NEG_INFINITY).unwrap();
        assert_eq!((impossible.width(), impossible.known()), (0.0, Some(f64::NEG_INFINITY)));
        for (low, high, refused) in [
            (f64::NAN, 0.0, "low end is NaN; it must be a number"),
            (0.0, f64::NAN, "high end is NaN; it must be a number"),
            (f64::NAN, f64::NAN, "low end is NaN; it must be a number"),
            (1.0, 0.0, "the interval runs from 1 to 0; give the lower end first"),
        ] {
            assert_eq!(Bounds::new(low, high).unwrap_err().to_string(), refused);
        }
        assert!(matches!(Bounds::exact(f64::NAN), Err(Error::Setting { .. })));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn both_ends_are_stored_by_name() {
        let json = serde_json::to_string(&Bounds::new(0.25, 0.75).unwrap()).unwrap();
        assert_eq!(json, r#"{"low":0.25,"high":0.75}"#);
        let below = Bounds::new(f64::NEG_INFINITY, 0.0).unwrap();
        let json = serde_json::to_string(&below).unwrap();
        assert_eq!(json, r#"{"low":"-inf","high":0.0}"#);
        assert_eq!(serde_json::from_str::<Bounds>(&json).unwrap(), below);
        for wrong in [r#"{"low":1,"high":0}"#, r#"{"low":"NaN","high":0}"#, r#"{"low":0}"#] {
            assert!(serde_json::from_str::<Bounds>(wrong).is_err(), "{wrong}");
        }
    }
}
