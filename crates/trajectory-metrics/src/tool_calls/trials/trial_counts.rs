use std::collections::BTreeMap;

use scoring_rules::Interval;

use crate::{
    checks::same_length,
    error::Error,
    tool_calls::trials::pass_at_k::{pass_at_k, pass_hat_k},
};

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

/// The trials of one task, counted by how they ended. Collects and extends from [`TrialOutcome`]s;
/// a count that would leave the range of its type stays at its largest value.
///
/// With the feature `serde` counts are read only if their sum is at most `u64::MAX`.
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
/// assert_eq!(counts.pass_at_k(3)?.as_point(), Some(1.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Stored")
)]
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

    /// The same with the trials that are missing from those planned counted as not run. More than
    /// were planned stay as they are.
    #[must_use]
    pub const fn with_planned(mut self, trials: u64) -> Self {
        self.not_run = self.not_run.saturating_add(trials.saturating_sub(self.trials()));
        self
    }

    /// All trials, known or not; `u64::MAX` if there are more.
    #[must_use]
    pub const fn trials(&self) -> u64 {
        self.successes.saturating_add(self.failures).saturating_add(self.unknown())
    }

    /// Trials of which it is not known how they would have ended; `u64::MAX` if there are more.
    #[must_use]
    pub const fn unknown(&self) -> u64 {
        self.censored.saturating_add(self.not_run)
    }

    /// [`pass_at_k`] over all trials: the number if all that are unknown had failed, and if all had
    /// succeeded.
    ///
    /// # Errors
    ///
    /// As [`pass_at_k`]; [`Error::Setting`] for more than `u64::MAX` trials.
    pub fn pass_at_k(&self, k: u64) -> Result<Interval, Error> {
        self.bounds(k, pass_at_k)
    }

    /// [`pass_hat_k`] over all trials: the number if all that are unknown had failed, and if all
    /// had succeeded.
    ///
    /// # Errors
    ///
    /// As [`pass_at_k`]; [`Error::Setting`] for more than `u64::MAX` trials.
    pub fn pass_hat_k(&self, k: u64) -> Result<Interval, Error> {
        self.bounds(k, pass_hat_k)
    }

    /// The sum of all counts, which the public fields do not keep in range.
    fn checked_trials(&self) -> Result<u64, Error> {
        let counts = [self.successes, self.failures, self.censored, self.not_run];
        let sum = counts.iter().try_fold(0_u64, |sum, &count| sum.checked_add(count));
        sum.ok_or_else(|| Error::Setting {
            name: "number of trials",
            value: counts.iter().map(|&count| count as f64).sum(),
            range: "below 2^64",
        })
    }

    /// Both estimates grow with the successes, so their ends lie at the fewest and the most.
    fn bounds(
        &self,
        k: u64,
        estimate: impl Fn(u64, u64, u64) -> Result<f64, Error>,
    ) -> Result<Interval, Error> {
        let trials = self.checked_trials()?;
        let at_most = trials - self.failures;
        Ok(Interval::new(estimate(trials, self.successes, k)?, estimate(trials, at_most, k)?)?)
    }
}

const fn add_one(count: &mut u64) {
    *count = count.saturating_add(1);
}

/// Counts as they are written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    successes: u64,
    failures: u64,
    censored: u64,
    not_run: u64,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for TrialCounts {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let Stored { successes, failures, censored, not_run } = stored;
        let counts = Self { successes, failures, censored, not_run };
        counts.checked_trials().map(|_| counts)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_at_the_end_of_their_range_stay_there_and_more_trials_are_an_error() {
        use TrialOutcome::{Censored, Failure, NotRun, Success};
        let (successes, failures, censored, not_run) = (u64::MAX, u64::MAX, u64::MAX, u64::MAX);
        let mut counts = TrialCounts { successes, failures, censored, not_run };
        counts.extend([Success, Failure, Censored, NotRun]);
        assert_eq!(counts, TrialCounts { successes, failures, censored, not_run });
        assert_eq!((counts.trials(), counts.unknown()), (u64::MAX, u64::MAX));
        assert_eq!(counts.with_planned(u64::MAX), counts);
        for counts in [counts, TrialCounts { successes, failures: 1, ..TrialCounts::default() }] {
            for result in [counts.pass_at_k(1), counts.pass_hat_k(1)] {
                let is_sum = matches!(result, Err(Error::Setting { name: "number of trials", .. }));
                assert!(is_sum, "{result:?}");
            }
        }
        let most = TrialCounts { successes, ..TrialCounts::default() };
        assert_eq!(most.pass_hat_k(1).unwrap().as_point(), Some(1.0));
        assert_eq!(most.with_planned(u64::MAX), most);
    }

    #[cfg(feature = "serde")]
    #[test]
    fn counts_come_back_and_counts_beyond_the_range_are_refused() {
        let counts = TrialCounts { successes: 1, failures: 2, censored: 3, not_run: 4 };
        let written = serde_json::to_string(&counts).unwrap();
        assert_eq!(serde_json::from_str::<TrialCounts>(&written).unwrap(), counts);
        let text = r#"{"successes":18446744073709551615,"failures":0,"censored":1,"not_run":0}"#;
        let error = serde_json::from_str::<TrialCounts>(text).unwrap_err().to_string();
        assert!(error.starts_with("number of trials is") && error.contains("2^64"), "{error}");
    }
}
