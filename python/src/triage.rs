use std::collections::HashSet;

use knapsack_oracle::{Alpha, Error, Item, Knapsack, KnapsackItem, Plan, PlanReading, Regime};
use pyo3::prelude::*;

use crate::{
    choices::choice,
    errors::{Failure, invalid},
    interruptible::interruptible,
    outcome_columns::outcome,
    results::to_python,
};

pub(crate) const REGIMES: [(&str, Regime); 2] =
    [("advisory", Regime::Advisory), ("enforced", Regime::Enforced)];

type Steps = Vec<(String, u64)>;

/// Tasks with a value, a cost and an outcome each.
#[pyclass(frozen, module = "agent_scorecard")]
pub(crate) struct Pool {
    pool: knapsack_oracle::Pool,
}

impl Pool {
    fn steps(&self, plan: &Plan) -> Steps {
        let items = self.pool.items();
        plan.steps()
            .iter()
            .filter_map(|step| Some((items.get(step.position)?.id().to_owned(), step.allocation)))
            .collect()
    }
}

#[pymethods]
impl Pool {
    #[new]
    fn new(items: Vec<(String, f64, u64, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let item = |(id, value, cost, solved): (String, f64, u64, Bound<'_, PyAny>)| {
            let solved = outcome(&format!("solved of task {id:?}"), &solved)?;
            Ok(Item::new(id, value, cost, solved).map_err(Failure::from)?)
        };
        let items: PyResult<Vec<Item>> = items.into_iter().map(item).collect();
        let pool = knapsack_oracle::Pool::new(items?).map_err(Failure::from)?;
        Ok(Self { pool })
    }

    fn __len__(&self) -> usize {
        self.pool.items().len()
    }

    fn __repr__(&self) -> String {
        format!("Pool({} tasks, total cost {})", self.pool.items().len(), self.pool.total_cost())
    }

    #[getter]
    fn total_cost(&self) -> u64 {
        self.pool.total_cost()
    }

    /// The share `alpha` of the total cost, rounded down.
    fn budget(&self, alpha: f64) -> PyResult<u64> {
        Ok(self.pool.budget(Alpha::new(alpha).map_err(Failure::from)?))
    }

    /// The best value within the budget, and the tasks that reach it.
    fn oracle(&self, py: Python<'_>, budget: u64) -> PyResult<(f64, Vec<String>)> {
        let pool = self.pool.clone();
        let oracle = interruptible(py, move || pool.oracle(budget))?.map_err(Failure::from)?;
        let items = self.pool.items();
        let chosen = oracle.chosen.iter().map(|&item| items[item].id().to_owned()).collect();
        Ok((oracle.value, chosen))
    }

    /// The expected value of attempting the tasks in a random order.
    fn random_value(&self, py: Python<'_>, budget: u64) -> PyResult<f64> {
        Ok(py.detach(|| self.pool.random_exact(budget)).map_err(Failure::from)?.value)
    }

    fn execute<'py>(
        &self,
        py: Python<'py>,
        steps: Steps,
        budget: u64,
        regime: &str,
        attempt_zero: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let regime = choice("regime", regime, &REGIMES)?;
        let plan = Plan::new(&steps, &self.pool, budget).map_err(Failure::from)?;
        let plan = if attempt_zero { plan } else { plan.without_zero_allocations() };
        let execution = plan.execute(&self.pool, budget, regime).map_err(Failure::from)?;
        to_python(py, &execution)
    }

    /// What a plan does with the tasks that have these ids.
    fn unsolvable_counts(
        &self,
        steps: Steps,
        budget: u64,
        unsolvable: HashSet<String>,
    ) -> PyResult<UnsolvableCounts> {
        let items = self.pool.items();
        let marks: Vec<bool> = items.iter().map(|item| unsolvable.contains(item.id())).collect();
        if marks.iter().filter(|&&mark| mark).count() < unsolvable.len() {
            return Err(invalid("unsolvable: an id is not that of a task of the pool"));
        }
        let plan = Plan::new(&steps, &self.pool, budget).map_err(Failure::from)?;
        let mut counts = knapsack_oracle::UnsolvableCounts::default();
        counts.update(&plan, &marks).map_err(Failure::from)?;
        Ok(UnsolvableCounts { counts })
    }

