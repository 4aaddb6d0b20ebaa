//! What tests of several modules share.

use std::{fs::File, path::Path, path::PathBuf};

use agent_scorecard::{budget_estimation::Rollouts, run_logs::RolloutFile};

/// A file of recorded runs; `None` without the folder of recorded runs.
pub(crate) fn recorded_file(name: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("REAL_RUNS") else {
        println!("skipped: REAL_RUNS does not name the folder of recorded runs");
        return None;
    };
    Some(Path::new(&folder).join("data/rollouts").join(name))
}

/// The recorded runs of a file, with these resources and keys.
pub(crate) fn recorded(name: &str, resources: &[&str], keys: &[&str]) -> Option<Rollouts> {
    let file = File::open(recorded_file(name)?).unwrap();
    let rollouts = Rollouts::new(resources.iter().copied()).unwrap();
    let mut rollouts = rollouts.with_keys(keys.iter().copied()).unwrap();
    RolloutFile::read(name, file).unwrap().append_to(&mut rollouts).unwrap();
    Some(rollouts)
}
