//! One reader per format.

pub(crate) mod chat;
pub(crate) mod dispatch;
pub(crate) mod documents;
pub(crate) mod harbor;
pub(crate) mod inspect;
pub(crate) mod run_iterator;
pub(crate) mod shape;
pub(crate) mod tau2;
#[cfg(feature = "lines")]
pub(crate) mod traces;
