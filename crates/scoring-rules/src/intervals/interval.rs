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
