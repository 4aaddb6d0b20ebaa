use std::collections::BTreeMap;

use scoring_rules::Interval;

use crate::{
    checks::same_length,
    error::Error,
    tool_calls::trials::pass_at_k::{pass_at_k, pass_hat_k},
};

/// How a trial of a task ended. A trial that was cut off or not made is not a failure: its outcome is
/// unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "snake_case")
)]
pub enum TrialOutcome {
    /// The trial succeeded.
    Success,
    /// The trial failed.
    Failure,
    /// The trial was cut off before its outcome.
    Censored,
    /// The trial was planned but not made.
    NotRun,
}

/// The number of trials of one task by outcome. Collected from, or extended with, [`TrialOutcome`]s;
/// counts saturate at the largest value of their type.
///
/// ```
/// use trajectory_metrics::{Error, tool_calls::{TrialCounts, TrialOutcome}};
///
/// use TrialOutcome::{Censored, Success};
/// let counts: TrialCounts = [Success, Censored, Success].into_iter().collect();
/// // Four trials were planned: one was cut off, one was not made.
/// let counts = counts.with_planned(4);
/// assert_eq!((counts.trials(), counts.unknown()), (4, 2));
/// let bounds = counts.pass_hat_k(1)?;
/// assert_eq!((bounds.low(), bounds.high()), (0.5, 1.0));
/// assert_eq!(counts.pass_at_k(3)?.as_point(), Some(1.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(deny_unknown_fields)
)]
pub struct TrialCounts {
    /// Trials that succeeded.
    pub successes: u64,
    /// Trials that failed.
    pub failures: u64,
    /// Trials that were cut off.
    pub censored: u64,
    /// Trials that were planned but not made.
    pub not_run: u64,
}

impl TrialCounts {
    /// Counts the trials of each task; the map is in the order of the tasks.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one outcome per entry of `tasks`.
    ///
    /// ```
    /// use trajectory_metrics::{Error, tool_calls::{TrialCounts, TrialOutcome}};
    ///
    /// use TrialOutcome::{Failure, Success};
    /// let tasks = TrialCounts::by_task(&["b", "a", "b"], &[Success, Failure, Success])?;
    /// assert_eq!(tasks[&"b"].pass_hat_k(2)?.as_point(), Some(1.0));
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

    /// Adds trials that were not run until the number of trials is `trials`. If there are already
    /// more, nothing changes.
    #[must_use]
    pub const fn with_planned(mut self, trials: u64) -> Self {
        self.not_run = self.not_run.saturating_add(trials.saturating_sub(self.trials()));
        self
    }

    /// The number of trials; `u64::MAX` if there are more.
    #[must_use]
    pub const fn trials(&self) -> u64 {
        self.successes.saturating_add(self.failures).saturating_add(self.unknown())
    }

    /// The number of trials with an unknown outcome; `u64::MAX` if there are more.
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.censored.saturating_add(self.not_run)
    }

    /// [`pass_at_k`] over all trials: its value if all unknown trials had failed, and if all had
    /// succeeded.
    ///
    /// # Errors
    ///
    /// The errors of [`pass_at_k`].
    pub fn pass_at_k(&self, k: u64) -> Result<Interval, Error> {
        self.bounds(k, pass_at_k)
    }

    /// [`pass_hat_k`] over all trials: its value if all unknown trials had failed, and if all had
    /// succeeded.
    ///
    /// # Errors
    ///
    /// The errors of [`pass_hat_k`].
    pub fn pass_hat_k(&self, k: u64) -> Result<Interval, Error> {
        self.bounds(k, pass_hat_k)
    }

    /// Both estimates increase with the number of successes, so the least and the largest possible
    /// number give the bounds.
    fn bounds(
        &self,
        k: u64,
        estimate: impl Fn(u64, u64, u64) -> Result<f64, Error>,
    ) -> Result<Interval, Error> {
        let trials = self.trials();
        let at_most = trials - self.failures;
        Ok(Interval::new(estimate(trials, self.successes, k)?, estimate(trials, at_most, k)?)?)
    }
}

const fn add_one(count: &mut u64) {
    *count = count.saturating_add(1);
}

impl Extend<TrialOutcome> for TrialCounts {
    fn extend<I: IntoIterator<Item = TrialOutcome>>(&mut self, outcomes: I) {
        for outcome in outcomes {
            match outcome {
                TrialOutcome::Success => add_one(&mut self.successes),
                TrialOutcome::Failure => add_one(&mut self.failures),
                TrialOutcome::Censored => add_one(&mut self.censored),
                TrialOutcome::NotRun => add_one(&mut self.not_run),
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
