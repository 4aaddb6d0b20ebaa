//! Readers of JSON and of archives with limits.

pub(crate) mod archive;
pub(crate) mod folder;
pub(crate) mod fresh_input;
pub(crate) mod json;
