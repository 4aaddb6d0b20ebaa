#[cfg(feature = "serde")]
use crate::error::Error;
use crate::values::probability::Probability;

/// All rows with one confidence.
///
/// The confidence is a [`Probability`], or an [`OrderedScore`](crate::OrderedScore) in blocks made
/// by [`TiedBlocks::from_scores`](crate::TiedBlocks::from_scores).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Block<S = Probability> {
    /// The confidence in success.
    pub confidence: S,
    /// The weight of the rows that failed.
    pub failures: f64,
    /// The weight of the rows that succeeded.
    pub successes: f64,
}

impl<S> Block<S> {
    /// The weight of all rows.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.failures + self.successes
    }
}

/// Checks the stored weights of failures and successes.
#[cfg(feature = "serde")]
pub(crate) fn check_class_weights(failures: f64, successes: f64) -> Result<(), Error> {
    for (name, value) in [("failures", failures), ("successes", successes)] {
        if !(0.0..f64::INFINITY).contains(&value) {
            return Err(Error::Setting { name, value, range: "a finite weight of at least 0" });
        }
    }
    let value = failures + successes;
    if value == 0.0 {
        Err(Error::Empty)
    } else if value.is_finite() {
        Ok(())
    } else {
        Err(Error::Setting { name: "failures + successes", value, range: "finite" })
    }
}

#[cfg(feature = "serde")]
crate::checked_when_read!(
    Block<S> { confidence: S, failures: f64, successes: f64 },
    |block: &Block<S>| {
        for (name, value) in [("failures", block.failures), ("successes", block.successes)] {
            if value != 0.0 && !(1e-100..f64::INFINITY).contains(&value) {
                let range = "0 or a finite weight of at least 1e-100";
                return Err(Error::Setting { name, value, range });
            }
        }
        if block.weight() == 0.0 { Err(Error::Empty) } else { Ok(()) }
    },
);
