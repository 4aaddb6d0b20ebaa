use scoring_rules::{ExactMean, Interval, Level, Observed, Weight, interval_loss, pinball_loss};

use crate::{
    error::Error,
    metrics::{
        interval_reward::{Miss, reward},
        one_resource::OneResource,
        quantile::quantiles,
        tally::{Tally, add_to_means, finish_means, merge_means},
    },
    replay::sample::Sample,
};

/// Scores the intervals of feasible samples: samples of runs that succeeded within their caps. All
/// other samples are ignored.
///
/// Parts can be merged in any order, and a weight of 2 counts as the sample given twice. Stores one
/// number per sample for the quantiles of the midpoint error.
///
/// ```
/// use budget_estimation::{Error, Estimate, IntervalScores, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut scores = IntervalScores::default();
/// scores.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(90.0, 110.0)?)?)?;
/// scores.update(&Sample::new(&rollout, tokens, 2, Estimate::Impossible)?)?;
/// let summary = scores.finish()?;
/// assert_eq!((summary.hit_rate, summary.coverage), (0.5, Some(1.0)));
/// assert!((summary.interval_reward - 0.4).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct IntervalScores {
    resource: OneResource,
    feasible: Tally,
    answered: Tally,
    hits: Tally,
    optimistic: Tally,
    conservative: Tally,
    reward: [ExactMean; 1],
    /// Width, and width relative to what remained.
    widths: [ExactMean; 2],
    /// Relative errors of midpoints, each with its weight.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "errors_with_weights"))]
    midpoint_errors: Vec<(f64, f64)>,
    proper: Option<Box<ProperLosses>>,
}

/// Mean losses of intervals that claim a coverage.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct ProperLosses {
    coverage: Level,
    /// Interval loss, pinball losses of both ends, and weighted interval loss.
    losses: [ExactMean; 4],
}

/// Scores of intervals, from [`IntervalScores`]. Counts are sums of weights.
///
/// The fields that average over intervals are `None` if no feasible sample has an interval. They do
/// not count feasible samples that were called impossible, so an estimator that answers only easy
/// samples looks good in them: read them together with `answered` and `hit_rate`.
///
/// ```
/// use budget_estimation::{Error, Estimate, IntervalScores, Level, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut scores = IntervalScores::new().with_coverage(Level::HALF);
/// scores.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(90.0, 110.0)?)?)?;
/// let summary = scores.finish()?;
/// assert_eq!((summary.samples, summary.answered, summary.hits), (1.0, 1.0, 1.0));
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
    /// Samples whose interval contains what remained.
    pub hits: f64,
    /// Samples whose interval lies below what remained.
    pub optimistic: f64,
    /// Samples whose interval lies above what remained.
    pub conservative: f64,
    /// Hits divided by feasible samples; an `impossible` is not a hit.
    pub hit_rate: f64,
    /// Mean interval reward S_k over feasible samples, 0 for an `impossible`; not proper.
    pub interval_reward: f64,
    /// Hits divided by intervals.
    pub coverage: Option<f64>,
    /// Mean width of the intervals, in units of the resource.
    pub mean_width: Option<f64>,
    /// Mean of the width divided by what remained.
    pub mean_relative_width: Option<f64>,
    /// Median of the relative error of the midpoint. A weight is a number of rows here: weights
    /// should add up to about the number of samples, because with a sum of at most 1 every quantile
    /// is the lowest value.
    pub mre_p50: Option<f64>,
    /// 90th percentile of the relative error of the midpoint. Both quantiles interpolate linearly
    /// between order statistics (type 7 of Hyndman and Fan, NumPy's default).
    pub mre_p90: Option<f64>,
    /// Mean interval loss at the claimed coverage; proper, in units of the resource, lower is
    /// better. This and the following losses are `None` unless a coverage is claimed.
    pub interval_loss: Option<f64>,
    /// Mean pinball loss of the lower ends, at level `(1 - coverage) / 2`.
    pub low_pinball_loss: Option<f64>,
    /// Mean pinball loss of the upper ends, at level `(1 + coverage) / 2`.
    pub high_pinball_loss: Option<f64>,
    /// Mean weighted interval loss of the interval with its midpoint as the median:
    /// `(|m - R| / 2 + (1 - coverage) / 2 * interval loss) / (3/2)`.
    pub weighted_interval_loss: Option<f64>,
}

/// Reads errors that are finite and at least 0, with valid weights.
#[cfg(feature = "serde")]
fn errors_with_weights<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<(f64, f64)>, D::Error> {
    let errors: Vec<(f64, f64)> = serde::Deserialize::deserialize(deserializer)?;
    let valid = |&(error, weight): &(f64, f64)| {
        (0.0..f64::INFINITY).contains(&error) && Weight::new(weight).is_ok()
    };
    if errors.iter().all(valid) {
        return Ok(errors);
    }
    let problem = "errors must be finite and at least 0, with the weights of samples";
    Err(serde::de::Error::custom(Error::StoredValue { problem }))
}

