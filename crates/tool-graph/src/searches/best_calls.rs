use crate::searches::{
    branch_and_cut::branch_and_cut, chain::chain, reduced_problem::ReducedProblem,
};

/// The best plan, by the fastest search that the problem allows.
pub(crate) fn best_calls(reduced: &ReducedProblem) -> Option<Vec<u32>> {
    chain(reduced).or_else(|| branch_and_cut(reduced))
}
