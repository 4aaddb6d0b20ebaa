use std::num::NonZeroU32;

use scoring_rules::Probability;

use crate::{error::Error, estimates::estimate::Estimate};

/// When estimates are reason enough to stop a run.
///
/// No answer ends a row, as it says nothing; without a stated probability a rule about it does
/// nothing.
///
/// ```
/// use budget_estimation::{Error, Probability, StopRule};
///
/// assert_eq!(StopRule::first_impossible(), StopRule::impossible_in_a_row(1)?);
/// assert!(matches!(StopRule::impossible_in_a_row(0), Err(Error::Setting { .. })));
/// let unlikely = StopRule::failure_probability(Probability::new(0.9)?);
/// assert!(matches!(unlikely, StopRule::FailureProbability { .. }));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum StopRule {
    /// After this many answers `impossible` with no other in between; 1 is the paper's rule.
    Impossible {
        /// How many.
        in_a_row: NonZeroU32,
    },
    /// As soon as the stated probability of failure is at least this large.
    FailureProbability {
        /// The probability from which on the run is stopped.
        at_least: Probability,
    },
}

impl StopRule {
    /// The paper's rule: stop at the first `impossible`.
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 6.1.
    #[must_use]
    pub const fn first_impossible() -> Self {
        Self::Impossible { in_a_row: NonZeroU32::MIN }
    }

    /// Stop at the first that ends a row of so many.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for 0.
    pub const fn impossible_in_a_row(in_a_row: u32) -> Result<Self, Error> {
        match NonZeroU32::new(in_a_row) {
            Some(in_a_row) => Ok(Self::Impossible { in_a_row }),
            None => {
                let name = "number of alarms in a row";
                Err(Error::Setting { name, value: 0.0, range: "at least 1" })
            }
        }
    }

    /// Stop at the first probability of failure that is at least so large.
    #[must_use]
    pub const fn failure_probability(at_least: Probability) -> Self {
        Self::FailureProbability { at_least }
    }

    /// Whether to stop now, after so many answers `impossible` in a row.
    #[inline]
    pub(super) fn holds(self, row: u32, failure_probability: Option<Probability>) -> bool {
        match self {
            Self::Impossible { in_a_row } => row >= in_a_row.get(),
            Self::FailureProbability { at_least } => {
                failure_probability.is_some_and(|stated| stated >= at_least)
            }
        }
    }
}

/// The row of answers `impossible` after one more answer.
#[inline]
pub(super) fn row_after(row: u32, impossible: bool) -> u32 {
    if impossible { row.saturating_add(1) } else { 0 }
}

/// A [`StopRule`] at work on one run: remembers the row that it counts, and nothing else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Alarm {
    rule: StopRule,
    row: u32,
}

impl Alarm {
    /// Before the first estimate of a run.
    pub(super) const fn new(rule: StopRule) -> Self {
        Self { rule, row: 0 }
    }

    /// Whether the run should be stopped now, given what was said after this turn.
    #[inline]
    pub(super) fn push(
        &mut self,
        estimate: Estimate,
        failure_probability: Option<Probability>,
    ) -> bool {
        self.row = row_after(self.row, estimate == Estimate::Impossible);
        self.rule.holds(self.row, failure_probability)
    }
}
