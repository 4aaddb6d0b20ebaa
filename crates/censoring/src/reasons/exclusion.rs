use std::fmt;

use crate::reasons::stop_reason::StopReason;

/// The reason why a run with an unknown outcome cannot be scored.
///
/// ```
/// use censoring::{Error, Exclusion, Probability, StopReason, Stopped, from_fn, simple_score};
/// use censoring::{Tps, WeightSchedule};
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let silent = Stopped::new(&[Probability::HALF], None, None)?;
/// assert_eq!(simple_score(&tps, &silent), Err(Error::Excluded(Exclusion::NoReason)));
///
/// let stopped = Exclusion::Stopped(StopReason::UserStop);
/// assert_eq!(stopped.to_string(), StopReason::UserStop.to_string());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Exclusion {
    /// The run stopped for a reason that may be related to the outcome, or it was never judged.
    Stopped(StopReason),
    /// The stop reason is unknown.
    NoReason,
}

impl fmt::Display for Exclusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stopped(reason) => reason.fmt(f),
            Self::NoReason => f.write_str("no stop reason"),
        }
    }
}
