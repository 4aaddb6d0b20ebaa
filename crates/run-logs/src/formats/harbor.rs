//! Trajectories in the Agent Trajectory Interchange Format (ATIF), and trials of Harbor, which refer
//! to them.

pub(crate) mod trajectory;
pub(crate) mod trial;
pub(crate) mod write;

use std::io::Read;

use crate::{
    engines::folder::Folder,
    error::Error,
    format::{Format, ReadOptions},
    formats::{
        harbor::{trajectory::trajectory, trial::Trial},
        log_reader::{Opened, Shape, documents},
    },
};

/// Returns the one of the two formats that the first bytes of a file show.
pub(crate) fn recognizes(shape: &Shape) -> Option<Format> {
    let has_version = shape.text("schema_version").is_some_and(|text| text.starts_with("ATIF"));
    let has_steps = shape.has_key("steps", "step_id")
        || (shape.has("schema_version") && shape.has_no_key("steps"));
    if has_version || (shape.has("agent") && has_steps) {
        return Some(Format::Atif);
    }
    let is_trial = shape.has_all(&["task_name", "trial_name"])
        && ["trial_uri", "task_checksum", "agent_info", "verifier_result"]
            .iter()
            .any(|name| shape.has(name));
    let is_job = shape.has_all(&["n_total_trials", "stats"]);
    ((is_trial || is_job) && !shape.is_list).then_some(Format::Harbor)
}

/// Opens a file of trajectories, one run per trajectory, or the result of a trial with the trajectories in its folder. The result
/// of a job has no run, but states the number of planned runs.
pub(crate) fn read<'a>(
    source: impl Read + 'a,
    format: Format,
    shape: &Shape,
    folder: Option<Folder>,
    options: &ReadOptions,
) -> Result<Opened<'a>, Error> {
    if format == Format::Atif {
        let reader = Box::new(documents(source, options, |json, number, options| {
            Ok(trajectory(json, options, false)?.into_run(number))
        })?);
        return Ok(Opened { format, reader, owned: None });
    }
    // The trials of a job have separate results.
    let is_job = !shape.has("trial_name");
    let owned = folder.as_ref().filter(|_| !is_job).map(|folder| folder.path().to_owned());
    let reader = Box::new(Trial { source: Some(source), folder, options: *options, job: None });
    Ok(Opened { format, reader, owned })
}
