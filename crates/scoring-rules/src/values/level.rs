use crate::{
    error::Error,
    values::{checked_number::checked_number, probability::Probability},
};

/// A number strictly between 0 and 1: the level of a quantile, the coverage claimed for an
/// interval, a decision threshold or a baseline forecast. In JSON a level is its number.
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

checked_number!(Level);

impl Level {
    /// One half: the level of the median.
    pub const HALF: Self = Self(0.5);

    /// Checks one number.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless the number is above 0 and below 1.
    pub const fn new(value: f64) -> Result<Self, Error> {
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

impl TryFrom<Probability> for Level {
    type Error = Error;

    fn try_from(probability: Probability) -> Result<Self, Error> {
        Self::new(probability.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_constructor_refuses_numbers_that_are_not_strictly_between_0_and_1() {
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
    fn levels_are_ordered_and_shown_as_their_numbers() {
        let [low, high] = [0.25, 0.75].map(|value| Level::new(value).unwrap());
        assert!(low < Level::HALF && Level::HALF < high && low == low.min(high));
        assert_eq!((low.to_string(), format!("{high:?}")), ("0.25".into(), "0.75".into()));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn json_is_checked_as_new_checks() {
        let read = serde_json::from_str::<Level>("0.25").unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), "0.25");
        let message = serde_json::from_str::<Level>("1.0").unwrap_err().to_string();
        assert!(message.contains("it must be above 0 and below 1"), "{message}");
    }
}
