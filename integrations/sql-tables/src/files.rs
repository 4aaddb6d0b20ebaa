//! The data files of a path, on all levels of a folder.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use percent_encoding::percent_decode_str;

use crate::error::Problem;

/// How a file is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Parquet,
    Csv,
    JsonLines,
}

impl Kind {
    /// The kind that the ending of a name stands for, in capital or small letters.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "parquet" | "parq" | "pq" => Some(Self::Parquet),
            "csv" => Some(Self::Csv),
            "json" | "jsonl" | "ndjson" => Some(Self::JsonLines),
            _ => None,
        }
    }
}

/// One data file of a table.
#[derive(Debug)]
pub(crate) struct DataFile {
    pub(crate) path: PathBuf,
    pub(crate) size: u64,
    pub(crate) modified: SystemTime,
    /// Keys and values of the `key=value` folders above it. A value that stands for NULL is `None`.
    pub(crate) keys: Vec<(String, Option<String>)>,
}

/// The data files of a table, all of one kind, sorted by path.
#[derive(Debug)]
pub(crate) struct DataFiles {
    pub(crate) kind: Kind,
    pub(crate) files: Vec<DataFile>,
    /// All folders that were searched, as the system names them.
    pub(crate) folders: Vec<PathBuf>,
}

/// Finds the data files of a file or folder.
pub(crate) fn find(path: &Path) -> Result<DataFiles, Problem> {
    if !path.exists() {
        return Err(Problem::Missing(path.to_owned()));
    }
    let mut search = Search::default();
    search.visit(path, &[], false)?;
    let Search { files, seen, .. } = search;
    let Some((kind, first)) = files.first().and_then(|file| Some((Kind::of(&file.path)?, file)))
    else {
        return Err(Problem::NoFiles(path.to_owned()));
    };
    let names = |file: &DataFile| file.keys.iter().map(|(key, _)| key.clone()).collect::<Vec<_>>();
    for file in &files {
        let (first, other) = (first.path.clone(), file.path.clone());
        if Kind::of(&file.path) != Some(kind) {
            return Err(Problem::Kinds(first, other));
        }
        if names(file) != names(&files[0]) {
            return Err(Problem::Keys(first, other));
        }
    }
    let folders = seen.into_iter().filter(|path| path.is_dir()).collect();
    Ok(DataFiles { kind, files, folders })
}

#[derive(Default)]
struct Search {
    files: Vec<DataFile>,
    /// What was visited, without links, so that no link counts a row twice or leads in a circle.
    seen: HashSet<PathBuf>,
}

impl Search {
    fn see(&mut self, path: &Path) -> Result<(), Problem> {
        let real = fs::canonicalize(path).map_err(|error| Problem::File(path.to_owned(), error))?;
        if self.seen.insert(real) { Ok(()) } else { Err(Problem::Twice(path.to_owned())) }
    }

    /// Notes a file, or all files of a folder.
    fn visit(
        &mut self,
        path: &Path,
        keys: &[(String, Option<String>)],
        is_hidden: bool,
    ) -> Result<(), Problem> {
        let unread = |error| Problem::File(path.to_owned(), error);
        if path.is_dir() {
            self.see(path)?;
            let entries = fs::read_dir(path).map_err(unread)?;
            let mut paths = entries
                .map(|entry| Ok(entry?.path()))
                .collect::<Result<Vec<_>, _>>()
                .map_err(unread)?;
            paths.sort();
            for path in paths {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let mut keys = keys.to_vec();
                if let Some((key, value)) = name.split_once('=').filter(|(key, _)| !key.is_empty())
                    && path.is_dir()
                {
                    let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
                    let (key, value) = (decoded(key), decoded(value));
                    if keys.iter().any(|(other, _)| *other == key) {
                        return Err(Problem::KeyTwice(path, key));
                    }
                    keys.push((key, (value != "__HIVE_DEFAULT_PARTITION__").then_some(value)));
                }
                self.visit(&path, &keys, is_hidden || name.starts_with(['.', '_']))?;
            }
            return Ok(());
        }
        let Some(kind) = Kind::of(path) else {
            return if is_hidden { Ok(()) } else { Err(Problem::Ending(path.to_owned())) };
        };
        if is_hidden {
            return Err(Problem::Hidden(path.to_owned()));
        }
        self.see(path)?;
        let data = fs::metadata(path).and_then(|data| Ok((data.len(), data.modified()?)));
        let (size, modified) = data.map_err(unread)?;
        let path = path.to_owned();
        if size == 0 && kind == Kind::Parquet {
            return Err(Problem::EmptyParquet(path));
        }
        self.files.push(DataFile { path, size, modified, keys: keys.to_vec() });
        Ok(())
    }
}
