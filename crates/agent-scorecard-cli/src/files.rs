//! Files that commands read: where their bytes come from, and JSON Lines.

pub(crate) mod bundled;
pub(crate) mod log_file;
pub(crate) mod logs;
pub(crate) mod names;
pub(crate) mod source;
