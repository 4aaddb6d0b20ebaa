use std::{
    io::Read,
    iter,
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use crate::{
    engines::json::reader::Json,
    error::Error,
    format::Format,
    read_options::ReadOptions,
    values::{evaluation::Evaluation, run::Run},
};

/// The runs of one log.
pub(crate) type RunIterator<'a> = Box<dyn Iterator<Item = Result<Run, Error>> + 'a>;

/// Returns the runs that `next` gives, up to the end or the first error.
pub(crate) fn until_error<'a>(
    mut next: impl FnMut() -> Result<Option<Run>, Error> + 'a,
) -> RunIterator<'a> {
    let mut is_done = false;
    Box::new(iter::from_fn(move || {
        let run = if is_done { Ok(None) } else { next() };
        is_done = !matches!(run, Ok(Some(_)));
        run.transpose()
    }))
}

/// A log that is ready to be read.
pub(crate) struct Opened<'a> {
    pub(crate) format: Format,
    pub(crate) runs: RunIterator<'a>,
    /// The folder whose files belong to this log.
    pub(crate) owned: Option<PathBuf>,
    pub(crate) evaluation: HeadOf,
}

/// The facts from the head of a log, once it has been read: a log without a run has a head too.
pub(crate) type HeadOf = Arc<OnceLock<Arc<Evaluation>>>;

impl<'a> Opened<'a> {
    /// Creates a log of one file.
    pub(crate) fn alone(format: Format, runs: RunIterator<'a>) -> Self {
        Self { format, runs, owned: None, evaluation: HeadOf::default() }
    }
}

/// Reads the values of a file, one run per value: JSON Lines, values one after the other, or one list. `read` reads one value,
/// given its number from 1.
pub(crate) fn documents<'a>(
    source: impl Read + 'a,
    options: &ReadOptions,
    mut read: impl FnMut(&mut Json<'a>, u64, &ReadOptions) -> Result<Run, Error> + 'a,
) -> Result<RunIterator<'a>, Error> {
    let (mut json, options, mut number) = (Json::new(source, options.limits), *options, 0);
    let is_list = json.after_space()? == Some(b'[');
    if is_list {
        json.begin_list()?;
    }
    Ok(until_error(move || {
        let more = if is_list {
            json.begin_run();
            json.next_element()?
        } else {
            json.next_document()?
        };
        if more {
            number += 1;
            return read(&mut json, number, &options).map(Some);
        }
        if is_list {
            json.end()?;
        }
        Ok(None)
    }))
}
