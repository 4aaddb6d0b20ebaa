use std::{cmp::Ordering, fmt};

use crate::{error::Error, values::probability::Probability};

/// A number strictly between 0 and 1: the level of a quantile, the coverage that an interval
/// claims, a decision threshold or a baseline forecast.
///
/// ```
/// use scoring_rules::{Error, Level};
///
/// let level = Level::new(0.9)?;
/// assert_eq!(level.get(), 0.9);
/// assert!(level > Level::HALF);
/// assert_eq!(level.to_string(), "0.9");
/// assert!(matches!(Level::new(1.0), Err(Error::Setting { name: "level", .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct Level(f64);

impl Level {
    /// One half: the level of the median.
    pub const HALF: Self = Self(0.5);

    /// Checks one number.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless it is above 0 and below 1.
    pub const fn new(value: f64) -> Result<Self, Error> {
        // Written so that a NaN falls into the error arm.
        if value > 0.0 && value < 1.0 {
            Ok(Self(value))
        } else {
            Err(Error::Setting { name: "level", value, range: "above 0 and below 1" })
        }
    }

    /// The number, in (0, 1).
    #[must_use]
    #[inline]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl Eq for Level {}

impl Ord for Level {
    fn cmp(&self, other: &Self) -> Ordering {
        // Neither a NaN nor a zero is ever inside, so this is the order of numbers.
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Level {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl TryFrom<f64> for Level {
    type Error = Error;

    fn try_from(value: f64) -> Result<Self, Error> {
        Self::new(value)
    }
}

impl TryFrom<Probability> for Level {
    type Error = Error;

    fn try_from(probability: Probability) -> Result<Self, Error> {
        Self::new(probability.get())
    }
}

impl From<Level> for f64 {
    fn from(level: Level) -> Self {
        level.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_strictly_between_0_and_1_whatever_it_is_made_of() {
        for value in [0.0, -0.0, 1.0, -0.5, 1.5, f64::NAN, f64::INFINITY] {
            let refused = |level| matches!(level, Err(Error::Setting { name: "level", .. }));
            assert!(refused(Level::new(value)) && refused(Level::try_from(value)), "{value}");
        }
        assert!(Level::try_from(Probability::ONE).is_err());
        assert_eq!(Level::try_from(Probability::HALF), Ok(Level::HALF));
        for value in [0.0_f64.next_up(), 1.0_f64.next_down()] {
            assert_eq!(f64::from(Level::try_from(value).unwrap()), value);
        }
    }

    #[test]
    fn levels_are_in_the_order_of_their_numbers_and_shown_as_them() {
        let [low, high] = [0.25, 0.75].map(|value| Level::new(value).unwrap());
        assert!(low < Level::HALF && Level::HALF < high && low == low.min(high));
        assert_eq!((low.to_string(), format!("{high:?}")), ("0.25".into(), "0.75".into()));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn json_goes_through_the_same_door() {
        let read = serde_json::from_str::<Level>("0.25").unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), "0.25");
        let message = serde_json::from_str::<Level>("1.0").unwrap_err().to_string();
        assert!(message.contains("it must be above 0 and below 1"), "{message}");
    }
}
