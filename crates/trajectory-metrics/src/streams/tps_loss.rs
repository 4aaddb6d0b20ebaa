use scoring_rules::{LossDerivatives, SmoothRule};

use crate::{
    checks::same_length,
    error::{Error, Shared},
    streams::tps::{Tps, check_horizon},
};

impl<R: SmoothRule> Tps<R> {
    /// The training loss of a run, which is minus its score, as a function of the logits
    /// `ln (p / (1 - p))` of the forecasts.
    ///
    /// `steps[t]` is set to the weighted loss of step t, and to the first and second derivative of
    /// the loss of the run in the logit of step t. The loss of a step does not depend on the other
    /// logits, so that all mixed derivatives are 0. Returns the loss of the run.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without logits; [`scoring_rules::Error::Length`] unless
    /// `steps` has one entry per logit; [`Error::Logit`] with the first logit that is NaN;
    /// [`Error::ScheduleTooShort`] if there are more steps than custom weights. `steps` is then
    /// unchanged.
    ///
    /// ```
    /// use trajectory_metrics::{Error, LogScore, LossDerivatives, Tps, WeightSchedule};
    ///
    /// let tps = Tps::new(LogScore::exact(), WeightSchedule::LinearFront);
    /// let mut steps = [LossDerivatives::default(); 2];
    /// let loss = tps.loss_in_logits(&[0.0, 0.0], true, &mut steps)?;
    /// assert!((loss - 2.0_f64.ln()).abs() < 1e-15);
    /// // The gradient is the weight times p - y, which is 1/2 - 1 at both steps.
    /// assert!((steps[0].gradient + 2.0 / 3.0 * 0.5).abs() < 1e-15);
    /// assert!((steps[1].gradient + 1.0 / 3.0 * 0.5).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn loss_in_logits(
        &self,
        logits: &[f64],
        outcome: bool,
        steps: &mut [LossDerivatives],
    ) -> Result<f64, Error> {
        self.prefix_loss_in_logits(logits, outcome, logits.len(), steps)
    }

    /// The contribution of the first steps of a run to its training loss: minus
    /// [`Tps::prefix_score`], with derivatives as in [`Tps::loss_in_logits`].
    ///
    /// The weights are those of the whole run of `horizon` steps and are not renormalized. With one
    /// horizon for all runs, such as their budget, the loss is proper for any lengths.
    ///
    /// # Errors
    ///
    /// The errors of [`Tps::loss_in_logits`] for this horizon; [`Error::Horizon`] if there are more
    /// steps than the horizon; [`Error::HorizonTooLong`] above 2^32 - 1 steps. `steps` is then
    /// unchanged.
    ///
    /// ```
    /// use trajectory_metrics::{Error, LogScore, LossDerivatives, Tps, WeightSchedule};
    ///
    /// let tps = Tps::new(LogScore::exact(), WeightSchedule::Uniform);
    /// let mut steps = [LossDerivatives::default()];
    /// // The first of four steps has a quarter of the weight.
    /// let loss = tps.prefix_loss_in_logits(&[0.0], false, 4, &mut steps)?;
    /// assert!((loss - 2.0_f64.ln() / 4.0).abs() < 1e-15);
    /// assert_eq!(steps[0].gradient, 0.25 * 0.5);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn prefix_loss_in_logits(
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
        check_horizon(logits.len(), horizon)?;
        let all = self.schedule().total(horizon)?;
        let mut total = 0.0;
        for (t, (step, &logit)) in steps.iter_mut().zip(logits).enumerate() {
            let weight = self.schedule().raw(t, horizon) / all;
            let LossDerivatives { loss, gradient, curvature } =
                self.rule().loss_in_logit(logit, outcome);
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

#[cfg(test)]
mod tests {
    use scoring_rules::{BrierScore, LogScore, Probability, SphericalScore, Weight};

    use super::*;
    use crate::streams::{traces::Trace, weight_schedule::WeightSchedule};

    const LOGITS: [f64; 4] = [0.3, -1.2, 2.0, -0.1];

    fn check(rule: impl SmoothRule + Copy) {
        for schedule in [
            WeightSchedule::LinearFront,
            WeightSchedule::Uniform,
            WeightSchedule::ExponentialFront,
            WeightSchedule::custom(Weight::from_slice(&[1.0, 5.0, 2.0, 0.5]).unwrap()).unwrap(),
        ] {
            let tps = Tps::new(rule, schedule);
            for outcome in [false, true] {
                let mut steps = [LossDerivatives::default(); 4];
                let loss = tps.loss_in_logits(&LOGITS, outcome, &mut steps).unwrap();
                let forecasts = LOGITS.map(|z: f64| 1.0 / (1.0 + (-z).exp()));
                let trace =
                    Trace::new(Probability::from_slice(&forecasts).unwrap(), outcome).unwrap();
                approx::assert_relative_eq!(
                    loss,
                    -tps.score(trace).unwrap(),
                    epsilon = 0.0,
                    max_relative = 1e-14
                );
                for t in 0..4 {
                    let moved = |by: f64| {
                        let mut logits = LOGITS;
                        logits[t] += by;
                        let mut steps = [LossDerivatives::default(); 4];
                        let loss = tps.loss_in_logits(&logits, outcome, &mut steps).unwrap();
                        (loss, steps[t].gradient)
                    };
                    let h = 1e-5;
                    let ((low, falling), (high, rising)) = (moved(-h), moved(h));
                    let (slope, bend) = ((high - low) / (2.0 * h), (rising - falling) / (2.0 * h));
                    assert!((steps[t].gradient - slope).abs() < 1e-9);
                    assert!((steps[t].curvature - bend).abs() < 1e-9);
                }
            }
        }
    }

    #[test]
    fn the_loss_is_minus_the_score_and_its_derivatives_are_finite_differences() {
        check(LogScore::exact());
        check(BrierScore);
        check(SphericalScore);
    }

    #[test]
    fn the_loss_of_a_prefix_is_minus_its_score_under_the_weights_of_the_whole_run() {
        let forecasts = LOGITS.map(|z: f64| 1.0 / (1.0 + (-z).exp()));
        let forecasts = Probability::from_slice(&forecasts).unwrap();
        for schedule in WeightSchedule::NAMED {
            let tps = Tps::new(SphericalScore, schedule);
            for (outcome, horizon) in [(false, 4), (true, 5), (false, 40)] {
                let mut steps = [LossDerivatives::default(); 4];
                let loss = tps.prefix_loss_in_logits(&LOGITS, outcome, horizon, &mut steps);
                let score = tps.prefix_score(forecasts, outcome, horizon).unwrap();
                approx::assert_relative_eq!(loss.unwrap(), -score, max_relative = 1e-13);
                // Only the weights of the steps differ from those of a run that ends here.
                let mut alone = [LossDerivatives::default(); 4];
                tps.loss_in_logits(&LOGITS, outcome, &mut alone).unwrap();
                let weights = tps.schedule().weights(horizon).unwrap();
                let own = tps.schedule().weights(4).unwrap();
                for t in 0..4 {
                    let want = alone[t].gradient / own[t] * weights[t];
                    assert!((steps[t].gradient - want).abs() < 1e-14);
                }
            }
            let mut steps = [LossDerivatives::default(); 4];
            let short = tps.prefix_loss_in_logits(&LOGITS, true, 3, &mut steps);
            assert_eq!(short, Err(Error::Horizon { horizon: 3, steps: 4 }));
        }
    }

    #[test]
    fn invalid_logits_and_lengths_are_refused() {
        let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
        let untouched = LossDerivatives::default();
        let mut steps = [untouched; 2];
        let error = tps.loss_in_logits(&[0.0], true, &mut steps).unwrap_err();
        assert_eq!(error, Shared::Length { what: "steps", expected: 1, found: 2 }.into());
        let error = tps.loss_in_logits(&[0.0, f64::NAN], true, &mut steps).unwrap_err();
        assert!(matches!(error, Error::Logit { step: 2 }));
        assert_eq!(steps, [untouched; 2]);
        assert_eq!(tps.loss_in_logits(&[], true, &mut []).unwrap_err(), Shared::Empty.into());
    }
}
