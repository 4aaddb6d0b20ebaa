use scoring_rules::{Level, Weight};

use crate::{
    error::Error,
    metrics::{
        feasibility::{FeasibilityCounts, FeasibilitySummary},
        interval_diagnostics::{DiagnosticSummary, IntervalDiagnostics},
        interval_scores::{IntervalScores, IntervalSummary},
        linear_comparison::{LinearComparison, LinearSummary},
    },
    replay::sample::Sample,
};

/// Feasibility, interval scores, the comparison with linear extrapolation and, on request, diagnostics
/// over the same samples.
///
/// Parts can be merged in any order, and a weight of 2 counts as the sample given twice.
///
/// ```
/// use budget_estimation::{Error, Estimate, Level, Metrics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut metrics = Metrics::new().with_coverage(Level::new(0.8)?);
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
    diagnostics: Option<Box<IntervalDiagnostics>>,
}

/// The measures of [`Metrics`].
///
/// ```
/// use budget_estimation::{Error, Estimate, Metrics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// // Intervals are scored only on runs that succeeded.
/// let mut metrics = Metrics::default();
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(90.0, 110.0)?)?)?;
/// let summary = metrics.finish()?;
/// assert_eq!(summary.feasibility.accuracy, 0.0);
/// assert_eq!((summary.intervals, summary.linear), (None, None));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MetricsSummary {
    /// Over all samples.
    pub feasibility: FeasibilitySummary,
    /// Over feasible samples; `None` if there are none.
    pub intervals: Option<IntervalSummary>,
    /// Over feasible samples that have an interval and at least one completed turn; `None` if there
    /// are none.
    pub linear: Option<LinearSummary>,
    /// Over all samples with an interval; `None` if there are none, and unless
    /// [`Metrics::with_diagnostics`] asked for it.
    pub diagnostics: Option<DiagnosticSummary>,
}

impl Metrics {
    /// Measures without a claimed coverage.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Also scores intervals by proper losses; see [`IntervalScores::with_coverage`].
    #[must_use]
    pub fn with_coverage(mut self, coverage: Level) -> Self {
        self.intervals = self.intervals.with_coverage(coverage);
        self
    }

    /// Also computes [`IntervalDiagnostics`], which takes more time. Call it before the first sample.
    #[must_use]
    pub fn with_diagnostics(mut self) -> Self {
        self.diagnostics = Some(Box::default());
        self
    }

    /// Adds one sample.
    ///
    /// # Errors
    ///
    /// As [`IntervalScores::update`]. The sample is not added.
    #[inline]
    pub fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        self.update_weighted(sample, Weight::ONE)
    }

    /// Adds one sample with a weight.
    ///
    /// # Errors
    ///
    /// As [`Metrics::update`].
    #[inline(always)]
    pub fn update_weighted(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        // These two refuse whatever the other measures refuse, so that a sample is added to all or none.
        if self.diagnostics.is_some() {
            self.check_diagnostics(sample, weight)?;
        }
        self.intervals.update_weighted(sample, weight)?;
        self.linear.update_weighted(sample, weight)?;
        self.feasibility.update_weighted(sample, weight);
        if self.diagnostics.is_some() { self.update_diagnostics(sample, weight) } else { Ok(()) }
    }

    /// Kept out of line, so that the usual measures are inlined.
    #[inline(never)]
    fn check_diagnostics(&self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        match &self.diagnostics {
            Some(diagnostics) if weight != Weight::ZERO => diagnostics.check(sample, weight),
            _ => Ok(()),
        }
    }

    #[inline(never)]
    fn update_diagnostics(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        match &mut self.diagnostics {
            Some(diagnostics) => diagnostics.update_weighted(sample, weight),
            None => Ok(()),
        }
    }

    /// Adds all samples of `other`.
    ///
    /// # Errors
    ///
    /// As [`IntervalScores::merge`], and [`Error::Unlike`] if only one has diagnostics.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.diagnostics.is_some() != other.diagnostics.is_some() {
            return Err(Error::Unlike { what: "the diagnostics" });
        }
        self.intervals.merge(&other.intervals)?;
        self.linear.merge(&other.linear)?;
        if let (Some(diagnostics), Some(other)) = (&mut self.diagnostics, &other.diagnostics) {
            diagnostics.merge(other)?;
        }
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
            diagnostics: self.diagnostics.as_ref().and_then(|it| it.finish().ok()),
        })
    }
}
