//! The knapsack with several resources.

mod knapsack;
mod relaxation;
mod search;

pub(crate) use knapsack::MOST_NODES;
#[cfg(feature = "serde")]
pub(crate) use knapsack::as_list;
pub use knapsack::{MultidimensionalKnapsack, MultidimensionalSolution};
