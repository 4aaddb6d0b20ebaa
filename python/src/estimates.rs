use pyo3::prelude::*;
use scoring_rules::Level;
use trajectory_metrics::{Arm, ClusterEstimate, estimates};

use crate::{
    group_columns,
    number_arrays::{checked, floats, weights},
    outcome_columns::{self, outcomes},
    results::{FigureParts, figure, parts},
};

type Values<'py> = Bound<'py, PyAny>;

/// The least and the largest value that there can be, each `None` without one.
type Bounds = Option<(Option<f64>, Option<f64>)>;

fn range_of(bounds: Bounds) -> [f64; 2] {
    let (low, high) = bounds.unwrap_or_default();
    [low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY)]
}

#[pyfunction]
pub(crate) fn mean(
    py: Python<'_>,
    values: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
    groups: &Values<'_>,
    bounds: Bounds,
    level: f64,
) -> PyResult<FigureParts> {
    let values = floats("values", values)?;
    let values = values.as_slice()?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    let groups = group_columns::groups(groups)?;
    figure(py.detach(|| {
        let level = Level::new(level)?;
        estimates::mean(values, weights, &groups, range_of(bounds), level).map(|it| parts(&it))
    }))
}

/// The mean of the second arm minus that of the first.
#[pyfunction]
pub(crate) fn difference(
    py: Python<'_>,
    values: &Values<'_>,
    second: &Values<'_>,
    groups: &Values<'_>,
    bounds: Bounds,
    level: f64,
) -> PyResult<FigureParts> {
    let values = floats("values", values)?;
    let values = values.as_slice()?;
    let arms = arms(second)?;
    let groups = group_columns::groups(groups)?;
    figure(py.detach(|| {
        let level = Level::new(level)?;
        let found = estimates::Difference::new(values, &arms, &groups, range_of(bounds))?;
        Ok(parts(&found.figure(level)))
    }))
}

fn arms(second: &Values<'_>) -> PyResult<Vec<Arm>> {
    Ok(outcome_columns::outcomes("second", second)?.into_iter().map(Arm::second_if).collect())
}

/// The AUROC of the second arm minus that of the first.
#[pyfunction]
pub(crate) fn cluster_auroc_difference(
    py: Python<'_>,
    y_true: &Values<'_>,
    y_prob: &Values<'_>,
    second: &Values<'_>,
    groups: &Values<'_>,
    level: f64,
) -> PyResult<FigureParts> {
    let values = floats("y_prob", y_prob)?;
    let values = values.as_slice()?;
    let outcomes = outcomes("y_true", y_true)?;
    let arms = arms(second)?;
    let groups = group_columns::groups(groups)?;
    figure(py.detach(|| {
        let level = Level::new(level)?;
        let confidence = scoring_rules::Probability::from_slice(values)?;
        let found = ClusterEstimate::auroc_difference(confidence, &outcomes, &arms, None, &groups)?;
        Ok(parts(&found.figure(level)))
    }))
}
