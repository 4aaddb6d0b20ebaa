use crate::{
    checks::{all_finite, ascending, at_least, same_length},
    error::Error,
    values::level::Level,
};

/// Levels that differ by at most this much count as equal: 0.025 and `(1 - 0.95) / 2` are different
/// numbers.
const SAME_LEVEL: f64 = 1e-12;

/// A forecast that consists of several quantiles of a number.
///
/// Checked once: the levels are strictly ascending, and the values are finite and ascending. In
/// JSON it is a list of pairs of a level and a value, such as `[[0.25, 3.0], [0.5, 5.0]]`.
///
/// ```
/// use scoring_rules::{Error, Level, Quantiles};
///
/// let levels = [Level::new(0.25)?, Level::HALF, Level::new(0.75)?];
/// let forecast = Quantiles::new(&levels, &[3.0, 5.0, 9.0])?;
/// assert_eq!(Vec::from(forecast), [(levels[0], 3.0), (levels[1], 5.0), (levels[2], 9.0)]);
///
/// let error = Quantiles::new(&levels, &[3.0, 9.0, 5.0]).unwrap_err();
/// assert_eq!(error.to_string(), "values, entry 2: 5 after 9; give the entries in ascending order");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<(Level, f64)>", into = "Vec<(Level, f64)>"))]
pub struct Quantiles {
    /// In strictly ascending order.
    pub(crate) levels: Vec<Level>,
    /// One per level.
    values: Vec<f64>,
}

impl Quantiles {
    /// Creates a forecast from the levels and the values of its quantiles.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there is one value per level; [`Error::TooFew`] if there are none;
    /// [`Error::NotFiniteAt`] for a value that is NaN or infinite; [`Error::OutOfOrder`] for a
    /// level that is not above the previous level, and for a value below the previous value.
    pub fn new(levels: &[Level], values: &[f64]) -> Result<Self, Error> {
        Self::checked(levels.to_vec(), values.to_vec())
    }

    fn checked(levels: Vec<Level>, values: Vec<f64>) -> Result<Self, Error> {
        same_length("values", levels.len(), values.len())?;
        at_least("quantiles", 1, levels.len())?;
        all_finite("values", &values)?;
        ascending("levels", &levels, |before, level| before < level)?;
        ascending("values", &values, |before, value| before <= value)?;
        Ok(Self { levels, values })
    }

    /// The pairs of a level and its value, in ascending order.
    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = (Level, f64)> {
        self.levels.iter().copied().zip(self.values.iter().copied())
    }

    /// Checks that the levels are 1/2 and pairs with sum 1.
    pub(crate) fn check_central(&self) -> Result<(), Error> {
        let n = self.levels.len();
        for (i, (low, high)) in self.levels.iter().zip(self.levels.iter().rev()).enumerate() {
            let excess = low.get() + high.get() - 1.0;
            if excess.abs() > SAME_LEVEL {
                // The outer level of the two has no partner.
                let (index, level) = if excess < 0.0 { (i, low) } else { (n - 1 - i, high) };
                return Err(Error::NoPartner { index, level: level.get() });
            }
        }
        // With an odd number of levels the middle one is its own partner.
        if n.is_multiple_of(2) { Err(Error::NoMedian) } else { Ok(()) }
    }
}

impl TryFrom<Vec<(Level, f64)>> for Quantiles {
    type Error = Error;

    fn try_from(pairs: Vec<(Level, f64)>) -> Result<Self, Error> {
        let (levels, values) = pairs.into_iter().unzip();
        Self::checked(levels, values)
    }
}

impl From<Quantiles> for Vec<(Level, f64)> {
    fn from(quantiles: Quantiles) -> Self {
        quantiles.iter().collect()
    }
}
