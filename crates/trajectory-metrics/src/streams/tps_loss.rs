use scoring_rules::{LossDerivatives, SmoothRule};

use crate::{
    checks::same_length,
    error::{Error, Shared},
    streams::{tps::Tps, weight_schedule::WeightSchedule},
};

impl<R: SmoothRule> Tps<R> {
    /// Returns the training loss of a run, or of its first steps, for logits `ln (p / (1 - p))` of the forecasts:
    /// [`Tps::prefix_score`] times -1. Sets `steps` to the weighted loss and derivatives of each step.
    ///
    /// The weights are those of the whole run of `horizon` steps and are not renormalized. For a whole run the horizon
    /// is the number of logits. With one horizon for all runs, such as their budget, the loss is proper for any lengths.
    ///
    /// Sets `steps[t]` to the weighted loss of step t and its first and second derivative by the logit of this step.
    /// These are also the derivatives of the run's loss. The loss of a step does not depend on the other logits, so
    /// that all mixed derivatives are 0.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without logits; [`scoring_rules::Error::Length`] unless
    /// `steps` has one entry per logit; [`Error::Logit`] with the first logit that is NaN;
    /// [`Error::Horizon`] if there are more logits than steps of the horizon;
    /// [`Error::ScheduleTooShort`] if the horizon is longer than the list of custom weights;
    /// [`Error::HorizonTooLong`] above 2^32 - 1 steps. `steps` is then unchanged.
    ///
    /// ```
    /// use trajectory_metrics::{Error, LogScore, LossDerivatives, Tps, WeightSchedule};
    ///
    /// let tps = Tps::new(LogScore::exact(), WeightSchedule::LinearFront);
    /// let mut steps = [LossDerivatives::default(); 2];
    /// let loss = tps.loss_in_logits(&[0.0, 0.0], true, 2, &mut steps)?;
    /// assert!((loss - 2.0_f64.ln()).abs() < 1e-15);
    /// // The gradient is the weight times p - y, which is 1/2 - 1 at both steps.
    /// assert!((steps[0].gradient + 2.0 / 3.0 * 0.5).abs() < 1e-15);
    /// assert!((steps[1].gradient + 1.0 / 3.0 * 0.5).abs() < 1e-15);
    ///
    /// // The first two of three steps have five sixths of the weight.
    /// let loss = tps.loss_in_logits(&[0.0, 0.0], true, 3, &mut steps)?;
    /// assert!((loss - 5.0 / 6.0 * 2.0_f64.ln()).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn loss_in_logits(
        &self,
        logits: &[f64],
        outcome: bool,
        horizon: usize,
        steps: &mut [LossDerivatives],
    ) -> Result<f64, Error> {
        same_length("steps", logits.len(), steps.len())?;
        if let Some(index) = logits.iter().position(|logit| logit.is_nan()) {
            return Err(Error::Logit { step: index + 1 });
        }
        if logits.is_empty() {
            return Err(Shared::Empty.into());
        }
        WeightSchedule::check_horizon(logits.len(), horizon)?;
        let all = self.schedule.total(horizon)?;
        let mut total = 0.0;
        for (t, (step, &logit)) in steps.iter_mut().zip(logits).enumerate() {
            let weight = self.schedule.raw(t, horizon) / all;
            let LossDerivatives { loss, gradient, curvature } =
                self.rule.loss_in_logit(logit, outcome);
            *step = LossDerivatives {
                loss: weight * loss,
                gradient: weight * gradient,
                curvature: weight * curvature,
            };
            total += step.loss;
        }
        Ok(total)
    }
}
