//! Values: tools, the typed graph of a library of tools, states, problems and plans.

pub(crate) mod call_effects;
pub(crate) mod checks;
pub(crate) mod costs;
pub(crate) mod lists;
pub(crate) mod names;
pub(crate) mod plan;
pub(crate) mod problem;
pub(crate) mod state;
pub(crate) mod tool;
pub(crate) mod tool_graph;
pub(crate) mod types;
pub(crate) mod word_hasher;
