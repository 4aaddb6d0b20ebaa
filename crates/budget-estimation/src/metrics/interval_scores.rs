use crate::{
    error::Error,
    metrics::tally::{Tally, add_to_means, finish_means, merge_means, ratio},
    replay::sample::Sample,
};
use scoring_rules::{ExactMean, Interval, Level, Observed, Weight, interval_loss, pinball_loss};

/// Mean losses of intervals with a nominal coverage.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct ProperLosses {
    pub(super) coverage: Level,
    /// Interval loss, pinball losses of both ends, and weighted interval loss.
    pub(super) losses: [ExactMean; 4],
}

/// Scores of the intervals of feasible samples, from [`Metrics`](crate::Metrics). A sample is feasible if its
/// run succeeded within its caps. Counts are sums of weights.
///
/// The fields that average over intervals are `None` if no feasible sample has an interval. They exclude
/// feasible samples predicted impossible. An estimator that answers only easy samples therefore scores well
/// in them. Read them together with `answered` and `hit_rate`.
///
/// ```
/// use budget_estimation::{Error, Estimate, Level, Metrics, Rollouts, Sample, Weight};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut metrics = Metrics::default().with_coverage(Level::HALF);
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(90.0, 110.0)?)?, Weight::ONE)?;
/// metrics.update(&Sample::new(&rollout, tokens, 2, Estimate::Impossible)?, Weight::ONE)?;
/// let summary = metrics.finish()?.intervals.ok_or(scoring_rules::Error::Empty)?;
/// assert_eq!((summary.samples, summary.answered, summary.hits), (2.0, 1.0, 1.0));
/// assert_eq!((summary.hit_rate, summary.coverage), (0.5, Some(1.0)));
/// assert!((summary.interval_reward - 0.4).abs() < 1e-15);
/// assert_eq!((summary.mean_width, summary.mre_p50), (Some(20.0), Some(0.0)));
/// assert_eq!((summary.interval_loss, summary.low_pinball_loss), (Some(20.0), Some(2.5)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct IntervalSummary {
    /// Number of feasible samples.
    pub samples: f64,
    /// Number of feasible samples with an interval.
    pub answered: f64,
    /// Number of samples whose interval contains the remaining cost (hits).
    pub hits: f64,
    /// Number of samples whose interval lies below the remaining cost.
    pub optimistic: f64,
    /// Number of samples whose interval lies above the remaining cost.
    pub conservative: f64,
    /// Number of hits divided by the number of feasible samples; the answer `impossible` is not a hit.
    pub hit_rate: f64,
    /// Mean interval reward S_k over feasible samples, where the answer `impossible` has the reward 0. It is not
    /// proper.
    pub interval_reward: f64,
    /// Number of hits divided by the number of intervals.
    pub coverage: Option<f64>,
    /// Mean width of the intervals, in units of the resource.
    pub mean_width: Option<f64>,
    /// Mean over the intervals of the width divided by the remaining cost.
    pub mean_relative_width: Option<f64>,
    /// Median of the relative error of the midpoint. Here a weight counts as a number of rows, so that weights should
    /// add up to about the number of samples: if they add up to at most 1, every quantile is the lowest value.
    pub mre_p50: Option<f64>,
    /// 90th percentile of the relative error of the midpoint. Both quantiles interpolate linearly
    /// between order statistics (type 7 of Hyndman and Fan, NumPy's default).
    pub mre_p90: Option<f64>,
    /// Mean interval loss at the nominal coverage, in units of the resource; proper, and lower is better. This and the
    /// following losses are `None` without a nominal coverage.
    pub interval_loss: Option<f64>,
    /// Mean pinball loss of the lower bounds, at level `(1 - coverage) / 2`.
    pub low_pinball_loss: Option<f64>,
    /// Mean pinball loss of the upper bounds, at level `(1 + coverage) / 2`.
    pub high_pinball_loss: Option<f64>,
    /// Mean weighted interval loss, for which the midpoint m of the interval is taken as the median:
    /// `(|m - R| / 2 + (1 - coverage) / 2 * interval loss) / (3/2)`.
    pub weighted_interval_loss: Option<f64>,
}