    /// The plan in the text of a model: its steps if there is a valid plan, its kind, and repairs.
    fn read_plan<'py>(
        &self,
        py: Python<'py>,
        text: &str,
        budget: u64,
        strict: bool,
    ) -> PyResult<(&'static str, Option<Steps>, Bound<'py, PyAny>)> {
        let read = if strict { PlanReading::new } else { PlanReading::published };
        let reading = read(text, &self.pool, budget);
        let kind = match &reading {
            PlanReading::Plan { .. } => "plan",
            PlanReading::OverBudget { .. } => "over_budget",
            PlanReading::DuplicateId { .. } => "duplicate_id",
            _ => "unparseable",
        };
        let steps = reading.plan().map(|plan| self.steps(plan));
        Ok((kind, steps, to_python(py, &reading.repairs())?))
    }
}

/// Counts of what plans do with tasks that nobody can solve.
#[pyclass(frozen, eq, module = "agent_scorecard")]
#[derive(PartialEq)]
pub(crate) struct UnsolvableCounts {
    counts: knapsack_oracle::UnsolvableCounts,
}

#[pymethods]
impl UnsolvableCounts {
    #[getter]
    fn unsolvable(&self) -> u64 {
        self.counts.unsolvable
    }

    #[getter]
    fn left_out(&self) -> u64 {
        self.counts.left_out
    }

    #[getter]
    fn allocated(&self) -> u128 {
        self.counts.allocated
    }

    #[getter]
    fn wasted(&self) -> u128 {
        self.counts.wasted
    }

    /// Return the share of the unsolvable tasks that are left out.
    ///
    /// Returns
    /// -------
    /// float
    fn detection_rate(&self) -> PyResult<f64> {
        Ok(self.counts.detection_rate().map_err(Failure::from)?)
    }

    /// Return the share of all allocations that goes to unsolvable tasks.
    ///
    /// Returns
    /// -------
    /// float
    fn waste_rate(&self) -> PyResult<f64> {
        Ok(self.counts.waste_rate().map_err(Failure::from)?)
    }

    /// The counts of both.
    fn __add__(&self, other: &Self) -> Self {
        let mut counts = self.counts;
        counts.merge(&other.counts);
        Self { counts }
    }

    fn __repr__(&self) -> String {
        let knapsack_oracle::UnsolvableCounts { unsolvable, left_out, allocated, wasted, .. } =
            self.counts;
        format!(
            "UnsolvableCounts(unsolvable={unsolvable}, left_out={left_out}, allocated={allocated}, \
             wasted={wasted})"
        )
    }
}

#[pyfunction]
pub(crate) fn triage_efficiency(achieved: f64, random: f64, oracle: f64) -> PyResult<f64> {
    let values = knapsack_oracle::PoolValues { achieved, random, oracle };
    let efficiency = knapsack_oracle::Efficiency::new(values).map_err(Failure::from)?;
    Ok(efficiency.score())
}

/// The value, the weight and the items of the best choice.
#[pyfunction]
pub(crate) fn knapsack(
    py: Python<'_>,
    profits: Vec<u64>,
    weights: Vec<u64>,
    capacity: u64,
) -> PyResult<(u64, u64, Vec<usize>)> {
    crate::number_arrays::same_length("weights", profits.len(), weights.len())?;
    let items: Vec<KnapsackItem> = profits
        .into_iter()
        .zip(weights)
        .map(|(profit, weight)| KnapsackItem { profit, weight })
        .collect();
    let solve = move || Ok::<_, Error>(Knapsack::new(capacity, &items)?.solve());
    let solution = interruptible(py, solve)?.map_err(Failure::from)?;
    if solution.value != solution.upper_bound {
        return Err(invalid("no choice was proved to be the best one; use a coarser unit"));
    }
    Ok((solution.value, solution.weight, solution.chosen))
}
