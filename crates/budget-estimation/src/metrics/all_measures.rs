use scoring_rules::{ExactMean, Level, Weight};

#[cfg(feature = "serde")]
use crate::checks::stored;
use crate::{
    error::Error,
    estimates::estimate::Estimate,
    metrics::{
        feasibility::FeasibilitySummary,
        interval_reward::{Miss, reward},
        interval_scores::{
            DiagnosticSummary, Diagnostics, IntervalSummary, LinearSummary, ProperLosses,
        },
        one_resource::OneResource,
        quantile::quantiles,
        tally::{Tally, add_to_means, finish_means, finite, merge_means, merge_tallies, ratio},
    },
    replay::sample::Sample,
};

scoring_rules::checked! {
    /// All measures over the same samples: scores of feasibility predictions, scores of intervals, the comparison with
    /// linear extrapolation and, on request, diagnostics.
    ///
    /// Parts can be merged in any order, and a weight of 2 counts as the sample given twice. Stores one number
    /// per feasible sample with an interval, for the quantiles of the midpoint error.
    ///
    /// ```
    /// use budget_estimation::{Error, Estimate, Level, Metrics, Rollouts, Sample, Weight};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
    ///
    /// let mut metrics = Metrics::default().with_coverage(Level::new(0.8)?);
    /// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(90.0, 110.0)?)?, Weight::ONE)?;
    /// let summary = metrics.finish()?;
    /// assert_eq!(summary.feasibility.accuracy, 1.0);
    /// assert_eq!(summary.intervals.map(|intervals| intervals.interval_loss), Some(Some(20.0)));
    /// assert_eq!(summary.linear.map(|linear| linear.linear_error), Some(0.0));
    /// # Ok::<(), Error>(())
    /// ```
    #[derive(Clone, Debug, Default)]
    pub struct Metrics {
        pub(super) resource: OneResource,
        trivial: Tally,
        /// By label (impossible, feasible), then by prediction (impossible, feasible, no answer).
        predictions: [[Tally; 3]; 2],
        /// By label, the number of intervals above the amount left under a cap. They count as impossible.
        above_left: [Tally; 2],
        /// By label, then hits, optimistic and conservative misses.
        sides: [[Tally; 3]; 2],
        /// The means from here on are over feasible samples.
        reward: [ExactMean; 1],
        /// Width, and width relative to the remaining cost.
        widths: [ExactMean; 2],
        midpoint_errors: Vec<MidpointError>,
        /// Errors of the midpoint, errors of the extrapolation, and the second less the first.
        linear: [ExactMean; 3],
        proper: Option<Box<ProperLosses>>,
        diagnostics: Option<Box<Diagnostics>>,
    }
    check: Self::check
}

/// The relative error of a midpoint, infinite if it overflows, and the weight of the sample.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct MidpointError(
    #[cfg_attr(feature = "serde", serde(with = "scoring_rules::infinite"))] f64,
    f64,
);

/// The values of the measures, from [`Metrics`].
///
/// ```
/// use budget_estimation::{Error, Estimate, Metrics, Rollouts, Sample, Weight};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
///
/// // Intervals are scored only on runs that succeeded.
/// let mut metrics = Metrics::default();
/// metrics.update(&Sample::new(&rollout, tokens, 1, Estimate::interval(90.0, 110.0)?)?, Weight::ONE)?;
/// let summary = metrics.finish()?;
/// assert_eq!(summary.feasibility.accuracy, 0.0);
/// assert_eq!((summary.intervals, summary.linear), (None, None));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MetricsSummary {
    /// The number of samples with a remaining cost of 0, or the sum of their weights. No measure counts them.
    pub trivial: f64,
    /// Scores of feasibility predictions, over all samples with a remaining cost above 0.
    pub feasibility: FeasibilitySummary,
    /// Scores of intervals, over feasible samples; `None` if there are none.
    pub intervals: Option<IntervalSummary>,
    /// Comparison with linear extrapolation, over feasible samples that have an interval and at least one completed
    /// turn; `None` if there are none.
    pub linear: Option<LinearSummary>,
    /// Diagnostics, over all samples with an interval; `None` if there are none, or if [`Metrics::with_diagnostics`]
    /// was not called.
    pub diagnostics: Option<DiagnosticSummary>,
}

