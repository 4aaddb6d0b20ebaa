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
    /// Summary of the forecasts of a run, for ranking and calibration diagnostics: last, mean, minimum, or the name of
    /// a schedule for the mean with its weights (default: --schedule). Trajectory scores use no summary
    #[cfg_attr(feature = "clap", arg(long))]
    #[serde(deserialize_with = "options::read::some_parsed")]
    pub summary: Option<Summary>,
    /// Method that calibrates the forecasts before scoring. A map that was fitted to one half of the runs calibrates
    /// the other half
    #[cfg_attr(feature = "clap", arg(long = "calibrate", default_value = "none", value_parser = options::names::<Calibration>()))]
    #[serde(rename = "calibrate", deserialize_with = "options::read::name")]
    pub calibration: Calibration,
    /// Runs to which the calibration is fitted: complete uses the complete runs; cut-off-as-failures also uses the
    /// cut-off runs and counts them as failures. Calibrated forecasts are then probabilities of being complete and
    /// successful
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
    /// Unit of resampling: task resamples the runs of a task together, or single runs if there is only one task or none
    /// is named. task-only requires that every run names its task. run resamples single runs, for tasks that are only
    /// categories
    #[cfg_attr(feature = "clap", arg(long, default_value = "task", value_parser = options::names::<ClusterBy>()))]
    #[serde(deserialize_with = "options::read::name")]
    pub cluster_by: ClusterBy,
    /// Add a report on the runs of all columns together to the JSON object
    #[cfg_attr(feature = "clap", arg(long))]
    pub pool: bool,
    /// Policy for forecasts that are missing or outside [0, 1]: refuse, leave-out, skip, carry-forward,
    /// carry-forward-from=P or clip, see below (default: refuse; for logs leave-out)
    #[cfg_attr(feature = "clap", arg(long, value_name = "POLICY", value_parser = options::policy))]
    #[serde(deserialize_with = "options::read::missing")]
    pub missing: Option<ForecastPolicy>,
    /// Add curves and bins to the JSON object even without resamples. With resamples, --html or --plot, they are always
    /// included
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
