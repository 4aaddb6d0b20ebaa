use std::collections::VecDeque;

use scoring_rules::{Probability, Weight};
use trajectory_metrics::{CalibrationMap, Calibrator, Platt, PlattMap};

use crate::{error::Error, success::success_fit::thinned};

/// The number of runs before the first fit.
const FIRST_FIT: u64 = 15;

/// Fits take place when the number of runs has grown by this factor.
const GROWTH: f64 = 1.5;

/// The largest number of forecasts used for calibration, the latest ones.
const MOST_FORECASTS: usize = 4096;

/// Probabilities stated before the outcome was known, and the map that calibrates them.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct ChanceCalibration {
    forecasts: VecDeque<(Probability, bool, Weight)>,
    runs: u64,
    next_fit: u64,
    map: Option<PlattMap>,
}

impl ChanceCalibration {
    /// Adds the probabilities of a run, with a total weight of 1, and fits the map when it is due.
    pub(super) fn push(&mut self, chances: &[Probability], feasible: bool) -> Result<(), Error> {
        let kept = thinned(chances.len());
        if kept.len() == 0 {
            return Ok(());
        }
        let weight = Weight::new(1.0 / kept.len() as f64)?;
        let kept = kept.filter_map(|at| chances.get(at));
        self.forecasts.extend(kept.map(|&chance| (chance, feasible, weight)));
        let surplus = self.forecasts.len().saturating_sub(MOST_FORECASTS);
        self.forecasts.drain(..surplus);
        self.runs = self.runs.saturating_add(1);
        if self.runs < self.next_fit.max(FIRST_FIT) {
            return Ok(());
        }
        self.next_fit = (self.runs as f64 * GROWTH).ceil() as u64;
        let mut outcomes = self.forecasts.iter().map(|forecast| forecast.1);
        let first = outcomes.next();
        if outcomes.any(|outcome| Some(outcome) != first) {
            let chances: Vec<_> = self.forecasts.iter().map(|forecast| forecast.0).collect();
            let outcomes: Vec<_> = self.forecasts.iter().map(|forecast| forecast.1).collect();
            let weights: Vec<_> = self.forecasts.iter().map(|forecast| forecast.2).collect();
            self.map = Some(Platt::default().fit(&chances, &outcomes, Some(&weights))?);
        }
        Ok(())
    }

    /// Returns the calibrated probability; the probability itself before the first fit.
    pub(super) fn apply(&self, chance: Probability) -> Probability {
        self.map.map_or(chance, |map| map.apply(chance))
    }
}
