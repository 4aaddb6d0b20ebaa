use agent_benchmarks::{
    Error, Level, Seed,
    costbench::{self, CostBenchFigures, EventKind, Split},
};
use pyo3::{prelude::*, types::PyDict};
use trajectory_metrics::Intervals;

use crate::{
    choices::choice,
    conversations::converse,
    errors::{Failure, invalid},
    results::{set_figures, to_python},
};

/// One task of CostBench, with the preferences of a traveller.
#[pyclass(frozen, module = "agent_scorecard")]
pub(crate) struct CostBenchQuery {
    query: costbench::Query,
}

#[pymethods]
impl CostBenchQuery {
    #[getter]
    fn id(&self) -> &str {
        &self.query.id
    }

    #[getter]
    fn task(&self) -> &'static str {
        self.query.task().name()
    }

    #[getter]
    fn goal(&self) -> &'static str {
        self.query.task().goal()
    }

    #[getter]
    fn requirement(&self) -> &str {
        &self.query.requirement
    }

    #[getter]
    fn preferences(&self) -> [&'static str; 4] {
        self.query.preferences.values()
    }

    fn __repr__(&self) -> String {
        format!("CostBenchQuery({:?}, {:?})", self.query.id, self.query.task().name())
    }
}

#[pyfunction]
pub(crate) fn costbench_queries(split: &str, seed: u64) -> PyResult<Vec<CostBenchQuery>> {
    let split = choice("split", split, &[("train", Split::Train), ("test", Split::Test)])?;
    Ok(costbench::queries(split, seed).into_iter().map(|query| CostBenchQuery { query }).collect())
}

/// A finished conversation.
#[pyclass(frozen, module = "agent_scorecard")]
pub(crate) struct CostBenchRun {
    record: costbench::CostBenchRecord,
}

#[pymethods]
impl CostBenchRun {
    #[getter]
    fn query_id(&self) -> &str {
        self.record.query_id()
    }

    #[getter]
    fn outcome(&self) -> Option<bool> {
        self.record.record.run.outcome
    }

    #[getter]
    fn answer(&self) -> Option<&str> {
        self.record.answer.as_deref()
    }

    #[getter]
    fn cost(&self) -> f64 {
        self.record.transcript.total_cost()
    }

    #[getter]
    fn optimal_cost(&self) -> f64 {
        self.record.reference.total_cost()
    }

    /// The names of the called tools.
    #[getter]
    fn calls(&self) -> Vec<&str> {
        self.record.transcript.calls.iter().map(|call| call.name.as_str()).collect()
    }

    /// What could not be used of a reply: the turn and the kind.
    #[getter]
    fn events(&self) -> Vec<(usize, &'static str)> {
        self.record.record.events.iter().map(|event| (event.turn, event.event.name())).collect()
    }

    fn scores<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.record.scores().map_err(Failure::from)?)
    }

    /// The run as the JSON of an ATIF log, which `read_logs` reads.
    fn to_atif(&self) -> String {
        self.record.record.to_atif()
    }

    fn __repr__(&self) -> String {
        let outcome = match self.record.record.run.outcome {
            None => "None",
            Some(true) => "True",
            Some(false) => "False",
        };
        format!("CostBenchRun({:?}, outcome={outcome})", self.record.query_id())
    }
}

/// The benchmark with its settings.
#[pyclass(frozen, module = "agent_scorecard")]
pub(crate) struct CostBench {
    bench: costbench::CostBench,
}

#[pymethods]
impl CostBench {
    #[new]
    #[pyo3(signature = (level=2, *, events=Vec::new(), mixed_events=None, costs_shown=None, call_limit=None, global_seed=None))]
    fn new(
        level: usize,
        events: Vec<String>,
        mixed_events: Option<usize>,
        costs_shown: Option<bool>,
        call_limit: Option<usize>,
        global_seed: Option<u64>,
    ) -> PyResult<Self> {
        let events: Result<Vec<EventKind>, _> = events.iter().map(|name| name.parse()).collect();
        let events = events.map_err(|error: tool_graph::Error| Failure::from(error))?;
        let mut bench = costbench::CostBench::new(level).map_err(Failure::from)?;
        match mixed_events {
            Some(_) if !events.is_empty() => {
                return Err(invalid("give events or mixed_events, not both"));
            }
            Some(mixed) => bench = bench.with_mixed_events(mixed),
            None if !events.is_empty() => bench = bench.with_events(events),
            None => {}
        }
        if let Some(shown) = costs_shown {
            bench = bench.with_costs_shown(shown);
        }
        if let Some(limit) = call_limit {
            bench = bench.with_call_limit(limit);
        }
        if let Some(seed) = global_seed {
            bench = bench.with_global_seed(seed);
        }
        Ok(Self { bench })
    }

    #[getter]
    fn task_length(&self) -> usize {
        self.bench.task_length()
    }

    fn __repr__(&self) -> String {
        let (steps, events) = (self.bench.task_length(), self.bench.events_name());
        format!("CostBench({steps} steps, events: {events})")
    }

    /// Drives a conversation about a query; see `conversations::converse`.
    fn converse(
        &self,
        query: &Bound<'_, CostBenchQuery>,
        model: &str,
        reply: &Bound<'_, PyAny>,
    ) -> PyResult<CostBenchRun> {
        let instance = self.bench.instance(&query.get().query);
        Ok(CostBenchRun { record: converse(instance.conversation(), model, reply)? })
    }
}

/// The figures of the benchmark, one dictionary per task length and kind of events.
#[pyfunction]
pub(crate) fn costbench_figures<'py>(
    py: Python<'py>,
    model: &str,
    runs: Vec<Bound<'py, CostBenchRun>>,
    confidence_level: f64,
    n_resamples: usize,
    random_state: u64,
) -> PyResult<Vec<Bound<'py, PyDict>>> {
    let runs: Vec<&CostBenchRun> = runs.iter().map(Bound::get).collect();
    let rows = py
        .detach(|| {
            let (level, seed) = (Level::new(confidence_level)?, Seed(random_state));
            let how = Intervals { level, resamples: n_resamples, seed };
            CostBenchFigures::of(runs.iter().map(|run| &run.record), how)
        })
        .map_err(|error: Error| PyErr::from(Failure::from(error)))?;
    let dict = |row: &CostBenchFigures| {
        let dict = PyDict::new(py);
        dict.set_item("model", model)?;
        dict.set_item("task_length", row.task_length)?;
        dict.set_item("events", &row.events)?;
        dict.set_item("runs", row.runs)?;
        dict.set_item("left_out", row.left_out.total())?;
        dict.set_item("left_out_by_reason", to_python(py, &row.left_out)?)?;
        dict.set_item("without_reply", row.without_reply)?;
        set_figures(&dict, &row.figures)?;
        dict.set_item("failures", to_python(py, &row.failures)?)?;
        Ok(dict)
    };
    rows.iter().map(dict).collect()
}
