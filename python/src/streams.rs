use std::sync::Mutex;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use scoring_rules::{AnyRule, Probability};
use trajectory_metrics::{
    CheckedRun, ForecastCounts, ForecastPolicy, OnlineTps, Summary, Tps, Trace, WeightSchedule,
};

use crate::{
    choices::choice,
    errors::{Failure, invalid},
    number_arrays::{checked, floats, run, weights},
    outcome_columns::{outcome, outcomes},
    results::to_python,
    rules::ScoringRule,
};

type Values<'py> = Bound<'py, PyAny>;
type Array<'py> = Bound<'py, PyArray1<f64>>;

/// Streams of probabilities with an outcome each, made by `traces`.
///
/// Examples
/// --------
/// >>> from agent_scorecard import traces
/// >>> two = traces([1, 0], [[0.5, 0.9], [0.2]])
/// >>> len(two), two.summary("last")
/// (2, array([0.9, 0.2]))
#[pyclass(frozen, module = "agent_scorecard")]
pub(crate) struct Traces {
    traces: trajectory_metrics::Traces,
}

#[pymethods]
impl Traces {
    /// From flat values and the ends of the traces.
    #[new]
    fn new(y_true: &Values<'_>, values: &Values<'_>, ends: Vec<usize>) -> PyResult<Self> {
        let values = floats("values", values)?;
        let outcomes = outcomes("y_true", y_true)?;
        let traces = trajectory_metrics::Traces::from_flat(values.as_slice()?, &ends, &outcomes)
            .map_err(Failure::from)?;
        Ok(Self { traces })
    }

    fn __len__(&self) -> usize {
        self.traces.len()
    }

    fn __repr__(&self) -> String {
        format!("Traces({} traces, {} steps)", self.traces.len(), self.traces.steps())
    }

    fn __getnewargs__<'py>(
        &self,
        py: Python<'py>,
    ) -> (Bound<'py, PyArray1<bool>>, Array<'py>, Vec<usize>) {
        let (mut values, mut ends) = (Vec::with_capacity(self.traces.steps()), Vec::new());
        for trace in self.traces.iter() {
            values.extend_from_slice(Probability::as_f64_slice(trace.forecasts()));
            ends.push(values.len());
        }
        (self.y_true(py), values.into_pyarray(py), ends)
    }

    /// Return one probability per trace.
    ///
    /// Parameters
    /// ----------
    /// name : {"last", "mean", "minimum"}
    ///     Or the name of a schedule, for the mean under it.
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    fn summary<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Array<'py>> {
        let summary: Summary = name.parse().map_err(Failure::from)?;
        let forecasts = run(py, self.traces.steps(), || summary.forecasts(&self.traces))?;
        Ok(Probability::as_f64_slice(&forecasts).to_vec().into_pyarray(py))
    }

    /// The outcomes.
    #[getter]
    fn y_true<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        self.traces.outcomes().to_vec().into_pyarray(py)
    }
}

/// The trajectory score of a rule: the weighted mean of the scores of all steps of a run.
///
/// Parameters
/// ----------
/// rule : ScoringRule
/// schedule : str or array-like, optional
///     `"linear-front"`, `"linear-back"`, `"uniform"`, `"exponential-front"`, or one weight per step.
///
/// Examples
/// --------
/// >>> from agent_scorecard import brier_score, traces
/// >>> tps = TPS(brier_score(), "uniform")
/// >>> tps.score(True, [0.5, 1.0])
/// -0.125
/// >>> tps.mean(traces([1, 0], [[0.5, 1.0], [0.0]]))
/// -0.0625
#[pyclass(frozen, module = "agent_scorecard", name = "TPS")]
pub(crate) struct TrajectoryScore {
    pub(crate) tps: Tps<AnyRule>,
    name: String,
    /// The arguments that make it again.
    arguments: (Py<ScoringRule>, Option<Py<PyAny>>),
}

