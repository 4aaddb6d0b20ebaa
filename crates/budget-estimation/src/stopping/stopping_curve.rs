use scoring_rules::{ExactSum, Probability};

use crate::{
    checks::same_length,
    error::Error,
    replay::sample::Sample,
    resource::Resource,
    rollouts::storage::Rollouts,
    stopping::{early_stops::EarlyStops, sampled_runs::sampled_runs},
};

/// The effect of early stopping at one threshold of the probability of failure.
///
/// ```
/// use budget_estimation::{Error, Estimate, Probability, Rollouts, Sample, stopping_curve};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[90.0, 70.0, 40.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let samples = [Sample::new(&rollout, tokens, 2, Estimate::NoAnswer)?];
/// let curve = stopping_curve(&rollouts, tokens, &samples, &[Probability::HALF])?;
/// assert_eq!(curve[0].at_least, Probability::HALF);
/// assert_eq!((curve[0].stops.saved, curve[0].stops.failures), (40.0, 1));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StoppingPoint {
    /// The threshold: runs stop when their probability of failure is at least this.
    pub at_least: Probability,
    /// What that saves and loses.
    pub stops: EarlyStops,
}

/// Returns the cost-benefit curve of early stopping: [`early_stopping`](crate::early_stopping) at every
/// distinct probability of failure, from the highest down. Each point saves and loses at least as much as the
/// point before.
///
/// `failure_probabilities` has one entry per sample. Takes O(n log n) for n samples.
///
/// # Errors
///
/// As [`early_stopping`](crate::early_stopping).
///
/// ```
/// use budget_estimation::{
///     Error, Estimate, Probability, Rollouts, estimator_from_fn, stopping_curve,
/// };
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 30.0], true)?;
/// rollouts.push(&[90.0, 70.0, 40.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
/// let mut silent = estimator_from_fn(|_| Ok(Estimate::NoAnswer));
/// let samples = rollouts.score(tokens, &mut silent)?;
/// let stated = [0.1, 0.3, 0.2, 0.8];
///
/// let curve = stopping_curve(&rollouts, tokens, &samples, Probability::from_slice(&stated)?)?;
/// // At 0.8 only the failed run stops, after its second turn. At 0.3 the other run stops too.
/// assert_eq!(curve[0].stops.saved_share()?, 40.0 / 200.0);
/// assert_eq!((curve[0].stops.success_lost()?, curve[1].stops.success_lost()?), (0.0, 1.0));
/// # Ok::<(), Error>(())
/// ```
pub fn stopping_curve(
    rollouts: &Rollouts,
    resource: Resource,
    samples: &[Sample],
    failure_probabilities: &[Probability],
) -> Result<Vec<StoppingPoint>, Error> {
    same_length("failure_probabilities", samples.len(), failure_probabilities.len())?;
    let name = rollouts.column(resource)?.name.clone();
    let mut whole = EarlyStops { resource: Some(name), ..EarlyStops::default() };
    let mut spent = ExactSum::default();
    let mut changes = Vec::with_capacity(samples.len());
    for run in sampled_runs(rollouts, resource, samples)? {
        if run.feasible {
            whole.successes += 1;
            whole.success_prefixes += run.samples.len() as u64;
        } else {
            whole.failures += 1;
            spent.add(run.total);
        }
        changes_of(
            run.samples,
            run.feasible,
            failure_probabilities.get(run.first..).unwrap_or_default(),
            &mut changes,
        );
    }
    whole.spent_by_failures = spent.value();
    changes.sort_by(|a: &Change, b| b.at.get().total_cmp(&a.at.get()));

    let mut saved = ExactSum::default();
    let mut curve: Vec<StoppingPoint> = Vec::new();
    for level in changes.chunk_by(|a, b| a.at == b.at) {
        for change in level {
            whole.false_alarm_prefixes += u64::from(change.feasible);
            let Some(more) = change.more_saved else { continue };
            let first = u64::from(change.first_stop);
            if change.feasible {
                whole.stopped_successes += first;
            } else {
                whole.stopped_failures += first;
                saved.add(more.0);
                saved.add(-more.1);
            }
        }
        whole.saved = saved.value();
        let Some(at_least) = level.first().map(|change| change.at) else { continue };
        curve.push(StoppingPoint { at_least, stops: whole.clone() });
    }
    Ok(curve)
}

/// The change when the threshold falls to the probability of one sample.
struct Change {
    at: Probability,
    feasible: bool,
    /// If the run stops here from now on: what that saves, and what its previous stop saved.
    more_saved: Option<(f64, f64)>,
    /// Whether the run did not stop before.
    first_stop: bool,
}

/// Adds the changes of one run. As the threshold falls, the stop of the run moves from one record of
/// its probabilities to the previous record.
fn changes_of(
    samples: &[Sample],
    feasible: bool,
    chances: &[Probability],
    changes: &mut Vec<Change>,
) {
    let mut record: Option<(Probability, usize)> = None;
    for (sample, &at) in samples.iter().zip(chances) {
        let is_record = record.is_none_or(|(highest, _)| at > highest);
        if is_record {
            // The previous record stops the run at lower thresholds, and saves more than this one.
            if let Some(before) = record.and_then(|(_, i)| changes.get_mut(i)) {
                before.first_stop = false;
                if let Some((_, later)) = &mut before.more_saved {
                    *later = sample.remaining();
                }
            }
            record = Some((at, changes.len()));
        }
        changes.push(Change {
            at,
            feasible,
            more_saved: is_record.then(|| (sample.remaining(), 0.0)),
            first_stop: is_record,
        });
    }
}
