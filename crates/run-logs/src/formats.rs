//! One reader per format.

pub mod bagen;
pub(crate) mod chat;
pub(crate) mod counts;
pub(crate) mod harbor;
pub(crate) mod inspect;
pub(crate) mod models;
pub(crate) mod paths;
pub(crate) mod pools;
pub(crate) mod rollouts;
pub(crate) mod run_iterator;
pub(crate) mod steps;
pub(crate) mod tau2;
pub(crate) mod trace_line;
pub(crate) mod trace_rules;
pub(crate) mod traces;
