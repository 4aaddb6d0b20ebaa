//! Results of tau2-bench.

use std::io::Read;

use crate::{
    error::{Error, Place, Problem},
    formats::{run_iterator::RunIterator, shape::Shape},
    read_options::ReadOptions,
};

/// Whether the first bytes of a file show this format.
pub(crate) fn recognizes(_shape: &Shape) -> bool {
    false
}

/// The runs of a log.
pub(crate) fn read<'a>(
    _source: impl Read + 'a,
    _options: &ReadOptions,
) -> Result<RunIterator<'a>, Error> {
    let problem = Problem::Unsupported { what: "the format of tau2" };
    Err(Error::invalid(Place::default(), problem))
}
