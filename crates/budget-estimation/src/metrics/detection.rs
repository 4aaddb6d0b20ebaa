use std::collections::BTreeMap;

use crate::{error::Error, replay::sample::Sample};

/// When a failure is first called: over runs that are not feasible, the first prefix with
/// "impossible".
///
/// One entry a failed run is kept. Samples may come in any order and parts can be merged in any
/// order. A run without a sample, such as one of a single turn, is not seen.
///
/// ```
/// use budget_estimation::{DetectionDelay, Error, Estimate, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0, 50.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let mut delay = DetectionDelay::default();
/// let said = [Estimate::interval(0.0, 90.0)?, Estimate::Impossible, Estimate::Impossible];
/// for (k, said) in (1..).zip(said) {
///     delay.update(&Sample::new(&rollout, tokens, k, said)?);
/// }
/// let summary = delay.finish()?;
/// assert_eq!((summary.mean_turns, summary.mean_turn_share), (Some(2.0), 0.5));
/// assert_eq!(summary.mean_spent_share, 70.0 / 200.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct DetectionDelay {
    failed: BTreeMap<usize, Option<Alarm>>,
    /// The run of the last sample, not in the map yet.
    current: Option<(usize, Option<Alarm>)>,
}

/// The first alarm on a run.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Alarm {
    turn: usize,
    turn_share: f64,
    spent_share: f64,
}

/// How late failures were called, from [`DetectionDelay`]. Each failed run counts alike.
///
/// ```
/// use budget_estimation::{DetectionDelay, Error, Estimate, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0, 50.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let mut delay = DetectionDelay::default();
/// delay.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(0.0, 90.0)?)?);
/// let summary = delay.finish()?;
/// assert_eq!((summary.failed, summary.detected, summary.mean_turns), (1, 0, None));
/// assert_eq!((summary.mean_turn_share, summary.median_spent_share), (1.0, 1.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct DetectionSummary {
    /// Failed runs with a sample.
    pub failed: usize,
    /// Those that were called impossible at least once.
    pub detected: usize,
    /// Mean number of turns before the first alarm, over those that were; none where none was.
    pub mean_turns: Option<f64>,
    /// Mean share of turns before the first alarm, k / T, over all; 1 for a run never called.
    pub mean_turn_share: f64,
    /// Mean share of the resource spent before the first alarm, C_k / C_T, over all; 1 for a run
    /// never called and for one that spends nothing.
    pub mean_spent_share: f64,
    /// Median of that share over all failed runs, the mean of the two middle ones where they are
    /// even.
    pub median_spent_share: f64,
}

impl DetectionDelay {
    /// Takes in one sample; feasible ones are passed over.
    #[inline]
    pub fn update(&mut self, sample: &Sample) {
        if sample.is_feasible() {
            return;
        }
        let impossible = sample.estimate() == crate::estimates::estimate::Estimate::Impossible;
        let alarm = impossible.then(|| Alarm {
            turn: sample.turn(),
            turn_share: sample.progress(),
            spent_share: sample.spent_share(),
        });
        match &mut self.current {
            Some((rollout, first)) if *rollout == sample.rollout() => {
                *first = sooner(*first, alarm);
            }
            _ => {
                self.store();
                self.current = Some((sample.rollout(), alarm));
            }
        }
    }

    fn store(&mut self) {
        if let Some((rollout, alarm)) = self.current.take() {
            let first = self.failed.entry(rollout).or_default();
            *first = sooner(*first, alarm);
        }
    }

    /// Takes in everything that `other` has, of the same rollouts: a run in both is one run.
    pub fn merge(&mut self, other: &Self) {
        self.store();
        for (rollout, alarm) in other.entries() {
            let first = self.failed.entry(rollout).or_default();
            *first = sooner(*first, alarm);
        }
    }

    fn entries(&self) -> impl Iterator<Item = (usize, Option<Alarm>)> {
        self.failed.iter().map(|(&rollout, &alarm)| (rollout, alarm)).chain(self.current)
    }

    /// The delays over all samples so far.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a sample of a failed run.
    pub fn finish(&self) -> Result<DetectionSummary, Error> {
        let mut all = self.clone();
        all.store();
        let failed = all.failed.len();
        let alarms: Vec<Alarm> = all.failed.values().copied().flatten().collect();
        let detected = alarms.len();
        let mean = |sum: f64, n: usize| (n > 0).then(|| sum / n as f64);
        let never = (failed - detected) as f64;
        let share = |of: fn(&Alarm) -> f64| {
            mean(alarms.iter().map(of).sum::<f64>() + never, failed).ok_or(Error::Empty)
        };
        let one = |alarm: Option<Alarm>| (alarm.map_or(1.0, |alarm| alarm.spent_share), 1.0);
        let mut shares: Vec<_> = all.failed.values().copied().map(one).collect();
        let [median_spent_share] =
            super::quantile::quantiles(&mut shares, [0.5]).ok_or(Error::Empty)?;
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

fn sooner(a: Option<Alarm>, b: Option<Alarm>) -> Option<Alarm> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if b.turn < a.turn { b } else { a }),
        (a, b) => a.or(b),
    }
}

impl Sample {
    /// Share of the resource that had been spent, C_k / C_T; in [0, 1], and 1 where all that the
    /// run ever spends is nothing.
    #[must_use]
    pub fn spent_share(&self) -> f64 {
        let total = self.used() + self.remaining();
        if total > 0.0 { self.used() / total } else { 1.0 }
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    failed: BTreeMap<usize, Option<Alarm>>,
}

#[cfg(feature = "serde")]
impl From<DetectionDelay> for Stored {
    fn from(state: DetectionDelay) -> Self {
        let mut state = state;
        state.store();
        Self { failed: state.failed }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for DetectionDelay {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let valid = |alarm: &Alarm| share(alarm.turn_share) && share(alarm.spent_share);
        if !stored.failed.values().flatten().all(valid) {
            return Err(Error::StoredState { problem: "shares must be from 0 to 1" });
        }
        Ok(Self { failed: stored.failed, current: None })
    }
}
