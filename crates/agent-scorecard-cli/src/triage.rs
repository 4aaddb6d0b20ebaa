//! Plans under a budget: the subcommand `triage`.

pub(crate) mod capped_file;
pub(crate) mod command;
pub(crate) mod evaluation;
pub(crate) mod figures;
pub(crate) mod json;
pub mod knapsack_file;
pub(crate) mod options;
pub mod plan_file;
pub mod pool_file;
pub(crate) mod re_solved_file;
pub(crate) mod variant_file;
pub(crate) mod words;
