//! Exact solutions of one 0-1 knapsack.

mod core;
mod greedy;
mod incumbent;
mod knapsack;
mod relaxation;
mod search;
mod second_limit;
mod solver;
mod states;

pub use knapsack::{Knapsack, Proof, Solution};
