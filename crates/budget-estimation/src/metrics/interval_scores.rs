use scoring_rules::{ExactMean, Interval, Level, Observed, Weight, interval_loss, pinball_loss};

use crate::{
    error::Error,
    metrics::{
        one_resource::OneResource,
        quantile::quantiles,
        reward::{Miss, reward},
        tally::{Tally, mean, take},
    },
    replay::sample::Sample,
};

/// How well intervals told what remained, over samples of runs that succeeded within their caps;
/// all other samples are passed over.
///
/// Parts can be merged in any order, and a weight of 2 is the sample given twice. Keeps one number
/// a sample for the quantiles of the midpoint error.
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
#[cfg_attr(feature = "serde", serde(try_from = "Stored"))]
pub struct IntervalScores {
    claimed: Option<Level>,
    resource: OneResource,
    feasible: Tally,
    answered: Tally,
    hits: Tally,
    optimistic: Tally,
    conservative: Tally,
    reward: ExactMean,
    width: ExactMean,
    relative_width: ExactMean,
    midpoint_errors: Vec<(f64, f64)>,
    proper: Option<Box<ProperLosses>>,
}

/// Means of the losses that a claimed coverage allows.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct ProperLosses {
    interval: ExactMean,
    pinball: [ExactMean; 2],
    weighted: ExactMean,
}

/// How well intervals told what remained, from [`IntervalScores`]. Counts are sums of weights; what
/// is over intervals is none where no feasible sample has one.
///
/// What is over intervals says nothing of feasible samples that were called impossible: an
/// estimator that answers the easy ones only looks good in it. Read it beside `answered` and
/// `hit_rate`.
///
/// ```
/// use budget_estimation::{Error, Estimate, IntervalScores, Level, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// let mut scores = IntervalScores::claiming(Level::HALF);
/// scores.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(90.0, 110.0)?)?)?;
/// let summary = scores.finish()?;
/// assert_eq!((summary.samples, summary.answered, summary.hits), (1.0, 1.0, 1.0));
/// assert_eq!((summary.mean_width, summary.mre_p50), (Some(20.0), Some(0.0)));
/// assert_eq!((summary.interval_loss, summary.low_pinball_loss), (Some(20.0), Some(2.5)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct IntervalSummary {
    /// Feasible samples.
    pub samples: f64,
    /// Those with an interval.
    pub answered: f64,
    /// Those whose interval holds what remained.
    pub hits: f64,
    /// Those whose interval lies below what remained.
    pub optimistic: f64,
    /// Those whose interval lies above what remained.
    pub conservative: f64,
    /// Hits over feasible samples: an "impossible" is none.
    pub hit_rate: f64,
    /// Mean interval reward S_k over feasible samples, 0 for an "impossible"; not proper.
    pub interval_reward: f64,
    /// Hits over intervals.
    pub coverage: Option<f64>,
    /// Mean width of the intervals, in units of the resource.
    pub mean_width: Option<f64>,
    /// Mean of width over what remained.
    pub mean_relative_width: Option<f64>,
    /// Median of the midpoint relative error. Weights are numbers of rows here: let them add up to
    /// about the number of samples, not to 1, of which every quantile is the lowest value.
    pub mre_p50: Option<f64>,
    /// Its 90th percentile. Both interpolate linearly between order statistics (type 7 of Hyndman
    /// and Fan, numpy's default).
    pub mre_p90: Option<f64>,
    /// Mean interval loss at the claimed coverage; proper, in units of the resource, lower is
    /// better. This and what follows is none where no coverage was claimed.
    pub interval_loss: Option<f64>,
    /// Mean pinball loss of the lower ends, at level `(1 - coverage) / 2`.
    pub low_pinball_loss: Option<f64>,
    /// Mean pinball loss of the upper ends, at level `(1 + coverage) / 2`.
    pub high_pinball_loss: Option<f64>,
    /// Mean weighted interval score, as a loss, of the interval with its middle as the median:
    /// `(|m - R| / 2 + (1 - coverage) / 2 * interval loss) / (3/2)`.
    pub weighted_interval_loss: Option<f64>,
}

