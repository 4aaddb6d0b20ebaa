//! Zip archives, streamed with limits.
//!
//! Entries are never written to a disk, so their names cannot lead out of a folder; names that try are refused anyway.

pub(crate) mod directory;
pub(crate) mod zstd_frames;
