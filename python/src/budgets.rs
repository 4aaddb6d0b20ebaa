use budget_estimation::{
    Advice, Error, Estimate, Estimator as _, Level, Prefix, Probability, ProgressMetrics, Reading,
    Resource, Sample, Seed, StopRule, Weight,
};
use pyo3::{prelude::*, types::PyString};

use crate::{
    errors::{Failure, invalid},
    interruptible::{interruptible, on_threads},
    number_arrays::floats,
    outcome_columns::outcome,
    results::to_python,
};

type Values<'py> = Bound<'py, PyAny>;

/// `None`, the text "impossible", or the two ends of an interval.
pub(crate) fn estimate(object: &Bound<'_, PyAny>) -> PyResult<Estimate> {
    if object.is_none() {
        return Ok(Estimate::NoAnswer);
    }
    if object.cast::<PyString>().is_ok_and(|text| text.to_string_lossy() == "impossible") {
        return Ok(Estimate::Impossible);
    }
    let (low, high) = object.extract::<(f64, f64)>().map_err(|_| {
        invalid(format!("an estimate must be (low, high), \"impossible\" or None, not {object}"))
    })?;
    Ok(Estimate::interval(low, high).map_err(Failure::from)?)
}

pub(crate) fn answer<'py>(py: Python<'py>, estimate: Estimate) -> PyResult<Bound<'py, PyAny>> {
    match estimate {
        Estimate::Interval(ends) => Ok((ends.low(), ends.high()).into_pyobject(py)?.into_any()),
        Estimate::Impossible => Ok("impossible".into_pyobject(py)?.into_any()),
        Estimate::NoAnswer => Ok(py.None().into_bound(py)),
    }
}

/// Recorded runs with the cost of each turn in each resource.
#[pyclass(module = "agent_scorecard")]
pub(crate) struct Rollouts {
    pub(crate) rollouts: budget_estimation::Rollouts,
}

#[pymethods]
impl Rollouts {
    #[new]
    fn new(resources: Vec<String>) -> PyResult<Self> {
        let rollouts = budget_estimation::Rollouts::new(resources).map_err(Failure::from)?;
        Ok(Self { rollouts })
    }

    fn __len__(&self) -> usize {
        self.rollouts.iter().len()
    }

    fn __repr__(&self) -> String {
        format!("Rollouts({} runs)", self.rollouts.iter().len())
    }

    /// Appends a run: the costs of its turns, one per resource, one turn after the other.
    fn append(
        &mut self,
        costs: &Values<'_>,
        succeeded: &Values<'_>,
        censored: &Values<'_>,
        id: Option<String>,
        task: Option<String>,
        contents: Vec<(usize, String)>,
    ) -> PyResult<()> {
        let costs = floats("costs", costs)?;
        let succeeded = outcome("succeeded", succeeded)?;
        let censored = outcome("censored", censored)?;
        let row = self.rollouts.push(costs.as_slice()?, succeeded).map_err(Failure::from)?;
        if censored {
            self.rollouts.set_censored(row).map_err(Failure::from)?;
        }
        if let Some(id) = id {
            self.rollouts.set_id(row, id).map_err(Failure::from)?;
        }
        if let Some(task) = task {
            self.rollouts.set_key(row, "task", task).map_err(Failure::from)?;
        }
        for (turn, content) in contents {
            self.rollouts.set_content(row, turn, content).map_err(Failure::from)?;
        }
        Ok(())
    }

    fn set_cap(&mut self, resource: &str, cap: f64) -> PyResult<()> {
        let resource = self.rollouts.resource(resource).map_err(Failure::from)?;
        Ok(self.rollouts.set_cap(resource, cap).map_err(Failure::from)?)
    }
}

/// The default estimator, which learns from the runs that it has seen.
#[pyclass(module = "agent_scorecard")]
pub(crate) struct BudgetEstimator {
    estimator: budget_estimation::BudgetEstimator,
}

#[pymethods]
impl BudgetEstimator {
    #[new]
    #[pyo3(signature = (coverage=0.9, *, random_state=0))]
    fn new(coverage: f64, random_state: u64) -> PyResult<Self> {
        let coverage = Level::new(coverage).map_err(Failure::from)?;
        let estimator =
            budget_estimation::BudgetEstimator::new(coverage).with_seed(Seed(random_state));
        Ok(Self { estimator })
    }

