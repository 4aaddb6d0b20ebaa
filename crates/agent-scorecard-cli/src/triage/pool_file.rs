//! Files of problems that share a budget: one problem a line,
//! `{"problem", "solved": true|false|1|0, "output_tokens", "value"?}`; other fields are passed over.

use std::{collections::BTreeMap, path::Path};

use knapsack_oracle::{Error, Item, Pool};
use run_logs::json_lines::yes_or_no;
use serde::Deserialize;

use crate::files::json_lines::{self, InputError};

#[derive(Deserialize)]
struct Row {
    problem: String,
    #[serde(deserialize_with = "yes_or_no")]
    solved: bool,
    output_tokens: u64,
    #[serde(default = "one")]
    value: f64,
}

fn one() -> f64 {
    1.0
}

/// Reads and checks the problems of a file, all in one pool.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the first thing that is wrong.
pub fn read(path: &Path) -> Result<Pool, InputError> {
    let file = path.display().to_string();
    let wrong = |line: Option<usize>, field: Option<&str>, problem: String| InputError {
        file: file.clone(),
        line,
        field: field.map(str::to_owned),
        problem,
    };
    let (mut items, mut lines, mut seen) = (Vec::new(), Vec::new(), BTreeMap::new());
    for line in json_lines::read::<Row>(path)? {
        let Row { problem, solved, output_tokens, value } = line.value;
        if let Some(first) = seen.insert(problem.clone(), line.number) {
            let text = format!("{problem:?} is that of line {first} too; problems must differ");
            return Err(wrong(Some(line.number), Some("problem"), text));
        }
        let item = Item::new(problem, value, output_tokens, solved).map_err(|error| {
            let field = match error {
                Error::ItemValue { .. } => "value",
                _ => "output_tokens",
            };
            wrong(Some(line.number), Some(field), error.to_string())
        })?;
        items.push(item);
        lines.push(line.number);
    }
    Pool::new(items).map_err(|error| match error {
        Error::Sum { item, .. } => {
            wrong(lines.get(item).copied(), Some("output_tokens"), error.to_string())
        }
        Error::NoCommonUnit => wrong(None, Some("value"), error.to_string()),
        _ => wrong(None, None, error.to_string()),
    })
}
