//! Tool calls compared with expected calls: the subcommand `paths`.

pub(crate) mod command;
pub(crate) mod options;
pub(crate) mod path_file;
