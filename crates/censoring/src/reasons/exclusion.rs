use std::fmt;

use crate::reasons::stop_reason::StopReason;

/// Why a run with an unknown outcome cannot be scored.
///
/// ```
/// use censoring::{Error, Exclusion, Probability, StopReason, Stopped, simple_score, from_fn};
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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Exclusion {
    /// The run stopped for a reason that may be related to its outcome, or was never judged.
    Stopped(StopReason),
    /// No stop reason is given.
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
