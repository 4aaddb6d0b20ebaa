use std::collections::BTreeMap;

use scoring_rules::ExactMean;

#[cfg(feature = "serde")]
use crate::metrics::one_resource::OneResource;
use crate::{metrics::quantile::quantiles, replay::sample::Sample};

/// The first alarm of each failed run, if it has one.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct Detection(BTreeMap<usize, Option<Sample>>);

/// The delay with which failures are detected, from [`ProgressMetrics`](crate::ProgressMetrics). For each run that is
/// not feasible, the delay lasts until the first alarm: the first prefix with an estimate that
/// [predicts](crate::Estimate::predicts_impossible) that the run cannot succeed. Each failed run counts once. A run
/// without a sample, such as a run of a single turn, is not counted.
///
/// ```
/// use budget_estimation::{Error, Estimate, ProgressMetrics, Rollouts, Sample, Weight};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0, 50.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let mut metrics = ProgressMetrics::new(1)?;
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(0.0, 90.0)?)?, Weight::ONE)?;
/// let never = metrics.finish()?.detection.ok_or(scoring_rules::Error::Empty)?;
/// assert_eq!((never.failed, never.detected, never.mean_turns), (1, 0, None));
/// assert_eq!((never.mean_turn_share, never.median_spent_share), (1.0, 1.0));
///
/// metrics.update(&Sample::new(&rollout, tokens, 2, Estimate::Impossible)?, Weight::ONE)?;
/// let summary = metrics.finish()?.detection.ok_or(scoring_rules::Error::Empty)?;
/// assert_eq!((summary.mean_turns, summary.mean_turn_share), (Some(2.0), 0.5));
/// assert_eq!(summary.mean_spent_share, 70.0 / 200.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DetectionSummary {
    /// Failed runs that have a sample.
    pub failed: usize,
    /// Failed runs with at least one alarm.
    pub detected: usize,
    /// Mean number of turns before the first alarm, over detected runs; `None` if there are none.
    pub mean_turns: Option<f64>,
    /// Mean share of a run's turns that were taken before the first alarm, k / T, over all failed runs; 1 for a run
    /// without an alarm.
    pub mean_turn_share: f64,
    /// Mean share of the resource that a run had spent before the first alarm, C_k / C_T, over all failed runs; 1 for
    /// a run without an alarm and for a run that spends nothing.
    pub mean_spent_share: f64,
    /// Median share of the resource that a run had spent before the first alarm, over all failed runs.
    pub median_spent_share: f64,
}

impl Detection {
    /// Adds one sample; samples of feasible runs are ignored.
    #[inline]
    pub(super) fn update(&mut self, sample: &Sample) {
        if sample.is_feasible() {
            return;
        }
        let rollout = sample.rollout();
        let first = match self.0.last_entry() {
            // Samples mostly come in order.
            Some(last) if *last.key() == rollout => last.into_mut(),
            _ => self.0.entry(rollout).or_default(),
        };
        *first = earlier(*first, sample.predicts_impossible().then_some(*sample));
    }

    /// Adds the samples of `other`, which must come from the same rollouts: a run in both is one run.
    pub(super) fn merge(&mut self, other: &Self) {
        for (&rollout, &alarm) in &other.0 {
            let first = self.0.entry(rollout).or_default();
            *first = earlier(*first, alarm);
        }
    }

    /// Returns whether these are alarms on failed runs, of this resource.
    #[cfg(feature = "serde")]
    pub(super) fn is_valid(&self, resource: OneResource) -> bool {
        self.0.iter().all(|(&rollout, alarm)| {
            alarm.is_none_or(|alarm| {
                let failed = !alarm.is_feasible() && alarm.rollout() == rollout;
                failed && alarm.predicts_impossible() && resource.check(&alarm).is_ok()
            })
        })
    }

    /// Returns the delays over all samples so far; `None` without a sample of a failed run.
    pub(super) fn finish(&self) -> Option<DetectionSummary> {
        let failed = self.0.len();
        let alarms = || self.0.values().flatten();
        let turns = alarms().map(|alarm| alarm.turn() as f64);
        let share = |share: fn(&Sample) -> f64| {
            let shares = self.0.values().map(|alarm| alarm.as_ref().map_or(1.0, share));
            shares.collect::<ExactMean>().finish().ok()
        };
        let spent = |alarm: &Option<Sample>| (alarm.map_or(1.0, |it| it.spent_share()), 1.0);
        let mut shares: Vec<_> = self.0.values().map(spent).collect();
        let [median_spent_share] = quantiles(&mut shares, [0.5])?;
        Some(DetectionSummary {
            failed,
            detected: alarms().count(),
            mean_turns: turns.collect::<ExactMean>().finish().ok(),
            mean_turn_share: share(Sample::progress)?,
            mean_spent_share: share(Sample::spent_share)?,
            median_spent_share,
        })
    }
}

/// Returns the alarm of the earlier turn.
fn earlier(a: Option<Sample>, b: Option<Sample>) -> Option<Sample> {
    a.into_iter().chain(b).min_by_key(Sample::turn)
}

impl Sample {
    /// Share of the resource that was spent, C_k / C_T; in [0, 1], and 1 if the whole run spends
    /// nothing.
    #[must_use]
    pub(crate) fn spent_share(&self) -> f64 {
        let total = self.used() + self.remaining();
        if total > 0.0 { self.used() / total } else { 1.0 }
    }
}
