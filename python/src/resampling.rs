use pyo3::prelude::*;
use scoring_rules::Level;
use trajectory_metrics::{Bootstrap, BootstrapEstimate, Error, Ranking};

use crate::{
    arrays::{checked, floats, weights},
    columns::{self, outcomes},
    errors::Failure,
};

type Values<'py> = Bound<'py, PyAny>;
type Estimate = (f64, f64, f64, Option<f64>, usize);

fn bootstrap(n: usize, groups: Option<&[u64]>, seed: u64) -> Result<Bootstrap, Error> {
    match groups {
        None => Bootstrap::rows(n, seed),
        Some(groups) => Bootstrap::clusters(groups, seed),
    }
}

fn named(estimate: BootstrapEstimate) -> Estimate {
    let interval = estimate.interval;
    (
        estimate.estimate,
        interval.low(),
        interval.high(),
        estimate.standard_error,
        estimate.undefined,
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
        Ok(bootstrap.mean(values, weights, n_resamples)?.percentile_interval(level))
    });
    estimate.map(named).map_err(|error: Error| Failure::from(error).into())
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
        Ok(bootstrap.auroc(&ranking, n_resamples)?.percentile_interval(level))
    });
    estimate.map(named).map_err(|error: Error| Failure::from(error).into())
}

#[pyfunction]
pub(crate) fn cluster_mean(
    py: Python<'_>,
    values: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
    groups: &Values<'_>,
    confidence_level: f64,
) -> PyResult<(f64, f64, f64, f64)> {
    let values = floats("values", values)?;
    let values = values.as_slice()?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    let groups = columns::groups(groups)?;
    let estimate = py.detach(|| {
        let estimate = trajectory_metrics::cluster_mean(values, weights, &groups)?;
        let interval = estimate.interval(Level::new(confidence_level)?)?;
        Ok((estimate.estimate, interval.low(), interval.high(), estimate.standard_error))
    });
    estimate.map_err(|error: Error| Failure::from(error).into())
}
