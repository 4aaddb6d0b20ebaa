//! Knapsacks of whole profits and weights, solved exactly.

pub(crate) mod budget_staircase;
pub(crate) mod knapsack;
pub(crate) mod most_solved;
