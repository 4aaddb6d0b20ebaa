//! Files that a script packed into one: JSON Lines of `{"path", "text"}`, compressed.

use std::{fs, io::Read, path::PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value as Json;
use trajectory_metrics::tool_calls::Value;

/// The lines of a compressed file beside the script that made it.
pub(crate) fn lines(name: &str) -> Vec<Json> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let mut text = String::new();
    GzDecoder::new(fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
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
