use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use scoring_rules::Probability;
use trajectory_metrics::{
    BetaCalibration, CalibrationMap as Map, Calibrator, Error, Isotonic, Platt, TemperatureScaling,
    VennAbers,
};

use crate::{
    arrays::{checked, floats, outcomes, run, weights},
    errors::invalid,
};

type Values<'py> = Bound<'py, PyAny>;

/// A fitted map from probabilities to calibrated probabilities.
#[pyclass(frozen, module = "agent_scores")]
pub(crate) struct CalibrationMap {
    map: Box<dyn Map + Send + Sync>,
}

#[pymethods]
impl CalibrationMap {
    fn apply<'py>(
        &self,
        py: Python<'py>,
        y_prob: &Values<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = floats("y_prob", y_prob)?;
        let values = values.as_slice()?;
        let mapped: Vec<f64> = run(py, values.len(), || {
            let forecasts = Probability::from_slice(values)?;
            Ok::<_, Error>(forecasts.iter().map(|&p| self.map.apply(p).get()).collect())
        })?;
        Ok(mapped.into_pyarray(py))
    }
}

#[pyfunction]
pub(crate) fn fit_calibrator(
    py: Python<'_>,
    name: &str,
    y_true: &Values<'_>,
    y_prob: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
) -> PyResult<CalibrationMap> {
    let values = floats("y_prob", y_prob)?;
    let values = values.as_slice()?;
    let outcomes = outcomes(y_true)?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    fn fit<'a, C>(
        calibrator: C,
        forecasts: &'a [f64],
        outcomes: &'a [bool],
        weights: Option<&'a [scoring_rules::Weight]>,
    ) -> Result<Box<dyn Map + Send + Sync>, Error>
    where
        C: Calibrator<Map: Send + Sync + 'static>,
    {
        Ok(Box::new(calibrator.fit(Probability::from_slice(forecasts)?, outcomes, weights)?))
    }
    if !["isotonic", "platt", "beta", "temperature", "venn_abers"].contains(&name) {
        return Err(invalid(format!("no calibrator {name:?}")));
    }
    let map = run(py, values.len(), || match name {
        "isotonic" => fit(Isotonic, values, &outcomes, weights),
        "platt" => fit(Platt::default(), values, &outcomes, weights),
        "beta" => fit(BetaCalibration::default(), values, &outcomes, weights),
        "temperature" => fit(TemperatureScaling::default(), values, &outcomes, weights),
        _ => fit(VennAbers, values, &outcomes, weights),
    })?;
    Ok(CalibrationMap { map })
}
