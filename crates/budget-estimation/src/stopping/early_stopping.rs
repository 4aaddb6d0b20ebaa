use scoring_rules::{ExactSum, Probability};

use crate::{
    checks::same_length,
    error::Error,
    replay::sample::{Sample, same_prefixes},
    resource::Resource,
    rollouts::storage::Rollouts,
    stopping::{
        early_stops::EarlyStops,
        sampled_runs::sampled_runs,
        stop_rule::{Seen, StopRule},
    },
};

/// Computes what stop rules would have saved and lost on finished runs, given the samples of these runs.
///
/// A run stops at the first prefix to which any rule applies. This saves its remaining cost. False alarms (the paper's false
/// aborts) are all prefixes of feasible runs to which a rule applies, including those after the first. Runs without a sample
/// count as runs that do not stop.
///
/// With [`StopRule::CapExceeded`] among the rules, the runs stop where a
/// [`BudgetMonitor`](crate::BudgetMonitor) of this resource with the other rules stops them; without it,
/// only the estimates do.
///
/// If given, `failure_probabilities` has one entry per sample.
///
/// # Errors
///
/// [`Error::NoSuchResource`] for a rule about another resource;
/// [`Error::Sample`] for a sample of another resource, for a sample that does not match its rollout, and unless
/// samples are sorted by rollout and turn;
/// [`Error::NoSuchRollout`] for a sample of a missing rollout; [`scoring_rules::Error::Length`] unless there is one
/// probability per sample; [`Error::UnknownCost`] if a cost of a run is unknown.
///
/// ```
/// use budget_estimation::{Error, Estimate, Rollouts, StopRule, early_stopping, estimator_from_fn};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 30.0], true)?;
/// rollouts.push(&[90.0, 70.0, 40.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
/// let mut careful = estimator_from_fn(|prefix| match prefix.usage().total() {
///     used if used > 150.0 => Ok(Estimate::Impossible),
///     used => Estimate::interval(used, 2.0 * used),
/// });
/// let samples = rollouts.score(tokens, &mut careful)?;
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
    let resources = [(resource, samples)];
    let mut stops = joint_early_stopping(rollouts, &resources, failure_probabilities, rules)?;
    Ok(stops.pop().ok_or(scoring_rules::Error::Empty)?)
}

