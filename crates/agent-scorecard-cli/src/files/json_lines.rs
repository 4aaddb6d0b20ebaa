//! JSON Lines of files, bundled or not.

use std::{borrow::Cow, io::Read, path::Path};

pub(crate) use run_logs::json_lines::InputError;

use crate::files::bundled;

/// What a reader, which names the file in its errors, makes of a file.
///
/// # Errors
///
/// Errors of the reader, and [`InputError`] for a file that cannot be opened.
pub(crate) fn read_by<T, E: From<InputError>>(
    path: &Path,
    read: impl FnOnce(&str, Box<dyn Read + Send>) -> Result<T, E>,
) -> Result<T, E> {
    read(&path.display().to_string(), open(path)?)
}

/// Returns the source of a file's lines, which is read once and so may be a pipe.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read + Send>, InputError> {
    bundled::open(path).map_err(|error| whole(path, error.to_string()))
}

/// Returns the bytes of a file, which is read once and so may be a pipe. A UTF-8 byte-order mark in front is left out.
pub(crate) fn bytes(path: &Path) -> Result<Cow<'static, [u8]>, InputError> {
    match bundled::content(path) {
        Some(content) => Ok(Cow::Borrowed(content)),
        None => {
            let bytes = run_logs::json_lines::bytes(&path.display().to_string(), open(path)?)?;
            Ok(Cow::Owned(bytes))
        }
    }
}

/// Returns the text of a file, as [`bytes`].
pub(crate) fn text(path: &Path) -> Result<String, InputError> {
    let text = String::from_utf8(bytes(path)?.into_owned());
    text.map_err(|error| whole(path, format!("it is not UTF-8: {error}")))
}

pub(crate) fn whole(path: &Path, problem: String) -> InputError {
    InputError::of_file(&path.display().to_string(), problem)
}