#[pymethods]
impl TrajectoryScore {
    #[new]
    #[pyo3(signature = (rule, schedule=None))]
    fn new(rule: &Bound<'_, ScoringRule>, schedule: Option<&Values<'_>>) -> PyResult<Self> {
        let (schedule, given) = match schedule {
            None => (WeightSchedule::default(), None),
            Some(schedule) => match schedule.extract::<String>() {
                Ok(name) => {
                    let parsed = name.replace('_', "-").parse().map_err(Failure::from)?;
                    (parsed, Some(schedule.clone()))
                }
                Err(_) => {
                    let weights = weights(Some(schedule))?;
                    let weights = checked(&weights)?.unwrap_or_default();
                    let copy = weights.iter().map(|weight| weight.get()).collect::<Vec<_>>();
                    let copy = copy.into_pyarray(rule.py()).into_any();
                    (WeightSchedule::custom(weights).map_err(Failure::from)?, Some(copy))
                }
            },
        };
        let arguments = (rule.clone().unbind(), given.map(Bound::unbind));
        let rule = rule.get();
        let name = format!("TPS({}, {:?})", rule.__repr__(), schedule.name());
        Ok(Self { tps: Tps::new(rule.rule.clone(), schedule), name, arguments })
    }

    fn __getnewargs__(&self, py: Python<'_>) -> (Py<ScoringRule>, Option<Py<PyAny>>) {
        let (rule, schedule) = &self.arguments;
        (rule.clone_ref(py), schedule.as_ref().map(|schedule| schedule.clone_ref(py)))
    }

    fn __repr__(&self) -> &str {
        &self.name
    }

    /// Return the score of one run.
    ///
    /// Parameters
    /// ----------
    /// y_true : bool, or 0 or 1
    /// y_prob : array-like of probabilities, one per step
    /// horizon : int, optional
    ///     The number of steps whose weights are used, if the run has fewer steps. Steps after the stop count 0, the best
    ///     Brier and log score: the earlier a run of a horizon is cut off, the better it scores, as the paper defines it.
    ///     Compare only runs with the same budget by it.
    ///
    /// Returns
    /// -------
    /// float
    ///
    /// Examples
    /// --------
    /// >>> from agent_scorecard import log_score
    /// >>> tps = TPS(log_score(), "linear-front")
    /// >>> [round(tps.score(False, [0.9] * steps, horizon=10), 2) for steps in (10, 6, 3, 1)]
    /// [-2.3, -1.88, -1.13, -0.42]
    #[pyo3(signature = (y_true, y_prob, *, horizon=None))]
    fn score(
        &self,
        py: Python<'_>,
        y_true: &Values<'_>,
        y_prob: &Values<'_>,
        horizon: Option<usize>,
    ) -> PyResult<f64> {
        let values = floats("y_prob", y_prob)?;
        let values = values.as_slice()?;
        let y_true = outcome("y_true", y_true)?;
        run(py, values.len(), || {
            let forecasts = Probability::from_slice(values)?;
            match horizon {
                None => self.tps.score(Trace::new(forecasts, y_true)?),
                Some(horizon) => self.tps.prefix_score(forecasts, y_true, horizon),
            }
        })
    }

    /// Return the score of each trace.
    ///
    /// Parameters
    /// ----------
    /// traces : Traces
    ///
    /// Returns
    /// -------
    /// numpy.ndarray
    fn scores<'py>(&self, py: Python<'py>, traces: &Bound<'py, Traces>) -> PyResult<Array<'py>> {
        let traces = &traces.get().traces;
        let scores = run(py, traces.steps(), || self.tps.scores(traces))?;
        Ok(scores.into_pyarray(py))
    }

    /// Return the weighted mean of the scores of traces.
    ///
    /// Parameters
    /// ----------
    /// traces : Traces
    /// sample_weight : array-like, optional
    ///     A trace of weight 2 counts as two equal traces.
    ///
    /// Returns
    /// -------
    /// float
    #[pyo3(signature = (traces, *, sample_weight=None))]
    fn mean(
        &self,
        py: Python<'_>,
        traces: &Bound<'_, Traces>,
        sample_weight: Option<&Values<'_>>,
    ) -> PyResult<f64> {
        let traces = &traces.get().traces;
        let weights = weights(sample_weight)?;
        let weights = checked(&weights)?;
        run(py, traces.steps(), || self.tps.mean(traces, weights))
    }

    /// Return a scorer of a run that is still going on.
    ///
    /// Returns
    /// -------
    /// OnlineTPS
    fn online(&self) -> OnlineTPS {
        OnlineTPS { online: Mutex::new(OnlineTps::new(self.tps.clone())) }
    }
}

