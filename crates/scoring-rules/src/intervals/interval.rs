use std::fmt;

use crate::Error;

/// A forecast of a number by two finite ends, the lower one first. Checked once; the ends belong to
/// it, and both may be the same number.
///
/// ```
/// use scoring_rules::{Error, Interval};
///
/// let interval = Interval::new(2.0, 5.0)?;
/// assert_eq!((interval.low(), interval.high(), interval.width()), (2.0, 5.0, 3.0));
/// assert!(interval.contains(5.0) && !interval.contains(5.1));
///
/// assert_eq!(Interval::new(5.0, 2.0), Err(Error::Reversed { low: 5.0, high: 2.0 }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "(f64, f64)", into = "(f64, f64)"))]
pub struct Interval {
    low: f64,
    high: f64,
}

// No end is a NaN.
impl Eq for Interval {}

impl Interval {
    /// Checks both ends.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] for an end that is a NaN or infinite; [`Error::Reversed`] where the
    /// lower end is above the upper one.
    pub const fn new(low: f64, high: f64) -> Result<Self, Error> {
        if !low.is_finite() {
            return Err(Error::NotFinite { what: "the lower end", value: low });
        }
        if !high.is_finite() {
            return Err(Error::NotFinite { what: "the upper end", value: high });
        }
        if low > high {
            return Err(Error::Reversed { low, high });
        }
        Ok(Self { low, high })
    }

    /// The lower end.
    #[must_use]
    #[inline]
    pub const fn low(self) -> f64 {
        self.low
    }

    /// The upper end.
    #[must_use]
    #[inline]
    pub const fn high(self) -> f64 {
        self.high
    }

    /// From end to end; at least 0. Infinite only where the ends are too far apart for a number.
    #[must_use]
    #[inline]
    pub const fn width(self) -> f64 {
        self.high - self.low
    }

    /// Whether a number lies between the ends or on one of them; a NaN does not.
    #[must_use]
    #[inline]
    pub const fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:?}, {:?}]", self.low, self.high)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.low, self.high)
    }
}

impl TryFrom<(f64, f64)> for Interval {
    type Error = Error;

    fn try_from((low, high): (f64, f64)) -> Result<Self, Error> {
        Self::new(low, high)
    }
}

impl From<Interval> for (f64, f64) {
    fn from(interval: Interval) -> Self {
        (interval.low, interval.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_contains_its_ends_and_what_lies_between_and_nothing_else() {
        let interval = Interval::new(-2.0, 5.0).unwrap();
        for inside in [-2.0, 0.0, 5.0] {
            assert!(interval.contains(inside), "{inside}");
        }
        for outside in [-2.1, 5.1, f64::NEG_INFINITY, f64::INFINITY, f64::NAN] {
            assert!(!interval.contains(outside), "{outside}");
        }
        let point = Interval::new(5.0, 5.0).unwrap();
        assert!(point.contains(5.0) && point.width() == 0.0);
    }

    #[test]
    fn ends_that_are_none_are_refused() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let refused =
                |result, name| matches!(result, Err(Error::NotFinite { what, .. }) if what == name);
            assert!(refused(Interval::new(bad, 1.0), "the lower end"));
            assert!(refused(Interval::new(1.0, bad), "the upper end"));
        }
        assert_eq!(Interval::try_from((2.0, 1.0)), Err(Error::Reversed { low: 2.0, high: 1.0 }));
    }

    #[test]
    fn an_interval_is_shown_and_taken_apart_as_its_two_ends() {
        let interval = Interval::new(2.0, 5.5).unwrap();
        assert_eq!(
            (interval.to_string(), format!("{interval:?}")),
            ("[2, 5.5]".into(), "[2.0, 5.5]".into())
        );
        assert_eq!(<(f64, f64)>::from(interval), (2.0, 5.5));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn json_goes_through_the_same_door() {
        let read = serde_json::from_str::<Interval>("[2.0,5.5]").unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), "[2.0,5.5]");
        let message = serde_json::from_str::<Interval>("[5.5,2.0]").unwrap_err().to_string();
        assert!(message.contains("the interval runs from 5.5 to 2"), "{message}");
    }
}
