//! Logs of inspect_ai, as one JSON object (`.json`) or as an archive (`.eval`).

#[cfg(feature = "archives")]
pub(crate) mod archive_log;
pub(crate) mod attachments;
#[cfg(feature = "archives")]
pub(crate) mod chunked_sample;
pub(crate) mod events;
pub(crate) mod header;
pub(crate) mod json_log;
pub(crate) mod messages;
pub(crate) mod output;
pub(crate) mod sample;

use std::io::{Read, Seek};

use crate::{
    error::Error,
    formats::{
        run_iterator::{HeadOf, RunIterator},
        shape::Shape,
    },
    read_options::ReadOptions,
};

/// Returns whether the first bytes of a file show a log of inspect_ai, or one whose `eval` is invalid.
pub(crate) fn recognizes(shape: &Shape) -> bool {
    !shape.is_list
        && shape.has_all(&["version", "status", "eval"])
        && (shape.has_key("eval", "task") || shape.has_no_key("eval"))
}

/// Reads the runs of an archive.
#[cfg(feature = "archives")]
pub(crate) fn archive<'a>(
    source: impl Read + Seek + 'a,
    options: &ReadOptions,
    head: &HeadOf,
) -> Result<RunIterator<'a>, Error> {
    Ok(Box::new(archive_log::ArchiveLog::open(source, options, head)?))
}

/// Returns the error of a build that cannot read archives.
#[cfg(not(feature = "archives"))]
pub(crate) fn archive<'a>(
    _source: impl Read + Seek + 'a,
    _options: &ReadOptions,
    _head: &HeadOf,
) -> Result<RunIterator<'a>, Error> {
    let place = Box::new(crate::error::Place::default());
    Err(Error::Feature { place, feature: "archives" })
}
