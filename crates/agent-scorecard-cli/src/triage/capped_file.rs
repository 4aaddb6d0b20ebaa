//! Files of attempts that were really cut off: JSON Lines,
//! `{"problem", "allocation", "solved": true|false|1|0}`.

use std::path::Path;

use agent_scorecard::triage::CappedRuns;
use run_logs::json_lines::yes_or_no;
use serde::Deserialize;

use crate::files::json_lines::{self, InputError};

#[derive(Deserialize)]
struct Row {
    problem: String,
    allocation: u64,
    #[serde(deserialize_with = "yes_or_no")]
    solved: bool,
}

/// Reads a file.
///
/// # Errors
///
/// [`InputError`] for a file that cannot be read or has an invalid line, and for a second run of a problem at
/// the same allocation.
pub(crate) fn read(path: &Path) -> Result<CappedRuns, InputError> {
    let mut runs = CappedRuns::new();
    for line in json_lines::read::<Row>(path)? {
        let Row { problem, allocation, solved } = line.value;
        if runs.entry(problem).or_default().insert(allocation, solved).is_some() {
            return Err(InputError {
                file: path.display().to_string(),
                line: Some(line.number),
                field: Some("allocation".to_owned()),
                problem: "there are two runs of this problem at this allocation; give one"
                    .to_owned(),
            });
        }
    }
    Ok(runs)
}
