use scoring_rules::{LossDerivatives, SmoothRule};

use crate::{checks::same_length, error::Error, streams::tps::Tps};

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
    /// [`Error::Empty`] without logits; [`Error::Length`] unless `steps` has one entry per logit;
    /// [`Error::Logit`] with the first logit that is NaN; [`Error::ScheduleTooShort`] if there are
    /// more steps than custom weights. `steps` is then unchanged.
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
        same_length("steps", logits.len(), steps.len())?;
        if let Some(index) = logits.iter().position(|logit| logit.is_nan()) {
            return Err(Error::Logit { step: index + 1 });
        }
        if logits.is_empty() {
            return Err(Error::Empty);
        }
        let horizon = logits.len();
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
    use scoring_rules::{BrierScore, LogScore, Probability, SphericalScore};

    use super::*;
    use crate::streams::{traces::Trace, weight_schedule::WeightSchedule};

    const LOGITS: [f64; 4] = [0.3, -1.2, 2.0, -0.1];

    fn check(rule: impl SmoothRule + Copy) {
        for schedule in [
            WeightSchedule::LinearFront,
            WeightSchedule::Uniform,
            WeightSchedule::ExponentialFront,
            WeightSchedule::custom(&[1.0, 5.0, 2.0, 0.5]).unwrap(),
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
    fn invalid_logits_and_lengths_are_refused() {
        let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
        let untouched = LossDerivatives::default();
        let mut steps = [untouched; 2];
        let error = tps.loss_in_logits(&[0.0], true, &mut steps).unwrap_err();
        assert!(matches!(error, Error::Length { what: "steps", expected: 1, found: 2 }));
        let error = tps.loss_in_logits(&[0.0, f64::NAN], true, &mut steps).unwrap_err();
        assert!(matches!(error, Error::Logit { step: 2 }));
        assert_eq!(steps, [untouched; 2]);
        assert_eq!(tps.loss_in_logits(&[], true, &mut []).unwrap_err(), Error::Empty);
    }
}
