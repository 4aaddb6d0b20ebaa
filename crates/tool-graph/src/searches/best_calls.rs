use crate::searches::{
    branch_and_cut::{BestCalls, branch_and_cut},
    chain::chain,
    effort::Effort,
    reduced_problem::ReducedProblem,
};

/// Returns the best plan, by the fastest search that the problem allows.
pub(crate) fn best_calls(reduced: &ReducedProblem, effort: &mut Effort) -> Option<BestCalls> {
    match chain(reduced) {
        Some(calls) => {
            let cost = |&tool: &u32| reduced.cost_of(reduced.weights[tool as usize]);
            let lowest_cost = calls.iter().map(cost).sum();
            Some(BestCalls { calls, lowest_cost, is_best: true })
        }
        None => branch_and_cut(reduced, effort),
    }
}
