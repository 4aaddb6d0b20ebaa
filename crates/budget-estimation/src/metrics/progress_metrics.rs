use crate::{
    checks::setting,
    error::Error,
    metrics::{
        all_measures::{Metrics, MetricsSummary},
        detection::{Detection, DetectionSummary},
        one_resource::OneResource,
    },
    replay::sample::Sample,
};
use scoring_rules::{Level, Weight};

scoring_rules::checked! {
    /// All measures at once: scores over all samples, over the samples after one turn, and in bins by the progress of
    /// the run, and the delay with which failures are detected.
    ///
    /// Parts can be merged in any order. With the feature `serde`, they can be stored before.
    ///
    /// ```
    /// use budget_estimation::{Error, LinearEstimator, ProgressMetrics, Rollouts, Weight};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 30.0, 60.0, 40.0], true)?;
    /// rollouts.push(&[70.0, 90.0, 90.0], false)?;
    /// let tokens = rollouts.resource("tokens")?;
    /// rollouts.set_cap(tokens, 200.0)?;
    ///
    /// let mut linear = LinearEstimator::new(4.0, 0.25)?;
    /// let mut metrics = ProgressMetrics::new(5)?;
    /// for sample in rollouts.score(tokens, &mut linear)? {
    ///     metrics.update(&sample, Weight::ONE)?;
    /// }
    /// let summary = metrics.finish()?;
    /// assert_eq!(summary.all_turns.feasibility.macro_f1, Some(1.0));
    /// assert_eq!(summary.all_turns.intervals.map(|scores| scores.hits), Some(3.0));
    /// assert_eq!(summary.detection.map(|delay| delay.mean_turns), Some(Some(1.0)));
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug)]
    pub struct ProgressMetrics {
        resource: OneResource,
        axis: ProgressAxis,
        first_turn: Metrics,
        /// Each sample is in exactly one bin.
        bins: Vec<Metrics>,
        detection: Detection,
    }
    check: Self::check
}

/// The values of the measures, from [`ProgressMetrics`].
///
/// ```
/// use budget_estimation::{Error, Estimate, ProgressMetrics, Rollouts, Sample, Weight};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut metrics = ProgressMetrics::new(2)?;
/// metrics.update(&Sample::new(&rollout, tokens, 2, Estimate::interval(70.0, 90.0)?)?, Weight::ONE)?;
/// let summary = metrics.finish()?;
/// assert_eq!(summary.all_turns.feasibility.accuracy, 1.0);
/// assert_eq!((summary.first_turn, summary.detection), (None, None));
/// // After two of three turns a run is in its second half.
/// assert_eq!(summary.by_progress, [None, Some(summary.all_turns)]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ProgressSummary {
    /// The measures over all samples with a remaining cost above 0. [`MetricsSummary::trivial`] counts the other
    /// samples.
    pub all_turns: MetricsSummary,
    /// The measures over samples after one turn, k = 1; `None` if there are none. A sample before the first turn
    /// ([`Rollout::score_probe`](crate::Rollout::score_probe), k = 0) is not one of them.
    pub first_turn: Option<MetricsSummary>,
    /// The measures in bins by the progress of the run. Bin b of n has the samples whose progress p (k / T by default)
    /// satisfies b / n <= p < (b + 1) / n; `None` for an empty bin. In each bin, `feasibility.impossible.recall` is
    /// the share of prefixes of infeasible runs with an alarm.
    pub by_progress: Vec<Option<MetricsSummary>>,
    /// The detection of failures, over failed runs; `None` if there are none.
    pub detection: Option<DetectionSummary>,
}

impl ProgressMetrics {
    /// Creates measures with this number of bins. Samples are put into bins by progress, which is the share k / T of
    /// completed turns unless [`ProgressMetrics::with_axis`] sets another axis.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless there are 1 to 1000 bins.
    pub fn new(bins: usize) -> Result<Self, Error> {
        let valid = (1..=1000).contains(&bins);
        setting("number of bins", bins as f64, valid, "from 1 to 1000")?;
        Ok(Self {
            resource: OneResource::default(),
            axis: ProgressAxis::default(),
            first_turn: Metrics::default(),
            bins: vec![Metrics::default(); bins],
            detection: Detection::default(),
        })
    }

    /// Adds proper losses of intervals; see [`Metrics::with_coverage`].
    #[must_use]
    pub fn with_coverage(mut self, coverage: Level) -> Self {
        self.first_turn = self.first_turn.with_coverage(coverage);
        self.bins = self.bins.into_iter().map(|bin| bin.with_coverage(coverage)).collect();
        self
    }

    /// Adds diagnostics; see [`Metrics::with_diagnostics`].
    #[must_use]
    pub fn with_diagnostics(mut self) -> Self {
        self.first_turn = self.first_turn.with_diagnostics();
        self.bins = self.bins.into_iter().map(Metrics::with_diagnostics).collect();
        self
    }

    /// Sets the measure of progress by which samples are put into bins. Call it before the first sample.
    #[must_use]
    pub const fn with_axis(mut self, axis: ProgressAxis) -> Self {
        self.axis = axis;
        self
    }

