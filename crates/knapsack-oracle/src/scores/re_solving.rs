#[cfg(feature = "serde")]
use crate::stored::must;
use crate::{error::Error, stored::checked_when_read};

/// One item attempted twice: as a baseline, and told its planner's own allocation as a budget. What
/// [`BudgetAware`] counts; an example is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReSolve {
    /// What the plan allocated, above 0.
    pub allocation: u64,
    /// What the attempt that was told of it cost.
    pub cost: u64,
    /// Whether the baseline attempt solved it.
    pub solved_before: bool,
    /// Whether the attempt that was told of its budget solved it.
    pub solved_after: bool,
}

/// Counts of budget-aware re-solving: who kept to the budget, and what telling it changed.
///
/// ```
/// use knapsack_oracle::{BudgetAware, Error, ReSolve};
///
/// let again = |allocation, cost, solved_before, solved_after| ReSolve {
///     allocation, cost, solved_before, solved_after,
/// };
/// let counts = BudgetAware::new(&[
///     again(100, 90, true, true),
///     again(100, 100, true, false),
///     again(100, 400, false, true),
///     again(100, 500, false, false),
/// ])?;
/// assert_eq!(counts.compliance_rate()?, 0.5);
/// assert_eq!((counts.newly_correct, counts.lost_correct), (1, 1));
/// assert_eq!(counts.budget_aware_accuracy()? - counts.baseline_accuracy()?, 0.0);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: TRIAGE (2026), appendix C.1, arXiv:2605.13414.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct BudgetAware {
    /// Attempts that cost no more than their allocation.
    pub compliant: u64,
    /// Solved in both attempts.
    pub kept_correct: u64,
    /// Solved at baseline only.
    pub lost_correct: u64,
    /// Solved only when told of the budget.
    pub newly_correct: u64,
    /// Solved in neither attempt.
    pub still_wrong: u64,
}

checked_when_read!(
    BudgetAware {
        compliant: u64,
        kept_correct: u64,
        lost_correct: u64,
        newly_correct: u64,
        still_wrong: u64,
    },
    |read| {
        let counts = [read.lost_correct, read.newly_correct, read.still_wrong];
        let items = counts.into_iter().try_fold(read.kept_correct, u64::checked_add);
        let items = items.ok_or("the counts sum to 2^64 or more")?;
        must(read.compliant <= items, "`compliant` is more than all items")
    }
);

impl BudgetAware {
    /// Counts items that a plan gave an allocation above 0.
    ///
    /// # Errors
    ///
    /// [`Error::Entry`] for an allocation of 0: such an item is not part of the experiment.
    pub fn new(items: &[ReSolve]) -> Result<Self, Error> {
        let mut counts = Self::default();
        for (index, item) in items.iter().enumerate() {
            if item.allocation == 0 {
                let (what, range) = ("allocation", "at least 1");
                return Err(Error::Entry { what, index, value: 0.0, range });
            }
            counts.compliant += u64::from(item.cost <= item.allocation);
            *match (item.solved_before, item.solved_after) {
                (true, true) => &mut counts.kept_correct,
                (true, false) => &mut counts.lost_correct,
                (false, true) => &mut counts.newly_correct,
                (false, false) => &mut counts.still_wrong,
            } += 1;
        }
        Ok(counts)
    }

    /// Items.
    #[must_use]
    pub const fn items(&self) -> u64 {
        self.kept_correct + self.lost_correct + self.newly_correct + self.still_wrong
    }

    /// The share of attempts that cost no more than their allocation; higher is better.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without an item, as for the other shares.
    pub fn compliance_rate(&self) -> Result<f64, Error> {
        self.share(self.compliant)
    }

    /// The share solved at baseline.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without an item.
    pub fn baseline_accuracy(&self) -> Result<f64, Error> {
        self.share(self.kept_correct + self.lost_correct)
    }

    /// The share solved when told of the budget.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without an item.
    pub fn budget_aware_accuracy(&self) -> Result<f64, Error> {
        self.share(self.kept_correct + self.newly_correct)
    }

    fn share(&self, count: u64) -> Result<f64, Error> {
        if self.items() == 0 {
            return Err(Error::Empty);
        }
        Ok(count as f64 / self.items() as f64)
    }
}
