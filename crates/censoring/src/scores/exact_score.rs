use scoring_rules::checks::same_length;
use trajectory_metrics::{Probability, ScoringRule, Tps};

use crate::{
    Weight,
    error::Error,
    scores::{run_score::RunScore, weighted_runs::mean_of_runs},
    stops::stopped::Stopped,
};

/// Returns the exact censored trajectory score: the usual score of a complete run, or the expected score of a cut-off
/// run over the two outcomes.
///
/// ```text
/// sum over t = 1..Z of w_t S(F_t, Y)                               if complete
/// sum over t = 1..Z of w_t [q_Z S(F_t, 1) + (1 - q_Z) S(F_t, 0)]   if cut off
/// ```
///
/// q_Z is `success_probability`, the probability of success given the run up to its stop. The weights of the whole
/// evaluated horizon are used and not renormalised over the steps before the stop. Higher is better; the score has the
/// range of the rule; 0 times infinity is 0.
///
/// It is proper, or strictly proper, for the probability of success given the history on all observed steps if the rule
/// is. This needs a stop that is unrelated to the outcome given the run so far, a correct q_Z
/// ([`plug_in_bias`](crate::plug_in_bias()) measures its error), and step weights fixed before the run: if the length
/// of a run is related to its outcome, weights normalised over its own length do not qualify. With a q_Z of 0 it is
/// [`simple_score`](crate::simple_score()).
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, equation 4 and theorem 4.3.
///
/// # Errors
///
/// [`Error::Excluded`] for a run that has no score; [`Error::TrajectoryMetrics`] if there are fewer
/// custom weights than steps of the horizon.
///
/// ```
/// use censoring::{Error, Probability, StopReason, Stopped, Tps, WeightSchedule, exact_score, from_fn};
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let forecasts = Probability::from_slice(&[0.75, 0.75])?;
/// let cut_off = Stopped::new(forecasts, None, Some(StopReason::MaxSteps))?.with_horizon(4)?;
///
/// // Half of the weight; success has a probability of 3/4.
/// let score = exact_score(&tps, &cut_off, Probability::new(0.75)?)?;
/// assert_eq!(score, 0.5 * (0.75 * -0.0625 + 0.25 * -0.5625));
/// # Ok::<(), Error>(())
/// ```
pub fn exact_score<R: ScoringRule>(
    tps: &Tps<R>,
    run: &Stopped<'_>,
    success_probability: Probability,
) -> Result<f64, Error> {
    Ok(RunScore::new(tps, run, success_probability)?.expected())
}

/// Returns the weighted mean of [`exact_score`](crate::exact_score()) over runs.
///
/// `success_probabilities` has one entry per run; entries of complete runs are ignored. A weight of 2
/// counts as two equal runs, and a weight of 0 has no effect. The mean has the same bits in any order
/// of the runs. It is minus infinity if a score is.
///
/// # Errors
///
/// [`Error::At`] with the first run that has no score, for the reasons of `exact_score`;
/// [`scoring_rules::Error::Entry`] with the first whose score is NaN or plus infinity; [`scoring_rules::Error::Length`]
/// unless each list has one entry per run; [`Error::ScoringRules`] without a run of positive weight.
///
/// ```
/// use censoring::{
///     Error, Probability, StopReason, Stopped, Tps, Weight, WeightSchedule, exact_mean_score,
///     from_fn,
/// };
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
