use std::collections::BTreeMap;

use censoring::{CalibrationRuns, CensoringAssumption, Continuations};
use run_logs::TraceFile;
use serde::{Deserialize, Serialize};
use trajectory_metrics::{Bootstrap, Probability, WeightSchedule};

use crate::{options, traces::settings::Calibration};

/// The rule that treats complete runs as cut off, by hiding their outcomes. The mean score of the complete runs is then
/// compared with their true mean score, which shows the effect of counting cut-off runs as failures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hide {
    /// Hides the outcomes of this share of the runs, as if each had been cut off after a random step.
    Rate(Probability),
    /// Hides the outcome of every run, as if it had been cut off after this share of its steps.
    After(Probability),
}

/// The options for scoring runs that were cut off, including the source of their probabilities of success. The
/// defaults are those of the command.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, deny_unknown_fields)]
pub struct CutOffOptions {
    /// Weights of the steps of a run: linear-front, uniform, exponential-front or linear-back
    #[cfg_attr(feature = "clap", arg(long, default_value = "linear-front"))]
    #[serde(deserialize_with = "options::read::parsed")]
    pub schedule: WeightSchedule,
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
    /// Count a run that ended because a reply could not be read as cut off. By default, such runs are excluded
    #[cfg_attr(feature = "clap", arg(long))]
    pub parse_errors_as_stops: bool,
    /// Assumption about the outcomes of cut-off runs. The JSON output states it; no figure depends on it
    #[cfg_attr(feature = "clap", arg(long = "assume", default_value = "non-informative", value_parser = options::names::<CensoringAssumption>()))]
    #[serde(rename = "assume", deserialize_with = "options::read::name")]
    pub assumption: CensoringAssumption,
    /// For the sensitivity analysis: largest factor by which the odds of success of cut-off runs may be wrong, at least
    /// 1
    #[cfg_attr(feature = "clap", arg(long, value_name = "X", default_value = "2", value_parser = options::odds_ratio))]
    #[serde(deserialize_with = "options::read::odds_ratio")]
    pub odds_ratio: f64,
    /// Number of bootstrap resamples of whole tasks for the 95 % intervals; 0 gives no intervals
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value_t = Bootstrap::RESAMPLES, value_parser = options::resamples))]
    #[serde(alias = "n_resamples", deserialize_with = "options::read::resamples")]
    pub resamples: usize,
    /// Seed of the bootstrap and of the outcomes that --hide selects
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "0", value_parser = options::seed))]
    #[serde(alias = "random_state", deserialize_with = "options::read::seed")]
    pub seed: u64,
    /// Hide the outcomes of this share of the complete runs, from 0 to 1, as if these runs had been cut off at random
    /// steps. A further table shows how this shifts the score, and splits the shift into two parts
    #[cfg_attr(feature = "clap", arg(long, value_name = "RATE", value_parser = options::probability, overrides_with = "hide_after"))]
    #[serde(deserialize_with = "options::read::probability")]
    pub hide: Option<Probability>,
    /// Hide the outcomes of all complete runs, as if each run had been cut off after this share of its steps, from 0 to
    /// 1. A further table shows how this shifts the score, and splits the shift into two parts
    #[cfg_attr(feature = "clap", arg(long, value_name = "SHARE", value_parser = options::probability, overrides_with = "hide"))]
    #[serde(deserialize_with = "options::read::probability")]
    pub hide_after: Option<Probability>,
    /// Minimum number of continuations with an outcome that a run needs. With fewer, the model predicts its probability
    /// of success
    #[cfg_attr(feature = "clap", arg(long, value_name = "N", default_value = "5", value_parser = options::several::<u64>))]
    #[serde(deserialize_with = "options::read::outcomes")]
    pub min_valid: u64,
    /// Probabilities of success by run id, in addition to the ones in the runs. They are assumed to be correct.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub given: BTreeMap<String, Probability>,
    /// The continuations of runs, by the id of the run; `None` if continuations are not audited.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub continuations: Option<BTreeMap<String, Continuations>>,
    /// The group of each run, by the id of the run. For the weighted means, each group has its own curve of the
    /// probability of not being cut off; `None` for one curve.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub curve_groups: Option<BTreeMap<String, String>>,
    /// Unscored streams whose forecasts are features of the model of success. They are assumed to be independent of the
    /// scored streams.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub teachers: Vec<TraceFile>,
    /// The true probabilities of success by run id, if the process that generated the runs is known.
    #[cfg_attr(feature = "clap", arg(skip))]
    #[serde(skip)]
    pub known: Option<BTreeMap<String, Probability>>,
}

impl CutOffOptions {
    /// Returns the rule that hides outcomes, if there is one.
    pub(crate) fn hidden(&self) -> Option<Hide> {
        self.hide.map(Hide::Rate).or(self.hide_after.map(Hide::After))
    }
}

impl Default for CutOffOptions {
    fn default() -> Self {
        Self {
            schedule: WeightSchedule::default(),
            calibration: Calibration::default(),
            calibrate_on: CalibrationRuns::default(),
            parse_errors_as_stops: false,
            assumption: CensoringAssumption::NonInformative,
            odds_ratio: 2.0,
            resamples: Bootstrap::RESAMPLES,
            seed: 0,
            hide: None,
            hide_after: None,
            min_valid: 5,
            given: BTreeMap::new(),
            continuations: None,
            curve_groups: None,
            teachers: Vec::new(),
            known: None,
        }
    }
}
