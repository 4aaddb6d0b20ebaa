use crate::searches::{
    branch_and_cut::{BestCalls, branch_and_cut},
    chain::Chain,
    effort::Effort,
    reduced_problem::ReducedProblem,
};

/// Returns the best plan, by the fastest search that the problem allows.
pub(crate) fn best_calls(reduced: &ReducedProblem, effort: &mut Effort) -> Option<BestCalls> {
    let calls = if reduced.goal.is_empty() {
        Vec::new()
    } else {
        let Some(chain) = Chain::new(reduced) else { return branch_and_cut(reduced, effort) };
        chain.best()
    };
    let cost = |&tool: &u32| reduced.cost_of(reduced.weights[tool as usize]);
    let lowest_cost = calls.iter().map(cost).sum();
    Some(BestCalls { calls, lowest_cost, is_best: true })
}
