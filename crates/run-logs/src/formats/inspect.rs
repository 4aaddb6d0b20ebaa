//! Logs of inspect_ai, as one JSON object or as an archive.

pub(crate) mod json_log;
pub(crate) mod sample;

use std::io::{Read, Seek};

use crate::{
    error::{Error, Place},
    formats::{inspect::json_log::JsonLog, run_iterator::RunIterator, shape::Shape},
    read_options::ReadOptions,
};

/// Whether the first bytes of a file show a log of inspect_ai.
pub(crate) fn recognizes(shape: &Shape) -> bool {
    !shape.is_list && shape.has_all(&["version", "status", "eval"]) && shape.has_key("eval", "task")
}

/// The runs of a log that is one JSON object.
pub(crate) fn json<'a>(
    source: impl Read + 'a,
    options: &ReadOptions,
) -> Result<RunIterator<'a>, Error> {
    Ok(Box::new(JsonLog::open(source, options)?))
}

/// The runs of an archive.
pub(crate) fn archive<'a>(
    _source: impl Read + Seek + 'a,
    _options: &ReadOptions,
) -> Result<RunIterator<'a>, Error> {
    Err(Error::Feature { place: Box::new(Place::default()), feature: "archives" })
}
