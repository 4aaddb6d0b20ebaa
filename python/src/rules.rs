use numpy::{IntoPyArray, PyArray1};
use pyo3::{IntoPyObjectExt, prelude::*, types::PyTuple};
use scoring_rules::{AnyRule, Probability, ScoringRule as _, mean_score, score_slice};

use crate::{
    errors::Failure,
    number_arrays::{checked, floats, run, weights},
    outcome_columns::outcomes,
};

/// A proper scoring rule. Scores are rewards: higher is better.
///
/// Made by `log_score`, `brier_score` and the like.
#[pyclass(frozen, module = "agent_scorecard")]
pub(crate) struct ScoringRule {
    pub(crate) rule: AnyRule,
}

fn probability(value: f64) -> PyResult<Probability> {
    Ok(Probability::new(value).map_err(Failure::from)?)
}

#[pymethods]
impl ScoringRule {
    #[new]
    #[pyo3(signature = (name, *parameters))]
    fn new(name: &str, parameters: Vec<f64>) -> PyResult<Self> {
        Ok(Self { rule: AnyRule::named(name, &parameters).map_err(Failure::from)? })
    }

    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let (name, parameters) = self.rule.name();
        let parameters = parameters.into_iter().map(|number| number.into_bound_py_any(py));
        PyTuple::new(
            py,
            std::iter::once(name.into_bound_py_any(py))
                .chain(parameters)
                .collect::<PyResult<Vec<_>>>()?,
        )
    }

    pub(crate) fn __repr__(&self) -> String {
        let (name, parameters) = self.rule.name();
        let labels = match name {
            "log" => ["clip=", ""],
            "power" | "pseudospherical" => ["", "baseline="],
            _ => ["", ""],
        };
        let arguments = labels.iter().zip(parameters).map(|(label, it)| format!("{label}{it:?}"));
        format!("{name}_score({})", arguments.collect::<Vec<_>>().join(", "))
    }

    /// Return the score of each row.
    ///
    /// Parameters
    /// ----------
    /// y_true : array-like of bool or 0 and 1
    /// y_prob : array-like of probabilities
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    ///
    /// Examples
    /// --------
    /// >>> from agent_scorecard import brier_score
    /// >>> brier_score().score([1, 0], [1.0, 0.5])
    /// array([ 0.  , -0.25])
    fn score<'py>(
        &self,
        py: Python<'py>,
        y_true: &Bound<'py, PyAny>,
        y_prob: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let forecasts = floats("y_prob", y_prob)?;
        let forecasts = forecasts.as_slice()?;
        let outcomes = outcomes("y_true", y_true)?;
        let rule = &self.rule;
        let scores = run(py, forecasts.len(), || {
            let mut scores = vec![0.0; forecasts.len()];
            score_slice(rule, Probability::from_slice(forecasts)?, &outcomes, &mut scores)?;
            Ok::<_, scoring_rules::Error>(scores)
        })?;
        Ok(scores.into_pyarray(py))
    }

    /// Return the weighted mean of the scores.
    ///
    /// Parameters
    /// ----------
    /// y_true : array-like of bool or 0 and 1
    /// y_prob : array-like of probabilities
    /// sample_weight : array-like, optional
    ///     A row of weight 2 counts as two equal rows.
    ///
    /// Returns
    /// -------
    /// float
    ///
    /// Examples
    /// --------
    /// >>> from agent_scorecard import brier_score
    /// >>> brier_score().mean([1, 0], [1.0, 0.5], sample_weight=[3, 1])
    /// -0.0625
    #[pyo3(signature = (y_true, y_prob, *, sample_weight=None))]
    fn mean(
        &self,
        py: Python<'_>,
        y_true: &Bound<'_, PyAny>,
        y_prob: &Bound<'_, PyAny>,
        sample_weight: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<f64> {
        let forecasts = floats("y_prob", y_prob)?;
        let forecasts = forecasts.as_slice()?;
        let outcomes = outcomes("y_true", y_true)?;
        let weights = weights(sample_weight)?;
        let weights = checked(&weights)?;
        let rule = &self.rule;
        run(py, forecasts.len(), || {
            mean_score(rule, Probability::from_slice(forecasts)?, &outcomes, weights)
        })
    }

    /// Return the expected score of a forecast.
    ///
    /// Parameters
    /// ----------
    /// y_prob : float
    ///     The forecast.
    /// truth : float
    ///     The true probability of success.
    ///
    /// Returns
    /// -------
    /// float
    ///
    /// Examples
    /// --------
    /// >>> from agent_scorecard import brier_score
    /// >>> brier_score().expected(0.5, 0.75)
    /// -0.25
    fn expected(&self, y_prob: f64, truth: f64) -> PyResult<f64> {
        Ok(self.rule.expected(probability(y_prob)?, probability(truth)?))
    }

    /// Return the expected loss of the true probability: the smallest one that a forecast can have.
    ///
    /// Parameters
    /// ----------
    /// truth : float
    ///     The true probability of success.
    ///
    /// Returns
    /// -------
    /// float
    ///
    /// Examples
    /// --------
    /// >>> from agent_scorecard import brier_score
    /// >>> brier_score().entropy(0.5)
    /// 0.25
    fn entropy(&self, truth: f64) -> PyResult<f64> {
        Ok(self.rule.entropy(probability(truth)?))
    }

    /// Return how much a forecast loses in expectation against the true probability; at least 0.
    ///
    /// Parameters
    /// ----------
    /// y_prob : float
    ///     The forecast.
    /// truth : float
    ///     The true probability of success.
    ///
    /// Returns
    /// -------
    /// float
    ///
    /// Examples
    /// --------
    /// >>> from agent_scorecard import brier_score
    /// >>> brier_score().divergence(0.5, 0.75)
    /// 0.0625
    fn divergence(&self, y_prob: f64, truth: f64) -> PyResult<f64> {
        Ok(self.rule.divergence(probability(y_prob)?, probability(truth)?))
    }
}
