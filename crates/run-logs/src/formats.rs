//! One reader per format.

#[cfg(feature = "rollouts")]
pub mod bagen;
pub(crate) mod chat;
pub(crate) mod dispatch;
pub(crate) mod documents;
pub(crate) mod harbor;
pub(crate) mod inspect;
pub(crate) mod run_iterator;
pub(crate) mod shape;
pub(crate) mod tau2;
