//! A report a file, and one over all files together where there are several.

use std::{error::Error, path::Path};

use serde::Serialize;

use crate::plain::{self, line};

/// A file's report.
#[derive(Debug, Serialize)]
pub(crate) struct FileReport<T> {
    /// The file, as named by the caller.
    pub file: String,
    /// What was found.
    #[serde(flatten)]
    pub report: T,
}

/// The object for programs: the report itself of a single file, else that over all files together and
/// the reports of each as `files`.
///
/// # Errors
///
/// That of `together`, which makes the report over all files.
pub(crate) fn json<T: Serialize>(
    reports: &[FileReport<T>],
    together: impl FnOnce() -> Result<T, Box<dyn Error>>,
) -> Result<String, Box<dyn Error>> {
    #[derive(Serialize)]
    struct Pooled<'a, T> {
        #[serde(flatten)]
        report: T,
        files: &'a [FileReport<T>],
    }
    let object = if let [single] = reports {
        serde_json::to_string_pretty(single)?
    } else {
        serde_json::to_string_pretty(&Pooled { report: together()?, files: reports })?
    };
    Ok(object + "\n")
}

/// Short names of files: a file is called by its stem, unless another one is, too.
pub(crate) fn names<'a>(files: impl Iterator<Item = &'a Path>) -> Vec<String> {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let files: Vec<(&Path, String)> = files.map(|path| (path, stem(path))).collect();
    let name = |(path, own): &(&Path, String)| {
        let alone = files.iter().filter(|(_, other)| other == own).count() == 1;
        if alone { own.clone() } else { path.display().to_string() }
    };
    files.iter().map(name).collect()
}

/// The notes of all files as lines; one that holds for every file is said once.
#[must_use]
pub(crate) fn notes(files: &[(&str, &[String])]) -> String {
    let mut text = String::new();
    for (i, (name, notes)) in files.iter().enumerate() {
        for note in *notes {
            match (files.iter().all(|(_, others)| others.contains(note)), i) {
                (true, 0) => text.push_str(&plain::note(note)),
                (true, _) => {}
                (false, _) => {
                    text.push_str(&format!("note on {}: {}\n", line(name), line(note)));
                }
            }
        }
    }
    text
}

/// Names the file, unless the error does.
#[must_use]
pub(crate) fn at(file: &str, error: Box<dyn Error>) -> Box<dyn Error> {
    let message = error.to_string();
    if message.starts_with(file) { error } else { format!("{file}: {message}").into() }
}
