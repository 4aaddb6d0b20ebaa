//! Engines: the searches behind the plans, on a problem reduced to the tools and data types that a plan can
//! use.

pub(crate) mod best_calls;
pub(crate) mod branch_and_cut;
pub(crate) mod chain;
pub(crate) mod effort;
mod landmark_cut;
pub(crate) mod optimal_paths;
mod packing;
mod plan_weight;
pub(crate) mod plans_in_order;
pub(crate) mod reach;
pub(crate) mod reduced_problem;
mod relaxed_plan;
mod released_heap;
pub(crate) mod released_search;
pub(crate) mod shortest_count;
mod tool_sets;
mod type_set;
