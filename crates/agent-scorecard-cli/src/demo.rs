//! The bundled data, made again: the hidden subcommand `demo-data`.

pub(crate) mod command;
pub(crate) mod options;
pub(crate) mod problems;
pub(crate) mod rollouts;
