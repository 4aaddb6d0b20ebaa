#[cfg(feature = "serde")]
use crate::error::Error;
use crate::values::probability::Probability;

/// All rows that share one confidence, which no order can tell apart.
///
/// The confidence is a [`Probability`] unless the rows were ranked by an [`OrderedScore`](crate::OrderedScore).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Written<S>"))]
#[cfg_attr(feature = "serde", serde(bound(deserialize = "S: serde::Deserialize<'de>")))]
#[non_exhaustive]
pub struct Block<S = Probability> {
    /// The confidence in success that the rows share.
    pub confidence: S,
    /// Weight of the rows that failed.
    pub failures: f64,
    /// Weight of the rows that succeeded.
    pub successes: f64,
}

impl<S> Block<S> {
    /// Weight of all rows.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.failures + self.successes
    }
}

/// The form in which a block is read.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Written<S> {
    confidence: S,
    failures: f64,
    successes: f64,
}

#[cfg(feature = "serde")]
impl<S> TryFrom<Written<S>> for Block<S> {
    type Error = Error;

    fn try_from(written: Written<S>) -> Result<Self, Error> {
        let Written { confidence, failures, successes } = written;
        for (name, value) in [("failures", failures), ("successes", successes)] {
            if value != 0.0 && !(1e-100..f64::INFINITY).contains(&value) {
                let range = "0 or a finite weight of at least 1e-100";
                return Err(Error::Setting { name, value, range });
            }
        }
        if failures + successes == 0.0 {
            return Err(Error::Empty);
        }
        Ok(Self { confidence, failures, successes })
    }
}
