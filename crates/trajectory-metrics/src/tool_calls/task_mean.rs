use scoring_rules::{ExactMean, ExactSum, Interval, Level, Weight};

use crate::{
    checks::same_length,
    error::Error,
    numerics::{normal, quantiles::tail},
};

/// A mean over tasks and how far it may be off: one end of a [`TaskMean`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "StoredEnd")
)]
#[non_exhaustive]
pub struct TaskMeanEnd {
    /// The mean of the tasks' values.
    pub mean: f64,
    /// Its standard error: the spread of the tasks' values over the root of their number. `None`
    /// unless the weights sum to more than 1, by 1e-9 at least: below that the excess is lost to
    /// rounding.
    pub standard_error: Option<f64>,
}

/// The mean of a number that each task has, such as pass^k, with the range that unknown trials
/// leave.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "Stored")
)]
#[non_exhaustive]
pub struct TaskMean {
    /// The mean if all unknown trials had failed.
    pub low: TaskMeanEnd,
    /// The mean if all unknown trials had succeeded; the same where none is unknown.
    pub high: TaskMeanEnd,
}

impl TaskMean {
    /// An interval for the mean over all tasks that there might be, which holds it with the given
    /// chance where means of tasks are normal: from below the low end to above the high end.
    ///
    /// Tasks are the clusters: trials of one task may depend on each other as they like. The
    /// interval is not cut off at 0 and 1. With few tasks it is too narrow; resample tasks then, as
    /// in the example of [`mean_over_tasks`].
    ///
    /// # Errors
    ///
    /// [`Error::OneTask`] without a standard error, as for a single task.
    pub fn normal_interval(&self, level: Level) -> Result<Interval, Error> {
        // Not of 1 - tail, which is rounded, and at the highest levels to 1.
        let z = -normal::quantile(tail(level));
        let (Some(below), Some(above)) = (self.low.standard_error, self.high.standard_error) else {
            return Err(Error::OneTask);
        };
        Ok(Interval::new(self.low.mean - z * below, self.high.mean + z * above)?)
    }
}

/// The mean over tasks, each with its own value, weighted where weights are given. A weight is a
/// number of tasks: 2 is the task twice, also for the standard error.
///
/// ```text
/// mean = sum of w v / W          standard error = sqrt(sum of w (v - mean)^2 / (W (W - 1)))
/// ```
///
/// with W the sum of weights. Exact sums: the order of the tasks leaves no trace. Weights that sum
/// to 1, such as shares, give a mean and no standard error.
///
/// In [`cluster_mean`](crate::cluster_mean()) a weight is something else: rows of one cluster,
/// which is one task however much it weighs. The values 0, 1 and 0.5 with weights 2, 1 and 1 have
/// mean 0.375 by both, with a standard error of 0.239 here (four tasks) and of 0.301 there (three
/// clusters).
///
/// Reference: Miller (2024), Adding error bars to evals, arXiv:2411.00640, clustered standard
/// errors, where each cluster counts the same.
///
/// # Errors
///
/// [`Error::Empty`] without a task of positive weight; [`Error::Length`] unless there are as many
/// weights as tasks; [`Error::ScoringRules`] with the position of a value that is a NaN or infinite.
///
/// ```
/// use trajectory_metrics::{
///     Bootstrap, Error, Level, Weight,
///     tool_calls::{TrialCounts, TrialOutcome, mean_over_tasks},
/// };
///
/// use TrialOutcome::{Censored, Failure, Success};
/// let tasks = ["a", "a", "b", "b", "c", "c"];
/// let outcomes = [Success, Success, Failure, Success, Success, Censored];
/// let counts = TrialCounts::by_task(&tasks, &outcomes)?;
/// let values = counts.values().map(|task| task.pass_hat_k(2)).collect::<Result<Vec<_>, _>>()?;
///
/// let mean = mean_over_tasks(&values, None)?;
/// assert_eq!((mean.low.mean, mean.high.mean), (1.0 / 3.0, 2.0 / 3.0));
/// let level = Level::new(0.95)?;
/// let interval = mean.normal_interval(level)?;
/// assert!(interval.low() < mean.low.mean && mean.high.mean < interval.high());
///
/// // The same by resampling tasks.
/// let [low, high] = Bootstrap::rows(values.len(), 7)?.replicates(1_000, |counts| {
///     let weights: Vec<Weight> = counts.iter().map(|&count| count.into()).collect();
///     let mean = mean_over_tasks(&values, Some(&weights));
///     [mean.clone().map(|mean| mean.low.mean), mean.map(|mean| mean.high.mean)]
/// });
/// let (low, high) = (low?.percentile_interval(level), high?.percentile_interval(level));
/// assert!(low.interval.low() < 1.0 / 3.0 && 2.0 / 3.0 < high.interval.high());
/// # Ok::<(), Error>(())
/// ```
pub fn mean_over_tasks(values: &[Interval], weights: Option<&[Weight]>) -> Result<TaskMean, Error> {
    if let Some(weights) = weights {
        same_length("weights", values.len(), weights.len())?;
    }
    Ok(TaskMean {
        low: end_of(values, Interval::low, weights)?,
        high: end_of(values, Interval::high, weights)?,
    })
}

