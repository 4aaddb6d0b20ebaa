//! What is wrong with the files or with the query.

use std::{io, path::PathBuf};

use datafusion::common::DataFusionError;

/// Why a query was not run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The argument of a table has another form.
    #[error("{table:?}: a table is given as TABLE=PATH, for example runs=runs.parquet")]
    NotATable {
        /// The argument.
        table: String,
    },
    /// The option `--output` lacks its file.
    #[error("--output is given once, with the file to write: --output FILE")]
    OutputOption,
    /// A file or folder cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// There is nothing at a path.
    #[error("{}: there is no such file or folder", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// The ending of a file is not one of a data file.
    #[error(
        "{}: the ending is not .parquet, .parq, .pq, .csv, .json, .jsonl or .ndjson; give a .parquet, .csv or \
        .jsonl file, or a folder that holds only such files", path.display()
    )]
    Ending {
        /// The file.
        path: PathBuf,
    },
    /// A folder holds no data file.
    #[error("{}: the folder holds no .parquet, .csv or .jsonl file", folder.display())]
    NoFiles {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder holds files of several kinds.
    #[error(
        "{} and {}: the files of one table must be of one kind; give each kind a folder of its own",
        first.display(), other.display()
    )]
    MixedKinds {
        /// A file of one kind.
        first: PathBuf,
        /// A file of another kind.
        other: PathBuf,
    },
    /// A data file has a name, or is in a folder with a name, of temporary and internal files.
    #[error(
        "{}: names that begin with `.` or `_` mark temporary, internal or deleted data, so the file is neither \
        read nor ignored; move it, or give a folder that does not hold it", path.display()
    )]
    Hidden {
        /// The file.
        path: PathBuf,
    },
    /// A Parquet file has no bytes.
    #[error("{}: the file is empty, so it is not a Parquet file; write it again or remove it", path.display())]
    EmptyParquet {
        /// The file.
        path: PathBuf,
    },
    /// A link leads to a file or folder that the table already holds.
    #[error("{}: is reached twice, by a link; its rows would count twice", path.display())]
    Twice {
        /// The second path.
        path: PathBuf,
    },
    /// The files of a folder stand in different `key=value` folders.
    #[error(
        "{} and {}: the folders `key=value` above the files must have the same keys in the same order",
        first.display(), other.display()
    )]
    Keys {
        /// A file.
        first: PathBuf,
        /// A file with other keys.
        other: PathBuf,
    },
    /// A key of the folders is also a column, or stands twice in a path.
    #[error("{}: `{key}` is a folder `{key}=…` and also another column or folder; rename one of them", path.display())]
    KeyTwice {
        /// The folder or file.
        path: PathBuf,
        /// The key.
        key: String,
    },
    /// A line is not a JSON object.
    #[error("{}: line {line}: {problem}; each line must be one JSON object", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// The values of a column have no type that holds them all.
    #[error("{problem}; change the values, or leave the column out of the query")]
    Column {
        /// The column and the values, with their files and lines.
        problem: String,
    },
    /// The files of a folder of CSV have different headers.
    #[error(
        "{} and {}: the files of one table must have the same columns in the same order",
        first.display(), other.display()
    )]
    Headers {
        /// A file.
        first: PathBuf,
        /// A file with other columns.
        other: PathBuf,
    },
    /// A statement that is not a query.
    #[error(
        "the statement {statement:?} is refused: a query only reads, so it cannot write, create or set anything; \
        to keep rows, select them with the option --output FILE"
    )]
    NotAQuery {
        /// What the statement is.
        statement: String,
    },
    /// The file to write exists.
    #[error("{}: the file exists; --output writes a new file only", path.display())]
    OutputExists {
        /// The file.
        path: PathBuf,
    },
    /// The file to write would become part of a table.
    #[error("{}: is inside a folder that the query reads; write the rows elsewhere", path.display())]
    OutputInData {
        /// The file.
        path: PathBuf,
    },
    /// What the engine says of the query.
    #[error("{0}")]
    Engine(DataFusionError),
}

impl From<DataFusionError> for Error {
    /// Takes out an error of this crate that passed through the engine.
    fn from(error: DataFusionError) -> Self {
        match error {
            DataFusionError::Context(_, inner) if is_ours(&inner) => (*inner).into(),
            DataFusionError::External(inner) => match inner.downcast::<Self>() {
                Ok(ours) => *ours,
                Err(other) => Self::Engine(DataFusionError::External(other)),
            },
            other => Self::Engine(other),
        }
    }
}

fn is_ours(error: &DataFusionError) -> bool {
    matches!(error.find_root(), DataFusionError::External(inner) if inner.is::<Error>())
}
