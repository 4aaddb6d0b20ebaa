//! The knapsack with several resources.

mod knapsack;
mod relaxation;
mod search;

pub(crate) use knapsack::MOST_NODES;
pub use knapsack::{MultidimensionalKnapsack, MultidimensionalSolution};
