//! What the tests of several formats share: known answers, folders of files, and runs of a log.

use std::{
    fs,
    io::{Cursor, Read},
    path::{Path, PathBuf},
};

use flate2::read::GzDecoder;
use run_logs::{
    Error, FactRules, Format, Place, Problem, ReadOptions, Run, RunTable, read, read_path,
};
use serde_json::Value as Json;
use trajectory_metrics::tool_calls::Value;

/// A file of the folder of known answers.
pub(crate) fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

/// The options that also read the messages that were sent.
pub(crate) fn with_requests() -> ReadOptions {
    ReadOptions { requests: true, ..ReadOptions::default() }
}

/// All runs of a log.
pub(crate) fn all(
    log: impl AsRef<[u8]>,
    format: Format,
    options: &ReadOptions,
) -> Result<Vec<Run>, Error> {
    read(Cursor::new(log), format, options)?.collect()
}

/// The runs of a valid log.
pub(crate) fn runs(log: impl AsRef<[u8]>) -> Vec<Run> {
    let log = log.as_ref();
    all(log, Format::Auto, &ReadOptions::default())
        .unwrap_or_else(|error| panic!("{}: {error}", String::from_utf8_lossy(log)))
}

/// The runs of a file or folder in this format.
pub(crate) fn runs_at(path: &Path, format: Format) -> Vec<Run> {
    let read = read_path(path, Format::Auto, &ReadOptions::default()).unwrap();
    assert_eq!(read.format(), format);
    read.map(|run| run.unwrap_or_else(|error| panic!("{error}"))).collect()
}

/// The table of runs by these rules.
pub(crate) fn table(runs: Vec<Run>, rules: &FactRules) -> Result<RunTable, Error> {
    RunTable::new(runs.into_iter().map(Ok), rules, &Default::default())
}

/// Where a log is invalid, and why.
pub(crate) fn fault<T: std::fmt::Debug>(found: Result<T, Error>) -> (Place, Problem) {
    match found {
        Err(Error::Invalid { place, problem }) => (*place, problem),
        other => panic!("{other:?}"),
    }
}

/// The problem with a part that is larger than this limit.
pub(crate) fn too_large(what: &'static str, limit: u64, unit: &'static str) -> Problem {
    Problem::TooLarge { what, limit, unit }
}

pub(crate) fn text(json: &Json) -> Option<String> {
    json.as_str().map(str::to_owned)
}

/// The lines of a compressed file beside the script that made it.
pub(crate) fn lines(name: &str) -> Vec<Json> {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(golden(name)).unwrap()).read_to_string(&mut text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A folder of files that goes away with this value.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("run-logs-{name}-{}", std::process::id()));
        // A folder that a killed test has left behind.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Writes packed files.
    pub(crate) fn unpack(&self, name: &str) {
        for line in lines(name) {
            self.write(line["path"].as_str().unwrap(), line["text"].as_str().unwrap());
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The same value in the types of the workspace.
pub(crate) fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => {
            number.as_i128().map_or_else(|| Value::Real(number.as_f64().unwrap()), Value::Integer)
        }
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(values) => Value::List(values.iter().map(value).collect()),
        Json::Object(values) => {
            Value::Map(values.iter().map(|(key, entry)| (key.clone(), value(entry))).collect())
        }
    }
}
