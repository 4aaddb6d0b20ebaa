//! The types that every reader fills.

pub(crate) mod account;
pub(crate) mod confidence_scale;
pub(crate) mod evaluation;
pub(crate) mod run;
pub(crate) mod tokens;
