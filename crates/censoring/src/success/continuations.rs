use scoring_rules::checks::{same_length, setting};
use trajectory_metrics::{Interval, Probability};

use crate::error::Error;

/// Counts of how the continuations (branches) of a cut-off run ended.
///
/// Each branch must use the same agent, harness and stopping rule. The scored forecasts come from the run itself.
///
/// ```
/// use censoring::{Continuations, Error};
///
/// let branches = Continuations { successes: 2, failures: 6, unresolved: 2, invalid: 1 };
/// let estimate = branches.estimate()?;
/// assert_eq!(estimate.probability.get(), 2.0 / 8.0);
/// assert_eq!(estimate.interval.low().get(), 2.0 / 10.0);
/// assert_eq!(estimate.standard_error, (0.25_f64 * 0.75 / 8.0).sqrt());
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Continuations {
    /// The number of branches that succeeded.
    pub successes: u64,
    /// The number of branches that failed.
    pub failures: u64,
    /// The number of valid branches that were cut off again.
    pub unresolved: u64,
    /// The number of invalid branches, for example with output that could not be read. Estimates ignore them, but
    /// reports should mention them.
    pub invalid: u64,
}

/// A probability of success after a stop, estimated from [`Continuations`], with an interval.
///
/// The mean score with all probabilities at their lower bounds and the mean score with all at their upper bounds do not
/// bound the mean score, because some runs score better as a success and others worse.
/// [`mean_score_bounds`](crate::mean_score_bounds) uses the worse and the better bound of each run.
///
/// ```
/// use censoring::{Continuations, Error};
///
/// let branches = Continuations { successes: 3, failures: 1, unresolved: 4, invalid: 0 };
/// let estimate = branches.estimate()?;
/// assert_eq!(estimate.probability.get(), 0.75);
/// assert_eq!(estimate.standard_error, (0.75_f64 * 0.25 / 4.0).sqrt());
///
/// let interval = estimate.interval;
/// assert_eq!((interval.low().get(), interval.high().get()), (0.375, 0.875));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SuccessEstimate {
    /// The number of successes divided by the number of branches with an outcome.
    pub probability: Probability,
    /// The interval of the probability: its lower bound counts all unresolved branches as failures, and its upper
    /// bound counts them as successes. It does not cover the sampling error of the branches.
    pub interval: Interval<Probability>,
    /// The binomial standard error of the probability q, `sqrt(q (1 - q) / M)`, where M is the number of branches with
    /// an outcome. It is 0 if all of them ended alike, which does not make the probability certain.
    pub standard_error: f64,
}

impl Continuations {
    /// Returns the number of branches with an outcome.
    #[must_use]
    pub const fn valid(&self) -> u64 {
        self.successes.saturating_add(self.failures)
    }

    /// Estimates the probability of success.
    ///
    /// The exact score at the estimate is the mean, over the branches, of the score of the cut-off run
    /// with the outcome of the branch.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
    /// quantification, arXiv:2605.24756, appendix H.
    ///
    /// # Errors
    ///
    /// [`Error::Undetermined`] if no branch has an outcome.
    pub fn estimate(&self) -> Result<SuccessEstimate, Error> {
        if self.valid() == 0 {
            return Err(Error::Undetermined {
                problem: "no continuation has an outcome; run more of them or take the probability \
                          from a model",
            });
        }
        let [successes, failures, unresolved] =
            [self.successes, self.failures, self.unresolved].map(|count| count as f64);
        let (valid, all) = (successes + failures, successes + failures + unresolved);
        let q = successes / valid;
        Ok(SuccessEstimate {
            probability: Probability::new(q)?,
            interval: Interval::new(
                Probability::new(successes / all)?,
                Probability::new((successes + unresolved) / all)?,
            )?,
            standard_error: (q * (1.0 - q) / valid).sqrt(),
        })
    }
}

/// Returns the probability of success after each stop. It is estimated from the branches (continuations) of a run if at
/// least `min_valid` of them have an outcome, and otherwise taken from `plug_in`, the estimates of a model.
///
/// `branches` and `plug_in` have one entry per run; the entry of a run without branches is the default.
/// The paper drops runs with fewer than 5. The model may have been fitted on the branches of other runs
/// ([`CrossFitSuccess::new`](crate::CrossFitSuccess::new)).
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, appendix H (hybrid audit).
///
/// # Errors
///
/// [`scoring_rules::Error::Length`] unless there is one entry per run in each argument; [`scoring_rules::Error::Setting`] for a
/// `min_valid` of 0.
///
/// ```
/// use censoring::{Continuations, Error, Probability, hybrid_success_probabilities};
///
/// let audited = Continuations { successes: 3, failures: 2, ..Continuations::default() };
/// let plug_in = [Probability::HALF; 2];
/// let hybrid = hybrid_success_probabilities(&[audited, Continuations::default()], &plug_in, 5)?;
/// assert_eq!(hybrid, Probability::from_slice(&[0.6, 0.5])?);
/// # Ok::<(), Error>(())
/// ```
pub fn hybrid_success_probabilities(
    branches: &[Continuations],
    plug_in: &[Probability],
    min_valid: u64,
) -> Result<Vec<Probability>, Error> {
    same_length("plug_in", branches.len(), plug_in.len())?;
    setting("min_valid", min_valid as f64, min_valid > 0, "at least 1")?;
    let hybrid = |(branches, &plug_in): (&Continuations, &Probability)| {
        if branches.valid() >= min_valid {
            Ok(branches.estimate()?.probability)
        } else {
            Ok(plug_in)
        }
    };
    branches.iter().zip(plug_in).map(hybrid).collect()
}
