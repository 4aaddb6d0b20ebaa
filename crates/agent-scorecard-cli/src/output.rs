//! The output of commands: reports as text and JSON, files, and errors.

pub(crate) mod options;
pub(crate) mod overwrites;
pub(crate) mod program;
pub(crate) mod text;
