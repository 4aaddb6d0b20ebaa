use std::{
    fs::{self, File},
    io::{self, ErrorKind},
    path::{Component, Path, PathBuf},
};

use crate::error::Error;

/// Opens a file to read it. Refuses a pipe, a socket or a device, which may have no end or block the reader for ever.
/// Allows open descriptors of the program, such as `/dev/stdin`.
///
/// # Errors
///
/// The errors of the file system; [`ErrorKind::Unsupported`] for anything other than a regular file or a folder.
///
/// ```
/// let error = run_logs::open_file("/dev/null".as_ref()).unwrap_err();
/// assert_eq!(error.to_string(), "is a pipe, a socket or a device; give a regular file");
/// ```
pub fn open_file(path: &Path) -> io::Result<File> {
    let found = fs::metadata(path)?;
    let is_open = ["/dev/stdin", "/dev/fd", "/proc/self/fd"];
    if found.is_file() || found.is_dir() || is_open.iter().any(|given| path.starts_with(given)) {
        return File::open(path);
    }
    let problem = "is a pipe, a socket or a device; give a regular file";
    Err(io::Error::new(ErrorKind::Unsupported, problem))
}

/// The folder of a log that consists of several files.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Returns the folder that contains a file.
    pub(crate) fn of(file: &Path) -> Option<Self> {
        file.parent().map(|path| Self { path: path.to_owned() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder or file at a relative path, which need not exist. `None` for a path that leads out of this folder.
    pub(crate) fn join(&self, relative: &str) -> Option<Self> {
        let path = Path::new(relative);
        let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
        (is_inside && !relative.is_empty()).then(|| Self { path: self.path.join(path) })
    }

    /// Opens a file at a relative path, and returns its path for errors. `None` if it does not
    /// exist or is not inside this folder.
    pub(crate) fn open(&self, relative: &str) -> Result<Option<(File, PathBuf)>, Error> {
        let Some(Self { path }) = self.join(relative) else { return Ok(None) };
        match open_file(&path) {
            Ok(file) if path.is_file() => Ok(Some((file, path))),
            Ok(_) => Ok(None),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::io(&error).in_file(&path)),
        }
    }

    /// The names of the files with this ending, sorted. `None` if the folder does not exist.
    pub(crate) fn files(&self, ending: &str) -> Result<Option<Vec<String>>, Error> {
        if !self.path.is_dir() {
            return Ok(None);
        }
        let entries = entries(&self.path)?;
        let names = entries.iter().filter_map(|path| path.file_name()?.to_str());
        Ok(Some(names.filter(|name| name.ends_with(ending)).map(str::to_owned).collect()))
    }
}

/// Returns the paths of the files and folders in a folder, sorted.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = || -> io::Result<Vec<PathBuf>> {
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect()
    };
    let mut paths = read().map_err(|error| Error::io(&error).in_file(folder))?;
    paths.sort();
    Ok(paths)
}
