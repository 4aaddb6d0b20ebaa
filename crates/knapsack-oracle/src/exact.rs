//! Exact solutions of one 0-1 knapsack.

mod greedy;
mod incumbent;
mod knapsack;
mod relaxation;
mod search;
mod solver;
mod states;
mod structure;

pub use knapsack::{Knapsack, Proof, Solution};
