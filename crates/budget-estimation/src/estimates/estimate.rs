use std::fmt;

use scoring_rules::Interval;

use crate::error::Error;

/// The answer of an estimator about one resource after some turns of a run.
///
/// Its `Display` form is `[low, high]`, `impossible` or `no answer`. [`parse_answer`](crate::parse_answer)
/// reads the first two between its tags, to the last bit.
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
    /// The run will succeed, and its remaining cost lies in this interval. An interval that begins below 0 or has an
    /// infinite bound causes an error when it is scored or given to a stop rule.
    Interval(Interval),
    /// The run will not succeed within its caps.
    Impossible,
    /// There was no readable answer. It counts as wrong, but does not predict that the run cannot succeed.
    NoAnswer,
}

impl Estimate {
    /// Creates an interval, whose bounds must be at least 0.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] if a bound is not finite or the lower bound is above the upper bound;
    /// [`Error::NegativeEstimate`] if the lower bound is below 0.
    #[inline]
    pub fn interval(low: f64, high: f64) -> Result<Self, Error> {
        // Adding 0 turns -0 into 0.
        Self::Interval(Interval::new(low + 0.0, high + 0.0)?).checked()
    }

    /// Checks that an interval is finite and does not begin below 0.
    #[inline]
    pub(crate) fn checked(self) -> Result<Self, Error> {
        match self {
            Self::Interval(ends) if !(ends.low() >= 0.0 && ends.high() < f64::INFINITY) => {
                Err(invalid(ends))
            }
            valid => Ok(valid),
        }
    }

    /// Returns whether the estimate predicts that the run cannot succeed within its cap: it is `impossible`, or
    /// an interval whose lower bound exceeds `left`, the amount left under the cap.
    ///
    /// This is [`Reading::Cap`](crate::Reading), the default reading of samples. With a `left` of `None`, it is
    /// `Reading::Answers`. A missing answer predicts nothing.
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate};
    ///
    /// let estimate = Estimate::interval(300.0, 600.0)?;
    /// assert!(estimate.predicts_impossible(Some(299.0)));
    /// assert!(!estimate.predicts_impossible(Some(300.0)));
    /// assert!(!estimate.predicts_impossible(None));
    /// assert!(Estimate::Impossible.predicts_impossible(None));
    /// assert!(!Estimate::NoAnswer.predicts_impossible(Some(0.0)));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn predicts_impossible(self, left: Option<f64>) -> bool {
        match self {
            Self::Interval(ends) => left.is_some_and(|left| ends.low() > left),
            Self::Impossible => true,
            Self::NoAnswer => false,
        }
    }

    /// Reduces the estimate to an answer to the question whether the run can succeed. Returns [`Estimate::Impossible`]
    /// if the estimate [predicts](Estimate::predicts_impossible) that it cannot, and otherwise the estimate itself.
    #[inline]
    pub(crate) fn collapsed(self, left: Option<f64>) -> Self {
        if self.predicts_impossible(left) { Self::Impossible } else { self }
    }

    /// Returns the interval; `None` if the estimate is not an interval.
    #[must_use]
    #[inline]
    pub const fn ends(self) -> Option<Interval> {
        match self {
            Self::Interval(interval) => Some(interval),
            Self::Impossible | Self::NoAnswer => None,
        }
    }
}

/// Returns the error of an interval that begins below 0 or is infinite.
#[cold]
fn invalid(ends: Interval) -> Error {
    let (low, high) = (ends.low(), ends.high());
    if low < 0.0 {
        return Error::NegativeEstimate { low, high };
    }
    let (what, value) =
        if low.is_finite() { ("the upper bound", high) } else { ("the lower bound", low) };
    scoring_rules::checks::not_finite(what, value).into()
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