impl ProperLosses {
    pub(super) fn new(coverage: Level) -> Self {
        Self { coverage, losses: Default::default() }
    }

    pub(super) fn update_weighted(
        &mut self,
        ends: Interval,
        remaining: f64,
        weight: Weight,
    ) -> Result<(), Error> {
        let outcome = Observed::exact(remaining)?;
        let tail = 1.0 - self.coverage.get();
        let loss = interval_loss(ends, outcome, self.coverage);
        let low = pinball_loss(ends.low(), outcome, Level::new(tail / 2.0)?)?;
        let high = pinball_loss(ends.high(), outcome, Level::new(1.0 - tail / 2.0)?)?;
        let middle = pinball_loss(ends.low() + ends.width() / 2.0, outcome, Level::HALF)?;
        let weighted = (middle + tail / 2.0 * loss) / 1.5;
        add_to_means(&mut self.losses, [loss, low, high, weighted], weight)
    }
}

/// The means of the diagnostics.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct Diagnostics {
    width_over_cap: [ExactMean; 1],
    /// Signed midpoint bias and width adequacy, over feasible samples.
    calibration: [ExactMean; 2],
}

/// Diagnostics of intervals for the figures of the paper, from
/// [`Metrics::with_diagnostics`](crate::Metrics::with_diagnostics): in which direction intervals miss, and how wide
/// they are.
///
/// Unlike [`IntervalSummary`](crate::IntervalSummary), misses and widths are counted over the intervals of all
/// runs, including runs that fail.
///
/// ```
/// use budget_estimation::{Error, Estimate, Metrics, Rollouts, Sample, Weight};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// let mut metrics = Metrics::default().with_diagnostics();
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(60.0, 80.0)?)?, Weight::ONE)?;
/// // A miss on a run that failed counts as well; there is no feasible sample and no cap.
/// let summary = metrics.finish()?.diagnostics.ok_or(scoring_rules::Error::Empty)?;
/// assert_eq!((summary.optimistic_share, summary.conservative_share), (1.0, 0.0));
/// assert_eq!((summary.mean_midpoint_bias, summary.mean_width_over_cap), (None, None));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, sections 4.2 and 5.2, figures 6, 11 and 12.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct DiagnosticSummary {
    /// The share of intervals that lie below the remaining cost, over feasible and infeasible runs.
    pub optimistic_share: f64,
    /// The share of intervals that lie above the remaining cost, over feasible and infeasible runs.
    pub conservative_share: f64,
    /// Mean over intervals of the width divided by the cap, for runs with a cap above 0; `None` if there are none.
    pub mean_width_over_cap: Option<f64>,
    /// Mean signed error of the midpoint divided by the remaining cost, over feasible samples with an
    /// interval; negative if the estimates are too low. `None` if there are none.
    pub mean_midpoint_bias: Option<f64>,
    /// Mean width adequacy, in [0, 1], over feasible samples with an interval: the half-width divided by
    /// the absolute error of the midpoint, at most 1. It is 1 for a hit. `None` if there are none. The
    /// paper names this quantity without defining it.
    pub mean_width_adequacy: Option<f64>,
}

impl Diagnostics {
    /// Adds an interval with this width and signed error of the midpoint, of which the sizes are checked.
    #[inline(never)]
    pub(super) fn update(
        &mut self,
        sample: &Sample,
        [width, error]: [f64; 2],
        weight: Weight,
    ) -> Result<(), Error> {
        if let Some(cap) = sample.cap().filter(|cap| *cap > 0.0) {
            let share = ratio(width, cap, weight);
            add_to_means(&mut self.width_over_cap, [share], weight)?;
        }
        if !sample.is_feasible() {
            return Ok(());
        }
        // Rounding of the midpoint must not give a hit less than 1.
        let adequacy = if sample.is_hit() { 1.0 } else { (width / 2.0 / error.abs()).min(1.0) };
        let bias = ratio(error, sample.remaining(), weight);
        add_to_means(&mut self.calibration, [bias, adequacy], weight)
    }

