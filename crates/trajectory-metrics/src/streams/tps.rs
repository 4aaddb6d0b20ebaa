use scoring_rules::{ExactMean, Probability, Runs, ScoringRule, Weight};

use crate::{
    checks::same_length,
    error::Error,
    streams::{
        traces::{Trace, Traces},
        weight_schedule::WeightSchedule,
    },
};

/// The trajectory proper score (TPS): a scoring rule for single probabilities scores the forecast at each step of a
/// run, and the scores are averaged with positive weights of the steps.
///
/// ```text
/// TPS(F, Y) = sum over t = 1..T of w_t S(F_t, Y)
/// ```
///
/// Higher is better. If the rule is strictly proper, so is the TPS: the only stream with the best
/// expected score is the true probability of success given the information at each step. Scores of
/// a summary of the stream do not have this property.
///
/// One condition applies: the weight of a step must not reveal more about the outcome than is known
/// at that step. [`Tps::score`] and the means normalize the weights over the length of each run, as
/// the paper does. If failing runs are longer, a step then has less weight in a failure than in a
/// success, and forecasts above the true probability have the better expected score. In this case,
/// use one horizon for all runs, such as their budget, with [`Tps::prefix_score`], which is proper
/// for any lengths.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, equation 2 and theorem 4.1.
///
/// ```
/// use trajectory_metrics::{Error, LogScore, Probability, Tps, Trace, WeightSchedule};
///
/// let tps = Tps::new(LogScore::clipped(1e-6)?, WeightSchedule::LinearFront);
/// let stream = Probability::from_slice(&[0.5, 0.8])?;
/// let score = tps.score(Trace::new(stream, true)?)?;
/// assert!((score - (2.0 * 0.5_f64.ln() + 0.8_f64.ln()) / 3.0).abs() < 1e-15);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Tps<R> {
    /// The rule for a single forecast.
    pub rule: R,
    /// The weights of the steps.
    pub schedule: WeightSchedule,
}

impl<R: ScoringRule> Tps<R> {
    /// Creates the trajectory proper score with this rule and these weights.
    #[must_use]
    pub const fn new(rule: R, schedule: WeightSchedule) -> Self {
        Self { rule, schedule }
    }

    /// Returns the score of one trace.
    ///
    /// # Errors
    ///
    /// [`Error::ScheduleTooShort`] if the trace is longer than the list of custom weights;
    /// [`Error::HorizonTooLong`] above 2^32 - 1 steps.
    #[inline]
    pub fn score(&self, trace: Trace<'_>) -> Result<f64, Error> {
        let forecasts = trace.forecasts();
        self.schedule.sum(&self.rule, forecasts, trace.outcome(), forecasts.len())
    }

