use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    io::Read,
};

use knapsack_oracle::{Error, Item, Pool};
use serde::Deserialize;

use crate::json_lines::{
    fields::{name, optional_name, yes_or_no},
    parsing::{InputError, Line, bytes, parse},
};

/// For each problem and each allocated number of tokens, whether an attempt that was cut off at this number solved the
/// problem.
pub type CappedRuns = BTreeMap<String, BTreeMap<u64, bool>>;

/// Reads problems that share a budget, all in one pool: JSON Lines
/// `{"problem", "solved": true|false|1|0, "output_tokens", "value"?}`. Other fields are skipped.
///
/// # Errors
///
/// [`InputError`] with the line and the field of the first problem.
///
/// ```
/// use run_logs::{json_lines::InputError, read_pool};
///
/// let line = br#"{"problem": "a", "solved": 1, "output_tokens": 50}"#;
/// assert_eq!(read_pool("pool.jsonl", &line[..])?.items()[0].cost(), 50);
///
/// let line = br#"{"problem": "a", "solved": 1, "output_tokens": 0}"#;
/// let error = read_pool("pool.jsonl", &line[..]).unwrap_err();
/// assert_eq!((error.line, error.field.as_deref()), (Some(1), Some("output_tokens")));
/// # Ok::<(), InputError>(())
/// ```
pub fn read_pool(file: &str, source: impl Read) -> Result<Pool, InputError> {
    pool(file, parse(file, &bytes(file, source)?)?)
}

/// Reads problems as [`read_pool`] does. If the field `model` names several models, each model has a separate pool.
///
/// # Errors
///
/// The errors of [`read_pool`], except that problems of different models may have the same name.
///
/// ```
/// use run_logs::{json_lines::InputError, read_pools};
///
/// let lines = br#"{"problem": "a", "model": "x", "solved": 1, "output_tokens": 50}
/// {"problem": "a", "model": "y", "solved": 0, "output_tokens": 70}"#;
/// let pools = read_pools("pool.jsonl", &lines[..])?;
/// assert_eq!((pools.len(), pools[1].0.as_deref()), (2, Some("y")));
/// # Ok::<(), InputError>(())
/// ```
pub fn read_pools(
    file: &str,
    source: impl Read,
) -> Result<Vec<(Option<String>, Pool)>, InputError> {
    let rows: Vec<Line<Problem>> = parse(file, &bytes(file, source)?)?;
    let mut models: BTreeMap<(bool, Option<String>), Vec<_>> = BTreeMap::new();
    let all: BTreeSet<_> = rows.iter().map(|row| row.value.model.clone()).collect();
    for row in rows {
        // Problems that name no model come last.
        let model = row.value.model.clone().filter(|_| all.len() > 1);
        models.entry((model.is_none(), model)).or_default().push(row);
    }
    let of_model = |((_, model), rows): ((_, Option<String>), _)| {
        let unknown = || (all.len() > 1).then(|| "unknown model".to_owned());
        Ok((model.or_else(unknown), pool(file, rows)?))
    };
    models.into_iter().map(of_model).collect()
}

#[derive(Deserialize)]
struct Problem {
    #[serde(deserialize_with = "name")]
    problem: String,
    #[serde(default, deserialize_with = "optional_name")]
    model: Option<String>,
    #[serde(deserialize_with = "yes_or_no")]
    solved: bool,
    output_tokens: u64,
    #[serde(default = "one")]
    value: f64,
}

fn one() -> f64 {
    1.0
}

fn pool(file: &str, rows: Vec<Line<Problem>>) -> Result<Pool, InputError> {
    let (mut items, mut lines, mut seen) = (Vec::new(), Vec::new(), BTreeMap::new());
    for line in rows {
        let Problem { problem, solved, output_tokens, value, .. } = line.value;
        let wrong = |field, problem| InputError::of_field(file, line.number, field, problem);
        if let Some(first) = seen.insert(problem.clone(), line.number) {
            let text =
                format!("{problem:?} is already the problem of line {first}; problems must differ");
            return Err(wrong("problem", text));
        }
        items.push(Item::new(problem, value, output_tokens, solved).map_err(|error| {
            let is_value = matches!(error, Error::ItemValue { .. });
            wrong(if is_value { "value" } else { "output_tokens" }, error.to_string())
        })?);
        lines.push(line.number);
    }
    Pool::new(items).map_err(|error| {
        let whole = InputError::of_file(file, error.to_string());
        let (line, field) = match error {
            Error::Sum { item, .. } => (lines.get(item).copied(), Some("output_tokens")),
            Error::NoCommonUnit => (None, Some("value")),
            _ => (None, None),
        };
        InputError { line, field: field.map(str::to_owned), ..whole }
    })
}

/// Reads attempts that were actually cut off, by problem and allocation: JSON Lines
/// `{"problem", "allocation", "solved": true|false|1|0}`.
///
/// # Errors
///
/// [`InputError`] with the line and the field; also for a second run of a problem at the same allocation.
pub fn read_capped_runs(file: &str, source: impl Read) -> Result<CappedRuns, InputError> {
    #[derive(Deserialize)]
    struct Attempt {
        #[serde(deserialize_with = "name")]
        problem: String,
        allocation: u64,
        #[serde(deserialize_with = "yes_or_no")]
        solved: bool,
    }

    let mut runs = CappedRuns::new();
    for line in parse(file, &bytes(file, source)?)? {
        let Attempt { problem, allocation, solved } = line.value;
        match runs.entry(problem).or_default().entry(allocation) {
            Entry::Vacant(place) => _ = place.insert(solved),
            Entry::Occupied(_) => {
                let text = "there are two runs of this problem at this allocation; give one";
                return Err(InputError::of_field(file, line.number, "allocation", text));
            }
        }
    }
    Ok(runs)
}