/// The score of a run that is still going on, made by `TPS.online`. It stores sums, not the forecasts.
///
/// Examples
/// --------
/// >>> from agent_scorecard import TPS, brier_score
/// >>> online = TPS(brier_score(), "uniform").online()
/// >>> for probability in (0.5, 1.0):
/// ...     online.push(probability)
/// >>> online.finish(True), online.finish(False)
/// (-0.125, -0.625)
#[pyclass(frozen, module = "agent_scorecard")]
pub(crate) struct OnlineTPS {
    online: Mutex<OnlineTps<AnyRule>>,
}

impl OnlineTPS {
    fn with<T>(&self, work: impl FnOnce(&mut OnlineTps<AnyRule>) -> T) -> PyResult<T> {
        let mut online =
            self.online.lock().map_err(|_| invalid("an earlier call on this scorer failed"))?;
        Ok(work(&mut online))
    }
}

#[pymethods]
impl OnlineTPS {
    /// Take the probability of the next step.
    ///
    /// Parameters
    /// ----------
    /// y_prob : float
    fn push(&self, y_prob: f64) -> PyResult<()> {
        let forecast = Probability::new(y_prob).map_err(Failure::from)?;
        self.with(|online| online.push(forecast))
    }

    /// Return the score of the steps so far for an outcome.
    ///
    /// Parameters
    /// ----------
    /// y_true : bool, or 0 or 1
    /// horizon : int, optional
    ///     As for `TPS.score`.
    ///
    /// Returns
    /// -------
    /// float
    #[pyo3(signature = (y_true, *, horizon=None))]
    fn finish(&self, y_true: &Values<'_>, horizon: Option<usize>) -> PyResult<f64> {
        let y_true = outcome("y_true", y_true)?;
        let score = self.with(|online| match horizon {
            None => online.finish(y_true),
            Some(horizon) => online.finish_prefix(y_true, horizon),
        })?;
        Ok(score.map_err(Failure::from)?)
    }

    fn __len__(&self) -> PyResult<usize> {
        self.with(|online| online.steps())
    }
}

/// The runs that a policy for missing and invalid forecasts keeps: their values, their ends, their positions, and counts.
#[pyfunction]
#[expect(clippy::type_complexity)]
pub(crate) fn check_forecasts<'py>(
    py: Python<'py>,
    values: &Values<'py>,
    ends: Vec<usize>,
    missing: &str,
    first: Option<f64>,
) -> PyResult<(Array<'py>, Vec<usize>, Vec<usize>, Bound<'py, PyAny>)> {
    let carry_forward = match first {
        None => ForecastPolicy::CarryForward,
        Some(first) => {
            ForecastPolicy::CarryForwardFrom(Probability::new(first).map_err(Failure::from)?)
        }
    };
    let policies = [
        ("refuse", ForecastPolicy::Refuse),
        ("leave-out", ForecastPolicy::LeaveOut),
        ("skip", ForecastPolicy::Skip),
        ("carry-forward", carry_forward),
        ("clip", ForecastPolicy::Clip),
    ];
    let policy = choice("missing", missing, &policies)?;
    let values = floats("forecasts", values)?;
    let values = values.as_slice()?;
    let (mut kept, mut kept_ends, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    let (mut counts, mut start) = (ForecastCounts::default(), 0);
    for (row, end) in ends.into_iter().enumerate() {
        let run = values
            .get(start..end)
            .ok_or_else(|| invalid("offsets must ascend to the number of forecasts"))?;
        let run: Vec<Option<f64>> =
            run.iter().map(|&value| Some(value).filter(|value| !value.is_nan())).collect();
        let checked = policy.check_run(&run, &mut counts);
        let checked = checked
            .map_err(|error| PyErr::from(Failure::from(error)))
            .map_err(|error| invalid(format!("run {row}: {}", error.value(py))))?;
        if let CheckedRun::Kept(forecasts) = checked {
            kept.extend_from_slice(Probability::as_f64_slice(&forecasts));
            kept_ends.push(kept.len());
            rows.push(row);
        }
        start = end;
    }
    Ok((kept.into_pyarray(py), kept_ends, rows, to_python(py, &counts)?))
}
