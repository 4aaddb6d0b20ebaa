use std::sync::{Arc, OnceLock};

use crate::{
    events::scenario::Scenario,
    graph::{problem::Problem, tool_graph::ToolGraph},
    searches::{chain::Chain, optimal_paths::OptimalPaths, reduced_problem::ReducedProblem},
};

/// The optimal plans represented by an optimal run. They are found when a run is first compared with them.
///
/// They are no part of what happened in the run: all values are equal, and none is stored.
#[derive(Clone, Debug, Default)]
pub(super) struct AllPlans(Option<Arc<Found>>);

#[derive(Debug)]
struct Found {
    graph: ToolGraph,
    problem: Problem,
    /// `None` if there are too many states to find all plans.
    paths: OnceLock<Option<OptimalPaths>>,
}

impl PartialEq for AllPlans {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl AllPlans {
    /// Returns the optimal plans at the start of a scenario. None for a chain, where calls cannot change
    /// places and the rule for ties names the one reference.
    pub(super) fn of(scenario: &Scenario) -> Self {
        let (graph, problem) = (scenario.graph().clone(), scenario.problem().clone());
        let reduced = ReducedProblem::of_checked(&graph, &problem);
        if reduced.is_none_or(|reduced| Chain::new(&reduced).is_some()) {
            return Self::default();
        }
        Self(Some(Arc::new(Found { graph, problem, paths: OnceLock::new() })))
    }

    /// Returns the optimal plan that is nearest to a path. `None` if only one optimal plan is known, or if
    /// there are too many of them.
    pub(super) fn nearest(&self, best: &[usize], path: &[usize]) -> Option<Vec<usize>> {
        let found = self.0.as_ref()?;
        if found.is_optimal(best, path) {
            return Some(path.to_vec());
        }
        let paths = found.paths.get_or_init(|| {
            let reduced = ReducedProblem::of_checked(&found.graph, &found.problem)?;
            OptimalPaths::new(&reduced, best)
        });
        paths.as_ref()?.nearest(path)
    }
}

impl Found {
    /// Returns whether the path is a plan that costs as much as the best one.
    fn is_optimal(&self, best: &[usize], path: &[usize]) -> bool {
        let costs = self.graph.costs();
        costs.sum(path.iter().copied()) == costs.sum(best.iter().copied())
            && self.graph.is_plan(&self.problem, path) == Ok(true)
    }
}
