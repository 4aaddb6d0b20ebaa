use scoring_rules::{ExactMean, ExactSum, Interval, Level, Weight};

use crate::{
    checks::bounded,
    error::{Error, Shared},
    numerics::{normal, quantiles::tail},
};

/// The mean over tasks of a number such as pass^k, with its range over the possible outcomes of unknown trials.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TaskMean {
    /// The mean if all unknown trials had failed, and if all had succeeded.
    pub mean: Interval,
    /// The standard errors of the lower and of the upper mean. `None` unless the weights sum to more than 1 by at least
    /// 1e-9: a smaller excess may be rounding.
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
    /// cluster is one task, for any weights of its rows. The values 0, 1 and 0.5 with weights 2, 1 and 1 have the mean
    /// 0.375 in both functions, with a standard error of 0.239 here (four tasks) and of 0.301 there (three clusters).
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
    /// use trajectory_metrics::{Seed,
    ///     Bootstrap, Error, Interval, Level, Weight,
    ///     tool_calls::{TrialCounts, TrialOutcome, TaskMean},
    /// };
    ///
    /// use TrialOutcome::{Censored, Failure, Success};
    /// let tasks = ["a", "a", "b", "b", "c", "c"];
    /// let outcomes = [Success, Success, Failure, Success, Success, Censored];
    /// let counts = TrialCounts::by_task(&tasks, &outcomes)?;
    /// let values = counts.values().map(|task| task.pass_hat_k(2)).collect::<Result<Vec<_>, _>>()?;
    ///
    /// let over_tasks = TaskMean::new(&values, None)?;
    /// assert_eq!((over_tasks.mean.low(), over_tasks.mean.high()), (1.0 / 3.0, 2.0 / 3.0));
    /// let level = Level::new(0.95)?;
    /// let interval = over_tasks.normal_interval(level)?;
    /// assert!(interval.low() < 1.0 / 3.0 && 2.0 / 3.0 < interval.high());
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

    /// Returns a confidence interval for the mean over all possible tasks, from below the lower mean to above the upper
    /// mean, for normally distributed means.
    ///
    /// Tasks are the clusters: trials of one task may depend on each other. The interval is not
    /// clipped to [0, 1]. For few tasks it is too narrow; resample tasks instead, as in the example
    /// of [`TaskMean::new`].
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Undefined`] without standard errors, as for a single task.
    pub fn normal_interval(&self, level: Level) -> Result<Interval, Error> {
        // At the highest levels, 1 - tail would be rounded to 1.
        let z = -normal::quantile(tail(level));
        let [below, above] = self.standard_errors.ok_or(Shared::Undefined {
            name: "the confidence interval of a mean over tasks",
            reason: "the weights of the tasks sum to at most 1; give more tasks",
        })?;
        Ok(Interval::new(self.mean.low() - z * below, self.mean.high() + z * above)?)
    }
}

/// Weights that should sum to 1 have a rounding error of about 1e-16 per task. The standard error would magnify this
/// error.
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
