use scoring_rules::Probability;

use crate::{Error, Estimate};

/// When estimates are reason enough to stop a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum StopRule {
    /// After this many answers `impossible` with no other in between; 1 is the paper's rule.
    Impossible {
        /// How many, at least 1.
        in_a_row: u32,
    },
    /// As soon as the stated chance of failure is at least this large.
    FailureChance {
        /// The chance from which on the run is stopped.
        at_least: Probability,
    },
}

impl StopRule {
    /// The paper's rule: stop at the first `impossible`.
    ///
    /// Reference: Towards budget-aware agents, section 6.1.
    #[must_use]
    pub const fn first_impossible() -> Self {
        Self::Impossible { in_a_row: 1 }
    }

    /// Stop at the first that ends a row of so many.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] for 0.
    pub const fn impossible_in_a_row(in_a_row: u32) -> Result<Self, Error> {
        if in_a_row == 0 {
            let name = "the number of alarms in a row";
            return Err(Error::Setting { name, value: 0.0, range: "at least 1" });
        }
        Ok(Self::Impossible { in_a_row })
    }

    /// Stop at the first chance of failure that is at least so large.
    #[must_use]
    pub const fn failure_chance(at_least: Probability) -> Self {
        Self::FailureChance { at_least }
    }
}

/// A [`StopRule`] at work on one run: remembers the row that it counts, and nothing else.
///
/// ```
/// use budget_estimation::{Alarm, Error, Estimate, StopRule};
///
/// let mut alarm = Alarm::new(StopRule::impossible_in_a_row(2)?);
/// let feasible = Estimate::interval(10.0, 20.0)?;
/// let answers = [Estimate::Impossible, feasible, Estimate::Impossible, Estimate::Impossible];
/// assert_eq!(answers.map(|answer| alarm.push(answer, None)), [false, false, false, true]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Alarm {
    rule: StopRule,
    row: u32,
}

impl Alarm {
    /// Before the first estimate of a run.
    #[must_use]
    pub const fn new(rule: StopRule) -> Self {
        Self { rule, row: 0 }
    }

    /// Whether the run should be stopped now, given what was said after this turn. Without a stated
    /// chance a rule about chances does nothing. No answer ends a row, as it says nothing.
    #[inline]
    pub fn push(&mut self, estimate: Estimate, failure_chance: Option<Probability>) -> bool {
        self.row = if estimate == Estimate::Impossible { self.row.saturating_add(1) } else { 0 };
        match self.rule {
            StopRule::Impossible { in_a_row } => self.row >= in_a_row,
            StopRule::FailureChance { at_least } => {
                failure_chance.is_some_and(|chance| chance >= at_least)
            }
        }
    }

    /// How many answers `impossible` there were in a row, up to now.
    #[must_use]
    pub const fn row(&self) -> u32 {
        self.row
    }

    pub(crate) const fn rule(&self) -> StopRule {
        self.rule
    }
}
