use std::collections::BTreeMap;

use crate::{
    error::Error,
    metrics::{one_resource::OneResource, quantile::quantiles},
    replay::sample::Sample,
};

/// How early failures are detected: for each run that is not feasible, its first prefix with an
/// impossible estimate (see [`Estimate::predicts_impossible`](crate::Estimate::predicts_impossible)).
///
/// Stores one entry per failed run. Samples may come in any order, and parts can be merged in any
/// order. A run without a sample, such as a run of a single turn, is not counted.
///
/// ```
/// use budget_estimation::{DetectionDelay, Error, Estimate, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0, 50.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let mut delay = DetectionDelay::default();
/// let answers = [Estimate::interval(0.0, 90.0)?, Estimate::Impossible, Estimate::Impossible];
/// for (k, answer) in (1..).zip(answers) {
///     delay.update(&Sample::new(&rollout, tokens, k, answer)?)?;
/// }
/// let summary = delay.finish()?;
/// assert_eq!((summary.mean_turns, summary.mean_turn_share), (Some(2.0), 0.5));
/// assert_eq!(summary.mean_spent_share, 70.0 / 200.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct DetectionDelay {
    resource: OneResource,
    /// The first alarm of each failed run, if it has one.
    failed: BTreeMap<usize, Option<Alarm>>,
}

/// The first alarm of a run.
#[derive(Clone, Copy, Debug)]
struct Alarm {
    turn: usize,
    turn_share: f64,
    spent_share: f64,
}

/// Delays of the detection of failures, from [`DetectionDelay`]. Each failed run counts once.
///
/// ```
/// use budget_estimation::{DetectionDelay, Error, Estimate, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0, 50.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let mut delay = DetectionDelay::default();
/// delay.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(0.0, 90.0)?)?)?;
/// let summary = delay.finish()?;
/// assert_eq!((summary.failed, summary.detected, summary.mean_turns), (1, 0, None));
/// assert_eq!((summary.mean_turn_share, summary.median_spent_share), (1.0, 1.0));
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
    /// Mean share of turns before the first alarm, k / T, over all failed runs; 1 for a run without
    /// an alarm.
    pub mean_turn_share: f64,
    /// Mean share of the resource spent before the first alarm, C_k / C_T, over all failed runs; 1
    /// for a run without an alarm and for a run that spends nothing.
    pub mean_spent_share: f64,
    /// Median of the share spent before the first alarm, over all failed runs.
    pub median_spent_share: f64,
}

impl DetectionDelay {
    /// Adds one sample; samples of feasible runs are ignored.
    ///
    /// # Errors
    ///
    /// [`Error::MixedResources`] if earlier samples have another resource. The sample is not added.
    #[inline]
    pub fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        self.resource.update(sample)?;
        if sample.is_feasible() {
            return Ok(());
        }
        let alarm = sample.predicts_impossible().then(|| Alarm {
            turn: sample.turn(),
            turn_share: sample.progress(),
            spent_share: sample.spent_share(),
        });
        let rollout = sample.rollout();
        let first = match self.failed.last_entry() {
            // Samples mostly come in order.
            Some(last) if *last.key() == rollout => last.into_mut(),
            _ => self.failed.entry(rollout).or_default(),
        };
        *first = earlier(*first, alarm);
        Ok(())
    }

    /// Adds all samples of `other`, which must come from the same rollouts: a run in both is one run.
    ///
    /// # Errors
    ///
    /// [`Error::MixedResources`] if the two have samples of different resources.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.resource.merge(other.resource)?;
        for (&rollout, &alarm) in &other.failed {
            let first = self.failed.entry(rollout).or_default();
            *first = earlier(*first, alarm);
        }
        Ok(())
    }

    /// The delays over all samples so far.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a sample of a failed run.
    pub fn finish(&self) -> Result<DetectionSummary, Error> {
        let failed = self.failed.len();
        let alarms: Vec<Alarm> = self.failed.values().copied().flatten().collect();
        let detected = alarms.len();
        let mean = |sum: f64, n: usize| (n > 0).then(|| sum / n as f64);
        let never = (failed - detected) as f64;
        let share = |share: fn(&Alarm) -> f64| {
            mean(alarms.iter().map(share).sum::<f64>() + never, failed).ok_or(Error::Empty)
        };
        let spent = |alarm: &Option<Alarm>| (alarm.map_or(1.0, |alarm| alarm.spent_share), 1.0);
        let mut shares: Vec<_> = self.failed.values().map(spent).collect();
        let [median_spent_share] = quantiles(&mut shares, [0.5]).ok_or(Error::Empty)?;
        Ok(DetectionSummary {
            failed,
            detected,
            mean_turns: mean(alarms.iter().map(|alarm| alarm.turn as f64).sum(), detected),
            mean_turn_share: share(|alarm| alarm.turn_share)?,
            mean_spent_share: share(|alarm| alarm.spent_share)?,
            median_spent_share,
        })
    }
}

fn earlier(a: Option<Alarm>, b: Option<Alarm>) -> Option<Alarm> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.turn < a.turn { b } else { a }),
        (a, b) => a.or(b),
    }
}

impl Sample {
    /// Share of the resource that was spent, C_k / C_T; in [0, 1], and 1 if the whole run spends
    /// nothing.
    #[must_use]
    pub fn spent_share(&self) -> f64 {
        let total = self.used() + self.remaining();
        if total > 0.0 { self.used() / total } else { 1.0 }
    }
}
