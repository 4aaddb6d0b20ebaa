//! The exact solver of a 0-1 knapsack with one capacity.

mod core;
mod incumbent;
mod items;
mod quick_bound;
mod relaxation;
mod search;
mod second_limit;
pub(crate) mod solver;
mod states;
