//! Reading the input files of commands, including JSON Lines.

pub(crate) mod bundled;
pub(crate) mod log_file;
pub(crate) mod logs;
pub(crate) mod names;
pub(crate) mod source;
