use std::collections::BTreeMap;

use super::{pass_at_k, pass_hat_k};
use crate::{Error, Interval, streams::traces::same_length};

/// How one of several trials of a task ended. A trial that was cut off or never made is not a
/// failure: what it would have been is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum TrialOutcome {
    /// It succeeded.
    Success,
    /// It failed.
    Failure,
    /// It was cut off before it could end.
    Censored,
    /// It was planned and not made.
    NotRun,
}

/// The trials of one task, counted by how they ended. Collects and extends from [`TrialOutcome`]s.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::{TrialCounts, TrialOutcome}};
///
/// use TrialOutcome::{Censored, Success};
/// let counts: TrialCounts = [Success, Censored, Success].into_iter().collect();
/// // Four trials were planned: one is cut off, one missing.
/// let counts = counts.with_planned(4);
/// assert_eq!((counts.trials(), counts.unknown()), (4, 2));
/// let bounds = counts.pass_hat_k(1)?;
/// assert_eq!((bounds.low(), bounds.high()), (0.5, 1.0));
/// assert_eq!(counts.pass_at_k(3)?.known(), Some(1.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TrialCounts {
    /// Trials that succeeded.
    pub successes: u64,
    /// Trials that failed.
    pub failures: u64,
    /// Trials that were cut off.
    pub censored: u64,
    /// Trials that were planned and not made.
    pub not_run: u64,
}

impl TrialCounts {
    /// The trials of each task, in the order of the tasks' names.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there is one outcome a task given.
    ///
    /// ```
    /// use trajectory_metrics::{Error, tool_calls::{TrialCounts, TrialOutcome}};
    ///
    /// use TrialOutcome::{Failure, Success};
    /// let tasks = TrialCounts::by_task(&["b", "a", "b"], &[Success, Failure, Success])?;
    /// assert_eq!(tasks[&"b"].pass_hat_k(2)?.known(), Some(1.0));
    /// assert_eq!(tasks.len(), 2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn by_task<'a, G: Ord>(
        tasks: &'a [G],
        outcomes: &[TrialOutcome],
    ) -> Result<BTreeMap<&'a G, Self>, Error> {
        same_length("outcomes", tasks.len(), outcomes.len())?;
        let mut counts = BTreeMap::<&G, Self>::new();
        for (task, &outcome) in tasks.iter().zip(outcomes) {
            counts.entry(task).or_default().extend([outcome]);
        }
        Ok(counts)
    }

    /// The same with the trials that are missing from those planned counted as not run. More than
    /// were planned stay as they are.
    #[must_use]
    pub const fn with_planned(mut self, trials: u64) -> Self {
        self.not_run = self.not_run.saturating_add(trials.saturating_sub(self.trials()));
        self
    }

    /// All trials, known or not.
    #[must_use]
    pub const fn trials(&self) -> u64 {
        self.successes.saturating_add(self.failures).saturating_add(self.unknown())
    }

    /// Trials of which it is not known how they would have ended.
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.censored.saturating_add(self.not_run)
    }

    /// [`pass_at_k`] over all trials: the number if all that are unknown had failed, and if all had
    /// succeeded.
    ///
    /// # Errors
    ///
    /// As [`pass_at_k`].
    pub fn pass_at_k(&self, k: u64) -> Result<Interval, Error> {
        self.bounds(k, pass_at_k)
    }

    /// [`pass_hat_k`] over all trials: the number if all that are unknown had failed, and if all
    /// had succeeded.
    ///
    /// # Errors
    ///
    /// As [`pass_at_k`].
    pub fn pass_hat_k(&self, k: u64) -> Result<Interval, Error> {
        self.bounds(k, pass_hat_k)
    }

    /// Both estimates grow with the successes, so their ends lie at the fewest and the most.
    fn bounds(
        &self,
        k: u64,
        estimate: impl Fn(u64, u64, u64) -> Result<f64, Error>,
    ) -> Result<Interval, Error> {
        let at_most = self.successes.saturating_add(self.unknown());
        let trials = self.trials();
        Ok(Interval::new(estimate(trials, self.successes, k)?, estimate(trials, at_most, k)?)?)
    }
}

impl Extend<TrialOutcome> for TrialCounts {
    fn extend<I: IntoIterator<Item = TrialOutcome>>(&mut self, outcomes: I) {
        for outcome in outcomes {
            match outcome {
                TrialOutcome::Success => self.successes += 1,
                TrialOutcome::Failure => self.failures += 1,
                TrialOutcome::Censored => self.censored += 1,
                TrialOutcome::NotRun => self.not_run += 1,
            }
        }
    }
}

impl FromIterator<TrialOutcome> for TrialCounts {
    fn from_iter<I: IntoIterator<Item = TrialOutcome>>(outcomes: I) -> Self {
        let mut counts = Self::default();
        counts.extend(outcomes);
        counts
    }
}
