//! Readers of JSON and of archives with limits.

pub(crate) mod json;
