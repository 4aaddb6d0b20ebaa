use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use scoring_rules::{Probability, Weight};
use serde::{Deserialize, Serialize};
use trajectory_metrics::{
    BetaCalibration, BetaCalibrationMap, Calibrator, Error, Isotonic, IsotonicMap, Platt, PlattMap,
    TemperatureMap, TemperatureScaling, VennAbers, VennAbersMap,
};

use crate::{
    errors::invalid,
    number_arrays::{checked, floats, run, weights},
    outcome_columns::outcomes,
};

type Values<'py> = Bound<'py, PyAny>;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Map {
    Isotonic(IsotonicMap),
    Platt(PlattMap),
    Beta(BetaCalibrationMap),
    Temperature(TemperatureMap),
    VennAbers(VennAbersMap),
}

/// A fitted map from probabilities to calibrated probabilities.
#[pyclass(frozen, module = "agent_scorecard._native")]
pub(crate) struct CalibrationMap {
    map: Map,
}

#[pymethods]
impl CalibrationMap {
    /// Reads a map that `to_json` wrote.
    #[new]
    fn new(json: &str) -> PyResult<Self> {
        let map = serde_json::from_str(json).map_err(|error| invalid(error.to_string()))?;
        Ok(Self { map })
    }

    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.map).map_err(|error| invalid(error.to_string()))
    }

    fn __getnewargs__(&self) -> PyResult<(String,)> {
        Ok((self.to_json()?,))
    }

    fn apply<'py>(
        &self,
        py: Python<'py>,
        y_prob: &Values<'py>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let values = floats("y_prob", y_prob)?;
        let values = values.as_slice()?;
        let mapped: Vec<f64> = run(py, values.len(), || {
            let forecasts = Probability::from_slice(values)?;
            let mapped = match &self.map {
                Map::Isotonic(map) => applied(map, forecasts),
                Map::Platt(map) => applied(map, forecasts),
                Map::Beta(map) => applied(map, forecasts),
                Map::Temperature(map) => applied(map, forecasts),
                Map::VennAbers(map) => applied(map, forecasts),
            };
            Ok::<_, Error>(mapped)
        })?;
        Ok(mapped.into_pyarray(py))
    }
}

fn applied(map: &impl trajectory_metrics::CalibrationMap, forecasts: &[Probability]) -> Vec<f64> {
    forecasts.iter().map(|&forecast| map.apply(forecast).get()).collect()
}

#[pyfunction]
pub(crate) fn fit_calibrator(
    py: Python<'_>,
    name: &str,
    y_true: &Values<'_>,
    y_prob: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
    penalty: f64,
    clip: f64,
) -> PyResult<CalibrationMap> {
    let fit = |p: &[Probability], y: &[bool], w: Option<&[Weight]>| match name {
        "isotonic" => Isotonic.fit(p, y, w).map(Map::Isotonic),
        "platt" => Platt::new(penalty, clip)?.fit(p, y, w).map(Map::Platt),
        "beta" => BetaCalibration::new(clip)?.fit(p, y, w).map(Map::Beta),
        "temperature" => TemperatureScaling::new(clip)?.fit(p, y, w).map(Map::Temperature),
        _ => VennAbers.fit(p, y, w).map(Map::VennAbers),
    };
    let values = floats("y_prob", y_prob)?;
    let values = values.as_slice()?;
    let outcomes = outcomes("y_true", y_true)?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    let map = run(py, values.len(), || fit(Probability::from_slice(values)?, &outcomes, weights))?;
    Ok(CalibrationMap { map })
}
