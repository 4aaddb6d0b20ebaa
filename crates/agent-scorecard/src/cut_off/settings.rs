use std::collections::BTreeMap;

use censoring::{CalibrationRuns, CensoringAssumption, Continuations};
use run_logs::TraceFile;
use serde::Serialize;
use trajectory_metrics::{Probability, WeightSchedule};

use crate::traces::settings::Calibration;

/// Which outcomes of complete runs are hidden, to split what hiding them does to the simple score.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Hide {
    /// This share of runs, each after a random step.
    Rate(Probability),
    /// Every run, after this share of its steps.
    After(Probability),
}

/// How runs that were cut off are scored, and where their chances of success come from.
#[derive(Clone, Debug)]
pub struct CutOffOptions {
    /// Weights of the steps of the mean scores. The rows by rule have every named schedule.
    pub schedule: WeightSchedule,
    /// Calibration, cross-fitted on the halves that [`traces`](crate::traces) has.
    pub calibration: Calibration,
    /// The runs that calibration is fitted on.
    pub calibrate_on: CalibrationRuns,
    /// Whether a run that ended as its reply could not be read counts as cut off, in place of being excluded: appendix G.2 of the
    /// paper.
    pub parse_errors_as_stops: bool,
    /// The declared assumption on why runs were cut off.
    pub assumption: CensoringAssumption,
    /// By how much the odds of success may be wrong in the sensitivity range, at least 1.
    pub odds_ratio: f64,
    /// Resamples of whole tasks behind each interval; 0 for no intervals.
    pub resamples: usize,
    /// Seed of resamples and of hidden outcomes.
    pub seed: u64,
    /// Which outcomes of complete runs are hidden, if any.
    pub hide: Option<Hide>,
    /// Chances of success by the ids of runs, besides those that the runs themselves have. They are taken to be
    /// right.
    pub given: BTreeMap<String, Probability>,
    /// Continuations by the ids of runs; `None` for no audit of them.
    pub continuations: Option<BTreeMap<String, Continuations>>,
    /// Outcomes that a run needs among its continuations, at least 1.
    pub min_valid: u64,
    /// Streams that are not scored, from whose forecasts a model of success may learn. They are taken to be made
    /// without regard to the streams that are scored.
    pub teachers: Vec<TraceFile>,
    /// The true chances of success by the ids of runs, where the world that made the runs is known.
    pub known: Option<BTreeMap<String, Probability>>,
}

impl Default for CutOffOptions {
    /// Linear-front weights, no calibration, non-informative censoring, odds wrong by at most 2, intervals from
    /// 1000 resamples with seed 0, five outcomes per continued run, and no source of chances but the runs.
    fn default() -> Self {
        Self {
            schedule: WeightSchedule::default(),
            calibration: Calibration::default(),
            calibrate_on: CalibrationRuns::default(),
            parse_errors_as_stops: false,
            assumption: CensoringAssumption::NonInformative,
            odds_ratio: 2.0,
            resamples: 1000,
            seed: 0,
            hide: None,
            given: BTreeMap::new(),
            continuations: None,
            min_valid: 5,
            teachers: Vec::new(),
            known: None,
        }
    }
}
