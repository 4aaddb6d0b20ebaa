use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use scoring_rules::{Ensemble, Error, Interval, Level, Observed, Quantiles};

use crate::{
    errors::Failure,
    number_arrays::{LONG, floats, rows, run, same_length},
    outcome_columns::outcome,
};

type Values<'py> = Bound<'py, PyAny>;
type Array<'py> = Bound<'py, PyArray1<f64>>;

#[pyfunction]
pub(crate) fn interval_loss<'py>(
    py: Python<'py>,
    y_true: &Values<'py>,
    lower: &Values<'py>,
    upper: &Values<'py>,
    coverage: f64,
) -> PyResult<Array<'py>> {
    let (y, low, high) =
        (floats("y_true", y_true)?, floats("lower", lower)?, floats("upper", upper)?);
    let (y, low, high) = (y.as_slice()?, low.as_slice()?, high.as_slice()?);
    same_length("lower", y.len(), low.len())?;
    same_length("upper", y.len(), high.len())?;
    let losses: Vec<f64> = run(py, y.len(), || {
        let coverage = Level::new(coverage)?;
        let loss = |((&y, &low), &high)| {
            let outcome = Observed::exact(y)?;
            Ok::<_, Error>(scoring_rules::interval_loss(
                Interval::new(low, high)?,
                outcome,
                coverage,
            ))
        };
        y.iter().zip(low).zip(high).map(loss).collect()
    })?;
    Ok(losses.into_pyarray(py))
}

#[pyfunction]
pub(crate) fn pinball_loss<'py>(
    py: Python<'py>,
    y_true: &Values<'py>,
    y_pred: &Values<'py>,
    level: f64,
) -> PyResult<Array<'py>> {
    let (y, forecasts) = (floats("y_true", y_true)?, floats("y_pred", y_pred)?);
    let (y, forecasts) = (y.as_slice()?, forecasts.as_slice()?);
    same_length("y_pred", y.len(), forecasts.len())?;
    let losses: Vec<f64> = run(py, y.len(), || {
        let level = Level::new(level)?;
        y.iter()
            .zip(forecasts)
            .map(|(&y, &forecast)| {
                scoring_rules::pinball_loss(forecast, Observed::exact(y)?, level)
            })
            .collect::<Result<_, Error>>()
    })?;
    Ok(losses.into_pyarray(py))
}

#[pyfunction]
pub(crate) fn crps_ensemble<'py>(
    py: Python<'py>,
    y_true: &Values<'py>,
    members: &Values<'py>,
    fair: &Values<'py>,
) -> PyResult<Array<'py>> {
    let fair = outcome("fair", fair)?;
    let y = floats("y_true", y_true)?;
    let y = y.as_slice()?;
    let (given, width) = rows("members", members)?;
    same_length("members", y.len() * width, given.as_slice()?.len())?;
    let losses = |members: &[f64]| {
        let loss = |(row, &y): (usize, &f64)| {
            let ensemble = Ensemble::new(&members[row * width..(row + 1) * width], None)?;
            let outcome = Observed::exact(y)?;
            if fair { ensemble.fair_crps_loss(outcome) } else { Ok(ensemble.crps_loss(outcome)) }
        };
        y.iter().enumerate().map(loss).collect::<Result<Vec<f64>, Error>>()
    };
    // NumPy sorts rows with vector instructions, several times as fast; sorted members are soon sorted again.
    if given.as_slice()?.len() >= LONG {
        let sorted = py.import("numpy")?.call_method1("sort", (members, 1))?;
        let (sorted, _) = rows("members", &sorted)?;
        let sorted = sorted.as_slice()?;
        // A wrong member has another position among the sorted ones: the error is that of the given ones.
        if let Ok(losses) = py.detach(|| losses(sorted)) {
            return Ok(losses.into_pyarray(py));
        }
    }
    let given = given.as_slice()?;
    Ok(run(py, given.len(), || losses(given))?.into_pyarray(py))
}

/// A loss of each row of quantiles.
fn of_quantiles<'py>(
    py: Python<'py>,
    [y_true, quantiles, levels]: [&Values<'py>; 3],
    loss: impl Fn(&Quantiles, Observed) -> Result<f64, Error> + Send + Sync,
) -> PyResult<Array<'py>> {
    let y = floats("y_true", y_true)?;
    let y = y.as_slice()?;
    let levels = floats("levels", levels)?;
    let levels: Result<Vec<Level>, Error> =
        levels.as_slice()?.iter().map(|&l| Level::new(l)).collect();
    let levels = levels.map_err(Failure::from)?;
    let (values, width) = rows("quantiles", quantiles)?;
    let values = values.as_slice()?;
    same_length("levels", width, levels.len())?;
    same_length("quantiles", y.len() * width, values.len())?;
    let losses: Vec<f64> = run(py, values.len(), || {
        let loss = |(row, &y): (usize, &f64)| {
            let forecast = Quantiles::new(&levels, &values[row * width..(row + 1) * width])?;
            loss(&forecast, Observed::exact(y)?)
        };
        y.iter().enumerate().map(loss).collect::<Result<_, Error>>()
    })?;
    Ok(losses.into_pyarray(py))
}

#[pyfunction]
pub(crate) fn crps_quantiles<'py>(
    py: Python<'py>,
    y_true: &Values<'py>,
    quantiles: &Values<'py>,
    levels: &Values<'py>,
) -> PyResult<Array<'py>> {
    of_quantiles(py, [y_true, quantiles, levels], |forecast, outcome| {
        Ok(forecast.crps_loss(outcome))
    })
}

#[pyfunction]
pub(crate) fn weighted_interval_loss<'py>(
    py: Python<'py>,
    y_true: &Values<'py>,
    quantiles: &Values<'py>,
    levels: &Values<'py>,
) -> PyResult<Array<'py>> {
    of_quantiles(py, [y_true, quantiles, levels], Quantiles::weighted_interval_loss)
}
