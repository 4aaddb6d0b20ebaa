use scoring_rules::checks::setting;

use crate::error::Error;

/// An item that was attempted twice: first without a budget, as a baseline, and then after the model was told the
/// allocation as its budget. [`BudgetAware`] counts such items and has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ReSolve {
    /// The allocation of the item in the plan, above 0.
    pub allocation: u64,
    /// The cost of the attempt for which the model was told a budget.
    pub cost: u64,
    /// Whether the baseline attempt solved the item.
    pub solved_before: bool,
    /// Whether the attempt for which the model was told a budget solved the item.
    pub solved_after: bool,
}

scoring_rules::checked! {
    /// Counts over items that were attempted again with a budget: how many attempts stayed within the budget, and how
    /// outcomes changed.
    ///
    /// ```
    /// use knapsack_oracle::{BudgetAware, Error, ReSolve};
    ///
    /// let again = |allocation, cost, solved_before, solved_after| ReSolve {
    ///     allocation, cost, solved_before, solved_after,
    /// };
    /// let mut counts = BudgetAware::default();
    /// counts.update(again(100, 90, true, true))?;
    /// counts.update(again(100, 100, true, false))?;
    /// counts.update(again(100, 400, false, true))?;
    /// counts.update(again(100, 500, false, false))?;
    /// assert_eq!(counts.compliance_rate()?, 0.5);
    /// assert_eq!((counts.newly_correct, counts.lost_correct), (1, 1));
    /// assert_eq!(counts.budget_aware_accuracy()? - counts.baseline_accuracy()?, 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: TRIAGE (2026), appendix C.1, arXiv:2605.13414.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    #[non_exhaustive]
    pub struct BudgetAware {
        /// The number of attempts that cost at most their allocation.
        pub compliant: u64,
        /// The number of items solved in both attempts.
        pub kept_correct: u64,
        /// The number of items solved only in the baseline attempt.
        pub lost_correct: u64,
        /// The number of items solved only in the attempt with a budget.
        pub newly_correct: u64,
        /// The number of items solved in neither attempt.
        pub still_wrong: u64,
    }
    check: BudgetAware::check
}

impl BudgetAware {
    #[cfg(feature = "serde")]
    fn check(&self) -> Result<(), &'static str> {
        let counts = [self.lost_correct, self.newly_correct, self.still_wrong];
        let items = counts.into_iter().try_fold(self.kept_correct, u64::checked_add);
        let items = items.ok_or("the counts must sum to less than 2^64")?;
        let is_valid = self.compliant <= items;
        is_valid.then_some(()).ok_or("`compliant` must be at most the number of items")
    }

    /// Counts an item.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Setting`] for an allocation of 0: such an item is not part of the experiment.
    pub fn update(&mut self, item: ReSolve) -> Result<(), Error> {
        setting("allocation", item.allocation as f64, item.allocation > 0, "at least 1")?;
        let kept = u64::from(item.cost <= item.allocation);
        self.compliant = self.compliant.saturating_add(kept);
        let count = match (item.solved_before, item.solved_after) {
            (true, true) => &mut self.kept_correct,
            (true, false) => &mut self.lost_correct,
            (false, true) => &mut self.newly_correct,
            (false, false) => &mut self.still_wrong,
        };
        *count = count.saturating_add(1);
        Ok(())
    }

    /// Adds the counts of other items, for instance of another data set. A rate of the merged counts is the mean of
    /// the two rates, weighted by their numbers of items.
    ///
    /// ```
    /// use knapsack_oracle::{BudgetAware, Error, ReSolve};
    ///
    /// let solved = ReSolve { allocation: 9, cost: 9, solved_before: false, solved_after: true };
    /// let failed = ReSolve { solved_after: false, ..solved };
    /// let (mut all, mut physics) = (BudgetAware::default(), BudgetAware::default());
    /// all.update(failed)?;
    /// (0..3).try_for_each(|_| physics.update(solved))?;
    /// all.merge(&physics);
    /// assert_eq!((all.items(), all.budget_aware_accuracy()?), (4, 0.75));
    /// # Ok::<(), Error>(())
    /// ```
    pub const fn merge(&mut self, other: &Self) {
        self.compliant = self.compliant.saturating_add(other.compliant);
        self.kept_correct = self.kept_correct.saturating_add(other.kept_correct);
        self.lost_correct = self.lost_correct.saturating_add(other.lost_correct);
        self.newly_correct = self.newly_correct.saturating_add(other.newly_correct);
        self.still_wrong = self.still_wrong.saturating_add(other.still_wrong);
    }

    /// Returns the number of items.
    #[must_use]
    pub const fn items(&self) -> u64 {
        self.kept_correct
            .saturating_add(self.lost_correct)
            .saturating_add(self.newly_correct)
            .saturating_add(self.still_wrong)
    }

    /// Returns the share of attempts with a budget that cost at most their allocation; higher is better.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Empty`] without items.
    pub fn compliance_rate(&self) -> Result<f64, Error> {
        self.share(self.compliant)
    }

    /// Returns the share of items that the baseline attempt solved.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Empty`] without items.
    pub fn baseline_accuracy(&self) -> Result<f64, Error> {
        self.share(self.kept_correct + self.lost_correct)
    }

    /// Returns the share of items that the attempt with a budget solved.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Empty`] without items.
    pub fn budget_aware_accuracy(&self) -> Result<f64, Error> {
        self.share(self.kept_correct + self.newly_correct)
    }

    fn share(&self, count: u64) -> Result<f64, Error> {
        if self.items() == 0 {
            return Err(Error::ScoringRules(scoring_rules::Error::Empty));
        }
        Ok(count as f64 / self.items() as f64)
    }
}
