use scoring_rules::{ExactMean, checks::same_length};
use trajectory_metrics::{Interval, Probability, ScoringRule, Tps};

use crate::{
    Weight,
    checks::no_score,
    error::Error,
    scores::{run_score::RunScore, weighted_runs::for_each_run},
    stops::stopped::Stopped,
};

/// Returns the smallest and the largest possible mean of [`exact_score`](crate::exact_score()) over runs, if only an
/// interval is known for the probability of success after each stop. These are the means of the runs' smallest scores
/// and of the runs' largest scores.
///
/// The score is linear in that probability, so its extremes are at the bounds of the interval. With
/// [`Interval::UNKNOWN`], they are the scores as a failure and as a success, which need no estimate and no
/// assumption about the stop.
///
/// Reference: Manski (1990), Nonparametric bounds on treatment effects, for bounds instead of assumptions.
///
/// `success_probabilities` has one entry per run; entries of complete runs are ignored, and `None` means
/// [`Interval::UNKNOWN`] for every run. The probabilities of the runs vary independently and both bounds are
/// attained, so no narrower interval holds. With an unbounded rule, the lower bound may be minus infinity. A
/// weight of 2 counts as two equal runs, and a weight of 0 has no effect. The result has the same bits in any
/// order of the runs.
///
/// # Errors
///
/// [`Error::At`] with the first run that has no score; [`scoring_rules::Error::Entry`] with the first whose
/// score is NaN or plus infinity; [`scoring_rules::Error::Length`] unless there is one entry per run in each
/// argument; [`Error::ScoringRules`] without a run of positive weight.
///
/// ```
/// use censoring::{
///     Error, Interval, Probability, StopReason, Stopped, Tps, WeightSchedule, from_fn,
///     mean_score_bounds,
/// };
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let forecasts = Probability::from_slice(&[0.5])?;
/// let sure = Probability::from_slice(&[1.0])?;
/// let runs = [
///     Stopped::new(forecasts, Some(false), None)?,
///     Stopped::new(sure, None, Some(StopReason::MaxSteps))?,
/// ];
/// let bounds = mean_score_bounds(&tps, &runs, None, None)?;
/// assert_eq!(bounds, Interval::new(-0.625, -0.125)?);
///
/// // The second run succeeds with a probability of 1/2, plus or minus 1/4.
/// let about_half = Interval::new(Probability::new(0.25)?, Probability::new(0.75)?)?;
/// let chances = [Interval::UNKNOWN, about_half];
/// let bounds = mean_score_bounds(&tps, &runs, Some(&chances), None)?;
/// assert_eq!(bounds, Interval::new(-0.5, -0.25)?);
/// # Ok::<(), Error>(())
/// ```
pub fn mean_score_bounds<R: ScoringRule>(
    tps: &Tps<R>,
    runs: &[Stopped<'_>],
    success_probabilities: Option<&[Interval<Probability>]>,
    weights: Option<&[Weight]>,
) -> Result<Interval, Error> {
    same_length(
        "success_probabilities",
        runs.len(),
        success_probabilities.map_or(runs.len(), <[_]>::len),
    )?;
    let mut means = [ExactMean::default(), ExactMean::default()];
    for_each_run(runs, weights, |i, run, weight| {
        let chance = success_probabilities.map_or(Interval::UNKNOWN, |chances| chances[i]);
        let score = RunScore::new(tps, run, Probability::HALF)?;
        let [a, b] = [chance.low(), chance.high()].map(|q| score.expected_at(q));
        if let Some(value) = [a, b].into_iter().find(|end| end.is_nan() || *end == f64::INFINITY) {
            return Err(no_score(i, value));
        }
        for (mean, value) in means.iter_mut().zip([a.min(b), a.max(b)]) {
            mean.update_weighted(value, weight)?;
        }
        Ok(())
    })?;
    let [low, high] = means;
    Ok(Interval::new(low.finish()?, high.finish()?)?)
}
