use budget_estimation::{
    EarlyStops, Error, Resource, Sample, StopRule, joint_early_stopping, stopping_curve,
};
use pyo3::{prelude::*, types::PyDict};
use scoring_rules::Probability;

use crate::{
    budgets::{Amounts, BudgetSamples, Rollouts, stop_rules},
    errors::Failure,
    number_arrays::floats,
    results::to_python,
};

type Values<'py> = Bound<'py, PyAny>;
type Entry<'py> = Bound<'py, PyDict>;

/// The counts and the rates that they define; a rate is `None` where there is nothing to divide by.
fn entry<'py>(py: Python<'py>, stops: &EarlyStops) -> PyResult<Entry<'py>> {
    let entry = to_python(py, stops)?.cast_into::<PyDict>()?;
    for (name, rate) in [
        ("false_abort_rate", stops.false_abort_rate()),
        ("success_lost", stops.success_lost()),
        ("success_rate_lost", stops.success_rate_lost()),
        ("saved_share", stops.saved_share()),
    ] {
        entry.set_item(name, rate.ok())?;
    }
    Ok(entry)
}

/// What stop rules save and lose on finished runs: one dictionary per resource.
#[pyfunction]
pub(crate) fn early_stopping<'py>(
    py: Python<'py>,
    rollouts: &Rollouts,
    samples: Vec<PyRef<'py, BudgetSamples>>,
    failure_probabilities: Option<&Values<'py>>,
    rules: (Option<u32>, Option<f64>, Amounts, bool),
) -> PyResult<Vec<Entry<'py>>> {
    let stated = failure_probabilities.map(|it| floats("failure_probabilities", it)).transpose()?;
    let stated = stated.as_ref().map(|it| it.as_slice()).transpose()?;
    let (impossible_in_a_row, failure_probability, worth, cap_exceeded) = rules;
    let parts: Vec<(Resource, &[Sample])> =
        samples.iter().map(|it| (it.resource, &it.samples[..])).collect();
    let rollouts = &rollouts.rollouts;
    let stops = py
        .detach(|| {
            let resource = |name: &str| rollouts.resource(name);
            let mut rules = stop_rules(impossible_in_a_row, failure_probability, worth, resource)?;
            if cap_exceeded {
                rules.push(StopRule::CapExceeded);
            }
            let stated = stated.map(Probability::from_slice).transpose()?;
            joint_early_stopping(rollouts, &parts, stated, &rules)
        })
        .map_err(|error: Error| PyErr::from(Failure::from(error)))?;
    stops.iter().map(|stops| entry(py, stops)).collect()
}

/// What a threshold of the probability of failure saves and loses, for each distinct one from the highest down.
#[pyfunction(name = "stopping_curve")]
pub(crate) fn stop_curve<'py>(
    py: Python<'py>,
    rollouts: &Rollouts,
    samples: &BudgetSamples,
    failure_probabilities: &Values<'py>,
) -> PyResult<Vec<Entry<'py>>> {
    let stated = floats("failure_probabilities", failure_probabilities)?;
    let stated = stated.as_slice()?;
    let rollouts = &rollouts.rollouts;
    let curve = py
        .detach(|| {
            let stated = Probability::from_slice(stated)?;
            stopping_curve(rollouts, samples.resource, &samples.samples, stated)
        })
        .map_err(|error: Error| PyErr::from(Failure::from(error)))?;
    let point = |point: &budget_estimation::StoppingPoint| {
        let entry = entry(py, &point.stops)?;
        entry.set_item("at_least", point.at_least.get())?;
        Ok(entry)
    };
    curve.iter().map(point).collect()
}
