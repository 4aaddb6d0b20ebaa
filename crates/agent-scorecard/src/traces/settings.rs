use censoring::CalibrationRuns;
use serde::{Deserialize, Serialize};
use trajectory_metrics::{Bootstrap, ForecastPolicy, Summary, WeightSchedule};

use crate::{clusters::ClusterBy, options};

/// The calibration of forecasts before they are scored. A map is fitted to one half of the runs and applied to the
/// other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Calibration {
    /// No calibration: forecasts are scored as given.
    #[default]
    None,
    /// Cross-fitted Platt scaling.
    Platt,
    /// Cross-fitted isotonic regression.
    Isotonic,
}

options::named! {
    Calibration: "none" = Self::None, "platt" = Self::Platt, "isotonic" = Self::Isotonic;
}

/// The options for scoring traces. The defaults are those of the command.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct TraceOptions {
    /// Weights of the steps of a run: linear-front, uniform, exponential-front or linear-back
    #[cfg_attr(feature = "clap", arg(long, default_value = "linear-front"))]
    #[serde(deserialize_with = "options::read::parsed")]
    pub schedule: WeightSchedule,
    /// Which single forecast represents a run in figures of ranking and calibration: last, mean, minimum, or the
    /// weighted mean of the schedule with this name (default: --schedule). Trajectory scores use all forecasts
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(deserialize_with = "options::read::some_parsed")]
    pub summary: Option<Summary>,
    /// Method that calibrates the forecasts before they are scored. Each half of the runs is calibrated by a fit to the
    /// other half
    #[cfg_attr(feature = "clap", arg(long = "calibrate", default_value = "none", value_parser = options::names::<Calibration>()))]
    #[serde(rename = "calibrate", deserialize_with = "options::read::name")]
    pub calibration: Calibration,
    /// Runs to which the calibration is fitted: complete uses the complete runs; cut-off-as-failures also uses the
    /// cut-off runs, as failures. In the second case, a calibrated forecast is the probability that the run both
    /// completes and succeeds
    #[cfg_attr(feature = "clap", arg(long, value_name = "RUNS", default_value = "complete", requires = "calibration", value_parser = options::names::<CalibrationRuns>()))]
    #[serde(deserialize_with = "options::read::name")]
    pub calibrate_on: CalibrationRuns,
    /// Number of bootstrap resamples for the 95 % intervals; 0 gives no intervals
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Bootstrap::RESAMPLES, value_parser = options::resamples))]
    #[serde(alias = "n_resamples", deserialize_with = "options::read::resamples")]
    pub resamples: usize,
    /// Seed of the bootstrap
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "1", value_parser = options::seed))]
    #[serde(alias = "random_state", deserialize_with = "options::read::seed")]
    pub seed: u64,
    /// Unit that the bootstrap resamples: task for all runs of a task together, or for single runs if there is only one
    /// task or none is named; task-only for tasks, which every run must name; run for single runs, if tasks are only
    /// categories
    #[cfg_attr(feature = "clap", arg(long, default_value = "task", value_parser = options::names::<ClusterBy>()))]
    #[serde(deserialize_with = "options::read::name")]
    pub cluster_by: ClusterBy,
    /// Also report on the runs of all columns together, in the JSON output only
    #[cfg_attr(feature = "clap", arg(long))]
    pub pool: bool,
    /// What to do about forecasts that are missing or outside [0, 1]: refuse, leave-out, skip, carry-forward,
    /// carry-forward-from=P or clip, as explained below (default: refuse; for logs leave-out)
    #[cfg_attr(feature = "clap", arg(long, value_name = "POLICY", value_parser = options::policy))]
    #[serde(deserialize_with = "options::read::missing")]
    pub missing: Option<ForecastPolicy>,
    /// Add curves and bins to the JSON output. They are always included with resamples, --html or --plot
    #[cfg_attr(feature = "clap", arg(long))]
    pub curves: bool,
    /// Whether pictures and bins are wanted too.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub with_pictures: bool,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self {
            schedule: WeightSchedule::default(),
            summary: None,
            calibration: Calibration::default(),
            calibrate_on: CalibrationRuns::default(),
            resamples: Bootstrap::RESAMPLES,
            seed: 1,
            cluster_by: ClusterBy::default(),
            pool: false,
            missing: None,
            curves: false,
            with_pictures: false,
        }
    }
}
