use std::num::NonZeroU32;

use scoring_rules::Probability;

use crate::{error::Error, estimates::estimate::Estimate};

/// A rule that stops a run because of its estimates.
///
/// A missing answer ends a row of impossible estimates. A rule about the probability of failure does
/// nothing at turns without a stated probability.
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
    /// Stops after this many impossible estimates in a row; 1 is the paper's rule.
    Impossible {
        /// The number of estimates.
        in_a_row: NonZeroU32,
    },
    /// Stops as soon as the stated probability of failure reaches a threshold.
    FailureProbability {
        /// The threshold.
        at_least: Probability,
    },
}

impl StopRule {
    /// The paper's rule: stops at the first impossible estimate.
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 6.1.
    #[must_use]
    pub const fn first_impossible() -> Self {
        Self::Impossible { in_a_row: NonZeroU32::MIN }
    }

    /// Stops after this many impossible estimates in a row.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for 0.
    pub const fn impossible_in_a_row(in_a_row: u32) -> Result<Self, Error> {
        match NonZeroU32::new(in_a_row) {
            Some(in_a_row) => Ok(Self::Impossible { in_a_row }),
            None => {
                let name = "number of estimates in a row";
                Err(Error::Setting { name, value: 0.0, range: "at least 1" })
            }
        }
    }

    /// Stops at the first stated probability of failure of at least `at_least`.
    #[must_use]
    pub const fn failure_probability(at_least: Probability) -> Self {
        Self::FailureProbability { at_least }
    }

    /// Whether to stop after this many impossible estimates in a row.
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

/// The number of impossible estimates in a row after one more estimate.
#[inline]
pub(super) fn impossible_in_a_row(row: u32, impossible: bool) -> u32 {
    if impossible { row.saturating_add(1) } else { 0 }
}

/// A [`StopRule`] applied to one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Alarm {
    rule: StopRule,
    row: u32,
}

impl Alarm {
    /// The state before the first estimate of a run.
    pub(super) const fn new(rule: StopRule) -> Self {
        Self { rule, row: 0 }
    }

    /// Whether the rule stops the run at this turn, given its estimate.
    #[inline]
    pub(super) fn push(
        &mut self,
        estimate: Estimate,
        failure_probability: Option<Probability>,
    ) -> bool {
        self.row = impossible_in_a_row(self.row, estimate == Estimate::Impossible);
        self.rule.holds(self.row, failure_probability)
    }
}
