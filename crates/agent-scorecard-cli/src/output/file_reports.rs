//! A report per column: a file, or one of the models in it. Columns are pooled only if that is asked for.

use std::{error::Error, path::Path};

use agent_scorecard::Block;
use serde::Serialize;

use crate::{
    output::program::with_causes,
    plain::{self, line},
};

/// A column's report.
#[derive(Debug, Serialize)]
pub(crate) struct FileReport<T> {
    /// The name of the column, short and different from those of other columns where that is possible.
    pub name: String,
    /// The file, as named by the caller.
    pub file: String,
    /// The model, if the file has runs of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What was found.
    #[serde(flatten)]
    pub report: T,
}

/// The columns of these files and models in their order, with their names.
pub(crate) fn columns<T>(
    reports: impl IntoIterator<Item = (String, Option<String>, T)>,
) -> Vec<FileReport<T>> {
    let unnamed = reports.into_iter().map(|(file, model, report)| {
        let name = String::new();
        FileReport { name, file, model, report }
    });
    let mut columns: Vec<FileReport<T>> = unnamed.collect();
    let files = names(columns.iter().map(|column| Path::new(&column.file)));
    let is_one_file = columns.iter().all(|column| column.file == columns[0].file);
    for (column, file) in columns.iter_mut().zip(files) {
        column.name = match &column.model {
            None => file,
            Some(model) if is_one_file => model.clone(),
            Some(model) => format!("{file} {model}"),
        };
    }
    columns
}

/// What is said of several columns beside the report of each.
pub(crate) struct Together<T, D> {
    /// The report on the runs of all columns, if it was asked for.
    pub pooled: Option<T>,
    /// The second of two columns minus the first.
    pub difference: Option<D>,
    /// Why there is no difference, and what to know about it.
    pub notes: Vec<String>,
}

impl<T, D> Together<T, D> {
    /// The pooled report or none, without differences.
    pub(crate) fn pooled(pooled: Option<T>) -> Self {
        Self { pooled, difference: None, notes: Vec::new() }
    }
}

/// No differences are computed between the columns.
pub(crate) type NoDifference = ();

/// What is said of columns that were pooled.
pub(crate) const POOLED: &str =
    "these figures are over all columns together, a run in two of them counting twice; see files";

/// What is said of all columns together, of their pooled runs.
pub(crate) fn pooled(mut block: Block) -> Block {
    block.title = "All columns together".to_owned();
    block.lines.clear();
    block.notes.get_or_insert_default().push(POOLED.to_owned());
    block
}

/// The object for programs: the report itself of a single column; else the reports of each as `files`, with
/// the difference, and the figures over all of them if they were asked for.
///
/// # Errors
///
/// That of `together`.
pub(crate) fn json<T: Serialize, D: Serialize>(
    reports: &[FileReport<T>],
    together: impl FnOnce() -> Result<Together<T, D>, Box<dyn Error>>,
) -> Result<String, Box<dyn Error>> {
    #[derive(Serialize)]
    struct Several<'a, T, D> {
        #[serde(flatten)]
        pooled: Option<T>,
        #[serde(skip_serializing_if = "Option::is_none")]
        difference: Option<D>,
        // The notes of a pooled report hold these.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
        files: &'a [FileReport<T>],
    }
    let object = if let [single] = reports {
        serde_json::to_string_pretty(single)?
    } else {
        let Together { pooled, difference, notes } = together()?;
        serde_json::to_string_pretty(&Several { pooled, difference, notes, files: reports })?
    };
    Ok(object + "\n")
}

/// Short names of files: a file is called by its stem, unless another one is, too.
pub(crate) fn names<'a>(files: impl Iterator<Item = &'a Path>) -> Vec<String> {
    let stem = |path: &Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let files: Vec<(&Path, String)> = files.map(|path| (path, stem(path))).collect();
    let name = |(path, own): &(&Path, String)| {
        let is_other = |(file, stem): &&(&Path, String)| stem == own && file != path;
        let alone = !files.iter().any(|file| is_other(&file));
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
    let message = with_causes(&*error);
    if message.starts_with(file) { error } else { format!("{file}: {message}").into() }
}
