//! The options of `calibration`.

use std::path::PathBuf;

use agent_scorecard::calibration::CalibrationOptions;
use trajectory_metrics::{ForecastPolicy, WeightSchedule};

use crate::{output::form::Forms, traces::trace_file, values};

/// Reports what cross-fitted Platt scaling changes about each metric, in standard errors of the change
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, trace_file::FORMAT].concat())]
pub(crate) struct Options {
    /// Files of traces, each a stream of its own; without a file, two bundled streams. Whole tasks are
    /// resampled, of which a run without a task is one; standard errors of runs of one task are undefined
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Weights of the steps of a run: linear-front, uniform, exponential-front or linear-back
    #[arg(long, default_value = "linear-front")]
    pub(crate) schedule: WeightSchedule,
    /// Keep the runs of a task in one half; by default runs are halved by their ids
    #[arg(long)]
    pub(crate) whole_tasks: bool,
    /// Bootstrap resamples of whole tasks
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::several_resamples)]
    pub(crate) resamples: usize,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::seed)]
    pub(crate) seed: u64,
    /// What is done about forecasts that are missing or outside [0, 1]: refuse, leave-out, skip,
    /// carry-forward, carry-forward-from=P or clip, see below
    #[arg(long, default_value = "refuse", value_parser = trace_file::policy)]
    pub(crate) missing: ForecastPolicy,
    #[command(flatten)]
    pub(crate) forms: Forms,
}

impl Options {
    /// How streams are compared.
    pub(crate) fn how(&self) -> CalibrationOptions {
        CalibrationOptions {
            schedule: self.schedule.clone(),
            resamples: self.resamples,
            seed: self.seed,
            whole_tasks: self.whole_tasks,
            with_pictures: self.forms.has_figures(),
        }
    }
}

const EXAMPLE: &str = "\
Example: agent-scorecard calibration runs.jsonl --whole-tasks
";