impl Metrics {
    /// Adds proper losses, which score each interval of a feasible sample as a central interval with this coverage.
    /// Call it before the first sample: the losses do not count earlier samples.
    #[must_use]
    pub fn with_coverage(mut self, coverage: Level) -> Self {
        self.proper = Some(Box::new(ProperLosses::new(coverage)));
        self
    }

    /// Adds a [`DiagnosticSummary`], which takes more time. Call it before the first sample.
    #[must_use]
    pub fn with_diagnostics(mut self) -> Self {
        self.diagnostics = Some(Box::default());
        self
    }

    /// Adds one sample with a weight, such as [`Weight::ONE`]. A sample with a remaining cost of 0 ([trivial](Sample::is_trivial)) is only counted.
    ///
    /// A relative error or width that overflows is infinite. A quantile or mean that would be infinite for this
    /// reason is `None`.
    ///
    /// # Errors
    ///
    /// [`Error::Prefix`] for a width or an error that overflows when it is multiplied by the weight;
    /// [`Error::Unlike`] if earlier samples have another resource. The sample is not added.
    #[inline(always)]
    pub fn update(&mut self, sample: &Sample, weight: Weight) -> Result<(), Error> {
        if weight == Weight::ZERO {
            return Ok(());
        }
        // All checks come first, so that a sample is added to all measures or to none.
        let (feasible, remaining) = (sample.is_feasible(), sample.remaining());
        if sample.is_trivial() {
            self.resource.update(sample)?;
            self.trivial.add(weight);
            return Ok(());
        }
        let ends = sample.estimate().ends();
        let width = ends.map_or(0.0, |ends| ends.width());
        let error = ends.map_or(0.0, |ends| ends.low() + width / 2.0 - remaining);
        let linear_error = if ends.is_some() { sample.linear_error() } else { None };
        if feasible {
            sample.check_size(&[width, error, linear_error.unwrap_or(0.0)], weight)?;
        }
        self.resource.update(sample)?;

        let label = usize::from(feasible);
        let [as_impossible, as_feasible, unanswered] = &mut self.predictions[label];
        match sample.estimate() {
            Estimate::Impossible => as_impossible.add(weight),
            Estimate::Interval(_) if sample.predicts_impossible() => {
                as_impossible.add(weight);
                self.above_left[label].add(weight);
            }
            Estimate::Interval(_) => as_feasible.add(weight),
            Estimate::NoAnswer => unanswered.add(weight),
        }
        if feasible {
            add_to_means(&mut self.reward, [reward(sample.estimate(), remaining)], weight)?;
        }
        let Some(ends) = ends else { return Ok(()) };
        let [hits, optimistic, conservative] = &mut self.sides[label];
        match sample.miss() {
            Some(Miss::Optimistic) => optimistic.add(weight),
            Some(Miss::Conservative) => conservative.add(weight),
            None => hits.add(weight),
        }
        if feasible {
            let relative_width = ratio(width, remaining, weight);
            add_to_means(&mut self.widths, [width, relative_width], weight)?;
            self.midpoint_errors.push(MidpointError(error.abs() / remaining, weight.get()));
            if let Some(linear) = linear_error {
                let errors = [error.abs(), linear, linear - error.abs()];
                add_to_means(&mut self.linear, errors, weight)?;
            }
            if let Some(proper) = &mut self.proper {
                proper.update_weighted(ends, remaining, weight)?;
            }
        }
        match &mut self.diagnostics {
            Some(diagnostics) => diagnostics.update(sample, [width, error], weight),
            None => Ok(()),
        }
    }

