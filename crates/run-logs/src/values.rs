//! The types that the readers of all formats return.

pub(crate) mod account;
pub(crate) mod confidence_scale;
pub(crate) mod evaluation;
pub(crate) mod run;
pub(crate) mod time;
pub(crate) mod tokens;
