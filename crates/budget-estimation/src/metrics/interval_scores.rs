use scoring_rules::{ExactMean, Interval, Level, Observed, Weight, interval_loss, pinball_loss};

use crate::{error::Error, metrics::tally::add_to_means};

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
/// use budget_estimation::{Error, Estimate, Level, Metrics, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut metrics = Metrics::new().with_coverage(Level::HALF);
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(90.0, 110.0)?)?)?;
/// metrics.update(&Sample::new(&rollout, tokens, 2, Estimate::Impossible)?)?;
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
    /// Feasible samples.
    pub samples: f64,
    /// Feasible samples with an interval.
    pub answered: f64,
    /// Samples whose interval contains the remaining cost.
    pub hits: f64,
    /// Samples whose interval lies below the remaining cost.
    pub optimistic: f64,
    /// Samples whose interval lies above the remaining cost.
    pub conservative: f64,
    /// Hits divided by feasible samples; an `impossible` is not a hit.
    pub hit_rate: f64,
    /// Mean interval reward S_k over feasible samples, 0 for an `impossible`; not proper.
    pub interval_reward: f64,
    /// Hits divided by intervals.
    pub coverage: Option<f64>,
    /// Mean width of the intervals, in units of the resource.
    pub mean_width: Option<f64>,
    /// Mean of the width divided by the remaining cost.
    pub mean_relative_width: Option<f64>,
    /// Median of the relative error of the midpoint. A weight is a number of rows here: weights
    /// should add up to about the number of samples, because with a sum of at most 1 every quantile
    /// is the lowest value.
    pub mre_p50: Option<f64>,
    /// 90th percentile of the relative error of the midpoint. Both quantiles interpolate linearly
    /// between order statistics (type 7 of Hyndman and Fan, NumPy's default).
    pub mre_p90: Option<f64>,
    /// Mean interval loss at the nominal coverage; proper, in units of the resource, lower is better. This
    /// and the following losses are `None` without a nominal coverage.
    pub interval_loss: Option<f64>,
    /// Mean pinball loss of the lower bounds, at level `(1 - coverage) / 2`.
    pub low_pinball_loss: Option<f64>,
    /// Mean pinball loss of the upper bounds, at level `(1 + coverage) / 2`.
    pub high_pinball_loss: Option<f64>,
    /// Mean weighted interval loss of the interval with its midpoint as the median:
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
