//! Trajectories in the Agent Trajectory Interchange Format (ATIF), and trials of Harbor, which refer
//! to them.

pub(crate) mod trajectory;
pub(crate) mod trial;
pub(crate) mod write;

use crate::{
    error::Error,
    format::About,
    formats::{
        harbor::{trajectory::trajectory, trial::Trial},
        log_reader::{Log, Opened, Reader, Shape},
    },
};

/// The readers of the two formats.
pub(crate) const ATIF: Reader = Reader {
    recognizes: is_trajectory,
    open: |log: Log<'_>| {
        log.documents(
            |json, number, options| Ok(trajectory(json, options, false)?.into_run(number)),
        )
    },
    about: About {
        source: "any program that writes trajectories of ATIF 1.0 to 1.8, such as Harbor's converters for other agents; `convert --to atif`",
        reads: "steps, calls, observations, usage, cost, log-probabilities if recorded",
        lacks: "outcomes: `--outcomes`, unless `convert` or `run` wrote the file",
    },
};
pub(crate) const HARBOR: Reader = Reader {
    recognizes: |shape| {
        let is_trial = shape.has_all(&["task_name", "trial_name"])
            && ["trial_uri", "task_checksum", "agent_info", "verifier_result"]
                .iter()
                .any(|name| shape.has(name));
        let is_job = shape.has_all(&["n_total_trials", "stats"]);
        (is_trial || is_job) && !shape.is_list
    },
    open: trial,
    about: About {
        source: "the folder of a job or of one trial of Harbor",
        reads: "results of trials, their trajectories (ATIF), rewards, timeouts, times, usage, cost, log-probabilities if recorded",
        lacks: "outcomes of trials without a verifier: `--outcomes`; choice of a reward: `--scorer`",
    },
};

fn is_trajectory(shape: &Shape) -> bool {
    let has_version = shape.text("schema_version").is_some_and(|text| text.starts_with("ATIF"));
    let has_steps = shape.has_key("steps", "step_id")
        || (shape.has("schema_version") && shape.has_no_key("steps"));
    has_version || (shape.has("agent") && has_steps)
}

/// Opens the result of a trial with the trajectories in its folder. The result of a job has no run, but states the number of
/// planned runs.
fn trial(log: Log<'_>) -> Result<Opened<'_>, Error> {
    let folder = log.folder();
    // The trials of a job have separate results.
    let is_job = !log.shape.has("trial_name");
    let owned = folder.iter().filter(|_| !is_job).map(|folder| folder.path().to_owned()).collect();
    let trial = Trial { source: Some(log.source), folder, options: log.options, job: None };
    Ok(Opened { owned, ..Opened::new(log.format, trial) })
}
