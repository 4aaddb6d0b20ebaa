//! Files of agent confidence traces: one run a line.

use std::path::Path;

use run_logs::TraceFile;
use trajectory_metrics::ForecastPolicy;

use crate::files::json_lines::{InputError, open};

/// The format of a file, for the help of the programs that read it.
pub const FORMAT: &str = r#"
A FILE has JSON Lines, one run per line, for example
  {"id": "run-7", "task": "task-3", "forecasts": [0.6, 0.4, 0.9], "outcome": true, "stop": "completed"}
  {"id": "run-8", "task": "task-3", "forecasts": [0.5, 0.7], "outcome": null, "stop": "max_steps", "horizon": 5}
id         name of the run
task       optional name of the task; runs of one task are not independent
forecasts  probability of success that was reported after each step, each from 0 to 1; null if it is
           missing. --missing says what is done about what is missing or outside [0, 1], and about a
           bare NaN, Infinity or 1e999, which are not JSON:
           refuse         refuses the file (default)
           leave-out      leaves the run out
           skip           scores only the steps that have a forecast, as if the others did not exist, and
                          without a horizon; leaves out a run without any
           carry-forward  repeats the forecast before it; leaves the run out if there is none
           carry-forward-from=P  the same, with P for a missing first forecast
           clip           moves what is outside to 0 or 1; refuses what is missing
outcome    true, false, or null if it is not known
stop       optional reason why the run ended. A run without an outcome is censored if a budget ended
           it (max_steps, max_tokens, max_time, max_cost), otherwise it is excluded and counted; one that
           completed is read as unjudged
horizon    optional number of steps that a censored run would have been scored over
success_chance  optional probability from 0 to 1 that a censored run would have succeeded, for cut-off; it
           must not come from a stream that is scored
Other fields are ignored.
A line with a field left_out in place of forecasts, such as
  {"id": "run-9", "outcome": null, "stop": "max_steps", "left_out": "no_confidence"}
is a run that convert left out, with the reason. It is counted, by reason and in the success rate, and not scored.
"#;

/// Reads and checks every run of a file.
///
/// # Errors
///
/// [`InputError`] that names file, line and field of the first thing that is wrong, or of the first
/// forecast that the policy refuses.
pub fn read(path: &Path, policy: ForecastPolicy) -> Result<TraceFile, InputError> {
    TraceFile::read(&path.display().to_string(), open(path)?, policy)
}

/// The policy of this name, as an option spells it.
///
/// # Errors
///
/// One that lists the names.
pub fn policy(name: &str) -> Result<ForecastPolicy, &'static str> {
    let (policy, first) = name.split_once('=').map_or((name, None), |(a, b)| (a, Some(b)));
    let policy = policy.replace('-', "_");
    let known = first.map_or_else(|| policy.clone(), |first| format!("{policy}={first}")).parse();
    known.map_err(|_| {
        "there are refuse, leave-out, skip, carry-forward, carry-forward-from=P with P from 0 to 1, and clip"
    })
}
