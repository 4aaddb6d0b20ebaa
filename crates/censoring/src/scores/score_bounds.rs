use scoring_rules::{ExactMean, checks::same_length};
use trajectory_metrics::{Interval, Probability, ScoringRule, Tps};

use crate::{
    Weight,
    checks::no_score,
    error::Error,
    scores::{run_score::RunScore, weighted_runs::for_each_run},
    stops::stopped::Stopped,
};

/// Returns the range of the [`exact_score`](crate::exact_score()) of a run if the probability of success after
/// its stop lies in an interval.
///
/// ```text
/// the lower and the higher of  q S1 + (1 - q) S0  at  q = low  and  q = high
/// ```
///
/// The score is linear in that probability, so its extremes are at the bounds of the interval. For
/// [`Interval::UNKNOWN`], they are the scores as a failure and as a success. These need no estimate and no
/// assumption about the stop. A complete run has one score. The range is in the units of the rule.
///
/// Reference: Manski (1990), Nonparametric bounds on treatment effects, for bounds instead of assumptions.
///
/// # Errors
///
/// The errors of [`exact_score`](crate::exact_score()); [`scoring_rules::Error::Entry`], for run 0, if one of the
/// two scores is NaN or plus infinity.
///
/// ```
/// use censoring::{
///     Error, Interval, Probability, StopReason, Stopped, Tps, WeightSchedule, from_fn,
///     score_bounds,
/// };
///
/// let brier = from_fn(|p: Probability, y: bool| -(p.get() - f64::from(y)).powi(2));
/// let tps = Tps::new(brier, WeightSchedule::Uniform);
/// let forecasts = Probability::from_slice(&[0.75])?;
/// let cut_off = Stopped::new(forecasts, None, Some(StopReason::MaxSteps))?;
/// let bounds = score_bounds(&tps, &cut_off, Interval::UNKNOWN)?;
/// assert_eq!(bounds, Interval::new(-0.5625, -0.0625)?);
///
/// let at_least_half = Interval::new(Probability::HALF, Probability::ONE)?;
/// let bounds = score_bounds(&tps, &cut_off, at_least_half)?;
/// assert_eq!(bounds, Interval::new(-0.3125, -0.0625)?);
/// # Ok::<(), Error>(())
/// ```
pub fn score_bounds<R: ScoringRule>(
    tps: &Tps<R>,
    run: &Stopped<'_>,
    success_probability: Interval<Probability>,
) -> Result<Interval, Error> {
    let score = RunScore::new(tps, run, Probability::HALF)?;
    let ends =
        [success_probability.low(), success_probability.high()].map(|q| score.expected_at(q));
    // A minimum would hide NaN.
    for value in ends {
        if value.is_nan() || value == f64::INFINITY {
            return Err(no_score(0, value));
        }
    }
    Ok(Interval::new(ends[0].min(ends[1]), ends[0].max(ends[1]))?)
}

/// Returns the smallest and largest mean of [`exact_score`](crate::exact_score()) over runs if the probability of
/// success after each stop is known to lie in an interval. These are the means of the lower and of the upper
/// bounds.
///
/// `success_probabilities` has one entry per run; entries of complete runs are ignored, and `None` means
/// [`Interval::UNKNOWN`] for every run. The probabilities of the runs vary independently and both bounds are
/// attained, so no narrower interval holds. With an unbounded rule, the lower bound may be minus infinity. A
/// weight of 2 counts as two equal runs, and a weight of 0 has no effect. The result has the same bits in any
/// order of the runs.
///
/// # Errors
///
/// [`Error::Run`] with the first run that has no score; [`scoring_rules::Error::Entry`] with the first whose
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
/// let about_half = Interval::around(Probability::HALF, 0.5)?;
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
        let bounds = score_bounds(tps, run, chance).map_err(|error| match error {
            Error::ScoringRules(scoring_rules::Error::Entry { value, .. }) => no_score(i, value),
            other => other,
        })?;
        for (mean, value) in means.iter_mut().zip([bounds.low(), bounds.high()]) {
            mean.update_weighted(value, weight)?;
        }
        Ok(())
    })?;
    let [low, high] = means;
    Ok(Interval::new(low.finish()?, high.finish()?)?)
}
