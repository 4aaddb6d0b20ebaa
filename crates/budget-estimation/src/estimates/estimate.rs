use std::fmt;

use scoring_rules::Interval;

use crate::error::Error;

/// What an estimator says of one resource after some turns of a run.
///
/// As text it is what [`parse_answer`](crate::parse_answer) reads between its tags, `[low, high]`
/// or `impossible`, to the last bit; `no answer`, which that does not read, where there is none.
///
/// ```
/// use budget_estimation::{Error, Estimate};
///
/// let estimate = Estimate::interval(100.0, 250.0)?;
/// assert_eq!(estimate.ends().map(|ends| ends.width()), Some(150.0));
/// assert_eq!(Estimate::Impossible.ends(), None);
/// assert!(matches!(Estimate::interval(-1.0, 5.0), Err(Error::NegativeEstimate { .. })));
/// assert!(matches!(Estimate::interval(1.0, f64::INFINITY), Err(Error::ScoringRules(_))));
/// assert_eq!(format!("<answer>{estimate}</answer>"), "<answer>[100, 250]</answer>");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Estimate {
    /// The run will succeed, and what it still spends lies between these ends. One that begins
    /// below 0 or has an infinite end is refused where it is scored or acted upon.
    Interval(Interval),
    /// The run will not succeed within its caps.
    Impossible,
    /// There was no answer, or none that could be read: never right, and no alarm either.
    NoAnswer,
}

impl Estimate {
    /// An interval with ends of at least 0.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] where an end is no finite number or the lower one is above the upper
    /// one; [`Error::NegativeEstimate`] where it is below 0.
    #[inline]
    pub fn interval(low: f64, high: f64) -> Result<Self, Error> {
        // Without the sign of a zero.
        Self::Interval(Interval::new(low + 0.0, high + 0.0)?).checked()
    }

    /// That an interval, which anybody can have made, is finite and not below 0.
    #[inline]
    pub(crate) fn checked(self) -> Result<Self, Error> {
        match self {
            Self::Interval(ends) if ends.low() < 0.0 => {
                Err(Error::NegativeEstimate { low: ends.low(), high: ends.high() })
            }
            Self::Interval(ends) => Ok(Self::Interval(ends.finite()?)),
            other => Ok(other),
        }
    }

    /// The interval, where there is one.
    #[must_use]
    #[inline]
    pub const fn ends(self) -> Option<Interval> {
        match self {
            Self::Interval(interval) => Some(interval),
            Self::Impossible | Self::NoAnswer => None,
        }
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interval(ends) => write!(f, "[{}, {}]", ends.low(), ends.high()),
            Self::Impossible => f.write_str("impossible"),
            Self::NoAnswer => f.write_str("no answer"),
        }
    }
}