    pub(super) fn merge(&mut self, other: &Self) {
        merge_means(&mut self.width_over_cap, &other.width_over_cap);
        merge_means(&mut self.calibration, &other.calibration);
    }

    /// Returns the summary with the numbers of hits, optimistic and conservative misses; `None` without an
    /// interval.
    pub(super) fn finish(&self, sides: [Tally; 3]) -> Option<DiagnosticSummary> {
        let [hits, optimistic, conservative] = sides.each_ref().map(Tally::value);
        let intervals = hits + optimistic + conservative;
        let [mean_width_over_cap] = finish_means(&self.width_over_cap);
        let [mean_midpoint_bias, mean_width_adequacy] = finish_means(&self.calibration);
        (intervals > 0.0).then(|| DiagnosticSummary {
            optimistic_share: optimistic / intervals,
            conservative_share: conservative / intervals,
            mean_width_over_cap,
            mean_midpoint_bias,
            mean_width_adequacy,
        })
    }
}

/// A comparison of the absolute errors of interval midpoints with those of the linear extrapolation `(C_k / k) T - C_k`
/// after k of T turns, from [`Metrics`](crate::Metrics).
///
/// Counts feasible samples that have an interval and at least one completed turn. The extrapolation uses the
/// number of turns T of the finished run, which no estimator knows, so it is a strong reference.
///
/// ```
/// use budget_estimation::{Error, Estimate, Metrics, Rollouts, Sample, Weight};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut metrics = Metrics::default();
/// // After turn 1, 100 remain. Two more turns of 50 make 100; the midpoint is 90.
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(80.0, 100.0)?)?, Weight::ONE)?;
/// // After turn 2, 80 remain. One more turn of 35 makes 35; the midpoint is 75.
/// metrics.update(&Sample::new(&rollout, tokens, 2, Estimate::interval(70.0, 80.0)?)?, Weight::ONE)?;
/// let summary = metrics.finish()?.linear.ok_or(scoring_rules::Error::Empty)?;
/// assert_eq!((summary.estimate_error, summary.linear_error), (7.5, 22.5));
/// assert_eq!((summary.reduction, summary.relative_reduction), (15.0, Some(15.0 / 22.5)));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 4.1 and figure 4.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct LinearSummary {
    /// Mean absolute error of the midpoints, in units of the resource.
    pub estimate_error: f64,
    /// Mean absolute error of the extrapolation.
    pub linear_error: f64,
    /// Mean paired difference of the absolute errors, extrapolation minus midpoint; positive if the estimator is
    /// closer.
    pub reduction: f64,
    /// The reduction divided by the mean absolute error of the extrapolation, at most 1; `None` if that error is 0.
    pub relative_reduction: Option<f64>,
}

impl LinearSummary {
    /// Takes the errors of the midpoint, the errors of the extrapolation, and the second minus the first; `None` if
    /// no sample counts.
    pub(super) fn new(errors: &[ExactMean; 3]) -> Option<Self> {
        let [estimate_error, linear_error, reduction] = finish_means(errors);
        let (estimate_error, linear_error, reduction) =
            (estimate_error?, linear_error?, reduction?);
        let relative_reduction = (linear_error > 0.0).then(|| reduction / linear_error);
        Some(Self { estimate_error, linear_error, reduction, relative_reduction })
    }
}

impl Sample {
    /// Absolute error of the extrapolation.
    #[inline]
    pub(super) fn linear_error(&self) -> Option<f64> {
        Some((self.linear_reference()? - self.remaining()).abs())
    }
}
