//! Harbor and ATIF.

use std::io::Read;

use crate::{
    error::{Error, Place, Problem},
    format::Format,
    formats::{run_iterator::RunIterator, shape::Shape},
    read_options::ReadOptions,
};

/// Whether the first bytes of a file show this format.
pub(crate) fn recognizes(_shape: &Shape) -> Option<Format> {
    None
}

/// The runs of a log.
pub(crate) fn read<'a>(
    _source: impl Read + 'a,
    _format: Format,
    _options: &ReadOptions,
) -> Result<RunIterator<'a>, Error> {
    let problem = Problem::Unsupported { what: "this format of Harbor" };
    Err(Error::invalid(Place::default(), problem))
}
