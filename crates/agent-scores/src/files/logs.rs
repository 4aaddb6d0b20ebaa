//! Logs of evaluations, bundled or not.

use std::{io::Cursor, path::Path};

use run_logs::{Error, Format, ReadOptions, Runs, read, read_path};

use crate::files::bundled;

/// Opens a log or a folder of logs.
pub(crate) fn open(path: &Path, format: Format) -> Result<Runs<'static>, Error> {
    let options = ReadOptions::default();
    match bundled::content(path) {
        Some(content) => read(Cursor::new(content), format, &options),
        None => read_path(path, format, &options),
    }
}