    /// Returns the contribution of the first steps of a run to its score. The weights are those of the whole run of
    /// `horizon` steps and are not renormalized.
    ///
    /// Steps after the prefix count 0, which is the best score of a rule such as [`BrierScore`](crate::BrierScore). A
    /// run that stops earlier therefore has a better score for the same horizon. Compare scores over a horizon only
    /// between runs of the same budget.
    ///
    /// # Errors
    ///
    /// [`Error::Horizon`] if the prefix is longer than the horizon; [`Error::HorizonTooLong`] above
    /// 2^32 - 1 steps; [`Error::ScheduleTooShort`] if the horizon is longer than the list of custom
    /// weights; [`scoring_rules::Error::Empty`] for a horizon of 0.
    ///
    /// ```
    /// use trajectory_metrics::{BrierScore, Error, Probability, Tps, WeightSchedule};
    ///
    /// let tps = Tps::new(BrierScore, WeightSchedule::LinearFront);
    /// // The first two of four steps have weights 4/10 and 3/10.
    /// let prefix = [Probability::HALF; 2];
    /// assert!((tps.prefix_score(&prefix, false, 4)? + 0.7 * 0.25).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn prefix_score(
        &self,
        prefix: &[Probability],
        outcome: bool,
        horizon: usize,
    ) -> Result<f64, Error> {
        WeightSchedule::check_horizon(prefix.len(), horizon)?;
        self.schedule.sum(&self.rule, prefix, outcome, horizon)
    }

    /// Returns the score of a run whose outcome is a grade: 0 is a failure, 1 is a success, and values between are
    /// partial success.
    ///
    /// ```text
    /// TPS(F, y) = sum over t = 1..T of w_t (y S(F_t, 1) + (1 - y) S(F_t, 0))
    /// ```
    ///
    /// If the rule is strictly proper, the only stream with the best expected score is the mean grade given the
    /// information at each step: the score is linear in the grade, so that its expectation is the same as for a run with
    /// the mean grade as its probability of success. The score is a Bregman score of the mean and does not measure the
    /// spread of grades. A grade of 1 or 0 has the score of [`Self::score`], to the bit.
    ///
    /// For ordered grades, such as marks from 1 to 5, score one outcome per threshold, "at least this mark", each with a
    /// separate stream. With the Brier score, the sum of these scores is the ranked probability score. For several
    /// objectives of a run, likewise use one grade and one stream per objective.
    ///
    /// Reference: Savage (1971), Elicitation of personal probabilities and expectations,
    /// doi:10.1080/01621459.1971.10482346; Gneiting (2011), Making and evaluating point forecasts,
    /// doi:10.1198/jasa.2011.r10138, theorem 7; thresholds: Epstein (1969), A scoring system for probability forecasts
    /// of ranked categories, doi:10.1175/1520-0450(1969)008<0985:ASSFPF>2.0.CO;2.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::score`]; [`scoring_rules::Error::Empty`] without a forecast.
    ///
    /// ```
    /// use trajectory_metrics::{BrierScore, Error, Probability, Tps, Trace, WeightSchedule};
    ///
    /// let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    /// let [mean, grade] = [Probability::new(0.5)?, Probability::new(0.75)?];
    /// // Three quarters of -(0.5 - 1)^2 and one quarter of -(0.5 - 0)^2.
    /// assert_eq!(tps.graded_score(&[mean, mean], grade)?, -0.25);
    ///
    /// // A run reached mark 3 of 4. The forecasts of at least 2, 3 and 4 are scored against yes, yes and no.
    /// let at_least = [(0.9, true), (0.5, true), (0.3, false)];
    /// let scores = at_least.map(|(forecast, reached)| {
    ///     tps.score(Trace::new(&[Probability::new(forecast)?], reached)?)
    /// });
    /// let total: f64 = scores.into_iter().sum::<Result<f64, Error>>()?;
    /// assert!((total + 0.01 + 0.25 + 0.09).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn graded_score(
        &self,
        forecasts: &[Probability],
        grade: Probability,
    ) -> Result<f64, Error> {
        let horizon = forecasts.len();
        WeightSchedule::check_horizon(horizon, horizon)?;
        let sum = |outcome| self.schedule.sum(&self.rule, forecasts, outcome, horizon);
        let share = grade.get();
        if share == 1.0 || share == 0.0 {
            return sum(share == 1.0);
        }
        Ok(share * sum(true)? + (1.0 - share) * sum(false)?)
    }

    /// Returns the score of each trace.
    ///
    /// # Errors
    ///
    /// [`Error::ScheduleTooShort`] if a trace is longer than the list of custom weights.
    ///
    /// ```
    /// use trajectory_metrics::{BrierScore, Error, Tps, Traces, WeightSchedule};
    ///
    /// let traces = Traces::from_flat(&[0.5, 0.5, 1.0], &[2, 3], &[true, false])?;
    /// let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    /// assert_eq!(tps.scores(&traces)?, [-0.25, -1.0]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn scores(&self, traces: &Traces) -> Result<Vec<f64>, Error> {
        let mut scores = Vec::with_capacity(traces.len());
        self.for_each_batch(traces, |_, batch| {
            scores.extend_from_slice(batch);
            Ok(())
        })?;
        Ok(scores)
    }

    /// Returns the mean score over all traces, with weights if weights of the traces are given.
    ///
    /// The result has the same bits for any order of the traces. To split the work, merge an
    /// [`ExactMean`] of each part.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] if no trace has positive weight; [`scoring_rules::Error::Length`] unless the number of
    /// weights is the number of traces; [`Error::ScheduleTooShort`] if a trace is longer than the list of custom
    /// weights.
    ///
    /// ```
    /// use trajectory_metrics::{BrierScore, Error, Tps, Traces, Weight, WeightSchedule};
    ///
    /// let traces = Traces::from_flat(&[0.5, 0.9, 0.2], &[2, 3], &[true, false])?;
    /// let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    /// assert!((tps.mean(&traces, None)? - (-0.13 - 0.04) / 2.0).abs() < 1e-15);
    /// let weights = Weight::from_slice(&[1.0, 3.0])?;
    /// assert!((tps.mean(&traces, Some(weights))? - (-0.13 - 0.12) / 4.0).abs() < 1e-15);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn mean(&self, traces: &Traces, weights: Option<&[Weight]>) -> Result<f64, Error> {
        let mut mean = ExactMean::default();
        match weights {
            None => self.for_each_batch(traces, |_, batch| {
                mean.extend(batch.iter().copied());
                Ok(())
            })?,
            Some(weights) => {
                same_length("weights", traces.len(), weights.len())?;
                self.for_each_batch(traces, |first, batch| {
                    for (&score, &weight) in batch.iter().zip(&weights[first..]) {
                        mean.update_weighted(score, weight)?;
                    }
                    Ok(())
                })?;
            }
        }
        Ok(mean.finish()?)
    }

    /// Calls `take` with the scores of several traces, and the position of the first one. There are separate loops for sums,
    /// divisions and calls, so that the processor can overlap them.
    #[inline]
    fn for_each_batch(
        &self,
        traces: &Traces,
        mut take: impl FnMut(usize, &[f64]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        const BATCH: usize = 64;
        let Some(weights) = self.schedule.step_weights() else {
            return traces
                .iter()
                .enumerate()
                .try_for_each(|(i, trace)| take(i, &[self.score(trace)?]));
        };
        let (forecasts, all_ends, outcomes) = traces.flat();
        let (mut scores, mut totals) = ([0.0; BATCH], [1.0; BATCH]);
        // Most runs are short. For falling and rising weights, a load is faster than a conversion and two multiplications.
        let of_short: [f64; BATCH] = std::array::from_fn(|n| weights.total(n));
        let (mut start, mut done) = (0, 0);
        for (ends, outcomes) in all_ends.chunks(BATCH).zip(outcomes.chunks(BATCH)) {
            let runs = Runs::new(forecasts, start, ends, outcomes)?;
            self.rule.weighted_sums(runs, weights, &mut scores);
            for (total, &end) in totals.iter_mut().zip(ends) {
                let n = end - start;
                *total = of_short.get(n).copied().unwrap_or_else(|| weights.total(n));
                start = end;
            }
            for (score, total) in scores.iter_mut().zip(&totals) {
                *score /= total;
            }
            take(done, &scores[..ends.len()])?;
            done += ends.len();
        }
        Ok(())
    }
}
