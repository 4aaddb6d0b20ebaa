#![doc = include_str!("../README.md")]

mod error;
mod random;
mod several;
mod staircase;
mod unit;

pub use error::Error;
pub use random::{ExactRandom, FitRule, RandomReference, SampledRandom};
pub use several::{KnapsackBounds, MultidimensionalKnapsack, MultidimensionalSolution};
pub use staircase::BudgetStaircase;
pub use unit::{most_solved, most_solved_items};