/// Computes what stop rules would have saved and lost on finished runs with estimates of several resources. Returns one
/// result per resource, in the same order.
///
/// A run stops at the first prefix to which any rule applies: an estimate of any resource is impossible, or with
/// [`StopRule::CapExceeded`] any cap is exceeded; [`StopRule::NotWorthwhile`] has its resource. The results
/// therefore differ only in the amounts saved and spent. With [`StopRule::CapExceeded`] among the rules, the runs stop where
/// a [`BudgetMonitor`](crate::BudgetMonitor) of these resources with the other rules stops them.
///
/// Each resource comes with its samples. They belong to the same prefixes as the samples of the first resource, in the same
/// order. If given, `failure_probabilities` has one entry per prefix.
///
/// # Errors
///
/// [`scoring_rules::Error::Empty`] without a resource; [`scoring_rules::Error::Length`] or [`Error::Unlike`] if the samples of two
/// resources belong to different prefixes; otherwise as [`early_stopping`].
///
/// ```
/// use budget_estimation::{
///     Error, Estimate, Rollouts, StopRule, estimator_from_fn, joint_early_stopping,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens", "usd"])?;
/// rollouts.push(&[50.0, 1.0, 20.0, 2.0, 30.0, 5.0], false)?;
/// let [tokens, usd] = ["tokens", "usd"].map(|name| rollouts.resource(name));
/// let (tokens, usd) = (tokens?, usd?);
/// let mut open = estimator_from_fn(|_| Estimate::interval(0.0, 50.0));
/// // Only the estimate of money says at the second turn that the run will fail.
/// let mut careful = estimator_from_fn(|prefix| match prefix.turns() {
///     1 => Estimate::interval(1.0, 10.0),
///     _ => Ok(Estimate::Impossible),
/// });
/// let of_tokens = rollouts.score(tokens, &mut open)?;
/// let of_usd = rollouts.score(usd, &mut careful)?;
/// let resources = [(tokens, &of_tokens[..]), (usd, &of_usd[..])];
/// let stops = joint_early_stopping(&rollouts, &resources, None, &[StopRule::first_impossible()])?;
/// assert_eq!((stops[0].saved_share()?, stops[1].saved_share()?), (0.3, 5.0 / 8.0));
/// # Ok::<(), Error>(())
/// ```
pub fn joint_early_stopping(
    rollouts: &Rollouts,
    resources: &[(Resource, &[Sample])],
    failure_probabilities: Option<&[Probability]>,
    rules: &[StopRule],
) -> Result<Vec<EarlyStops>, Error> {
    let ((_, samples), others) = resources.split_first().ok_or(scoring_rules::Error::Empty)?;
    let given = failure_probabilities.map_or(samples.len(), <[Probability]>::len);
    same_length("failure_probabilities", samples.len(), given)?;
    others.iter().try_for_each(|(_, other)| same_prefixes(samples, other))?;
    let rules = rules.iter().map(|&rule| {
        let of = |resource| resources.iter().position(|&(other, _)| other == resource);
        rule.resource().map_or(Ok((rule, 0)), |resource| {
            of(resource).map(|at| (rule, at)).ok_or_else(|| resource.unknown())
        })
    });
    let rules = rules.collect::<Result<Vec<(StopRule, usize)>, Error>>()?;
    let (mut shown, mut last) =
        (Vec::with_capacity(resources.len()), vec![[false; 2]; resources.len()]);
    let parts = resources.iter().map(|&(resource, samples)| {
        let name = rollouts.column(resource)?.name.clone();
        let sums = [(); 2].map(|()| ExactSum::default());
        Ok((name, sampled_runs(rollouts, resource, samples)?, sums))
    });
    let mut parts = parts.collect::<Result<Vec<_>, Error>>()?;
    let mut stops = EarlyStops::default();
    for index in 0..rollouts.len() {
        let runs = || parts.iter().map(|(_, runs, _)| &runs[index]);
        let Some(first) = runs().next() else { break };
        let (feasible, mut in_a_row, mut stopped_at) = (first.feasible, [0; 2], None);
        last.fill([false; 2]);
        for at in 0..first.samples.len() {
            let stated = failure_probabilities.and_then(|all| all.get(first.first + at)).copied();
            let samples = runs().filter_map(|run| run.samples.get(at));
            shown.clear();
            shown.extend(samples.map(|sample| (sample.estimate(), sample.left())));
            let seen = Seen::new(&mut in_a_row, last.iter_mut(), &shown, stated);
            let now = rules.iter().any(|&(rule, at)| rule.holds(&seen, at));
            if now && stopped_at.is_none() {
                stopped_at = Some(at);
            }
            if feasible {
                stops.success_prefixes += 1;
                stops.false_alarm_prefixes += u64::from(now);
            }
        }
        let stopped = u64::from(stopped_at.is_some());
        if feasible {
            stops.successes += 1;
            stops.stopped_successes += stopped;
            continue;
        }
        stops.failures += 1;
        stops.stopped_failures += stopped;
        for (_, runs, [saved, spent]) in &mut parts {
            let stopped_at = stopped_at.and_then(|at| runs[index].samples.get(at));
            saved.add(stopped_at.map_or(0.0, Sample::remaining));
            spent.add(runs[index].total);
        }
    }
    let results = parts.into_iter().map(|(name, _, [saved, spent])| EarlyStops {
        saved: saved.value(),
        spent_by_failures: spent.value(),
        resource: Some(name),
        ..stops.clone()
    });
    Ok(results.collect())
}
