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
#[non_exhaustive]
pub struct StoppingPoint {
    /// The threshold: runs stop when their probability of failure is at least this.
    pub at_least: Probability,
    /// The savings and losses at this threshold.
    pub stops: EarlyStops,
}

/// Returns the cost-benefit curve of early stopping: the result of [`early_stopping`](crate::early_stopping) with each
/// distinct probability of failure as the threshold, from the highest to the lowest. Each point saves and loses at
/// least as much as the point before.
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
        let chances = failure_probabilities.get(run.first..).unwrap_or_default();
        if run.feasible {
            whole.successes += 1;
            whole.success_prefixes += run.samples.len() as u64;
        } else {
            whole.failures += 1;
            spent.add(run.total);
        }
        // The prefixes above all before them. One of them stops the run at thresholds above the one before it.
        let mut records: Vec<(Probability, f64)> = Vec::new();
        for (sample, &at) in run.samples.iter().zip(chances) {
            changes.push((at, Change::Holds { feasible: run.feasible }));
            if records.last().is_none_or(|(highest, _)| at > *highest) {
                records.push((at, sample.remaining()));
            }
        }
        for (i, &(at, saved)) in records.iter().enumerate() {
            let instead_of = records.get(i + 1).map(|(_, saved)| *saved);
            changes.push((at, Change::Stop { feasible: run.feasible, saved, instead_of }));
        }
    }
    whole.spent_by_failures = spent.value();
    changes.sort_by(|(a, _), (b, _)| b.get().total_cmp(&a.get()));
    let mut saved = ExactSum::default();
    let mut curve: Vec<StoppingPoint> = Vec::new();
    for level in changes.chunk_by(|(a, _), (b, _)| a == b) {
        for (_, change) in level {
            match *change {
                Change::Holds { feasible } => whole.false_alarm_prefixes += u64::from(feasible),
                Change::Stop { feasible: true, instead_of, .. } => {
                    whole.stopped_successes += u64::from(instead_of.is_none());
                }
                Change::Stop { saved: more, instead_of, .. } => {
                    whole.stopped_failures += u64::from(instead_of.is_none());
                    saved.add(more);
                    saved.add(-instead_of.unwrap_or(0.0));
                }
            }
        }
        whole.saved = saved.value();
        let Some(&(at_least, _)) = level.first() else { continue };
        curve.push(StoppingPoint { at_least, stops: whole.clone() });
    }
    Ok(curve)
}

/// A change of the result when the threshold falls to a stated probability.
enum Change {
    /// The rule holds at one more prefix.
    Holds { feasible: bool },
    /// A run stops, or stops earlier than at a prefix that saved less.
    Stop { feasible: bool, saved: f64, instead_of: Option<f64> },
}
