use scoring_rules::checks::same_length;
use trajectory_metrics::{ScoringRule, Tps};

use crate::{
    Weight,
    error::Error,
    scores::{simple_score::simple_score, weighted_runs::mean_of_runs},
    stops::stopped::Stopped,
};

/// Returns the weighted mean score of the complete runs, excluding cut-off and excluded runs.
///
/// It is the mean over all runs only if the runs that were cut off are like the others. As long runs are
/// cut off more often, it favours short runs; [`IpcwWeights`](crate::IpcwWeights) correct for that.
///
/// A weight of 2 counts as two equal runs, and a weight of 0 has no effect. The mean has the same bits
/// in any order of the runs.
///
/// # Errors
///
/// [`Error::Run`] with the first run that has fewer custom weights than steps;
/// [`scoring_rules::Error::Entry`] with the first whose score is NaN or plus infinity;
/// [`scoring_rules::Error::Length`] unless there is one weight per run; [`scoring_rules::Error::Empty`]
/// without a complete run of positive weight.
///
/// ```
/// use censoring::{
///     Error, Probability, StopReason, Stopped, Tps, WeightSchedule, complete_mean_score, from_fn,
/// };
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let forecasts = Probability::from_slice(&[0.5, 1.0])?;
/// let runs = [
///     Stopped::new(forecasts, Some(true), None)?,
///     Stopped::new(forecasts, None, Some(StopReason::MaxSteps))?,
/// ];
/// assert_eq!(complete_mean_score(&tps, &runs, None)?, -0.125);
/// # Ok::<(), Error>(())
/// ```
pub fn complete_mean_score<R: ScoringRule>(
    tps: &Tps<R>,
    runs: &[Stopped<'_>],
    weights: Option<&[Weight]>,
) -> Result<f64, Error> {
    same_length("weights", runs.len(), weights.map_or(runs.len(), <[Weight]>::len))?;
    let weights = weights_if_complete(runs, weights);
    mean_of_runs(runs, Some(&weights), |_, run| simple_score(tps, run))
}

/// Returns the weights of complete runs, and 0 for the others.
pub(crate) fn weights_if_complete(runs: &[Stopped<'_>], weights: Option<&[Weight]>) -> Vec<Weight> {
    let weight = |(position, run): (usize, &Stopped<'_>)| match run.outcome() {
        Some(_) => weights.map_or(Weight::ONE, |weights| weights[position]),
        None => Weight::ZERO,
    };
    runs.iter().enumerate().map(weight).collect()
}