/// The stored form, not checked yet.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    claimed: Option<Level>,
    resource: OneResource,
    feasible: Tally,
    answered: Tally,
    hits: Tally,
    optimistic: Tally,
    conservative: Tally,
    reward: ExactMean,
    width: ExactMean,
    relative_width: ExactMean,
    midpoint_errors: Vec<(f64, f64)>,
    proper: Option<Box<ProperLosses>>,
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for IntervalScores {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let valid = |&(error, weight): &(f64, f64)| {
            error >= 0.0 && error.is_finite() && Weight::new(weight).is_ok()
        };
        if !stored.midpoint_errors.iter().all(valid) {
            let problem = "errors must be finite and at least 0, weights as those of samples";
            return Err(Error::StoredState { problem });
        }
        if stored.claimed.is_some() != stored.proper.is_some() {
            let problem = "proper losses go together with a claimed coverage";
            return Err(Error::StoredState { problem });
        }
        let Stored { claimed, resource, feasible, answered, hits, optimistic, .. } = stored;
        let Stored { conservative, reward, width, relative_width, .. } = stored;
        let Stored { midpoint_errors, proper, .. } = stored;
        Ok(Self {
            claimed,
            resource,
            feasible,
            answered,
            hits,
            optimistic,
            conservative,
            reward,
            width,
            relative_width,
            midpoint_errors,
            proper,
        })
    }
}

impl IntervalScores {
    /// Scores intervals that claim to be central ones of this coverage by proper losses too.
    #[must_use]
    pub fn claiming(coverage: Level) -> Self {
        Self { claimed: Some(coverage), proper: Some(Box::default()), ..Self::default() }
    }

    /// Whether both claim the same coverage, or none.
    #[cfg(feature = "serde")]
    pub(super) fn claims_as(&self, other: &Self) -> bool {
        self.claimed == other.claimed
    }

    /// Of no sample, with the same claim.
    pub(crate) fn empty(&self) -> Self {
        self.claimed.map_or_else(Self::default, Self::claiming)
    }

    /// Takes in one sample.
    ///
    /// # Errors
    ///
    /// [`Error::NothingRemains`] for a feasible one where nothing remained; [`Error::TooLarge`] for
    /// an interval so large that a relative error is no number; [`Error::MixedResources`] for a
    /// sample of another resource than earlier ones. Nothing is taken in then.
    #[inline]
    pub fn update(&mut self, sample: &Sample) -> Result<(), Error> {
        self.add(sample, Weight::ONE)
    }

    /// Takes in one sample of the given weight.
    ///
    /// # Errors
    ///
    /// As [`IntervalScores::update`].
    pub fn update_weighted(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        self.add(sample, weight)
    }

    #[inline]
    pub(crate) fn add(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        if weight == Weight::ZERO {
            return Ok(());
        }
        self.resource.check(sample)?;
        if !sample.is_feasible() {
            self.resource.take(sample);
            return Ok(());
        }
        sample.check_remaining()?;
        let Some(ends) = sample.estimate().ends() else {
            self.resource.take(sample);
            self.feasible.add(weight);
            take(&mut self.reward, 0.0, weight)?;
            return Ok(());
        };
        let (relative_width, error) =
            match (sample.relative_width()?, sample.midpoint_relative_error()?) {
                (Some(width), Some(error)) => (width, error),
                _ => return Err(sample.too_large()),
            };
        self.resource.take(sample);
        self.feasible.add(weight);
        self.answered.add(weight);
        match sample.miss() {
            Some(Miss::Optimistic) => self.optimistic.add(weight),
            Some(Miss::Conservative) => self.conservative.add(weight),
            None => self.hits.add(weight),
        }
        take(&mut self.reward, reward(sample.estimate(), sample.remaining()), weight)?;
        take(&mut self.width, ends.width(), weight)?;
        take(&mut self.relative_width, relative_width, weight)?;
        self.midpoint_errors.push((error, weight.get()));
        match (self.claimed, &mut self.proper) {
            (Some(coverage), Some(proper)) => proper.add(ends, sample, coverage, weight),
            _ => Ok(()),
        }
    }

