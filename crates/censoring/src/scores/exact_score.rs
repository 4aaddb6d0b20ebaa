use trajectory_metrics::{Probability, ScoringRule, Tps};

use crate::{
    Weight,
    checks::same_length,
    error::Error,
    scores::{run_score::RunScore, weighted_runs::mean_of_runs},
    stops::stopped::Stopped,
};

/// The exact censored trajectory score: the score of a complete run, and the expected score of a
/// run that was cut off.
///
/// ```text
/// sum over t = 1..Z of w_t S(F_t, Y)                               if complete
/// sum over t = 1..Z of w_t [q_Z S(F_t, 1) + (1 - q_Z) S(F_t, 0)]   if cut off
/// ```
///
/// q_Z is `success_probability`, the chance of success given what the run had shown at its stop.
/// Weights are those of the whole evaluated horizon; they are not renormalised over the steps
/// before the stop. Higher is better, range as the rule's; 0 times infinity is 0.
///
/// Elicits what the score of complete runs does, the chance of success given the history, on all
/// steps before the stop: proper where the rule is, and strictly so where the rule is. It needs a
/// stop that says nothing about the outcome beyond what the run so far says, a q_Z that is right
/// ([`plug_in_bias`](crate::plug_in_bias()) says how far a wrong one leads), and step weights that
/// are fixed before the run: where a run's length is a sign of its outcome, weights that are
/// normalised over its own length are not. With a q_Z of 0 it is
/// [`simple_score`](crate::simple_score()).
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, equation 4 and theorem 4.3.
///
/// # Errors
///
/// [`Error::Excluded`] for a run that has no score; [`Error::TrajectoryMetrics`] where custom
/// weights do not reach the horizon.
///
/// ```
/// use censoring::{Error, Probability, StopReason, Stopped, Tps, WeightSchedule, exact_score, from_fn};
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let forecasts = Probability::from_slice(&[0.75, 0.75])?;
/// let cut_off = Stopped::new(forecasts, None, Some(StopReason::MaxSteps))?.with_horizon(4)?;
///
/// // Half of the weight, and a chance of 3/4 of the score as a success.
/// let score = exact_score(&tps, &cut_off, Probability::new(0.75)?)?;
/// assert_eq!(score, 0.5 * (0.75 * -0.0625 + 0.25 * -0.5625));
/// # Ok::<(), Error>(())
/// ```
pub fn exact_score<R: ScoringRule>(
    tps: &Tps<R>,
    run: &Stopped<'_>,
    success_probability: Probability,
) -> Result<f64, Error> {
    Ok(RunScore::of(tps, run, success_probability)?.expected())
}

/// The mean of [`exact_score`](crate::exact_score()) over runs, weighted where weights are given.
///
/// `success_probabilities` has one entry per run; those of complete runs are ignored. A run of
/// weight 2 counts as two runs, and a run of weight 0 is ignored. The result has the same bits for
/// any order of the runs. Minus infinity where the rule is.
///
/// # Errors
///
/// [`Error::Run`] with the first run that has no score, for the reasons of `exact_score`;
/// [`Error::RunScore`] with the first whose score is NaN or plus infinity; [`Error::Length`] unless
/// there is one entry per run in each; [`Error::ScoringRules`] without a run of positive weight.
///
/// ```
/// use censoring::{Weight, Error, Probability, StopReason, Stopped, Tps, WeightSchedule, exact_mean_score, from_fn};
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let forecasts = Probability::from_slice(&[0.5, 1.0])?;
/// let runs = [
///     Stopped::new(forecasts, Some(true), None)?,
///     Stopped::new(forecasts, None, Some(StopReason::MaxSteps))?,
/// ];
/// let chances = [Probability::ONE, Probability::HALF];
/// let mean = exact_mean_score(&tps, &runs, &chances, Some(Weight::from_slice(&[3.0, 1.0])?))?;
/// assert_eq!(mean, (3.0 * -0.125 + (0.5 * -0.125 + 0.5 * -0.625)) / 4.0);
/// # Ok::<(), Error>(())
/// ```
pub fn exact_mean_score<R: ScoringRule>(
    tps: &Tps<R>,
    runs: &[Stopped<'_>],
    success_probabilities: &[Probability],
    weights: Option<&[Weight]>,
) -> Result<f64, Error> {
    same_length("success_probabilities", runs.len(), success_probabilities.len())?;
    mean_of_runs(runs, weights, |i, run| exact_score(tps, run, success_probabilities[i]))
}
