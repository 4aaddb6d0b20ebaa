//! Files of plans: what a model wrote for all pools, or JSON Lines with what it wrote for each,
//! `{"pool", "alpha"?, "ratio"?, "answer"}`.

use std::{collections::BTreeMap, path::Path};

use agent_scorecard::{knapsack_oracle::Alpha, triage::Answers};
use serde::Deserialize;
use serde_json::Value;

use crate::files::json_lines::{self, InputError};

#[derive(Deserialize)]
struct Row {
    pool: usize,
    alpha: Option<f64>,
    /// The ratio at which unsolvable problems were injected.
    #[serde(default)]
    ratio: f64,
    /// A text, or the plan itself.
    answer: Value,
}

/// Reads a file: as JSON Lines if some line is an object with a `pool`, as one text otherwise.
///
/// # Errors
///
/// [`InputError`] for a file that cannot be read or has an invalid line, for a pool that is not
/// below `pools`, for an `alpha` that is not above 0 and at most 1, for a `ratio` that is not from
/// 0 to 1, and for a pool that has two answers at one alpha and ratio.
pub fn read(path: &Path, pools: usize) -> Result<Answers, InputError> {
    let bytes = json_lines::bytes(path)?;
    // Any line, so that one broken line does not make a text of all answers.
    let is_row = |line: &[u8]| {
        serde_json::from_slice(line).is_ok_and(|value: Value| value.get("pool").is_some())
    };
    if !bytes.split(|&byte| byte == b'\n').any(is_row) {
        return Ok(Answers::One(String::from_utf8_lossy(&bytes).into_owned()));
    }
    let mut answers = Answers::Each(BTreeMap::new());
    for line in json_lines::parse_all::<Row>(path, &bytes)? {
        let wrong = |field: &str, problem: String| InputError {
            file: path.display().to_string(),
            line: Some(line.number),
            field: Some(field.to_owned()),
            problem,
        };
        let Row { pool, alpha, ratio, answer } = line.value;
        if pool >= pools {
            let last = pools.saturating_sub(1);
            return Err(wrong("pool", format!("there is no pool {pool}; the last is {last}")));
        }
        let alpha = alpha.map(Alpha::new).transpose();
        let alpha = alpha.map_err(|error| wrong("alpha", error.to_string()))?;
        if !(0.0..=1.0).contains(&ratio) {
            return Err(wrong("ratio", format!("is {ratio}; it must be from 0 to 1")));
        }
        let text = match answer {
            Value::String(text) => text,
            plan => plan.to_string(),
        };
        if !answers.insert(pool, ratio, alpha, text) {
            let problem = format!("there are two answers for pool {pool} at one alpha");
            return Err(wrong("pool", problem));
        }
    }
    Ok(answers)
}
