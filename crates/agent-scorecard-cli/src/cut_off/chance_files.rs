//! Files of chances of success after a stop, and of continuations.

use std::{collections::BTreeMap, path::Path};

use censoring::Continuations;
use serde::{Deserialize, de::DeserializeOwned};
use trajectory_metrics::Probability;

use crate::files::json_lines::{self, InputError};

/// Reads a file of chances by run.
///
/// # Errors
///
/// [`InputError`] that names file, line and field.
pub(super) fn chances(path: &Path) -> Result<BTreeMap<String, Probability>, InputError> {
    #[derive(Deserialize)]
    struct Line {
        id: String,
        success_chance: Probability,
    }
    by_id(path, |Line { id, success_chance }| (id, success_chance))
}

/// Reads a file that says by run how its continuations ended.
///
/// # Errors
///
/// [`InputError`] that names file, line and field.
pub(super) fn continuations(path: &Path) -> Result<BTreeMap<String, Continuations>, InputError> {
    #[derive(Deserialize)]
    struct Line {
        id: String,
        successes: u64,
        failures: u64,
        #[serde(default)]
        unresolved: u64,
        #[serde(default)]
        invalid: u64,
    }
    by_id(path, |Line { id, successes, failures, unresolved, invalid }| {
        (id, Continuations { successes, failures, unresolved, invalid })
    })
}

fn by_id<L: DeserializeOwned, T>(
    path: &Path,
    entry: impl Fn(L) -> (String, T),
) -> Result<BTreeMap<String, T>, InputError> {
    let mut all = BTreeMap::new();
    for line in json_lines::read::<L>(path)? {
        let (id, value) = entry(line.value);
        if all.insert(id, value).is_some() {
            let problem = "an earlier line has the same id".to_owned();
            let (file, line) = (path.display().to_string(), Some(line.number));
            return Err(InputError { file, line, field: Some("id".to_owned()), problem });
        }
    }
    Ok(all)
}