    /// Takes in everything that `other` has.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] unless both claim the same coverage, or none; [`Error::MixedResources`]
    /// if their samples are of different resources.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.claimed != other.claimed {
            return Err(Error::Unlike { what: "the claimed coverage" });
        }
        self.resource.merge(other.resource)?;
        self.feasible.merge(&other.feasible);
        self.answered.merge(&other.answered);
        self.hits.merge(&other.hits);
        self.optimistic.merge(&other.optimistic);
        self.conservative.merge(&other.conservative);
        self.reward.merge(&other.reward);
        self.width.merge(&other.width);
        self.relative_width.merge(&other.relative_width);
        self.midpoint_errors.extend_from_slice(&other.midpoint_errors);
        if let (Some(proper), Some(more)) = (&mut self.proper, &other.proper) {
            proper.interval.merge(&more.interval);
            proper.pinball.iter_mut().zip(&more.pinball).for_each(|(a, b)| a.merge(b));
            proper.weighted.merge(&more.weighted);
        }
        Ok(())
    }

    /// The scores of all samples so far. Cost: one sort.
    ///
    /// # Errors
    ///
    /// [`Error::NoFeasibleSample`] without a feasible sample of positive weight.
    pub fn finish(&self) -> Result<IntervalSummary, Error> {
        let interval_reward = mean(&self.reward).ok_or(Error::NoFeasibleSample)?;
        let [samples, answered, hits, optimistic, conservative] =
            [&self.feasible, &self.answered, &self.hits, &self.optimistic, &self.conservative]
                .map(Tally::value);
        let errors = quantiles(&mut self.midpoint_errors.clone(), [0.5, 0.9]);
        let proper = self.proper.as_deref();
        Ok(IntervalSummary {
            samples,
            answered,
            hits,
            optimistic,
            conservative,
            hit_rate: hits / samples,
            interval_reward,
            coverage: (answered > 0.0).then(|| hits / answered),
            mean_width: mean(&self.width),
            mean_relative_width: mean(&self.relative_width),
            mre_p50: errors.map(|[p50, _]| p50),
            mre_p90: errors.map(|[_, p90]| p90),
            interval_loss: proper.and_then(|proper| mean(&proper.interval)),
            low_pinball_loss: proper.and_then(|proper| mean(&proper.pinball[0])),
            high_pinball_loss: proper.and_then(|proper| mean(&proper.pinball[1])),
            weighted_interval_loss: proper.and_then(|proper| mean(&proper.weighted)),
        })
    }
}

impl ProperLosses {
    fn add(
        &mut self,
        ends: Interval,
        sample: &Sample,
        coverage: Level,
        weight: Weight,
    ) -> Result<(), Error> {
        let outcome = Observed::exact(sample.remaining())?;
        let tail = 1.0 - coverage.get();
        let loss = interval_loss(ends, outcome, coverage);
        let levels = [Level::new(tail / 2.0)?, Level::new(1.0 - tail / 2.0)?];
        let low = pinball_loss(ends.low(), outcome, levels[0])?;
        let high = pinball_loss(ends.high(), outcome, levels[1])?;
        let middle = pinball_loss(ends.low() + ends.width() / 2.0, outcome, Level::HALF)?;
        take(&mut self.interval, loss, weight)?;
        take(&mut self.pinball[0], low, weight)?;
        take(&mut self.pinball[1], high, weight)?;
        take(&mut self.weighted, (middle + tail / 2.0 * loss) / 1.5, weight)?;
        Ok(())
    }
}
