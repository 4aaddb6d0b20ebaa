//! The exact solver of a 0-1 knapsack with several capacities.

pub(crate) mod branch_and_bound;
mod linear_program;
