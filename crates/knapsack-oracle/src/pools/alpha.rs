use std::{cmp::Ordering, fmt};

use scoring_rules::checks::setting;

use crate::{error::Error, pools::points::share_of};

/// The budget as a share of the total cost of all items, above 0 and at most 1.
///
/// The share is the shortest decimal that reads back as the number. So 0.29 of 100 is 29, although
/// `(0.29_f64 * 100.0).floor()` is 28, because the nearest binary number lies below 0.29.
///
/// Reference: TRIAGE (2026), section 3.2, arXiv:2605.13414.
///
/// ```
/// use knapsack_oracle::{Alpha, Error};
///
/// let alpha = Alpha::new(0.29)?;
/// assert_eq!((alpha.budget(100), alpha.get(), alpha.to_string().as_str()), (29, 0.29, "0.29"));
/// assert_eq!(Alpha::new(0.3)?.budget(9), 2);
/// assert_eq!(Alpha::SWEEP.into_iter().max(), Some(Alpha::new(1.0)?));
/// assert!(matches!(Alpha::new(1.5), Err(Error::ScoringRules(scoring_rules::Error::Setting { .. }))));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "f64", into = "f64"))]
pub struct Alpha(f64);

impl Alpha {
    /// The four budget shares that the paper uses: 0.25, 0.5, 0.75 and 1.
    pub const SWEEP: [Self; 4] = [Self(0.25), Self(0.5), Self(0.75), Self(1.0)];

    /// Creates a share above 0 and at most 1.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Setting`] for any other number.
    pub const fn new(alpha: f64) -> Result<Self, Error> {
        let is_valid = alpha > 0.0 && alpha <= 1.0;
        match setting("alpha", alpha, is_valid, "a number above 0 and at most 1") {
            Ok(()) => Ok(Self(alpha)),
            Err(error) => Err(Error::ScoringRules(error)),
        }
    }

    /// Returns the share as a number.
    #[must_use]
    pub const fn get(self) -> f64 {
        self.0
    }

    /// Returns the budget for items with this total cost: `floor(alpha * total)`, computed exactly.
    #[must_use]
    pub fn budget(self, total: u64) -> u64 {
        share_of(self.0, total)
    }
}

impl Eq for Alpha {}

impl Ord for Alpha {
    fn cmp(&self, other: &Self) -> Ordering {
        // A share is never NaN or zero, so this is the usual order.
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Alpha {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Debug for Alpha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for Alpha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl TryFrom<f64> for Alpha {
    type Error = Error;

    fn try_from(alpha: f64) -> Result<Self, Error> {
        Self::new(alpha)
    }
}

impl From<Alpha> for f64 {
    fn from(alpha: Alpha) -> Self {
        alpha.0
    }
}
