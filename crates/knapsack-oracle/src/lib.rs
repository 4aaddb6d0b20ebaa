#![doc = include_str!("../README.md")]

mod error;
mod exact;

pub use error::Error;
pub use exact::{Knapsack, Proof, Solution};
