use scoring_rules::{ExactSum, Probability};

use crate::{
    checks::same_length,
    error::Error,
    replay::sample::Sample,
    resource::Resource,
    rollouts::storage::Rollouts,
    stopping::{
        early_stops::EarlyStops,
        sampled_runs::SampledRuns,
        stop_rule::{Alarm, StopRule},
    },
};

/// Counts what stop rules would have saved and lost on finished runs, from the samples of their
/// estimates.
///
/// A run stops at the first prefix to which any rule applies, which saves what the run spent later.
/// False alarms (the paper's false aborts) are all prefixes of feasible runs to which a rule applies,
/// including those after the first. Runs without a sample count as runs that do not stop.
///
/// With [`StopRule::CapExceeded`] among the rules, the runs stop where a
/// [`BudgetMonitor`](crate::BudgetMonitor) of this resource with the other rules stops them; without it,
/// only the estimates do.
///
/// If given, `failure_probabilities` has one entry per sample.
///
/// # Errors
///
/// [`Error::OtherResource`] for a sample of another resource; [`Error::OtherRollouts`] for a sample that
/// does not match its rollout; [`Error::SampleOrder`] unless samples are sorted by rollout and turn;
/// [`Error::NoSuchRollout`] for a sample of a missing rollout; [`Error::Length`] unless there is one
/// probability per sample; [`Error::UnknownCost`] if a cost of a run is unknown.
///
/// ```
/// use budget_estimation::{
///     Error, Estimate, Rollouts, StopRule, early_stopping, estimator_from_fn, score_rollouts,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 30.0], true)?;
/// rollouts.push(&[90.0, 70.0, 40.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
/// let mut careful = estimator_from_fn(|prefix| match prefix.usage().total() {
///     used if used > 150.0 => Ok(Estimate::Impossible),
///     used => Estimate::interval(used, 2.0 * used),
/// });
/// let samples = score_rollouts(&rollouts, tokens, &mut careful)?;
/// let stops = early_stopping(&rollouts, tokens, &samples, None, &[StopRule::first_impossible()])?;
/// assert_eq!(stops.false_abort_rate()?, 0.0);
/// assert_eq!(stops.saved_share()?, 40.0 / 200.0);
/// # Ok::<(), Error>(())
/// ```
pub fn early_stopping(
    rollouts: &Rollouts,
    resource: Resource,
    samples: &[Sample],
    failure_probabilities: Option<&[Probability]>,
    rules: &[StopRule],
) -> Result<EarlyStops, Error> {
    let given = failure_probabilities.map_or(samples.len(), <[Probability]>::len);
    same_length("failure_probabilities", samples.len(), given)?;
    let name = rollouts.column(resource)?.name.clone();
    let mut stops = EarlyStops { resource: Some(name), ..EarlyStops::default() };
    let (mut saved, mut spent) = (ExactSum::default(), ExactSum::default());
    for run in SampledRuns::new(rollouts, resource, samples)? {
        let run = run?;
        let mut alarm = Alarm::new(rules);
        let mut stopped_at: Option<&Sample> = None;
        for (i, sample) in run.samples.iter().enumerate() {
            let stated = failure_probabilities.and_then(|all| all.get(run.first + i)).copied();
            let now = alarm.push(sample, stated);
            if now && stopped_at.is_none() {
                stopped_at = Some(sample);
            }
            if run.feasible {
                stops.success_prefixes += 1;
                stops.false_alarm_prefixes += u64::from(now);
            }
        }
        let stopped = u64::from(stopped_at.is_some());
        if run.feasible {
            stops.successes += 1;
            stops.stopped_successes += stopped;
        } else {
            stops.failures += 1;
            stops.stopped_failures += stopped;
            saved.add(stopped_at.map_or(0.0, Sample::remaining));
            spent.add(run.total);
        }
    }
    stops.saved = saved.value();
    stops.spent_by_failures = spent.value();
    Ok(stops)
}
