//! The knapsack with several resources.

mod knapsack;
mod relaxation;
mod search;

pub use knapsack::{KnapsackBounds, MultidimensionalKnapsack, MultidimensionalSolution};
