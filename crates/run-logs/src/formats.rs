//! One reader per format.

#[cfg(all(feature = "lines", feature = "rollouts"))]
pub mod bagen;
pub(crate) mod chat;
pub(crate) mod counts;
pub(crate) mod dispatch;
pub(crate) mod harbor;
pub(crate) mod inspect;
#[cfg(feature = "lines")]
pub(crate) mod models;
#[cfg(feature = "lines")]
pub(crate) mod paths;
#[cfg(all(feature = "lines", feature = "pools"))]
pub(crate) mod pools;
#[cfg(all(feature = "lines", feature = "rollouts"))]
pub(crate) mod rollouts;
pub(crate) mod run_iterator;
pub(crate) mod shape;
#[cfg(feature = "lines")]
pub(crate) mod steps;
pub(crate) mod tau2;
#[cfg(feature = "lines")]
pub(crate) mod trace_line;
#[cfg(feature = "lines")]
pub(crate) mod trace_rules;
#[cfg(feature = "lines")]
pub(crate) mod traces;
