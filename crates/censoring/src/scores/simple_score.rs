use trajectory_metrics::{ScoringRule, Tps};

use crate::{
    Weight,
    error::Error,
    scores::weighted_runs::mean_of_runs,
    stops::stopped::{Observation, Stopped},
};

/// Returns the simple censored trajectory score: a complete run has its usual score, and a cut-off run is scored as a
/// failure.
///
/// ```text
/// sum over t = 1..Z of w_t S(F_t, Y)  if complete
/// sum over t = 1..Z of w_t S(F_t, 0)  if censored
/// ```
///
/// The weights of the whole evaluated horizon are used and not renormalised over the steps before the stop.
///
/// This is an approximation: it sets the unknown probability of success after the stop to 0. It elicits
/// `P(complete and successful | history)` instead of `P(successful | history)`; the two are equal only
/// if no cut-off run would have succeeded. It can be above or below the score with the true outcome.
/// [`exact_score`](crate::exact_score()) uses the probability of success after the stop, and
/// [`mean_score_bounds`](crate::mean_score_bounds()) needs no estimate of it.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, equation 5 and proposition C.3.
///
/// # Errors
///
/// [`Error::Excluded`] for a run that has no score; [`Error::TrajectoryMetrics`] if there are fewer
/// custom weights than steps of the horizon.
///
/// ```
/// use censoring::{
///     Error, Probability, StopReason, Stopped, Tps, WeightSchedule, from_fn, simple_score,
/// };
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let forecasts = Probability::from_slice(&[0.5, 0.5])?;
///
/// let at_its_budget = Stopped::new(forecasts, None, Some(StopReason::MaxSteps))?;
/// assert_eq!(simple_score(&tps, &at_its_budget)?, -0.25);
///
/// // Cut off halfway: the same steps have half the weight.
/// let half_way = at_its_budget.with_horizon(4)?;
/// assert_eq!(simple_score(&tps, &half_way)?, -0.125);
/// # Ok::<(), Error>(())
/// ```
pub fn simple_score<R: ScoringRule>(tps: &Tps<R>, run: &Stopped<'_>) -> Result<f64, Error> {
    match run.observation() {
        Observation::Complete(trace) => Ok(tps.score(trace)?),
        Observation::Censored => Ok(tps.prefix_score(run.forecasts(), false, run.horizon())?),
        Observation::Excluded(exclusion) => Err(Error::Excluded(exclusion.clone())),
    }
}

/// Returns the weighted mean of [`simple_score`](crate::simple_score()) over runs.
///
/// A weight of 2 counts as two equal runs, and a weight of 0 has no effect. The mean has the same bits
/// in any order of the runs.
///
/// # Errors
///
/// [`Error::At`] with the first run that has no score, for the reasons of `simple_score`;
/// [`scoring_rules::Error::Entry`] with the first whose score is NaN or plus infinity; [`scoring_rules::Error::Length`]
/// unless there is one weight per run; [`Error::ScoringRules`] without a run of positive weight.
///
/// ```
/// use censoring::{
///     Error, Probability, StopReason, Stopped, Tps, WeightSchedule, from_fn, simple_mean_score,
/// };
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let forecasts = Probability::from_slice(&[0.5, 1.0])?;
/// let runs = [
///     Stopped::new(forecasts, Some(true), None)?,
///     Stopped::new(forecasts, None, Some(StopReason::MaxSteps))?,
/// ];
/// assert_eq!(simple_mean_score(&tps, &runs, None)?, (-0.125 - 0.625) / 2.0);
/// # Ok::<(), Error>(())
/// ```
pub fn simple_mean_score<R: ScoringRule>(
    tps: &Tps<R>,
    runs: &[Stopped<'_>],
    weights: Option<&[Weight]>,
) -> Result<f64, Error> {
    mean_of_runs(runs, weights, |_, run| simple_score(tps, run))
}
