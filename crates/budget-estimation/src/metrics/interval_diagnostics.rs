use scoring_rules::{ExactMean, Weight};

use crate::{
    error::Error,
    metrics::{
        interval_reward::Miss,
        one_resource::OneResource,
        tally::{Tally, add_to_means, finish_means, merge_means},
    },
    replay::sample::Sample,
};

/// Directions and widths of intervals, for the diagnostic figures of the paper.
///
/// Unlike [`IntervalScores`](crate::IntervalScores), misses and widths are counted over the intervals of all
/// runs, including runs that fail. Parts can be merged in any order, and a weight of 2 counts as the
/// sample given twice.
///
/// ```
/// use budget_estimation::{Error, Estimate, IntervalDiagnostics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let tokens = rollouts.resource("tokens")?;
/// rollouts.set_cap(tokens, 200.0)?;
///
/// let mut diagnostics = IntervalDiagnostics::default();
/// // 100 remain in both runs.
/// for (rollout, high) in rollouts.iter().zip([80.0, 110.0]) {
///     diagnostics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(60.0, high)?)?)?;
/// }
/// let summary = diagnostics.finish()?;
/// assert_eq!((summary.intervals, summary.optimistic, summary.hits), (2.0, 1.0, 1.0));
/// // Widths of 20 and 50 under a cap of 200.
/// assert_eq!(summary.mean_width_over_cap, Some(0.175));
/// // Over the feasible run: its midpoint is 30 too low, and its half-width is 10.
/// assert_eq!(summary.mean_midpoint_bias, Some(-0.3));
/// assert_eq!(summary.mean_width_adequacy, Some(10.0 / 30.0));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, sections 4.2 and 5.2, figures 6, 11 and 12.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct IntervalDiagnostics {
    resource: OneResource,
    hits: Tally,
    optimistic: Tally,
    conservative: Tally,
    width_over_cap: [ExactMean; 1],
    /// Signed midpoint bias and width adequacy, over feasible samples.
    calibration: [ExactMean; 2],
}

/// Directions and widths of intervals, from [`IntervalDiagnostics`]. Counts are sums of weights.
///
/// ```
/// use budget_estimation::{Error, Estimate, Metrics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let mut metrics = Metrics::new().with_diagnostics();
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(60.0, 80.0)?)?)?;
/// // A miss on a run that failed counts as well; there is no feasible sample and no cap.
/// let summary = metrics.finish()?.diagnostics.ok_or(Error::Empty)?;
/// assert_eq!((summary.optimistic_share, summary.conservative_share), (1.0, 0.0));
/// assert_eq!((summary.mean_midpoint_bias, summary.mean_width_over_cap), (None, None));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DiagnosticSummary {
    /// Samples with an interval, feasible or not.
    pub intervals: f64,
    /// Intervals that contain what remained.
    pub hits: f64,
    /// Intervals below what remained: optimistic misses.
    pub optimistic: f64,
    /// Intervals above what remained: conservative misses.
    pub conservative: f64,
    /// Optimistic misses divided by intervals, in [0, 1].
    pub optimistic_share: f64,
    /// Conservative misses divided by intervals, in [0, 1].
    pub conservative_share: f64,
    /// Mean of the width divided by the cap, over the intervals of runs with a cap above 0; `None` if there
    /// are none.
    pub mean_width_over_cap: Option<f64>,
    /// Mean signed error of the midpoint divided by what remained, over feasible samples with an interval;
    /// negative if the estimates are too low. `None` if there are none.
    pub mean_midpoint_bias: Option<f64>,
    /// Mean width adequacy, in [0, 1], over feasible samples with an interval: the half-width divided by
    /// the absolute error of the midpoint, at most 1. It is 1 for a hit. `None` if there are none. The
    /// paper names this quantity without defining it.
    pub mean_width_adequacy: Option<f64>,
}

