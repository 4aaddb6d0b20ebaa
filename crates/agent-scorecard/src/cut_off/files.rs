use std::{collections::BTreeMap, io::Read};

use censoring::{Continuations, Probability};
use run_logs::json_lines::{InputError, bytes, name, parse};
use serde::{Deserialize, de::DeserializeOwned};

/// Reads the probability of success of each run: JSON Lines with the fields `id` and `success_chance`.
///
/// # Errors
///
/// [`InputError`] that names file, line and field.
pub fn read_chances(
    file: &str,
    source: impl Read,
) -> Result<BTreeMap<String, Probability>, InputError> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(deserialize_with = "name")]
        id: String,
        success_chance: Probability,
    }
    by_id(file, source, |Line { id, success_chance }| (id, success_chance))
}

/// Reads how many continuations of each run succeeded and how many failed: JSON Lines with the fields `id`,
/// `successes`, `failures` and, if there are any, `unresolved` and `invalid`.
///
/// # Errors
///
/// [`InputError`] that names file, line and field.
pub fn read_continuations(
    file: &str,
    source: impl Read,
) -> Result<BTreeMap<String, Continuations>, InputError> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(deserialize_with = "name")]
        id: String,
        successes: u64,
        failures: u64,
        #[serde(default)]
        unresolved: u64,
        #[serde(default)]
        invalid: u64,
    }
    by_id(file, source, |Line { id, successes, failures, unresolved, invalid }| {
        (id, Continuations { successes, failures, unresolved, invalid })
    })
}

/// Reads the group of each run, such as the difficulty of its task: JSON Lines with the fields `id` and `group`.
///
/// # Errors
///
/// [`InputError`] that names file, line and field.
pub fn read_curve_groups(
    file: &str,
    source: impl Read,
) -> Result<BTreeMap<String, String>, InputError> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(deserialize_with = "name")]
        id: String,
        #[serde(deserialize_with = "name")]
        group: String,
    }
    by_id(file, source, |Line { id, group }| (id, group))
}

fn by_id<L: DeserializeOwned, T>(
    file: &str,
    source: impl Read,
    entry: impl Fn(L) -> (String, T),
) -> Result<BTreeMap<String, T>, InputError> {
    let mut all = BTreeMap::new();
    for line in parse::<L>(file, &bytes(file, source)?)? {
        let (id, value) = entry(line.value);
        if all.insert(id, value).is_some() {
            let problem = "an earlier line has the same id";
            return Err(InputError::of_field(file, line.number, "id", problem));
        }
    }
    Ok(all)
}
