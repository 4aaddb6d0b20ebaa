//! What the tests of several formats share: known answers, folders of files, and runs of a log.

use std::{
    fs,
    io::{Cursor, Read, Write},
    path::{Path, PathBuf},
};

use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use run_logs::{
    Error, FactRules, Format, Place, Problem, ReadLimits, ReadOptions, Reply, Run, RunTable, Usage,
    json_lines::json_value, read, read_path,
};
use serde_json::{Value as Json, json};
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

/// The options with these limits.
pub(crate) fn limited(limits: ReadLimits) -> ReadOptions {
    ReadOptions { limits, ..ReadOptions::default() }
}

/// The table of the logs of a file or folder by these rules.
pub(crate) fn table_at(path: &Path, rules: &FactRules) -> RunTable {
    let (options, streams) = Default::default();
    RunTable::read_path(path, Format::Auto, &options, rules, &streams).unwrap()
}

/// The reply of a turn that has one.
pub(crate) fn reply(run: &Run, turn: usize) -> &Reply {
    run.turns[turn].reply.as_ref().unwrap()
}

/// The counts and the cost under the names of the expectations; an unknown one is null.
pub(crate) fn used(usage: &Usage) -> Json {
    json!({
        "input": usage.input_tokens, "cached": usage.cached_tokens, "output": usage.output_tokens,
        "written": usage.cache_write_tokens, "cache_write": usage.cache_write_tokens,
        "reasoning": usage.reasoning_tokens, "cost": usage.cost_usd,
    })
}

/// The calls of a reply under the names of the expectations.
pub(crate) fn calls(reply: &Reply) -> Json {
    let calls = reply.tool_calls.iter().map(|call| {
        let arguments = json_value(&call.arguments.value());
        json!({"id": call.id, "name": call.name, "arguments": arguments, "ok": call.ok, "error": call.error})
    });
    calls.collect()
}

/// Compares what an expectation names, and returns the number of values. Numbers may differ by this relative size.
pub(crate) fn compare(
    found: &Json,
    expected: &Json,
    place: &str,
    rounding: f64,
) -> Result<usize, String> {
    match (found, expected) {
        (Json::Object(found), Json::Object(expected)) if !place.ends_with("arguments") => {
            let of = |(key, expected): (&String, &Json)| {
                let found = found.get(key).unwrap_or(&Json::Null);
                compare(found, expected, &format!("{place}.{key}"), rounding)
            };
            expected.iter().map(of).sum()
        }
        (Json::Array(found), Json::Array(expected)) if found.len() == expected.len() => {
            let pairs = found.iter().zip(expected).enumerate();
            pairs.map(|(at, (a, b))| compare(a, b, &format!("{place}[{at}]"), rounding)).sum()
        }
        _ => {
            let near = |(a, b): (f64, f64)| (a - b).abs() < rounding * b.abs().max(1.0);
            let is_near = found.as_f64().zip(expected.as_f64()).is_some_and(near);
            match is_near || value(found) == value(expected) {
                true => Ok(1),
                false => Err(format!("{place}: {found}, but {expected} is expected")),
            }
        }
    }
}

/// The problem with a part that is larger than this limit.
pub(crate) fn too_large(what: &'static str, limit: u64, unit: &'static str) -> Problem {
    Problem::TooLarge { what, limit, unit }
}

pub(crate) fn text(json: &Json) -> Option<String> {
    json.as_str().map(str::to_owned)
}

/// The text of a compressed file beside the script that made it.
pub(crate) fn unpacked(name: &str) -> String {
    let mut text = String::new();
    GzDecoder::new(fs::File::open(golden(name)).unwrap()).read_to_string(&mut text).unwrap();
    text
}

/// The lines of such a file.
pub(crate) fn lines(name: &str) -> Vec<Json> {
    unpacked(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn gzip(text: impl AsRef<[u8]>) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_ref()).unwrap();
    packed.finish().unwrap()
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

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
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
