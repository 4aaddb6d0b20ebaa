use scoring_rules::{Probability, checks::same_length};
use trajectory_metrics::{CalibrationMap, Calibrator, Folds, WeightSchedule};

use crate::{
    error::Error,
    stops::stopped::{Observation, Stopped},
};

/// The runs to which calibration maps are fitted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum CalibrationRuns {
    /// Complete runs only: no outcome is assumed.
    #[default]
    Complete,
    /// Complete runs, and cut-off runs as failures. The map then estimates the probability that a run is complete and
    /// successful, which is the forecast with the best simple score.
    CutOffAsFailures,
}

/// The forecasts of complete and cut-off runs, calibrated out of sample, together with the maps that calibrated them.
///
/// Made by [`CalibratedRuns::cross_fit`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct CalibratedRuns<M> {
    /// The calibrated forecasts of each run, in the order of the runs.
    pub forecasts: Vec<Vec<Probability>>,
    /// The map that calibrated each fold, which was fitted to the other folds.
    pub maps: Vec<M>,
}

impl<M> CalibratedRuns<M> {
    /// Returns the runs with their calibrated forecasts. The argument `runs` must be the runs that were calibrated.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] if the number of runs or the length of a run differs.
    pub fn runs(&self, runs: &[Stopped<'_>]) -> Result<Vec<Stopped<'_>>, Error> {
        same_length("runs", self.forecasts.len(), runs.len())?;
        let calibrated = runs.iter().zip(&self.forecasts);
        calibrated.map(|(run, forecasts)| run.with_forecasts(forecasts)).collect()
    }
}

impl<M: CalibrationMap> CalibratedRuns<M> {
    /// Calibrates the forecasts of complete and cut-off runs. The map for each fold is fitted without the runs of the
    /// fold.
    ///
    /// The map of a fold is fitted on the runs of all other folds and applied to every run of the fold,
    /// whether it is complete, cut off or excluded. Each step of a complete run is a record with the
    /// weight of that step under the schedule, so every run counts as 1; with
    /// [`CalibrationRuns::CutOffAsFailures`] so is each observed step of a cut-off run, under the weights
    /// of its whole horizon. Excluded runs never take part in a fit.
    ///
    /// [`Folds::clustered`] keeps the runs of a task together.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
    /// quantification, arXiv:2605.24756, appendix D and section 6.3. The paper does not say which runs
    /// its WebShop maps are fitted on. Its mean forecast of 0.38 (table 13) is the share of successes
    /// among all 308 runs, as with [`CalibrationRuns::CutOffAsFailures`]; among complete runs it is 0.72.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one fold per run; [`Error::Fold`] with the error of the
    /// calibrator if the runs outside a fold are not enough; the errors of a weight schedule that is
    /// shorter than a run.
    ///
    /// ```
    /// use censoring::{
    ///     CalibrationRuns, Error, Folds, Probability, StopReason, Stopped, WeightSchedule,
    ///     CalibratedRuns,
    /// };
    /// use trajectory_metrics::Isotonic;
    ///
    /// let forecasts = Probability::from_slice(&[0.9, 0.9])?;
    /// let cut_off = || Stopped::new(forecasts, None, Some(StopReason::MaxSteps));
    /// let runs = [
    ///     Stopped::new(forecasts, Some(true), None)?,
    ///     Stopped::new(forecasts, Some(false), None)?,
    ///     cut_off()?,
    ///     Stopped::new(forecasts, Some(true), None)?,
    ///     Stopped::new(forecasts, Some(false), None)?,
    ///     cut_off()?,
    /// ];
    /// let folds = Folds::clustered(&[true; 6], &["a", "a", "a", "b", "b", "b"], 2)?;
    /// let schedule = WeightSchedule::LinearFront;
    /// let calibrated =
    ///     CalibratedRuns::cross_fit(&Isotonic, &runs, &folds, &schedule, CalibrationRuns::Complete)?;
    /// // One of two complete runs of the other task succeeded.
    /// assert_eq!(calibrated.runs(&runs)?[2].forecasts(), [Probability::HALF; 2]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn cross_fit<C: Calibrator<Map = M>>(
        calibrator: &C,
        runs: &[Stopped<'_>],
        folds: &Folds,
        schedule: &WeightSchedule,
        fitted_on: CalibrationRuns,
    ) -> Result<Self, Error> {
        let of_each = folds.of_each();
        same_length("folds", runs.len(), of_each.len())?;
        let mut maps = Vec::with_capacity(folds.count());
        for fold in 0..folds.count() {
            let (mut forecasts, mut outcomes, mut weights) = (Vec::new(), Vec::new(), Vec::new());
            for (run, _) in runs.iter().zip(of_each).filter(|(_, of)| **of != fold) {
                let outcome = match (run.observation(), fitted_on) {
                    (Observation::Complete(trace), _) => trace.outcome(),
                    (Observation::Censored, CalibrationRuns::CutOffAsFailures) => false,
                    _ => continue,
                };
                let steps = run.forecasts().len();
                forecasts.extend_from_slice(run.forecasts());
                outcomes.resize(forecasts.len(), outcome);
                weights.extend(schedule.row_weights(steps, run.horizon())?);
            }
            let map = calibrator.fit(&forecasts, &outcomes, Some(&weights));
            maps.push(map.map_err(|error| Error::Fold { fold, source: Box::new(error.into()) })?);
        }
        let calibrate = |(run, &fold): (&Stopped<'_>, &usize)| {
            run.forecasts().iter().map(|&forecast| maps[fold].apply(forecast)).collect()
        };
        let forecasts = runs.iter().zip(of_each).map(calibrate).collect();
        Ok(Self { forecasts, maps })
    }
}
