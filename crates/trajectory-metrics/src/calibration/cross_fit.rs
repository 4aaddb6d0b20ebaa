use crate::{
    calibration::{
        calibrator::{CalibrationMap, Calibrator},
        folds::Folds,
    },
    checks::same_length,
    error::Error,
    streams::{traces::Traces, weight_schedule::WeightSchedule},
};

/// Traces that were calibrated out of sample, together with the maps that calibrated them.
///
/// Made by [`CrossFit::new`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CrossFit<M> {
    /// The calibrated traces, in their original order.
    pub traces: Traces,
    /// The map that calibrated each fold. It was fitted to the traces of all other folds.
    pub maps: Vec<M>,
    /// The fold of each trace.
    pub folds: Folds,
}

impl<M: CalibrationMap> CrossFit<M> {
    /// Calibrates each trace with a map fitted to the traces of all other folds, whose steps are weighted by
    /// `schedule`. With [`Folds::new`], this is the cross-fitting of the paper.
    ///
    /// Every step of a trace is a record of the fit, with the weight of the step under the schedule, so
    /// every trace counts as 1. Pass the schedule of the score to be computed afterwards. Otherwise the
    /// comparison includes the error of a map fitted under other weights.
    ///
    /// The maps of the folds differ slightly, so traces of different folds may change their order.
    ///
    /// Cost: one fit per fold.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
    /// quantification, arXiv:2605.24756, appendix D.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless the folds have the same number of traces;
    /// [`Error::ScheduleTooShort`] if a trace is longer than the list of custom weights;
    /// [`Error::Fold`] with the error of [`Calibrator::fit`] if the traces outside a fold are not
    /// sufficient: Platt needs both outcomes there.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Folds, Platt, Traces, WeightSchedule, CrossFit};
    ///
    /// let raw = Traces::from_flat(
    ///     &[0.9, 0.6, 0.9, 0.95, 0.99, 0.9, 1.0],
    ///     &[2, 3, 5, 7],
    ///     &[false, false, true, true],
    /// )?;
    /// let folds = Folds::new(raw.outcomes(), &["task-1", "task-2", "task-3", "task-4"], 2)?;
    /// let fitted = CrossFit::new(&Platt::default(), &raw, &folds, &WeightSchedule::LinearFront)?;
    /// assert!(fitted.maps.iter().all(|map| map.slope() > 0.0));
    /// assert_eq!(fitted.folds, folds);
    /// assert_eq!(fitted.traces.steps(), raw.steps());
    /// assert_eq!(fitted.traces.outcomes(), raw.outcomes());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new<C: Calibrator<Map = M>>(
        calibrator: &C,
        traces: &Traces,
        folds: &Folds,
        schedule: &WeightSchedule,
    ) -> Result<Self, Error> {
        let of_each = folds.of_each();
        same_length("folds", traces.len(), of_each.len())?;
        let fit = |fold: usize| {
            let (mut forecasts, mut outcomes, mut weights) = (Vec::new(), Vec::new(), Vec::new());
            for (trace, _) in traces.iter().zip(of_each).filter(|(_, of)| **of != fold) {
                let steps = trace.forecasts().len();
                forecasts.extend_from_slice(trace.forecasts());
                outcomes.resize(forecasts.len(), trace.outcome());
                weights.extend(schedule.row_weights(steps, steps)?);
            }
            calibrator
                .fit(&forecasts, &outcomes, Some(&weights))
                .map_err(|error| Error::Fold { fold, source: Box::new(error) })
        };
        let maps = (0..folds.count()).map(fit).collect::<Result<Vec<_>, _>>()?;
        let calibrated =
            traces.map_forecasts(|trace, forecast| maps[of_each[trace]].apply(forecast));
        Ok(Self { traces: calibrated, maps, folds: folds.clone() })
    }
}
