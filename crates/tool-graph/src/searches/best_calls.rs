use crate::searches::{
    branch_and_cut::branch_and_cut, chain::chain, effort::Effort, reduced_problem::ReducedProblem,
};

/// The best known calls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BestCalls {
    pub(crate) calls: Vec<u32>,
    /// A cost that every plan has at least, in units of the costs.
    pub(crate) lowest_cost: u128,
    /// Whether no plan is better.
    pub(crate) is_best: bool,
}

/// The best plan, by the fastest search that the problem allows.
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
