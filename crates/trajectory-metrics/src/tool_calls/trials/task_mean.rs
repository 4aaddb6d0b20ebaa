use scoring_rules::{ExactMean, ExactSum, Interval, Weight};

use crate::{checks::bounded, error::Error};

/// The mean over tasks of a number such as pass^k, with the range that unknown trials leave.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TaskMean {
    /// The mean if all unknown trials had failed, and if all had succeeded.
    pub mean: Interval,
    /// The standard errors of the low and of the high mean. `None` unless the weights sum to more
    /// than 1 by at least 1e-9: a smaller excess may be rounding.
    pub standard_errors: Option<[f64; 2]>,
}

impl TaskMean {
    /// Returns the mean over tasks of a value per task. A weight is a number of tasks: a task of weight 2
    /// counts as two equal tasks, also for the standard error.
    ///
    /// ```text
    /// mean = sum of w v / W          standard error = sqrt(sum of w (v - mean)^2 / (W (W - 1)))
    /// ```
    ///
    /// W is the sum of the weights. Sums are exact, so that the order of the tasks does not matter.
    /// Weights that sum to 1, such as shares, give a mean without a standard error.
    ///
    /// In [`ClusterEstimate::mean`](crate::ClusterEstimate::mean), the weight of a row is not a number of clusters: each
    /// cluster is one task, whatever its rows weigh. The values 0, 1 and 0.5 with weights 2, 1 and 1 have
    /// the mean 0.375 in both functions, with a standard error of 0.239 here (four tasks) and of 0.301
    /// there (three clusters).
    ///
    /// Reference: Miller (2024), Adding error bars to evals, arXiv:2411.00640, clustered standard
    /// errors, with equal clusters.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one weight per task; [`Error::ScoringRules`]
    /// without a task of positive weight; [`scoring_rules::Error::Entry`] with the position of a value
    /// that is not from -1e100 to 1e100.
    ///
    /// ```
    /// use trajectory_metrics::{
    ///     Bootstrap, Error, Interval, Level, Seed, Weight,
    ///     tool_calls::{TaskMean, TrialCounts, TrialOutcome},
    /// };
    ///
    /// use TrialOutcome::{Censored, Failure, Success};
    /// let tasks = [[Success, Success], [Failure, Success], [Success, Censored]];
    /// let both = |trials: [TrialOutcome; 2]| TrialCounts::from_iter(trials).pass_hat_k(2);
    /// let values = tasks.map(both).into_iter().collect::<Result<Vec<_>, _>>()?;
    ///
    /// let over_tasks = TaskMean::new(&values, None)?;
    /// assert_eq!((over_tasks.mean.low(), over_tasks.mean.high()), (1.0 / 3.0, 2.0 / 3.0));
    /// let level = Level::new(0.95)?;
    ///
    /// // An interval from resampling tasks.
    /// let [low, high] = Bootstrap::rows(values.len(), Seed::new(7))?.replicates(1_000, |counts| {
    ///     let weights: Vec<Weight> = counts.iter().map(|&count| count.into()).collect();
    ///     let mean = TaskMean::new(&values, Some(&weights)).map(|mean| mean.mean);
    ///     [mean.clone().map(Interval::low), mean.map(Interval::high)]
    /// });
    /// let (low, high) = (low?.percentile_interval(level), high?.percentile_interval(level));
    /// assert!(low.low() < 1.0 / 3.0 && 2.0 / 3.0 < high.high());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(values: &[Interval], weights: Option<&[Weight]>) -> Result<Self, Error> {
        let end = |end: fn(Interval) -> f64| {
            let ends: Vec<f64> = values.iter().map(|&value| end(value)).collect();
            mean_and_error(&ends, weights)
        };
        let (low, low_error) = end(Interval::low)?;
        let (high, high_error) = end(Interval::high)?;
        let standard_errors = low_error.zip(high_error).map(<[f64; 2]>::from);
        Ok(Self { mean: Interval::new(low, high)?, standard_errors })
    }
}

/// Weights that should sum to 1 are off by about 1e-16 per task, which the standard error would
/// magnify.
const LEAST_EXCESS: f64 = 1e-9;

fn mean_and_error(values: &[f64], weights: Option<&[Weight]>) -> Result<(f64, Option<f64>), Error> {
    bounded("value of task", values)?;
    let mean = ExactMean::of(values.iter().copied(), weights)?;
    let variance = ExactMean::of(values.iter().map(|value| (value - mean).powi(2)), weights)?;
    let sum = |weights: &[Weight]| weights.iter().map(|weight| weight.get()).collect::<ExactSum>();
    let weight = weights.map_or(values.len() as f64, |weights| sum(weights).value());
    let excess = weight - 1.0;
    Ok((mean, (excess > LEAST_EXCESS).then(|| (variance / excess).sqrt())))
}