    /// Adds all samples of `other`.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] unless both have the same nominal coverage, or both have none, and if only one has
    /// diagnostics, and if the two have samples of different resources.
    pub fn merge(&mut self, other: &Self) -> Result<(), Error> {
        if self.diagnostics.is_some() != other.diagnostics.is_some() {
            return Err(Error::unlike("the diagnostics"));
        }
        let claimed = |metrics: &Self| metrics.proper.as_ref().map(|proper| proper.coverage);
        if claimed(self) != claimed(other) {
            return Err(Error::unlike("the nominal coverage"));
        }
        self.resource.merge(other.resource)?;
        self.trivial.merge(&other.trivial);
        for label in 0..2 {
            merge_tallies(&mut self.predictions[label], &other.predictions[label]);
            merge_tallies(&mut self.sides[label], &other.sides[label]);
        }
        merge_tallies(&mut self.above_left, &other.above_left);
        merge_means(&mut self.reward, &other.reward);
        merge_means(&mut self.widths, &other.widths);
        self.midpoint_errors.extend_from_slice(&other.midpoint_errors);
        merge_means(&mut self.linear, &other.linear);
        if let (Some(proper), Some(other)) = (&mut self.proper, &other.proper) {
            merge_means(&mut proper.losses, &other.losses);
        }
        if let (Some(diagnostics), Some(other)) = (&mut self.diagnostics, &other.diagnostics) {
            diagnostics.merge(other);
        }
        Ok(())
    }

    /// Returns the measures over all samples so far. Takes O(n log n), or O(n) if all weights are 1.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without a sample of positive weight that is not trivial.
    pub fn finish(&self) -> Result<MetricsSummary, Error> {
        let predictions = self.predictions.each_ref().map(|row| row.each_ref().map(Tally::value));
        let above_left = self.above_left.each_ref().map(Tally::value);
        let [failed, feasible] = &self.sides;
        let sides = || std::array::from_fn(|side| Tally::sum([&failed[side], &feasible[side]]));
        Ok(MetricsSummary {
            trivial: self.trivial.value(),
            feasibility: FeasibilitySummary::new(predictions, above_left)
                .ok_or(scoring_rules::Error::Empty)?,
            intervals: self.intervals(),
            linear: LinearSummary::new(&self.linear),
            diagnostics: self.diagnostics.as_ref().and_then(|it| it.finish(sides())),
        })
    }

    /// Returns the scores of intervals; `None` without a feasible sample of positive weight.
    fn intervals(&self) -> Option<IntervalSummary> {
        let [interval_reward] = finish_means(&self.reward);
        let (interval_reward, [_, predictions], [_, sides]) =
            (interval_reward?, &self.predictions, &self.sides);
        let [samples, answered] = [predictions, sides].map(|row| Tally::sum(row).value());
        let [hits, optimistic, conservative] = sides.each_ref().map(Tally::value);
        let [mean_width, mean_relative_width] = finish_means(&self.widths);
        let mut errors: Vec<_> = self.midpoint_errors.iter().map(|it| (it.0, it.1)).collect();
        let errors = quantiles(&mut errors, [0.5, 0.9]).map(|it| it.map(finite));
        let [mre_p50, mre_p90] = errors.unwrap_or_default();
        let losses = self.proper.as_ref().map(|proper| finish_means(&proper.losses));
        let [interval_loss, low_pinball_loss, high_pinball_loss, weighted_interval_loss] =
            losses.unwrap_or_default();
        Some(IntervalSummary {
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
            mre_p50,
            mre_p90,
            interval_loss,
            low_pinball_loss,
            high_pinball_loss,
            weighted_interval_loss,
        })
    }
}

#[cfg(feature = "serde")]
impl Metrics {
    fn check(&self) -> Result<(), Error> {
        let tallies = self.predictions.iter().chain(&self.sides).flatten().chain(&self.above_left);
        let tallies = tallies.chain([&self.trivial]);
        let valid = tallies.map(Tally::value).all(|sum| (0.0..f64::INFINITY).contains(&sum));
        stored(valid, "a sum of weights must be finite and at least 0")?;
        let valid = |&MidpointError(error, weight): &_| error >= 0.0 && Weight::new(weight).is_ok();
        let problem = "errors must be at least 0, with the weights of samples";
        stored(self.midpoint_errors.iter().all(valid), problem)
    }
}
