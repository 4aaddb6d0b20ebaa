use std::num::NonZeroU32;

use scoring_rules::Probability;

use crate::{error::Error, replay::sample::Sample};

/// A rule that stops a run because of its estimates.
///
/// Impossible estimates are those for which [`Estimate::predicts_impossible`](crate::Estimate::predicts_impossible) is true, which includes
/// intervals above what is left under a cap. A missing answer ends a row of impossible estimates. A rule about the probability of failure does
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
    /// Stops as soon as the cap is exceeded, whatever the estimate. A
    /// [`BudgetMonitor`](crate::BudgetMonitor) always has this rule.
    CapExceeded,
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
    pub(super) fn holds(
        self,
        row: u32,
        failure_probability: Option<Probability>,
        cap_exceeded: bool,
    ) -> bool {
        match self {
            Self::CapExceeded => cap_exceeded,
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

/// Stop rules applied to one run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alarm<'a> {
    rules: &'a [StopRule],
    row: u32,
}

impl<'a> Alarm<'a> {
    /// The state before the first estimate of a run.
    pub(super) const fn new(rules: &'a [StopRule]) -> Self {
        Self { rules, row: 0 }
    }

    /// Whether any of the rules stops the run at the turn of this sample.
    #[inline]
    pub(super) fn push(
        &mut self,
        sample: &Sample,
        failure_probability: Option<Probability>,
    ) -> bool {
        self.row = impossible_in_a_row(self.row, sample.predicts_impossible());
        let over = sample.left().is_some_and(|left| left < 0.0);
        self.rules.iter().any(|rule| rule.holds(self.row, failure_probability, over))
    }
}