impl IntervalScores {
    /// Scores without a claimed coverage.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Also scores the intervals by proper losses, as central intervals with this coverage. Call it
    /// before the first sample: the losses do not count earlier samples.
    #[must_use]
    pub fn with_coverage(mut self, coverage: Level) -> Self {
        self.proper = Some(Box::new(ProperLosses { coverage, losses: Default::default() }));
        self
    }

    /// Adds one sample.
    ///
    /// # Errors
    ///
    /// [`Error::NothingRemains`] for a feasible sample of which nothing remained;
    /// [`Error::TooLarge`] for an interval whose relative error, or a number times the weight,
    /// overflows; [`Error::MixedResources`] if earlier samples have another resource. The sample is
    /// not added.
    #[inline]
    pub fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        self.update_weighted(sample, Weight::ONE)
    }

    /// Adds one sample with a weight.
    ///
    /// # Errors
    ///
    /// As [`IntervalScores::update`].
    #[inline(always)]
    pub fn update_weighted(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        if weight == Weight::ZERO {
            return Ok(());
        }
        if !sample.is_feasible() {
            return self.resource.update(sample);
        }
        sample.check_remaining()?;
        let Some(ends) = sample.estimate().ends() else {
            self.resource.update(sample)?;
            self.feasible.add(weight);
            return add_to_means(&mut self.reward, [0.0], weight);
        };
        let (width, remaining) = (ends.width(), sample.remaining());
        let midpoint_error = (ends.low() + width / 2.0 - remaining).abs();
        let [relative_width, relative_error] = [width / remaining, midpoint_error / remaining];
        let sizes = [width, midpoint_error, relative_width, relative_error];
        sample.check_size(&sizes, weight)?;
        self.resource.update(sample)?;
        self.feasible.add(weight);
        self.answered.add(weight);
        match sample.miss() {
            Some(Miss::Optimistic) => self.optimistic.add(weight),
            Some(Miss::Conservative) => self.conservative.add(weight),
            None => self.hits.add(weight),
        }
        add_to_means(&mut self.reward, [reward(sample.estimate(), remaining)], weight)?;
        add_to_means(&mut self.widths, [width, relative_width], weight)?;
        self.midpoint_errors.push((relative_error, weight.get()));
        match &mut self.proper {
            Some(proper) => proper.update_weighted(ends, remaining, weight),
            None => Ok(()),
        }
    }

    /// Adds all samples of `other`.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] unless both claim the same coverage, or neither claims one;
    /// [`Error::MixedResources`] if the two have samples of different resources.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        let claimed = |scores: &Self| scores.proper.as_ref().map(|proper| proper.coverage);
        if claimed(self) != claimed(other) {
            return Err(Error::Unlike { what: "the claimed coverage" });
        }
        self.resource.merge(other.resource)?;
        self.feasible.merge(&other.feasible);
        self.answered.merge(&other.answered);
        self.hits.merge(&other.hits);
        self.optimistic.merge(&other.optimistic);
        self.conservative.merge(&other.conservative);
        merge_means(&mut self.reward, &other.reward);
        merge_means(&mut self.widths, &other.widths);
        self.midpoint_errors.extend_from_slice(&other.midpoint_errors);
        if let (Some(proper), Some(other)) = (&mut self.proper, &other.proper) {
            merge_means(&mut proper.losses, &other.losses);
        }
        Ok(())
    }

    /// The scores of all samples so far. Sorts the midpoint errors once.
    ///
    /// # Errors
    ///
    /// [`Error::Undefined`] without a feasible sample of positive weight.
    pub fn finish(&self) -> Result<IntervalSummary, Error> {
        let [Some(interval_reward)] = finish_means(&self.reward) else {
            let reason = "no sample belongs to a run that succeeded within its caps";
            return Err(Error::Undefined { name: "the interval score", reason });
        };
        let [samples, answered, hits, optimistic, conservative] =
            [&self.feasible, &self.answered, &self.hits, &self.optimistic, &self.conservative]
                .map(Tally::value);
        let [mean_width, mean_relative_width] = finish_means(&self.widths);
        let errors = quantiles(&mut self.midpoint_errors.clone(), [0.5, 0.9]);
        let losses = self.proper.as_ref().map(|proper| finish_means(&proper.losses));
        let [interval_loss, low_pinball_loss, high_pinball_loss, weighted_interval_loss] =
            losses.unwrap_or_default();
        Ok(IntervalSummary {
            samples,
            answered,
            hits,
            optimistic,
            conservative,
            hit_rate: hits / samples,
            interval_reward,
            coverage: (answered > 0.0).then(|| hits / answered),
            mean_width,
            mean_relative_width,
            mre_p50: errors.map(|[p50, _]| p50),
            mre_p90: errors.map(|[_, p90]| p90),
            interval_loss,
            low_pinball_loss,
            high_pinball_loss,
            weighted_interval_loss,
        })
    }
}

impl ProperLosses {
    fn update_weighted(
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
