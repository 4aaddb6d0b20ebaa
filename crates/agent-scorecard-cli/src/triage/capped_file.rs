//! Files of attempts that were really cut off: JSON Lines,
//! `{"problem", "allocation", "solved": true|false|1|0}`.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    path::Path,
};

use serde::Deserialize;

use crate::{
    files::json_lines::{self, InputError},
    triage::pool_file::yes_or_no,
};

/// The outcomes of attempts whose hard limit was an allocation of a plan.
#[derive(Clone, Debug, Default)]
pub(crate) struct CappedRuns {
    solved: BTreeMap<String, BTreeMap<u64, bool>>,
}

#[derive(Deserialize)]
struct Row {
    problem: String,
    allocation: u64,
    #[serde(deserialize_with = "yes_or_no")]
    solved: bool,
}

impl CappedRuns {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// [`InputError`] for a file that cannot be read or has an invalid line, and for a second run of
    /// a problem at the same allocation.
    pub(crate) fn read(path: &Path) -> Result<Self, InputError> {
        let mut runs = Self::default();
        for line in json_lines::read::<Row>(path)? {
            let Row { problem, allocation, solved } = line.value;
            match runs.solved.entry(problem).or_default().entry(allocation) {
                Entry::Vacant(run) => {
                    run.insert(solved);
                }
                Entry::Occupied(_) => {
                    return Err(InputError {
                        file: path.display().to_string(),
                        line: Some(line.number),
                        field: Some("allocation".to_owned()),
                        problem: "there are two runs of this problem at this allocation; give one"
                            .to_owned(),
                    });
                }
            }
        }
        Ok(runs)
    }

    /// Whether the run of a problem at an allocation solved it. `None` if there is no such run.
    #[must_use]
    pub(crate) fn outcome(&self, problem: &str, allocation: u64) -> Option<bool> {
        self.solved.get(problem)?.get(&allocation).copied()
    }
}
