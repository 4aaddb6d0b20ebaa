//! Files of agent confidence traces: one run a line,
//! `{"id", "task"?, "forecasts": [p, …], "outcome": true|false|null, "stop"?, "horizon"?}`.

use std::{collections::BTreeMap, path::Path};

use censoring::{StopReason, Stopped};
use serde::{Deserialize, Deserializer};
use trajectory_metrics::Probability;

use crate::json_lines::{self, InputError};

/// The format of a file, for the help of the programs that read it.
pub const FORMAT: &str = r#"
A FILE has JSON Lines, one run per line, for example
  {"id": "run-7", "task": "task-3", "forecasts": [0.6, 0.4, 0.9], "outcome": true, "stop": "completed"}
  {"id": "run-8", "task": "task-3", "forecasts": [0.5, 0.7], "outcome": null, "stop": "max_steps", "horizon": 5}
id         name of the run
task       optional name of the task; runs of one task are not independent
forecasts  probability of success that was reported after each step, each from 0 to 1
outcome    true, false, or null if it is not known
stop       optional reason why the run ended. A run without an outcome is censored if a budget ended
           it (max_steps, max_tokens, max_time, max_cost), otherwise it is excluded and counted
horizon    optional number of steps that a censored run would have been scored over
Other fields are ignored.
"#;

#[derive(Deserialize)]
struct Row {
    id: String,
    task: Option<String>,
    forecasts: Vec<f64>,
    // Named so that a missing outcome is an error, unlike one that is null.
    #[serde(deserialize_with = "nullable")]
    outcome: Option<bool>,
    stop: Option<StopReason>,
    horizon: Option<usize>,
}

fn nullable<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    Option::deserialize(deserializer)
}

/// One run as its file gives it, checked.
#[derive(Clone, Debug)]
pub struct Run {
    /// Names the run; halves for cross-fitting follow its order.
    pub id: String,
    /// Names the task, which several runs may share.
    pub task: Option<String>,
    /// The file that the run stands in.
    pub file: String,
    /// The line that the run stands in, from 1.
    pub line: usize,
    forecasts: Vec<Probability>,
    outcome: Option<bool>,
    stop: Option<StopReason>,
    horizon: Option<usize>,
}

impl Run {
    /// The run as the censoring crate sees it.
    ///
    /// # Errors
    ///
    /// None for a run from [`read`], which has tried it.
    pub fn stopped(&self) -> Result<Stopped<'_>, censoring::Error> {
        let run = Stopped::new(&self.forecasts, self.outcome, self.stop.clone())?;
        match self.horizon {
            Some(horizon) => run.with_horizon(horizon),
            None => Ok(run),
        }
    }

    /// An error about a field of this run.
    #[must_use]
    pub fn error(&self, field: &str, problem: String) -> InputError {
        InputError {
            file: self.file.clone(),
            line: Some(self.line),
            field: Some(field.to_owned()),
            problem,
        }
    }
}

/// Reads and checks every run of a file.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the first thing that is wrong.
pub fn read(path: &Path) -> Result<Vec<Run>, InputError> {
    json_lines::read::<Row>(path)?.into_iter().map(|line| check(path, line)).collect()
}

/// That no id stands twice in a file, for programs that look runs up by their ids.
///
/// # Errors
///
/// [`InputError`] at the first run whose id an earlier one has.
pub fn check_ids(runs: &[Run]) -> Result<(), InputError> {
    let mut lines = BTreeMap::new();
    for run in runs {
        if let Some(line) = lines.insert(&run.id, run.line) {
            return Err(run.error("id", format!("{:?} stands in line {line} already", run.id)));
        }
    }
    Ok(())
}

fn check(path: &Path, line: json_lines::Line<Row>) -> Result<Run, InputError> {
    let Row { id, task, forecasts, outcome, stop, horizon } = line.value;
    let mut run = Run {
        id,
        task,
        file: path.display().to_string(),
        line: line.number,
        forecasts: Vec::with_capacity(forecasts.len()),
        outcome,
        stop,
        horizon,
    };
    for (i, &value) in forecasts.iter().enumerate() {
        match Probability::new(value) {
            Ok(forecast) => run.forecasts.push(forecast),
            Err(error) => return Err(run.error(&format!("forecasts[{i}]"), error.to_string())),
        }
    }
    let wrong = run.stopped().err().map(|error| match &error {
        censoring::Error::TrajectoryMetrics(trajectory_metrics::Error::EmptyTrace { .. }) => {
            run.error("forecasts", "empty; give at least one forecast".to_owned())
        }
        censoring::Error::TrajectoryMetrics(
            trajectory_metrics::Error::Horizon { .. }
            | trajectory_metrics::Error::HorizonTooLong { .. },
        ) => run.error("horizon", error.to_string()),
        _ => run.error("outcome", error.to_string()),
    });
    wrong.map_or(Ok(run), Err)
}
