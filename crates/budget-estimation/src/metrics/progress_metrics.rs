use scoring_rules::{Level, Weight};

use crate::{
    error::Error,
    metrics::{
        combined::{Metrics, MetricsSummary},
        detection::{DetectionDelay, DetectionSummary},
        one_resource::OneResource,
    },
    replay::sample::Sample,
};

/// All measures at once: over all turns, over the first turn alone, by how far the run was, and how
/// late failures were called.
///
/// Parts can be merged in any order.
///
/// ```
/// use budget_estimation::{Error, LinearEstimator, ProgressMetrics, Rollouts, score_rollouts};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 30.0, 60.0, 40.0], true)?;
/// rollouts.push(&[70.0, 90.0, 90.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
/// rollouts.set_cap(tokens, 200.0)?;
///
/// let mut linear = LinearEstimator::new(4.0, 0.25)?;
/// let mut metrics = ProgressMetrics::new(5, None)?;
/// for sample in score_rollouts(&rollouts, tokens, &mut linear)? {
///     metrics.update(&sample)?;
/// }
/// let summary = metrics.finish()?;
/// assert_eq!(summary.all_turns.feasibility.macro_f1, Some(1.0));
/// assert_eq!(summary.all_turns.intervals.map(|scores| scores.hits), Some(3.0));
/// assert_eq!(summary.detection.map(|delay| delay.mean_turns), Some(Some(1.0)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct ProgressMetrics {
    resource: OneResource,
    first_turn: Metrics,
    /// Each sample is in one of them.
    bins: Vec<Metrics>,
    detection: DetectionDelay,
}

/// All measures, from [`ProgressMetrics`].
///
/// ```
/// use budget_estimation::{Error, Estimate, ProgressMetrics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut metrics = ProgressMetrics::new(2, None)?;
/// metrics.update(&Sample::new(&rollout, tokens, 2, Estimate::interval(70.0, 90.0)?)?)?;
/// let summary = metrics.finish()?;
/// assert_eq!(summary.all_turns.feasibility.accuracy, 1.0);
/// assert_eq!((summary.first_turn, summary.detection), (None, None));
/// // After two of three turns a run is in the second half.
/// assert_eq!(summary.by_progress, [None, Some(summary.all_turns)]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct ProgressSummary {
    /// Over every sample.
    pub all_turns: MetricsSummary,
    /// Over samples after one turn, k = 1; none where there is none. Samples of a
    /// [`score_probe`](crate::score_probe), k = 0, are not among them: give these metrics of
    /// their own.
    pub first_turn: Option<MetricsSummary>,
    /// Bin b of n holds the samples with b / n <= k / T < (b + 1) / n; none where there is none.
    pub by_progress: Vec<Option<MetricsSummary>>,
    /// Over failed runs; none where there is none.
    pub detection: Option<DetectionSummary>,
}

/// The stored form, not checked yet.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    resource: OneResource,
    first_turn: Metrics,
    bins: Vec<Metrics>,
    detection: DetectionDelay,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for ProgressMetrics {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let Stored { resource, first_turn, bins, detection } = stored;
        if !(1..=1000).contains(&bins.len()) {
            return Err(Error::StoredState { problem: "there must be 1 to 1000 bins" });
        }
        if !bins.iter().all(|bin| bin.claims_as(&first_turn)) {
            return Err(Error::StoredState { problem: "all parts must claim the same coverage" });
        }
        Ok(Self { resource, first_turn, bins, detection })
    }
}

impl ProgressMetrics {
    /// With so many bins by how far the run was, k / T, and proper losses where intervals claim to
    /// be central ones of some coverage.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless there are 1 to 1000 bins.
    pub fn new(bins: usize, coverage: Option<Level>) -> Result<Self, Error> {
        if !(1..=1000).contains(&bins) {
            let (name, range) = ("number of bins", "from 1 to 1000");
            return Err(Error::Setting { name, value: bins as f64, range });
        }
        let empty = coverage.map_or_else(Metrics::default, Metrics::claiming);
        Ok(Self {
            resource: OneResource::default(),
            first_turn: empty.clone(),
            bins: vec![empty; bins],
            detection: DetectionDelay::default(),
        })
    }

    /// Takes in one sample.
    ///
    /// # Errors
    ///
    /// As [`Metrics::update`].
    #[inline]
    pub fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        self.add(sample, Weight::ONE)
    }

    /// Takes in one sample of the given weight. How late failures are called counts each run alike,
    /// unless its weight is 0.
    ///
    /// # Errors
    ///
    /// As [`Metrics::update`].
    pub fn update_weighted(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        self.add(sample, weight)
    }

    #[inline]
    fn add(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        if weight != Weight::ZERO {
            self.resource.check(sample)?;
        }
        // In whole numbers, so that a sample on a border is in the upper bin.
        let bin = sample.turn() as u128 * self.bins.len() as u128 / sample.turns().max(1) as u128;
        if let Some(bin) = self.bins.get_mut(bin as usize) {
            bin.add(sample, weight)?;
        }
        if sample.turn() == 1 {
            self.first_turn.add(sample, weight)?;
        }
        if weight != Weight::ZERO {
            self.resource.take(sample);
            self.detection.update(sample);
        }
        Ok(())
    }

    /// Takes in everything that `other` has, of the same rollouts.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] unless both have the same bins and claim the same coverage;
    /// [`Error::MixedResources`] if their samples are of different resources.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.bins.len() != other.bins.len() {
            return Err(Error::Unlike { what: "the number of bins" });
        }
        self.resource.merge(other.resource)?;
        self.first_turn.merge(&other.first_turn)?;
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.merge(more)?;
        }
        self.detection.merge(&other.detection);
        Ok(())
    }

    /// The measures over all samples so far.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a sample of positive weight.
    pub fn finish(&self) -> Result<ProgressSummary, Error> {
        let mut all_turns = self.first_turn.empty();
        self.bins.iter().try_for_each(|bin| all_turns.merge(bin))?;
        Ok(ProgressSummary {
            all_turns: all_turns.finish()?,
            first_turn: self.first_turn.finish().ok(),
            by_progress: self.bins.iter().map(|bin| bin.finish().ok()).collect(),
            detection: self.detection.finish().ok(),
        })
    }
}