    /// Learns from the runs in turn.
    fn learn(&mut self, py: Python<'_>, rollouts: &Rollouts, resource: &str) -> PyResult<()> {
        let (estimator, rollouts) = (&mut self.estimator, &rollouts.rollouts);
        let learnt = on_threads(py, || {
            let resource = rollouts.resource(resource)?;
            rollouts.iter().try_for_each(|rollout| estimator.learn(&rollout, resource))
        })?;
        Ok(learnt.map_err(Failure::from)?)
    }

    /// The estimate of the remaining cost of a run in a resource.
    fn estimate<'py>(
        &mut self,
        py: Python<'py>,
        run: &RecordedRun,
        resource: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let resource = run.run.rollouts().resource(resource).map_err(Failure::from)?;
        let prefix = run.run.prefix(resource).map_err(Failure::from)?;
        answer(py, self.estimator.estimate(&prefix).map_err(Failure::from)?)
    }
}

/// A run that has not ended: what its turns spent of each resource.
#[pyclass(module = "agent_scorecard")]
pub(crate) struct RecordedRun {
    run: budget_estimation::RecordedRun,
}

#[pymethods]
impl RecordedRun {
    #[new]
    fn new(resources: Vec<String>, caps: Vec<(String, f64)>) -> PyResult<Self> {
        let cap = |name: &String| Some(caps.iter().find(|(capped, _)| capped == name)?.1);
        let monitor = resources.iter().map(|name| (name.as_str(), cap(name)));
        let monitor = budget_estimation::BudgetMonitor::new(monitor).map_err(Failure::from)?;
        for (name, _) in &caps {
            monitor.resource(name).map_err(Failure::from)?;
        }
        let run = budget_estimation::RecordedRun::new(monitor).map_err(Failure::from)?;
        Ok(Self { run })
    }

    fn __len__(&self) -> usize {
        self.run.monitor().turns() as usize
    }

    /// Appends a turn with its cost of each resource, `None` for an unknown one.
    fn push(&mut self, costs: Vec<Option<f64>>) -> PyResult<()> {
        Ok(self.run.push(&costs).map_err(Failure::from)?)
    }
}

/// The estimates of a function for each turn of each run, and what happened.
#[pyclass(frozen, module = "agent_scorecard")]
pub(crate) struct BudgetSamples {
    pub(crate) samples: Vec<Sample>,
    pub(crate) resource: Resource,
}

#[pymethods]
impl BudgetSamples {
    fn __len__(&self) -> usize {
        self.samples.len()
    }

    /// One tuple per sample: run, turn, spent, remaining, feasible, estimate.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let row = |sample: &Sample| {
            let row = (
                sample.rollout(),
                sample.turn(),
                sample.used(),
                sample.remaining(),
                sample.is_feasible(),
                answer(py, sample.estimate())?,
            );
            Ok(row.into_pyobject(py)?.into_any())
        };
        self.samples.iter().map(row).collect()
    }

    /// The measures over all turns, over first turns and by progress.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        coverage: Option<f64>,
        bins: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let summary = py
            .detach(|| {
                let mut metrics = ProgressMetrics::new(bins)?;
                if let Some(coverage) = coverage {
                    metrics = metrics.with_coverage(Level::new(coverage)?);
                }
                self.samples.iter().try_for_each(|sample| metrics.update(sample, Weight::ONE))?;
                metrics.finish()
            })
            .map_err(|error: Error| PyErr::from(Failure::from(error)))?;
        to_python(py, &summary)
    }
}

