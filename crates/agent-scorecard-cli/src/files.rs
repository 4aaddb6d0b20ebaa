//! Reading the input files of commands, including JSON Lines.

pub(crate) mod bundled;
pub(crate) mod logs;
pub(crate) mod source;
