use std::fmt;

use crate::{error::Error, values::probability::Probability};

/// A closed interval from a lower to an upper bound. It is checked once: neither bound is NaN, and the lower bound is
/// not above the upper bound.
///
/// The bounds may be equal, and a bound may be infinite: `[0, inf]` contains all nonnegative numbers.
/// The [`interval_loss`](crate::interval_loss) of an interval with an infinite bound is infinite,
/// unless the outcome has a cap, which replaces the bound. In JSON an interval is the list of its
/// bounds, and an infinite bound is `"inf"` or `"-inf"`.
///
/// ```
/// use scoring_rules::{Error, Interval, Probability};
///
/// let interval = Interval::new(2.0, 5.0)?;
/// assert_eq!((interval.low(), interval.high(), interval.width()), (2.0, 5.0, 3.0));
/// assert!(interval.contains(5.0) && !interval.contains(5.1));
/// assert_eq!(Interval::new(0.0, f64::INFINITY)?.width(), f64::INFINITY);
/// assert!(matches!(Interval::new(5.0, 2.0), Err(Error::Reversed { low: 5.0, high: 2.0, .. })));
///
/// let chance = Interval::new(Probability::new(0.25)?, Probability::new(0.75)?)?;
/// assert_eq!((chance.low().get(), chance.high().get()), (0.25, 0.75));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
pub struct Interval<T = f64> {
    low: T,
    high: T,
}

// Neither bound is NaN.
impl<T: PartialEq> Eq for Interval<T> {}

impl<T: Copy + PartialOrd + Into<f64>> Interval<T> {
    /// Creates the interval between two bounds, which may be infinite.
    ///
    /// # Errors
    ///
    /// [`Error::NotANumber`] if a bound is NaN; [`Error::Reversed`] if the lower bound is above the
    /// upper bound.
    #[inline]
    pub fn new(low: T, high: T) -> Result<Self, Error> {
        let ends: [f64; 2] = [low.into(), high.into()];
        if ends[0] <= ends[1] {
            Ok(Self { low, high })
        } else if ends[0].is_nan() {
            Err(Error::NotANumber { what: "the lower bound" })
        } else if ends[1].is_nan() {
            Err(Error::NotANumber { what: "the upper bound" })
        } else {
            Err(Error::Reversed { low: ends[0], high: ends[1] })
        }
    }
}

impl Interval {
    /// Returns the interval between two numbers, given in either order.
    ///
    /// NaN means an unknown number: if one of the two is NaN, the interval contains all numbers.
    ///
    /// ```
    /// use scoring_rules::Interval;
    ///
    /// assert_eq!(Interval::between(5.0, 2.0), Interval::new(2.0, 5.0)?);
    /// let all = Interval::new(f64::NEG_INFINITY, f64::INFINITY)?;
    /// assert_eq!(Interval::between(5.0, f64::NAN), all);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    #[must_use]
    pub const fn between(a: f64, b: f64) -> Self {
        if a <= b {
            Self { low: a, high: b }
        } else if b <= a {
            Self { low: b, high: a }
        } else {
            Self { low: f64::NEG_INFINITY, high: f64::INFINITY }
        }
    }

    /// Returns the distance between the bounds, at least 0. It is 0 if both bounds are the same
    /// infinity.
    #[must_use]
    #[inline]
    pub const fn width(self) -> f64 {
        if self.low == self.high { 0.0 } else { self.high - self.low }
    }
}

impl Interval<Probability> {
    /// The interval from 0 to 1, which stands for an unknown probability.
    pub const UNKNOWN: Self = Self { low: Probability::ZERO, high: Probability::ONE };
}

impl<T: Copy> Interval<T> {
    /// Returns the lower bound.
    #[must_use]
    #[inline]
    pub const fn low(self) -> T {
        self.low
    }

    /// Returns the upper bound.
    #[must_use]
    #[inline]
    pub const fn high(self) -> T {
        self.high
    }
}

impl<T: Copy + PartialOrd> Interval<T> {
    /// Returns whether the interval, including its bounds, contains a value. No interval contains
    /// NaN.
    #[must_use]
    #[inline]
    pub fn contains(self, value: T) -> bool {
        self.low <= value && value <= self.high
    }
}

impl<T: fmt::Debug> fmt::Debug for Interval<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:?}, {:?}]", self.low, self.high)
    }
}

impl<T: fmt::Display> fmt::Display for Interval<T> {
    /// Both bounds in brackets, with the width, precision and sign of the format.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        self.low.fmt(f)?;
        f.write_str(", ")?;
        self.high.fmt(f)?;
        f.write_str("]")
    }
}

/// Converts a probability to the interval that contains only this probability.
impl From<Probability> for Interval<Probability> {
    fn from(probability: Probability) -> Self {
        Self { low: probability, high: probability }
    }
}

#[cfg(feature = "serde")]
mod json {
    use std::fmt::Display;

    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

    use super::Interval;
    use crate::infinite::Number;

    impl<T: Copy + Into<f64>> Serialize for Interval<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            (Number(self.low.into()), Number(self.high.into())).serialize(serializer)
        }
    }

    impl<'de, T> Deserialize<'de> for Interval<T>
    where
        T: Copy + PartialOrd + Into<f64> + TryFrom<f64, Error: Display>,
    {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            let (low, high) = <(Number, Number)>::deserialize(deserializer)?;
            let end = |Number(value)| T::try_from(value).map_err(D::Error::custom);
            Self::new(end(low)?, end(high)?).map_err(D::Error::custom)
        }
    }
}