#[pyfunction]
pub(crate) fn estimate_rollouts(
    py: Python<'_>,
    rollouts: &Rollouts,
    resource: &str,
    estimator: &Bound<'_, PyAny>,
) -> PyResult<BudgetSamples> {
    let rollouts = &rollouts.rollouts;
    let resource = rollouts.resource(resource).map_err(Failure::from)?;
    if let Ok(estimator) = estimator.cast::<BudgetEstimator>() {
        // The copy learns from each run after its estimates, and is dropped with the last one.
        let (mut copy, rollouts) = (estimator.try_borrow()?.estimator.clone(), rollouts.clone());
        let samples = interruptible(py, move || rollouts.score(resource, &mut copy))?;
        return Ok(BudgetSamples { samples: samples.map_err(Failure::from)?, resource });
    }
    // An exception of the function ends the evaluation and is raised as it is.
    let mut raised = None;
    let mut ask = budget_estimation::estimator_from_fn(|prefix: &Prefix<'_>| {
        let usage = prefix.usage();
        let costs = numpy::PyArray1::from_slice(py, usage.costs());
        let found = estimator.call1((costs, usage.left())).and_then(|found| estimate(&found));
        found.map_err(|error| {
            let failed = Error::estimator(error.to_string());
            raised = Some(error);
            failed
        })
    });
    let samples = rollouts.score(resource, &mut ask);
    match (raised, samples) {
        (Some(error), _) => Err(error),
        (None, samples) => Ok(BudgetSamples { samples: samples.map_err(Failure::from)?, resource }),
    }
}

/// Names of resources, each with an amount.
pub(crate) type Amounts = Vec<(String, f64)>;

/// Stop rules by the keyword arguments that set them.
pub(crate) fn stop_rules(
    impossible_in_a_row: Option<u32>,
    failure_probability: Option<f64>,
    worth: Amounts,
    resource: impl Fn(&str) -> Result<Resource, Error>,
) -> Result<Vec<StopRule>, Error> {
    let mut rules = Vec::new();
    if let Some(in_a_row) = impossible_in_a_row {
        rules.push(StopRule::impossible_in_a_row(in_a_row)?.with_reading(Reading::Cap));
    }
    if let Some(at_least) = failure_probability {
        rules.push(StopRule::FailureProbability { at_least: Probability::new(at_least)? });
    }
    for (name, value) in worth {
        rules.push(StopRule::not_worthwhile(resource(&name)?, value)?);
    }
    Ok(rules)
}

/// Advice after each turn of a running agent.
#[pyclass(module = "agent_scorecard")]
pub(crate) struct BudgetMonitor {
    monitor: budget_estimation::BudgetMonitor,
}

#[pymethods]
impl BudgetMonitor {
    #[new]
    fn new(
        resources: Vec<(String, Option<f64>)>,
        impossible_in_a_row: Option<u32>,
        failure_probability: Option<f64>,
        worth: Amounts,
        warning_at: Option<f64>,
    ) -> PyResult<Self> {
        let monitor = || {
            let mut monitor = budget_estimation::BudgetMonitor::new(resources)?;
            let resource = |name: &str| monitor.resource(name);
            for rule in stop_rules(impossible_in_a_row, failure_probability, worth, resource)? {
                monitor = monitor.with_stop_rule(rule);
            }
            if let Some(share) = warning_at {
                monitor = monitor.with_warning_at(share)?;
            }
            Ok(monitor)
        };
        Ok(Self { monitor: monitor().map_err(|error: Error| PyErr::from(Failure::from(error)))? })
    }

    /// Takes the cost of a turn, and returns what to do and why.
    fn push(
        &mut self,
        spent: Vec<f64>,
        estimates: Vec<Bound<'_, PyAny>>,
        failure_probability: Option<f64>,
    ) -> PyResult<(&'static str, Option<String>)> {
        let estimates: Vec<Estimate> = estimates.iter().map(estimate).collect::<PyResult<_>>()?;
        let failure_probability = failure_probability
            .map(Probability::new)
            .transpose()
            .map_err(|error| PyErr::from(Failure::from(error)))?;
        scoring_rules::checks::same_length("estimates of a turn", spent.len(), estimates.len())
            .map_err(Failure::from)?;
        let turn: Vec<(f64, Estimate)> = spent.into_iter().zip(estimates).collect();
        let advice = self.monitor.push(&turn, failure_probability).map_err(Failure::from)?;
        Ok(match advice {
            Advice::Continue => ("continue", None),
            Advice::Warn(reason) => ("warn", Some(reason.to_string())),
            Advice::Stop(reason) => ("stop", Some(reason.to_string())),
            advice => ("warn", Some(advice.to_string())),
        })
    }

    #[getter]
    fn spent(&self) -> Vec<f64> {
        self.monitor.spent().to_vec()
    }

    #[getter]
    fn turns(&self) -> u64 {
        self.monitor.turns()
    }
}
