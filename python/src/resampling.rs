use pyo3::prelude::*;
use scoring_rules::Level;
use trajectory_metrics::{Bootstrap, Error, NoInterval, Ranking, Replicates, Seed};

use crate::{
    arrays::{checked, floats, weights},
    columns::{self, outcomes},
    errors::Failure,
};

type Values<'py> = Bound<'py, PyAny>;
type Ends = (Option<f64>, Option<f64>);

/// The estimate, the ends, the standard error, undefined resamples, and why there is no interval.
type Estimate = (f64, Option<f64>, Option<f64>, Option<f64>, usize, Option<String>);

fn bootstrap(n: usize, groups: Option<&[u64]>, seed: u64) -> Result<Bootstrap, Error> {
    match groups {
        None => Bootstrap::rows(n, Seed::new(seed)),
        Some(groups) => Bootstrap::clusters(groups, Seed::new(seed)),
    }
}

fn named(replicates: &Replicates, level: Level) -> Estimate {
    let found = replicates.confidence_interval(level);
    let interval = found.ok().map(|estimate| estimate.interval);
    (
        replicates.estimate(),
        interval.map(|interval| interval.low()),
        interval.map(|interval| interval.high()),
        replicates.standard_error(),
        replicates.undefined(),
        found.err().map(|why| why.to_string()),
    )
}

#[pyfunction]
pub(crate) fn bootstrap_mean(
    py: Python<'_>,
    values: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
    groups: Option<&Values<'_>>,
    n_resamples: usize,
    confidence_level: f64,
    random_state: u64,
) -> PyResult<Estimate> {
    let values = floats("values", values)?;
    let values = values.as_slice()?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    let groups = groups.map(columns::groups).transpose()?;
    let estimate = py.detach(|| {
        let level = Level::new(confidence_level)?;
        let bootstrap = bootstrap(values.len(), groups.as_deref(), random_state)?;
        Ok(named(&bootstrap.mean(values, weights, n_resamples)?, level))
    });
    estimate.map_err(|error: Error| Failure::from(error).into())
}

#[pyfunction]
pub(crate) fn bootstrap_auroc(
    py: Python<'_>,
    y_true: &Values<'_>,
    y_score: &Values<'_>,
    groups: Option<&Values<'_>>,
    n_resamples: usize,
    confidence_level: f64,
    random_state: u64,
) -> PyResult<Estimate> {
    let scores = floats("y_score", y_score)?;
    let scores = scores.as_slice()?;
    let outcomes = outcomes("y_true", y_true)?;
    let groups = groups.map(columns::groups).transpose()?;
    let estimate = py.detach(|| {
        let level = Level::new(confidence_level)?;
        let bootstrap = bootstrap(scores.len(), groups.as_deref(), random_state)?;
        let ranking = Ranking::from_scores(scores, &outcomes)?;
        Ok(named(&bootstrap.auroc(&ranking, n_resamples)?, level))
    });
    estimate.map_err(|error: Error| Failure::from(error).into())
}

#[pyfunction]
pub(crate) fn cluster_mean(
    py: Python<'_>,
    values: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
    groups: &Values<'_>,
    confidence_level: f64,
) -> PyResult<(f64, Option<f64>, Option<f64>, f64)> {
    let values = floats("values", values)?;
    let values = values.as_slice()?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    let groups = columns::groups(groups)?;
    let estimate = py.detach(|| {
        let estimate = trajectory_metrics::cluster_mean(values, weights, &groups)?;
        let (low, high): Ends = match estimate.interval(Level::new(confidence_level)?) {
            Ok(interval) => (Some(interval.low()), Some(interval.high())),
            Err(Error::NoInterval(NoInterval::Constant)) => (None, None),
            Err(error) => return Err(error),
        };
        Ok((estimate.estimate, low, high, estimate.standard_error))
    });
    estimate.map_err(|error: Error| Failure::from(error).into())
}
