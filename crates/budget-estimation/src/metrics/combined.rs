use scoring_rules::{Level, Weight};

use crate::{
    error::Error,
    metrics::{
        feasibility::{FeasibilityCounts, FeasibilitySummary},
        interval_scores::{IntervalScores, IntervalSummary},
        linear_comparison::{LinearComparison, LinearSummary},
    },
    replay::sample::Sample,
};

/// Feasibility, intervals and the comparison with linear extrapolation over the same samples.
///
/// Parts can be merged in any order, and a weight of 2 is the sample given twice.
///
/// ```
/// use budget_estimation::{Error, Estimate, Level, Metrics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut metrics = Metrics::claiming(Level::new(0.8)?);
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(90.0, 110.0)?)?)?;
/// let summary = metrics.finish()?;
/// assert_eq!(summary.feasibility.accuracy, 1.0);
/// assert_eq!(summary.intervals.map(|intervals| intervals.interval_loss), Some(Some(20.0)));
/// assert_eq!(summary.linear.map(|linear| linear.linear_error), Some(0.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Metrics {
    feasibility: FeasibilityCounts,
    intervals: IntervalScores,
    linear: LinearComparison,
}

/// All of these measures, from [`Metrics`].
///
/// ```
/// use budget_estimation::{Error, Estimate, Metrics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// // Intervals are scored on runs that succeeded only.
/// let mut metrics = Metrics::default();
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(90.0, 110.0)?)?)?;
/// let summary = metrics.finish()?;
/// assert_eq!(summary.feasibility.accuracy, 0.0);
/// assert_eq!((summary.intervals, summary.linear), (None, None));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct MetricsSummary {
    /// Over all samples.
    pub feasibility: FeasibilitySummary,
    /// Over feasible samples; none where there is none.
    pub intervals: Option<IntervalSummary>,
    /// Over feasible samples with an interval after at least one turn; none where there is none.
    pub linear: Option<LinearSummary>,
}

impl Metrics {
    /// Scores intervals by proper losses too, at the coverage that they claim.
    #[must_use]
    pub fn claiming(coverage: Level) -> Self {
        Self { intervals: IntervalScores::claiming(coverage), ..Self::default() }
    }

    /// Whether both claim the same coverage, or none.
    #[cfg(feature = "serde")]
    pub(super) fn claims_as(&self, other: &Self) -> bool {
        self.intervals.claims_as(&other.intervals)
    }

    /// Of no sample, with the same claim.
    pub(super) fn empty(&self) -> Self {
        Self { intervals: self.intervals.empty(), ..Self::default() }
    }

    /// Takes in one sample.
    ///
    /// # Errors
    ///
    /// As [`IntervalScores::update`]; nothing is taken in then.
    #[inline]
    pub fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        self.add(sample, Weight::ONE)
    }

    /// Takes in one sample of the given weight.
    ///
    /// # Errors
    ///
    /// As [`Metrics::update`].
    pub fn update_weighted(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        self.add(sample, weight)
    }

    #[inline]
    pub(super) fn add(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        // The intervals come first: where they refuse a sample, so does the rest.
        self.intervals.add(sample, weight)?;
        self.linear.add(sample, weight)?;
        self.feasibility.add(sample, weight);
        Ok(())
    }

    /// Takes in everything that `other` has.
    ///
    /// # Errors
    ///
    /// As [`IntervalScores::merge`].
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.intervals.merge(&other.intervals)?;
        self.linear.merge(&other.linear)?;
        self.feasibility.merge(&other.feasibility);
        Ok(())
    }

    /// The measures over all samples so far.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a sample of positive weight.
    pub fn finish(&self) -> Result<MetricsSummary, Error> {
        Ok(MetricsSummary {
            feasibility: self.feasibility.finish()?,
            intervals: self.intervals.finish().ok(),
            linear: self.linear.finish().ok(),
        })
    }
}
