//! What to do with runs that were cut off: leave them out, call them failures, score them by their
//! chance of success, weigh the others up, or say how much nobody can know.
//!
//! Without a file it takes the bundled runs (made by the example `demo_data`), of which the true chance of
//! success is known: it is what the truthful stream says at the stop. Each file is one stream of
//! forecasts; where all hold the same runs, every two are compared. An id may stand once in a file.

use std::{
    error::Error,
    path::{Path, PathBuf},
};

use agent_scorecard::{
    cut_off,
    cut_off::{CutOffOptions, Stream},
};
use trajectory_metrics::ForecastPolicy;

use crate::{
    cut_off::{chance_files, options::Options},
    files::bundled,
    output::program::Written,
    progress::working,
    traces::trace_file::{self, TraceFile},
};

pub(crate) fn output(mut options: Options) -> Result<Written, Box<dyn Error>> {
    let is_bundled = options.files.is_empty();
    if is_bundled {
        options.files = ["truthful", "overconfident", "constant"]
            .map(|name| bundled::path(&format!("demo_{name}.jsonl")))
            .to_vec();
    }
    let mut how = options.how();
    let read = |path: &PathBuf| read(path, options.missing);
    let (streams, files): (Vec<Stream>, Vec<TraceFile>) =
        options.files.iter().map(read).collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    if let Some(path) = &options.success_chance {
        how.given = chance_files::chances(path)?;
    }
    if let Some(path) = &options.continuations {
        how.continuations = Some(chance_files::continuations(path)?);
    }
    for path in &options.chance_from {
        how.teachers.push(read(path)?.0);
    }
    if is_bundled {
        know_truth(&mut how, &streams[0])?;
    }
    let mut report = working("scoring cut-off runs", || cut_off(&streams, &how))?;
    for (column, file) in report.columns.iter_mut().zip(&files) {
        let (block, runs) = (&mut column.block, trace_file::run_counts(&[file]));
        block.lines.push(runs.line());
        block.extend_json(&runs);
        block.push_json("missing", &trace_file::missing(&[file]));
        block.notes.get_or_insert_default().splice(0..0, trace_file::notes(&[file]));
    }
    // Most notes hold for all files.
    report.together.notes = Some(report.notes());
    report.columns.iter_mut().for_each(|column| column.block.notes = None);
    options.forms.show(&report)
}

/// The runs of a file, and what else is known of it.
fn read(path: &Path, missing: ForecastPolicy) -> Result<(Stream, TraceFile), Box<dyn Error>> {
    let mut file = trace_file::read(path, missing)?;
    file.check_ids()?;
    let runs = std::mem::take(&mut file.runs);
    Ok((Stream { file: path.display().to_string(), runs }, file))
}

/// The world that made the bundled runs is known: it is what the truthful stream, the first one, says at the stop.
fn know_truth(how: &mut CutOffOptions, truthful: &Stream) -> Result<(), Box<dyn Error>> {
    let last =
        truthful.runs.iter().filter_map(|run| Some((run.id.clone(), *run.forecasts.last()?)));
    how.known = Some(last.collect());
    if how.given.is_empty() && how.continuations.is_none() && how.teachers.is_empty() {
        how.given.clone_from(how.known.get_or_insert_default());
    }
    Ok(())
}
