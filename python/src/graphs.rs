use pyo3::prelude::*;
use tool_graph::{Episode, Error, GreedyRule, Plan, Problem, Scenario, Tool};

use crate::{choices::choice, errors::Failure, results::to_python};

type Names = Vec<String>;
/// The names of the tools of a plan, and its cost.
type NamedPlan = (Names, f64);

/// Tools with typed inputs and outputs and a cost each.
#[pyclass(frozen, module = "agent_scorecard")]
pub(crate) struct ToolGraph {
    graph: tool_graph::ToolGraph,
}

impl ToolGraph {
    fn problem(&self, initial: &Names, goal: &Names) -> PyResult<Problem> {
        Ok(self.graph.problem(initial, goal).map_err(Failure::from)?)
    }

    fn named(&self, plan: &Plan) -> NamedPlan {
        let names = self.graph.tool_names(&plan.tools);
        (names.into_iter().map(str::to_owned).collect(), plan.cost)
    }
}

#[pymethods]
impl ToolGraph {
    #[new]
    fn new(tools: Vec<(String, Names, Names, f64, Names)>) -> PyResult<Self> {
        let tools = tools
            .into_iter()
            .map(|(name, inputs, outputs, cost, components)| {
                Tool::new(name, inputs, outputs, cost).with_components(components)
            })
            .collect();
        Ok(Self { graph: tool_graph::ToolGraph::new(tools).map_err(Failure::from)? })
    }

    fn __len__(&self) -> usize {
        self.graph.tool_count()
    }

    fn __repr__(&self) -> String {
        let types = self.graph.type_names().len();
        format!("ToolGraph({} tools, {types} types)", self.graph.tool_count())
    }

    fn optimal_plan(
        &self,
        py: Python<'_>,
        initial: Names,
        goal: Names,
    ) -> PyResult<Option<NamedPlan>> {
        let problem = self.problem(&initial, &goal)?;
        let plan = py.detach(|| self.graph.optimal_plan(&problem)).map_err(Failure::from)?;
        Ok(plan.map(|plan| self.named(&plan)))
    }

    /// The cheapest plans, at most so many.
    fn best_plans(
        &self,
        py: Python<'_>,
        initial: Names,
        goal: Names,
        most: usize,
    ) -> PyResult<Vec<NamedPlan>> {
        let problem = self.problem(&initial, &goal)?;
        let plans = py.detach(|| self.graph.best_plans(&problem, most)).map_err(Failure::from)?;
        Ok(plans.iter().map(|plan| self.named(plan)).collect())
    }

    fn greedy_plan(&self, initial: Names, goal: Names, rule: &str) -> PyResult<Option<NamedPlan>> {
        let rules = [
            ("chain_or_any", GreedyRule::ChainOrAny),
            ("chain", GreedyRule::Chain),
            ("any", GreedyRule::Any),
        ];
        let rule = choice("rule", rule, &rules)?;
        let problem = self.problem(&initial, &goal)?;
        let plan = self.graph.greedy_plan(&problem, rule).map_err(Failure::from)?;
        Ok(plan.map(|plan| self.named(&plan)))
    }

    fn count_shortest_plans(&self, initial: Names, goal: Names) -> PyResult<u128> {
        let problem = self.problem(&initial, &goal)?;
        Ok(self.graph.count_shortest_plans(&problem).map_err(Failure::from)?)
    }

    /// How many plans of a chain of tools are among the listed paths.
    fn path_coverage<'py>(
        &self,
        py: Python<'py>,
        initial: Names,
        goal: Names,
        paths: Vec<Names>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let problem = self.problem(&initial, &goal)?;
        let coverage = self.graph.path_coverage(&problem, &paths).map_err(Failure::from)?;
        to_python(py, &(coverage, coverage.rate()))
    }

    /// The scores of a path of calls against the optimal run.
    fn score_path<'py>(
        &self,
        py: Python<'py>,
        initial: Names,
        goal: Names,
        calls: Names,
        answer_is_right: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let problem = self.problem(&initial, &goal)?;
        let scores = || {
            let scenario = Scenario::new(self.graph.clone(), problem)?;
            let mut episode = Episode::new(&scenario);
            calls.iter().try_for_each(|call| episode.call(call).map(|_| ()))?;
            episode.finish(answer_is_right).scores(&scenario.optimal_run())
        };
        let scores = scores().map_err(|error: Error| PyErr::from(Failure::from(error)))?;
        to_python(py, &scores)
    }
}
