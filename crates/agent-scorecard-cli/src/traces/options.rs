//! The options of `traces`.

use std::path::PathBuf;

use agent_scorecard::traces::{Calibration, MEASURES, TraceOptions};
use run_logs::{AtLimit, ConfidenceReading};
use trajectory_metrics::{ForecastPolicy, Summary, WeightSchedule};

use crate::{
    files::logs,
    output::{form::Forms, text::help},
    traces::{log_file, trace_file},
    values::{self, Clustering},
};

/// Scores the confidence that agents reported along their runs
#[derive(Debug, clap::Args)]
#[command(after_help = [EXAMPLE, &help(&MEASURES), trace_file::FORMAT, log_file::HELP].concat())]
pub(crate) struct Options {
    /// Files of traces, or logs or folders of logs; each gets a column, and so does each model and each stream
    /// of a log. Without a file, three forecasters on bundled runs are compared
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Weights of the steps of a run: linear-front, uniform, exponential-front or linear-back
    #[arg(long, default_value = "linear-front")]
    pub(crate) schedule: WeightSchedule,
    /// The one forecast per run that ranking and calibration diagnostics are computed from: last, mean,
    /// minimum, or the mean under a schedule (default: under --schedule); trajectory scores use no summary
    #[arg(long)]
    pub(crate) summary: Option<Summary>,
    /// Calibrate the forecasts before they are scored, fitted on the other half of the runs
    #[arg(long, default_value = "none", value_parser = values::calibration())]
    pub(crate) calibrate: Calibration,
    /// Bootstrap resamples behind the 95 % intervals; 0 for no intervals
    #[arg(long, value_name = "N", default_value = "1000", value_parser = values::resamples)]
    pub(crate) resamples: usize,
    /// Seed of the bootstrap
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::seed)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) clustering: Clustering,
    /// Add a report on the runs of all columns together to --json
    #[arg(long)]
    pub(crate) pool: bool,
    /// What is done about forecasts that are missing or outside [0, 1]: refuse, leave-out, skip,
    /// carry-forward, carry-forward-from=P or clip, see below (default: refuse; for logs leave-out)
    #[arg(long, value_name = "POLICY", value_parser = trace_file::policy)]
    pub(crate) missing: Option<ForecastPolicy>,
    /// Reading of stated confidence in logs
    #[arg(long, default_value = "strict", value_parser = logs::readings())]
    pub(crate) confidence: ConfidenceReading,
    /// A regular expression that finds the stated confidence of a reply in place of the usual forms; its first
    /// group is the number
    #[arg(long, value_name = "REGEX", value_parser = logs::pattern)]
    pub(crate) confidence_pattern: Option<String>,
    /// What a limit that ended a run of a log means for its outcome
    #[arg(long, default_value = "censored", value_parser = logs::at_limits())]
    pub(crate) at_limit: AtLimit,
    /// The scorer of a log whose value is the outcome
    #[arg(long, value_name = "NAME")]
    pub(crate) scorer: Option<String>,
    #[command(flatten)]
    pub(crate) forms: Forms,
    /// Add curves and bins to --json without resamples; with resamples, --html or --plot they are there
    #[arg(long)]
    pub(crate) curves: bool,
}

impl Options {
    /// How traces are scored.
    pub(crate) fn how(&self) -> TraceOptions {
        // Runs that intervals resample are held in memory anyway.
        let is_held = self.curves || self.forms.has_files() || self.resamples > 0;
        TraceOptions {
            schedule: self.schedule.clone(),
            summary: self.summary.clone(),
            calibration: self.calibrate,
            resamples: self.resamples,
            seed: self.seed,
            cluster_by: self.clustering.by(),
            with_pictures: self.forms.has_figures() && is_held,
        }
    }
}

const EXAMPLE: &str = "\
Example: agent-scorecard traces runs.jsonl --fail-if 'tps_log < -0.6'

";
