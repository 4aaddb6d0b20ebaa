//! What to do with runs that were cut off: leave them out, call them failures, score them by their
//! chance of success, weigh the others up, or say how much nobody can know.
//!
//! Without a file it takes the bundled runs (made by the example `demo_data`), of which the true chance of
//! success is known: it is what the truthful stream says at the stop. Each file is one stream of
//! forecasts; where all hold the same runs, every two are compared. An id may stand once in a file.

use std::{error::Error, path::PathBuf};

use agent_scorecard::{cut_off, traces::TraceFile};

use crate::{
    cut_off::{chance_files, options::Options},
    files::bundled,
    output::program::Written,
    progress::working,
    traces::trace_file,
};

pub(crate) fn output(mut options: Options) -> Result<Written, Box<dyn Error>> {
    let is_bundled = options.files.is_empty();
    if is_bundled {
        options.files = ["truthful", "overconfident", "constant"]
            .map(|name| bundled::path(&format!("demo_{name}.jsonl")))
            .to_vec();
    }
    let mut how = options.how();
    let read = |path: &PathBuf| {
        let file = trace_file::read(path, options.missing)?;
        file.check_ids().map(|()| file)
    };
    let files: Vec<TraceFile> = options.files.iter().map(read).collect::<Result<_, _>>()?;
    if let Some(path) = &options.success_chance {
        how.given = chance_files::chances(path)?;
    }
    if let Some(path) = &options.continuations {
        how.continuations = Some(chance_files::continuations(path)?);
    }
    how.teachers = options.chance_from.iter().map(read).collect::<Result<_, _>>()?;
    if is_bundled {
        // The world that made these runs is known: it is what the truthful stream, the first one, says at the stop.
        let last = files[0].runs.iter();
        let last = last.filter_map(|run| Some((run.id.clone(), *run.forecasts.last()?)));
        let known = how.known.insert(last.collect());
        if how.given.is_empty() && how.continuations.is_none() && how.teachers.is_empty() {
            how.given.clone_from(known);
        }
    }
    let report = working("scoring cut-off runs", || cut_off(&files, &how))?;
    options.forms.show(report)
}