impl IntervalDiagnostics {
    /// Adds one sample.
    ///
    /// # Errors
    ///
    /// [`Error::NothingRemains`] for a feasible sample of which nothing remained; [`Error::TooLarge`]
    /// for an interval whose relative error or width, times the weight, overflows;
    /// [`Error::MixedResources`] if earlier samples have another resource. The sample is not added.
    #[inline]
    pub fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        self.update_weighted(sample, Weight::ONE)
    }

    /// Adds one sample with a weight.
    ///
    /// # Errors
    ///
    /// As [`IntervalDiagnostics::update`].
    pub fn update_weighted(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        if weight == Weight::ZERO {
            return Ok(());
        }
        let Some(values) = Values::new(sample, weight)? else {
            return self.resource.update(sample);
        };
        self.resource.update(sample)?;
        match sample.miss() {
            Some(Miss::Optimistic) => self.optimistic.add(weight),
            Some(Miss::Conservative) => self.conservative.add(weight),
            None => self.hits.add(weight),
        }
        if let Some(width) = values.width_over_cap {
            add_to_means(&mut self.width_over_cap, [width], weight)?;
        }
        match values.calibration {
            Some(values) => add_to_means(&mut self.calibration, values, weight),
            None => Ok(()),
        }
    }

    /// Returns the error that adding this sample would return.
    pub(super) fn check(&self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        self.resource.check(sample)?;
        Values::new(sample, weight).map(|_| ())
    }

    /// Adds all samples of `other`.
    ///
    /// # Errors
    ///
    /// [`Error::MixedResources`] if the two have samples of different resources.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        self.resource.merge(other.resource)?;
        self.hits.merge(&other.hits);
        self.optimistic.merge(&other.optimistic);
        self.conservative.merge(&other.conservative);
        merge_means(&mut self.width_over_cap, &other.width_over_cap);
        merge_means(&mut self.calibration, &other.calibration);
        Ok(())
    }

    /// The diagnostics of all samples so far.
    ///
    /// # Errors
    ///
    /// [`Error::Undefined`] without an interval of positive weight.
    pub fn finish(&self) -> Result<DiagnosticSummary, Error> {
        let [hits, optimistic, conservative] =
            [&self.hits, &self.optimistic, &self.conservative].map(Tally::value);
        let intervals = hits + optimistic + conservative;
        if intervals.is_nan() || intervals <= 0.0 {
            let reason = "no sample has an interval";
            return Err(Error::Undefined { name: "the direction of misses", reason });
        }
        let [mean_width_over_cap] = finish_means(&self.width_over_cap);
        let [mean_midpoint_bias, mean_width_adequacy] = finish_means(&self.calibration);
        Ok(DiagnosticSummary {
            intervals,
            hits,
            optimistic,
            conservative,
            optimistic_share: optimistic / intervals,
            conservative_share: conservative / intervals,
            mean_width_over_cap,
            mean_midpoint_bias,
            mean_width_adequacy,
        })
    }
}

/// What one interval adds to the means.
struct Values {
    width_over_cap: Option<f64>,
    /// Bias and adequacy of a feasible sample.
    calibration: Option<[f64; 2]>,
}

impl Values {
    /// `None` without an interval.
    fn new(sample: &Sample, weight: Weight) -> Result<Option<Self>, Error> {
        let Some(ends) = sample.estimate().ends() else { return Ok(None) };
        let width_over_cap = sample.cap().filter(|&cap| cap > 0.0).map(|cap| ends.width() / cap);
        let mut calibration = None;
        if sample.is_feasible() {
            sample.check_remaining()?;
            let half = ends.width() / 2.0;
            let error = ends.low() + half - sample.remaining();
            // Rounding of the midpoint must not give a hit less than 1.
            let adequacy = if sample.is_hit() { 1.0 } else { (half / error.abs()).min(1.0) };
            calibration = Some([error / sample.remaining(), adequacy]);
        }
        let [bias, _] = calibration.unwrap_or_default();
        sample.check_size(&[width_over_cap.unwrap_or(0.0), bias], weight)?;
        Ok(Some(Self { width_over_cap, calibration }))
    }
}