    /// Adds one sample with a weight, such as [`Weight::ONE`]. A sample of weight 0 is ignored. The delay of detection
    /// does not depend on other weights: each failed run with a sample that is not trivial counts once.
    ///
    /// # Errors
    ///
    /// As [`Metrics::update`]; [`scoring_rules::Error::Undefined`] for a sample without a cap if bins are shares of
    /// the cap. The sample is not added.
    #[inline]
    pub fn update(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        if weight == Weight::ZERO {
            return Ok(());
        }
        self.resource.check(sample)?;
        let bin = self.axis.bin(sample, self.bins.len())?;
        if let Some(bin) = self.bins.get_mut(bin) {
            bin.update(sample, weight)?;
        }
        if sample.turn() == 1 {
            self.first_turn.update(sample, weight)?;
        }
        if !sample.is_trivial() {
            self.detection.update(sample);
        }
        self.resource.update(sample)
    }

    /// Adds all samples of `other`, which must come from the same rollouts.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] unless both have the same bins and the same measures, and if the two have samples of different
    /// resources. No sample is added.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.bins.len() != other.bins.len() || self.axis != other.axis {
            return Err(Error::unlike("the bins"));
        }
        let mut resource = self.resource;
        resource.merge(other.resource)?;
        self.first_turn.merge(&other.first_turn)?;
        for (bin, other) in self.bins.iter_mut().zip(&other.bins) {
            bin.merge(other)?;
        }
        self.detection.merge(&other.detection);
        self.resource = resource;
        Ok(())
    }

    /// Returns the measures over all samples so far.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without a sample of positive weight.
    pub fn finish(&self) -> Result<ProgressSummary, Error> {
        let (first, others) = self.bins.split_first().ok_or(scoring_rules::Error::Empty)?;
        let mut all_turns = first.clone();
        others.iter().try_for_each(|bin| all_turns.merge(bin))?;
        Ok(ProgressSummary {
            all_turns: all_turns.finish()?,
            first_turn: self.first_turn.finish().ok(),
            by_progress: self.bins.iter().map(|bin| bin.finish().ok()).collect(),
            detection: self.detection.finish(),
        })
    }
}

#[cfg(feature = "serde")]
impl ProgressMetrics {
    fn check(&self) -> Result<(), Error> {
        let mut all = Self::new(self.bins.len())?.resource;
        let mut together = self.first_turn.clone();
        for bin in &self.bins {
            together.merge(bin)?;
            all.merge(bin.resource)?;
        }
        all.merge(self.first_turn.resource)?;
        let valid = all == self.resource && self.detection.is_valid(all);
        crate::checks::stored(valid, "bins and alarms must be of one resource")
    }
}

/// The measure of progress by which [`ProgressMetrics`](crate::ProgressMetrics) puts samples into bins.
///
/// ```
/// use budget_estimation::{Error, Estimate, ProgressAxis, ProgressMetrics, Rollouts, Sample, Weight};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[30.0, 10.0, 60.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let late = Sample::new(&rollout, tokens, 2, Estimate::Impossible)?;
///
/// // After two of three turns, 40 % are spent.
/// let alarm_rate = |axis| -> Result<Vec<Option<f64>>, Error> {
///     let mut metrics = ProgressMetrics::new(2)?.with_axis(axis);
///     metrics.update(&late, Weight::ONE)?;
///     let bins = metrics.finish()?.by_progress;
///     Ok(bins.iter().map(|bin| bin.and_then(|bin| bin.feasibility.impossible.recall)).collect())
/// };
/// assert_eq!(alarm_rate(ProgressAxis::Turns)?, [None, Some(1.0)]);
/// assert_eq!(alarm_rate(ProgressAxis::Spent)?, [Some(1.0), None]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum ProgressAxis {
    /// The share of the run's turns, k / T.
    #[default]
    Turns,
    /// The share of the total cost of the run, C_k / C_T; 1 if the total is 0.
    Spent,
    /// The share of the cap, C_k / cap. Samples at or above the cap are in the last bin; a sample without
    /// a cap is an error.
    Cap,
}

impl ProgressAxis {
    /// Returns the bin of a sample among `bins`.
    #[inline]
    pub(super) fn bin(self, sample: &Sample, bins: usize) -> Result<usize, Error> {
        let of_share = |share: f64| ((share * bins as f64) as usize).min(bins - 1);
        Ok(match self {
            // In whole numbers, so that a sample on a border is in the upper bin.
            Self::Turns => {
                (sample.turn() as u64 * bins as u64 / sample.turns().max(1) as u64) as usize
            }
            Self::Spent => of_share(sample.spent_share()),
            Self::Cap => {
                let reason = "a sample has no cap";
                let none = scoring_rules::checks::undefined("the spent share of the cap", reason);
                let cap = sample.cap().ok_or(none)?;
                of_share(if cap > 0.0 { sample.used() / cap } else { 1.0 })
            }
        })
    }
}
