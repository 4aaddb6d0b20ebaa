use std::fmt;

use trajectory_metrics::Probability;

use crate::{Error, SuccessEstimate};

/// What is known of a chance of success after a stop: that it lies between two chances.
///
/// For bounds of scores ([`score_bounds`](crate::score_bounds()),
/// [`StreamDifference::bounds_within`](crate::StreamDifference::bounds_within)). As JSON (feature
/// `serde`) a list of the two.
///
/// ```
/// use censoring::{Continuations, Error, Probability, ProbabilityInterval};
///
/// // Two branches were cut off again: taken for failures, then for successes.
/// let branches = Continuations { successes: 2, failures: 6, unresolved: 2, invalid: 0 };
/// let interval = ProbabilityInterval::from(branches.estimate()?);
/// assert_eq!((interval.low().get(), interval.high().get()), (0.2, 0.4));
///
/// // Within 0.25 of 0.125, which is no less than 0.
/// let around = ProbabilityInterval::around(Probability::new(0.125)?, 0.5)?;
/// assert_eq!(around, ProbabilityInterval::new(Probability::ZERO, Probability::new(0.375)?)?);
/// assert_eq!(around.to_string(), "[0, 0.375]");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(try_from = "(Probability, Probability)", into = "(Probability, Probability)")
)]
pub struct ProbabilityInterval {
    low: Probability,
    high: Probability,
}

impl ProbabilityInterval {
    /// From 0 to 1: nothing is known.
    pub const UNKNOWN: Self = Self { low: Probability::ZERO, high: Probability::ONE };

    /// From `low` to `high`, both included.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] where the lower end is above the higher one.
    pub fn new(low: Probability, high: Probability) -> Result<Self, Error> {
        if low <= high {
            Ok(Self { low, high })
        } else {
            let (low, high) = (low.get(), high.get());
            Err(scoring_rules::Error::Reversed { low, high }.into())
        }
    }

    /// Within `width / 2` of an estimate, and in [0, 1].
    ///
    /// What [`StreamDifference::largest_width`](crate::StreamDifference::largest_width) gives is
    /// such a width.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless the width is at least 0.
    pub fn around(estimate: Probability, width: f64) -> Result<Self, Error> {
        // A NaN is in no range.
        if !(0.0..=f64::INFINITY).contains(&width) {
            return Err(Error::Setting { name: "width", value: width, range: "at least 0" });
        }
        let end = |distance: f64| Probability::new((estimate.get() + distance).clamp(0.0, 1.0));
        Self::new(end(-width / 2.0)?, end(width / 2.0)?)
    }

    /// The least that the chance can be.
    #[must_use]
    pub const fn low(self) -> Probability {
        self.low
    }

    /// The most that the chance can be.
    #[must_use]
    pub const fn high(self) -> Probability {
        self.high
    }
}

impl fmt::Display for ProbabilityInterval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {}]", self.low, self.high)
    }
}

/// A chance that is known.
impl From<Probability> for ProbabilityInterval {
    fn from(chance: Probability) -> Self {
        Self { low: chance, high: chance }
    }
}

/// Every unresolved branch taken for a failure, and for a success. What the number of branches
/// leaves open is not in it.
impl From<SuccessEstimate> for ProbabilityInterval {
    fn from(estimate: SuccessEstimate) -> Self {
        Self { low: estimate.low(), high: estimate.high() }
    }
}

impl TryFrom<(Probability, Probability)> for ProbabilityInterval {
    type Error = Error;

    fn try_from((low, high): (Probability, Probability)) -> Result<Self, Error> {
        Self::new(low, high)
    }
}

impl From<ProbabilityInterval> for (Probability, Probability) {
    fn from(interval: ProbabilityInterval) -> Self {
        (interval.low, interval.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_interval_is_refused() {
        let reversed = ProbabilityInterval::new(Probability::ONE, Probability::HALF).unwrap_err();
        assert!(reversed.to_string().contains("from 1 to 0.5"), "{reversed}");
        for width in [-1e-300, f64::NEG_INFINITY, f64::NAN] {
            let error = ProbabilityInterval::around(Probability::HALF, width).unwrap_err();
            assert!(error.to_string().starts_with("width is"), "{error}");
        }
    }

    #[test]
    fn a_width_of_two_or_more_leaves_nothing_known_and_one_of_zero_everything() {
        for q in [0.0, 0.3, 1.0] {
            let q = Probability::new(q).unwrap();
            for width in [2.0, 1e300, f64::INFINITY] {
                assert_eq!(ProbabilityInterval::around(q, width), Ok(ProbabilityInterval::UNKNOWN));
            }
            assert_eq!(ProbabilityInterval::around(q, 0.0), Ok(q.into()));
        }
    }

    #[cfg(feature = "serde")]
    #[test]
    fn json_goes_through_the_same_door() {
        let interval: ProbabilityInterval = serde_json::from_str("[0.25,0.5]").unwrap();
        assert_eq!(serde_json::to_string(&interval).unwrap(), "[0.25,0.5]");
        for wrong in ["[0.5,0.25]", "[-0.1,0.5]", "0.5"] {
            assert!(serde_json::from_str::<ProbabilityInterval>(wrong).is_err(), "{wrong}");
        }
    }
}
