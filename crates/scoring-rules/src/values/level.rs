use crate::{
    error::Error,
    values::{checked_number::checked_number, probability::Probability},
};

/// A number strictly between 0 and 1: the level of a quantile, the nominal coverage of an interval,
/// a decision threshold or a baseline forecast. In JSON a level is its number.
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
    /// One half, the quantile level of the median.
    pub const HALF: Self = Self(0.5);

    /// Creates a level from a number.
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

    /// Returns the number, in (0, 1).
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
