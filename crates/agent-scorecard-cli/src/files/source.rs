use std::{
    borrow::Cow,
    error::Error,
    io::{Cursor, Read},
    path::{Path, PathBuf},
    sync::Arc,
};

use agent_scorecard::{ROWS, with_causes};
use clap::builder::{MapValueParser, PathBufValueParser, TypedValueParser, ValueParserFactory};
use run_logs::json_lines::InputError;

use crate::files::bundled;

/// A file, a folder of logs, or in-memory rows.
#[derive(Clone, Debug)]
pub struct Source {
    path: PathBuf,
    /// The name of the column, if one was given.
    given: String,
    rows: Option<Arc<[u8]>>,
}

impl From<PathBuf> for Source {
    fn from(path: PathBuf) -> Self {
        Self { path, given: String::new(), rows: None }
    }
}

impl ValueParserFactory for Source {
    type Parser = MapValueParser<PathBufValueParser, fn(PathBuf) -> Self>;

    fn value_parser() -> Self::Parser {
        PathBufValueParser::new().map(Self::from)
    }
}

impl Source {
    /// Creates a source of in-memory rows, which are JSON Lines. `name` takes the place of a file name. `given` is the
    /// name of the source's column in a report, or empty.
    #[must_use]
    pub fn of_rows(name: &str, given: &str, rows: Vec<u8>) -> Self {
        let path = PathBuf::from(format!("{ROWS}{name}"));
        Self { path, given: given.to_owned(), rows: Some(rows.into()) }
    }

    /// Returns the name of its column, empty if none was given.
    pub(crate) fn given(&self) -> &str {
        &self.given
    }

    /// Returns the path of the file or folder. The path of in-memory rows is `rows:` followed by their name.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the given sources, or these bundled files if there are none.
    pub(crate) fn unless(given: Vec<Self>, names: &[&str]) -> Vec<Self> {
        let bundled = || names.iter().map(|name| bundled::path(name).into()).collect();
        if given.is_empty() { bundled() } else { given }
    }

    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns whether it may be a log; rows are not logs.
    pub(crate) fn is_file(&self) -> bool {
        self.rows.is_none()
    }

    /// Returns the result of a reader, with the name of the source in its errors.
    ///
    /// # Errors
    ///
    /// Errors of the reader, and [`InputError`] for a file that cannot be opened.
    pub(crate) fn read_by<T, E: From<InputError>>(
        &self,
        read: impl FnOnce(&str, Box<dyn Read + Send>) -> Result<T, E>,
    ) -> Result<T, E> {
        match &self.rows {
            Some(rows) => read(&self.name(), Box::new(Cursor::new(Arc::clone(rows)))),
            None => read(&self.name(), bundled::open(&self.path)?),
        }
    }

    /// Returns all its bytes.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a file that cannot be read.
    pub(crate) fn bytes(&self) -> Result<Cow<'_, [u8]>, InputError> {
        match &self.rows {
            Some(rows) => Ok(Cow::Borrowed(rows)),
            None => bundled::bytes(&self.path),
        }
    }
}

/// The option `--name`.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Names {
    /// Name to use for a FILE in the report and in --fail-if, instead of the name of the file or folder. Give this
    /// option once for each FILE, in the same order
    #[arg(long = "name", value_name = "NAME")]
    names: Vec<String>,
}

impl Names {
    /// Pairs files with their names. A name is empty if none was given.
    ///
    /// # Errors
    ///
    /// A line that names the option, if there are not as many names as files, or if two are alike.
    pub(crate) fn of(self, files: Vec<PathBuf>) -> Result<Vec<Source>, String> {
        let Self { mut names } = self;
        let (n, wanted) = (names.len(), files.len());
        if n > 0 && n != wanted {
            return Err(format!("--name: {n} given for {wanted} files; give one for each file"));
        }
        let is_wrong =
            |at: &usize| names[*at].trim().is_empty() || names[..*at].contains(&names[*at]);
        if let Some(at) = (0..n).find(is_wrong) {
            let problem = "is empty or given twice; give each file a name of its own";
            return Err(format!("--name: {:?} {problem}", names[at]));
        }
        names.resize(wanted, String::new());
        let named = |(path, given): (PathBuf, String)| Source { given, ..path.into() };
        Ok(files.into_iter().zip(names).map(named).collect())
    }
}

/// Adds the name of the file to the error, unless the error already has it.
#[must_use]
pub(crate) fn at(file: &str, error: Box<dyn Error>) -> Box<dyn Error> {
    let message = with_causes(&*error);
    if message.starts_with(file) { error } else { format!("{file}: {message}").into() }
}
