//! What is wrong with the files or with the query.

use std::{io, path::PathBuf, time::Duration};

use datafusion::common::DataFusionError;

/// The most levels of parentheses, calls, `CASE` and subqueries in a query.
pub(crate) const LEVELS: usize = 200;

/// Why a query was not run. The message names the file, line, column or statement, and says what would be right.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(#[from] pub(crate) Problem);

impl Error {
    /// Whether the query took longer than its time limit.
    #[must_use]
    pub const fn is_timeout(&self) -> bool {
        matches!(self.0, Problem::Timeout(_))
    }
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum Problem {
    #[error("{0:?}: a table is given as TABLE=PATH, for example runs=runs.parquet")]
    NotATable(String),
    #[error("{path}: {1}", path = .0.display())]
    File(PathBuf, io::Error),
    #[error("{}: there is no such file or folder", .0.display())]
    Missing(PathBuf),
    #[error(
        "{}: the ending is not .parquet, .parq, .pq, .csv, .json, .jsonl or .ndjson; give a .parquet, .csv or \
        .jsonl file, or a folder that holds only such files", .0.display()
    )]
    Ending(PathBuf),
    #[error("{}: the folder holds no .parquet, .csv or .jsonl file", .0.display())]
    NoFiles(PathBuf),
    #[error("{} and {}: the files of one table must be of one kind; give each kind a folder of its own", .0.display(), .1.display())]
    Kinds(PathBuf, PathBuf),
    #[error(
        "{}: names that begin with `.` or `_` mark temporary, internal or deleted data, so the file is neither \
        read nor ignored; move it, or give a folder that does not hold it", .0.display()
    )]
    Hidden(PathBuf),
    #[error("{}: the file is empty, so it is not a Parquet file; write it again or remove it", .0.display())]
    EmptyParquet(PathBuf),
    #[error("{}: is reached twice, by a link; its rows would count twice", .0.display())]
    Twice(PathBuf),
    #[error("{} and {}: the folders `key=value` above the files must have the same keys in the same order", .0.display(), .1.display())]
    Keys(PathBuf, PathBuf),
    #[error("{path}: `{1}` is a folder `{1}=…` and also another folder or a column; rename one of them", path = .0.display())]
    KeyTwice(PathBuf, String),
    #[error(
        "{path} has the columns {1:?}, but {other} has {3:?}; CSV files of one table must have the same columns, in the \
        same order", path = .0.display(), other = .2.display()
    )]
    Columns(PathBuf, String, PathBuf, String),
    #[error("{path}: line {1}: {2}; each line must be one JSON object", path = .0.display())]
    Line(PathBuf, u64, String),
    #[error("{0}; change the values, or leave the column out of the query")]
    Column(String),
    #[error(
        "{0} is a text that the query reads as a number, so that 001 is 1; write the number as a text ('1', or \
        CAST(n AS VARCHAR)), or, if all texts are numbers, CAST({0} AS DOUBLE)"
    )]
    TextAsNumber(String),
    #[error(
        "{0} is a number that the query reads as the time since 1970; write a date such as '2025-01-31'"
    )]
    NumberAsDate(String),
    #[error(
        "{path}: the name {1} stands twice among the columns; give each a name of its own by AS", path = .0.display()
    )]
    OutputTwice(PathBuf, String),
    #[error(
        "{path}: CSV cannot hold the record or list {1}; select its parts, such as {1}['mean'], or write .parquet \
        or .jsonl", path = .0.display()
    )]
    Nested(PathBuf, String),
    #[error(
        "{path}: JSON cannot hold the value of {1} in row {2}, which is infinite or NaN; write .parquet",
        path = .0.display()
    )]
    NotFinite(PathBuf, String, usize),
    #[error(
        "the statement {0:?} is refused: a query only reads, so it cannot write, create or set anything; \
        to keep rows, select them and write the result (the option --output FILE of the command)"
    )]
    NotAQuery(String),
    #[error("{}: the file exists; --output writes a new file only", .0.display())]
    OutputExists(PathBuf),
    #[error("{}: is inside a folder that the query reads; write the rows elsewhere", .0.display())]
    OutputInData(PathBuf),
    #[error(
        "a query is missing; usage: 'SELECT auroc(p, y) FROM runs' runs=runs.parquet, or --file QUERY.sql"
    )]
    NoQuery,
    #[error(
        "timeout: the query did not finish within {0:?}; allow more seconds, or read fewer rows"
    )]
    Timeout(Duration),
    #[error("the query was interrupted")]
    Interrupted,
    #[error("a thread could not be started: {0}")]
    Thread(io::Error),
    #[error("{0:?}: no such table is given; usage: {0}=PATH, for example {0}=runs.parquet")]
    NoTable(String),
    #[error(
        "the query nests more than {0} operators; write x IN (…) for many conditions joined by OR, or split the query"
    )]
    Depth(usize),
    #[error(
        "the query nests parentheses, calls, CASE or subqueries more than {0} levels deep; name inner queries by WITH"
    )]
    Levels(usize),
    #[error(
        "the result has more rows than a table is printed with; add LIMIT, or write all rows with --output FILE"
    )]
    TooManyRows,
    #[error("memory limit: {0}; raise the limit, or read fewer rows or groups")]
    Memory(String),
    #[error("{0}")]
    Engine(String),
}

/// Names of parts of the engine that do not end with `error`.
const LAYERS: [&str; 3] =
    ["Error during planning", "This feature is not implemented", "Resources exhausted"];

/// What the engine says, in one line and without the names of its layers.
fn in_one_line(error: &DataFusionError) -> String {
    let text = error.find_root().strip_backtrace();
    let mut text = &text[..];
    for inner in ["caused by\n", "user-defined coercion failed with: "] {
        text = text.rsplit(inner).next().unwrap_or(text);
    }
    if let Some((_, types)) = text.split_once(", errors: ")
        && let Some((_, types)) = types.split_once("argument types '")
    {
        let types = types.split('\'').next().unwrap_or(types);
        return format!("{types}: no function has this name and these types");
    }
    for end in [". No function matches", " No function matches", "\nThis issue was likely caused"] {
        text = text.split(end).next().unwrap_or(text);
    }
    // The engine names the part of it that an error comes from, such as `Parquet error` or `Error during planning`.
    while let Some((layer, inner)) = text.split_once(": ")
        && (LAYERS.contains(&layer) || layer.len() < 20 && layer.ends_with(" error"))
    {
        text = inner;
    }
    let parser = text.strip_prefix("ParserError(\"").and_then(|text| text.strip_suffix("\")"));
    parser.unwrap_or(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

impl From<DataFusionError> for Problem {
    /// Takes out a problem that passed through the engine.
    fn from(error: DataFusionError) -> Self {
        let error = match error {
            DataFusionError::External(inner) => match inner.downcast() {
                Ok(problem) => return *problem,
                Err(other) => DataFusionError::External(other),
            },
            other => other,
        };
        if error.to_string().contains("RecursionLimitExceeded") {
            return Self::Levels(LEVELS);
        }
        let text = in_one_line(&error);
        let table = text.strip_prefix("table 'datafusion.public.");
        match table.and_then(|text| text.strip_suffix("' not found")) {
            Some(table) => Self::NoTable(table.to_owned()),
            None if matches!(error.find_root(), DataFusionError::ResourcesExhausted(_)) => {
                Self::Memory(text)
            }
            None => Self::Engine(text),
        }
    }
}
