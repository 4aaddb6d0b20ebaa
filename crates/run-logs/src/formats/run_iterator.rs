use std::{iter, path::PathBuf};

use crate::{error::Error, format::Format, values::run::Run};

/// The runs of one log.
pub(crate) type RunIterator<'a> = Box<dyn Iterator<Item = Result<Run, Error>> + 'a>;

/// The runs that `next` gives, up to the end or the first error.
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
}

impl<'a> Opened<'a> {
    /// A log of one file.
    pub(crate) fn alone(format: Format, runs: RunIterator<'a>) -> Self {
        Self { format, runs, owned: None }
    }
}
