use scoring_rules::{ExactSum, Probability, Weight};
use trajectory_metrics::Figure;

use crate::{
    error::Error,
    report::{resampler::Resampler, sample::Scheme},
    scores::run_score::RunScore,
    stops::stopped::Stopped,
    success::continuations::{Continuations, SuccessEstimate},
};

/// The audit of the estimated probabilities that cut-off runs would have succeeded. The estimates come from
/// continuations of these runs. Made by
/// [`CensoringAnalysis::audit_continuations`](crate::CensoringAnalysis::audit_continuations).
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, appendix H.2, tables 7 to 9.
///
/// ```
/// use censoring::{
///     CensoringAnalysis, CensoringAssumption, Continuations, Error, Probability, StopReason, Stopped,
/// };
///
/// let forecasts = [Probability::new(0.75)?];
/// let run = Stopped::new(&forecasts, None, Some(StopReason::MaxSteps))?;
/// let failed = Continuations { failures: 5, ..Continuations::default() };
/// let mixed = Continuations { successes: 4, failures: 4, unresolved: 8, invalid: 1 };
/// let few = Continuations { successes: 2, unresolved: 8, ..Continuations::default() };
///
/// let analysis = CensoringAnalysis::new(CensoringAssumption::NonInformative);
/// let runs = [run.clone(), run.clone(), run];
/// let audit = analysis.audit_continuations(
///     &runs, &[failed, mixed, few], None, &["a", "b", "c"], 5,
/// )?;
/// assert_eq!((audit.retained, audit.left_out), (2, 1));
/// assert_eq!((audit.mean.value, audit.median, audit.zero_share), (0.25, 0.25, 0.5));
/// let brier = audit.comparisons.iter().find(|row| row.rule == "brier").unwrap();
/// // A success scores 1/2 more than a failure. Its probability is 1/4 on average.
/// assert_eq!(brier.exact_minus_simple.value, 0.125);
/// assert_eq!(brier.unresolved_as_failure.value, 0.0625);
/// assert_eq!(brier.unresolved_as_success.value, 0.1875);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ContinuationAudit {
    /// The minimum number of continuations with an outcome that a run needs.
    pub min_valid: u64,
    /// The number of cut-off runs that have enough continuations with an outcome and are therefore retained.
    pub retained: u64,
    /// The number of cut-off runs that have too few continuations with an outcome and are left out.
    pub left_out: u64,
    /// The mean number of continuations with an outcome, per retained run.
    pub mean_valid: f64,
    /// The mean number of continuations that were cut off again, per retained run.
    pub mean_unresolved: f64,
    /// The mean number of invalid continuations, per retained run.
    pub mean_invalid: f64,
    /// The estimated probability of success of each retained run, in increasing order.
    pub success_probabilities: Vec<Probability>,
    /// The weighted mean of the estimated probabilities of success.
    pub mean: Figure,
    /// The weighted median of the estimated probabilities of success. If the weight up to a value is exactly one half,
    /// it is the mean of this value and the next one. Without weights, an even number of values therefore gives the
    /// mean of the two middle values.
    pub median: f64,
    /// The share of retained runs, by weight, whose estimated probability is 0.
    pub zero_share: f64,
    /// The share of retained runs, by weight, whose estimated probability is above 1/2.
    pub above_half_share: f64,
    /// One comparison per rule and weight schedule.
    pub comparisons: Vec<ContinuationComparison>,
}

/// Mean scores of cut-off runs under a rule and schedule: as failures, and by estimated success probability.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ContinuationComparison {
    /// The name of the rule: `log` (clipped at 1e-6), `brier` or `beta_2_4`.
    pub rule: String,
    /// The name of the weight schedule.
    pub schedule: String,
    /// The simple mean, in which cut-off runs count as failures.
    pub simple: Figure,
    /// The exact mean, in which cut-off runs succeed with the estimated probabilities.
    pub exact: Figure,
    /// The exact mean minus the simple mean.
    pub exact_minus_simple: Figure,
    /// The exact mean minus the simple mean, if unresolved continuations count as failures.
    pub unresolved_as_failure: Figure,
    /// The exact mean minus the simple mean, if unresolved continuations count as successes.
    pub unresolved_as_success: Figure,
    /// The largest distance, over the runs, between the exact score of a run and the mean of its scores over the
    /// continuations with an outcome. Only rounding makes it positive.
    pub largest_identity_error: f64,
}

/// The cut-off runs of an audit, each with its continuations.
pub(crate) struct AuditedRuns<'a, 's> {
    pub(crate) runs: &'s [(&'s Stopped<'a>, Continuations)],
    pub(crate) weights: Option<&'s [Weight]>,
    pub(crate) resampler: &'s Resampler,
}

