use scoring_rules::checks::same_length;
use trajectory_metrics::{LossDerivatives, Probability, ScoringRule, SmoothRule, Tps};

use crate::error::Error;

/// Returns the training loss of a censored run, which is its [`exact_score`](crate::exact_score()) times -1, as a
/// function of the logits `ln (p / (1 - p))` of the forecasts up to the stop.
///
/// ```text
/// loss = - sum over t = 1..Z of w_t [q_Z S(F_t, 1) + (1 - q_Z) S(F_t, 0)]
/// ```
///
/// q_Z is `success_probability`, the probability of success given the run up to its stop, from a model such as
/// [`LogisticSuccess`](crate::LogisticSuccess) that was fitted on other runs. The weights of the whole evaluated
/// horizon are used and not renormalized.
///
/// `steps[t]` is set to the weighted loss of step t, and to the first and second derivative of the run's loss
/// with respect to the logit of step t. The loss of a step does not depend on the other logits, so all mixed
/// derivatives are 0. Returns the loss of the run. The derivatives treat q_Z as fixed: do not train the model of
/// q_Z with this loss, which would reward probabilities of 0 and 1.
///
/// Together with [`Tps::loss_in_logits`] or [`Tps::loss_in_logits`] for complete runs, the expected loss
/// has its minimum at the probability of success given the history of each step, under the conditions of
/// `exact_score`. With a q_Z of 0 it is the loss of [`simple_score`](crate::simple_score()), and its minimum is
/// the probability that the run completes and succeeds.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, appendix J.4.
///
/// # Errors
///
/// [`scoring_rules::Error::Length`] unless `steps` has one entry per logit; [`scoring_rules::Error::Empty`] without
/// logits; [`Error::TrajectoryMetrics`] for a NaN logit, and for a horizon shorter than the run, above 2^32 - 1 or longer than the list of
/// custom weights. `steps` is then unchanged.
///
/// ```
/// use censoring::{Error, LossDerivatives, Probability, Tps, WeightSchedule, censored_loss_in_logits};
/// use trajectory_metrics::LogScore;
///
/// let tps = Tps::new(LogScore::exact(), WeightSchedule::Uniform);
/// let mut steps = [LossDerivatives::default(); 2];
/// let success_probability = Probability::new(0.75)?;
///
/// // Two of four steps, both with a forecast of 1/2.
/// let loss = censored_loss_in_logits(&tps, &[0.0, 0.0], 4, success_probability, &mut steps)?;
/// assert!((loss - 0.5 * 2.0_f64.ln()).abs() < 1e-15);
/// // The gradient of the log loss is the weight times the forecast minus q_Z.
/// assert!((steps[0].gradient - 0.25 * (0.5 - 0.75)).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
pub fn censored_loss_in_logits<R: SmoothRule>(
    tps: &Tps<R>,
    logits: &[f64],
    horizon: usize,
    success_probability: Probability,
    steps: &mut [LossDerivatives],
) -> Result<f64, Error> {
    same_length("steps", logits.len(), steps.len())?;
    let expected = ExpectedRule { rule: &tps.rule, success_probability };
    let tps = Tps::new(expected, tps.schedule.clone());
    // The rule does not use the outcome.
    Ok(tps.loss_in_logits(logits, false, horizon, steps)?)
}

/// The expectation of a rule over an unknown outcome.
struct ExpectedRule<'a, R> {
    rule: &'a R,
    success_probability: Probability,
}

impl<R> ExpectedRule<'_, R> {
    /// Returns the expectation of a quantity over the outcome. An outcome of probability 0 does not count, even
    /// if its value is infinite.
    fn expectation(&self, value: impl Fn(bool) -> f64) -> f64 {
        let share = |probability: f64, outcome: bool| {
            if probability > 0.0 { probability * value(outcome) } else { 0.0 }
        };
        let success = self.success_probability;
        share(success.get(), true) + share(success.complement().get(), false)
    }

    /// Returns the expectation of a loss and of its derivatives.
    fn expected_loss(&self, loss: impl Fn(bool) -> LossDerivatives) -> LossDerivatives {
        let [success, failure] = [loss(true), loss(false)];
        let of = |outcome: bool| if outcome { success } else { failure };
        LossDerivatives {
            loss: self.expectation(|outcome| of(outcome).loss),
            gradient: self.expectation(|outcome| of(outcome).gradient),
            curvature: self.expectation(|outcome| of(outcome).curvature),
        }
    }
}

impl<R: ScoringRule> ScoringRule for ExpectedRule<'_, R> {
    fn score(&self, forecast: Probability, _: bool) -> f64 {
        self.expectation(|outcome| self.rule.score(forecast, outcome))
    }
}

impl<R: SmoothRule> SmoothRule for ExpectedRule<'_, R> {
    fn loss_in_probability(&self, forecast: Probability, _: bool) -> LossDerivatives {
        self.expected_loss(|outcome| self.rule.loss_in_probability(forecast, outcome))
    }

    fn loss_in_logit(&self, logit: f64, _: bool) -> LossDerivatives {
        self.expected_loss(|outcome| self.rule.loss_in_logit(logit, outcome))
    }
}