/// Weights that should sum to 1 leave about 1e-16 a task, which would blow the error up.
const LEAST_FREE: f64 = 1e-9;

fn end_of(
    values: &[Interval],
    end: impl Fn(Interval) -> f64,
    weights: Option<&[Weight]>,
) -> Result<TaskMeanEnd, Error> {
    let weight = |row: usize| weights.map_or(Weight::ONE, |weights| weights[row]);
    let (mut mean, mut total) = (ExactMean::default(), ExactSum::default());
    for (row, bounds) in values.iter().enumerate() {
        let value = end(*bounds);
        if !value.is_finite() {
            let what = "values of tasks";
            return Err(Error::ScoringRules(scoring_rules::Error::NotFiniteAt {
                what,
                index: row,
                value,
            }));
        }
        mean.update_weighted(value, weight(row))?;
        total.add(weight(row).get());
    }
    let mean = mean.finish()?;
    let mut spread = ExactMean::default();
    for (row, bounds) in values.iter().enumerate() {
        spread.update_weighted((end(*bounds) - mean).powi(2), weight(row))?;
    }
    let (spread, free) = (spread.finish()?, total.value() - 1.0);
    Ok(TaskMeanEnd { mean, standard_error: (free > LEAST_FREE).then(|| (spread / free).sqrt()) })
}

/// An end as it is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredEnd {
    mean: f64,
    standard_error: Option<f64>,
}

#[cfg(feature = "serde")]
impl TryFrom<StoredEnd> for TaskMeanEnd {
    type Error = Error;

    fn try_from(StoredEnd { mean, standard_error }: StoredEnd) -> Result<Self, Error> {
        if !mean.is_finite() {
            return Err(Error::Setting { name: "mean", value: mean, range: "finite" });
        }
        match standard_error {
            Some(value) if !(value >= 0.0 && value.is_finite()) => {
                let range = "at least 0 and finite";
                Err(Error::Setting { name: "standard error", value, range })
            }
            standard_error => Ok(Self { mean, standard_error }),
        }
    }
}

/// A mean as it is written.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    low: TaskMeanEnd,
    high: TaskMeanEnd,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for TaskMean {
    type Error = Error;

    fn try_from(Stored { low, high }: Stored) -> Result<Self, Error> {
        // In order, as the ends of every range.
        Interval::new(low.mean, high.mean)?;
        Ok(Self { low, high })
    }
}

#[cfg(feature = "serde")]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_over_tasks_comes_back_and_a_wrong_one_is_refused() {
        let values = [Interval::new(0.25, 0.5).unwrap(), Interval::point(1.0).unwrap()];
        for values in [&values[..], &values[..1]] {
            let mean = mean_over_tasks(values, None).unwrap();
            let written = serde_json::to_string(&mean).unwrap();
            assert_eq!(serde_json::from_str::<TaskMean>(&written).unwrap(), mean, "{written}");
        }
        let read = |low: &str, high: &str| {
            serde_json::from_str::<TaskMean>(&format!(r#"{{"low":{low},"high":{high}}}"#))
        };
        let end = r#"{"mean":0.5,"standard_error":null}"#;
        assert!(read(end, end).is_ok());
        for (low, problem) in [
            (r#"{"mean":0.6,"standard_error":null}"#, "give the lower end first"),
            (r#"{"mean":0.5,"standard_error":-1.0}"#, "standard error is -1"),
        ] {
            let error = read(low, end).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
        let not_finite = StoredEnd { mean: f64::NAN, standard_error: None };
        let error = TaskMeanEnd::try_from(not_finite);
        assert!(matches!(error, Err(Error::Setting { name: "mean", .. })), "{error:?}");
    }
}