impl AuditedRuns<'_, '_> {
    fn weight(&self, run: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[run].get())
    }

    pub(crate) fn audit(
        &self,
        left_out: u64,
        min_valid: u64,
        schemes: &[Scheme<'_>],
    ) -> Result<ContinuationAudit, Error> {
        let branches = || self.runs.iter().map(|(_, branches)| branches);
        let estimates: Vec<SuccessEstimate> =
            branches().map(Continuations::estimate).collect::<Result<_, _>>()?;
        let estimated: Vec<f64> = estimates.iter().map(|e| e.probability.get()).collect();
        let weighted: Vec<(f64, f64)> =
            estimated.iter().enumerate().map(|(run, &q)| (q, self.weight(run))).collect();
        let mut success_probabilities: Vec<Probability> =
            estimates.iter().map(|estimate| estimate.probability).collect();
        success_probabilities.sort_unstable_by(|a, b| a.get().total_cmp(&b.get()));
        let total = self.sum_of(|_| 1.0);
        let share = |some: &dyn Fn(f64) -> bool| {
            self.sum_of(|run| if some(estimated[run]) { 1.0 } else { 0.0 }) / total
        };
        let mean_of = |count: &dyn Fn(&Continuations) -> u64| {
            self.sum_of(|run| count(&self.runs[run].1) as f64) / total
        };
        let compare = |scheme| self.compare(scheme, &estimates);
        let comparisons = schemes.iter().map(compare).collect::<Result<_, Error>>()?;
        Ok(ContinuationAudit {
            min_valid,
            retained: self.runs.len() as u64,
            left_out,
            mean_valid: mean_of(&Continuations::valid),
            mean_unresolved: mean_of(&|branches| branches.unresolved),
            mean_invalid: mean_of(&|branches| branches.invalid),
            success_probabilities,
            mean: self.resampler.estimate(&self.resampler.mean(&estimated, self.weights)?),
            median: median(weighted),
            zero_share: share(&|q| q == 0.0),
            above_half_share: share(&|q| q > 0.5),
            comparisons,
        })
    }

    /// Returns the weighted sum of a value over the runs.
    fn sum_of(&self, value: impl Fn(usize) -> f64) -> f64 {
        let mut sum = ExactSum::default();
        (0..self.runs.len()).for_each(|run| sum.add_product(value(run), self.weight(run)));
        sum.value()
    }

    fn compare(
        &self,
        scheme: &Scheme<'_>,
        estimates: &[SuccessEstimate],
    ) -> Result<ContinuationComparison, Error> {
        let scores: Vec<RunScore> = self
            .runs
            .iter()
            .zip(estimates)
            .map(|((run, _), estimate)| RunScore::new(&scheme.tps, run, estimate.probability))
            .collect::<Result<_, _>>()?;
        let mean = |probability: &dyn Fn(&SuccessEstimate) -> Probability| {
            let values: Vec<f64> = scores
                .iter()
                .zip(estimates)
                .map(|(score, estimate)| score.expected_at(probability(estimate)))
                .collect();
            self.resampler.mean(&values, self.weights)
        };
        let simple = mean(&|_| Probability::ZERO)?;
        let exact = mean(&|estimate| estimate.probability)?;
        let low = mean(&|estimate| estimate.interval.low())?;
        let high = mean(&|estimate| estimate.interval.high())?;
        let identity = scores.iter().zip(self.runs).map(|(score, (_, branches))| {
            let [failure, success] = score.either();
            let (failures, successes) = (branches.failures as f64, branches.successes as f64);
            let over_branches = (successes * success + failures * failure) / (successes + failures);
            (score.expected() - over_branches).abs()
        });
        let resampler = self.resampler;
        Ok(ContinuationComparison {
            rule: scheme.rule.to_owned(),
            schedule: scheme.tps.schedule.name().to_owned(),
            simple: resampler.estimate(&simple),
            exact: resampler.estimate(&exact),
            exact_minus_simple: resampler.difference(&exact, &simple),
            unresolved_as_failure: resampler.difference(&low, &simple),
            unresolved_as_success: resampler.difference(&high, &simple),
            largest_identity_error: identity.fold(0.0, f64::max),
        })
    }
}

/// Returns the median of values with positive weights: the value at half of the weight, or the mean of the
/// values on both sides of it.
fn median(mut values: Vec<(f64, f64)>) -> f64 {
    values.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let mut total = ExactSum::default();
    values.iter().for_each(|&(_, weight)| total.add(weight));
    let half = total.value() / 2.0;
    let mut below = ExactSum::default();
    // The first value with a cumulative weight of at least half, and the first with more than half.
    let mut lower = None;
    for &(value, weight) in &values {
        below.add(weight);
        let below = below.value();
        if below >= half {
            let first = *lower.get_or_insert(value);
            if below > half {
                return f64::midpoint(first, value);
            }
        }
    }
    lower.unwrap_or_default()
}
