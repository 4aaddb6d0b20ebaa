use scoring_rules::{CompensatedSum, Probability};
use trajectory_metrics::{Tps, WeightSchedule};

use crate::{
    error::Error,
    report::{
        score_comparison::rules,
        score_estimate::{Resampler, ScoreEstimate},
    },
    scores::run_score::RunScore,
    stops::stopped::Stopped,
    success::continuations::{Continuations, SuccessEstimate},
};

/// The audit of probabilities of success that were estimated from continuations of cut-off runs,
/// made by [`CensoringAnalysis::audit_continuations`](crate::CensoringAnalysis::audit_continuations).
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
/// let audit = analysis.audit_continuations(&runs, &[failed, mixed, few], 5, &["a", "b", "c"])?;
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
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct ContinuationAudit {
    /// The number of outcomes that a run needs among its continuations.
    pub min_valid: u64,
    /// The number of cut-off runs with enough outcomes.
    pub retained: u64,
    /// The number of cut-off runs with too few outcomes.
    pub left_out: u64,
    /// The mean number of continuations with an outcome, per retained run.
    pub mean_valid: f64,
    /// The mean number of continuations that were cut off again, per retained run.
    pub mean_unresolved: f64,
    /// The mean number of invalid continuations, per retained run.
    pub mean_invalid: f64,
    /// The estimated probabilities of success of the retained runs, in increasing order.
    pub success_probabilities: Vec<Probability>,
    /// Their mean.
    pub mean: ScoreEstimate,
    /// Their median; the mean of the two middle values if their number is even.
    pub median: f64,
    /// The share of retained runs whose estimate is 0.
    pub zero_share: f64,
    /// The share of retained runs whose estimate is above 1/2.
    pub above_half_share: f64,
    /// One comparison per rule and weight schedule.
    pub comparisons: Vec<ContinuationComparison>,
}

/// Exact and simple mean scores of cut-off runs under one rule and one weight schedule.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct ContinuationComparison {
    /// The name of the rule: `log` (clipped at 1e-6), `brier` or `beta_2_4`.
    pub rule: String,
    /// The name of the weight schedule.
    pub schedule: String,
    /// The simple mean.
    pub simple: ScoreEstimate,
    /// The exact mean at the estimated probabilities.
    pub exact: ScoreEstimate,
    /// Exact minus simple mean.
    pub exact_minus_simple: ScoreEstimate,
    /// Exact minus simple mean if unresolved continuations count as failures.
    pub unresolved_as_failure: ScoreEstimate,
    /// Exact minus simple mean if unresolved continuations count as successes.
    pub unresolved_as_success: ScoreEstimate,
    /// The largest difference, over the runs, between the exact score and the mean score over the
    /// continuations with an outcome. Only rounding makes it positive.
    pub largest_identity_error: f64,
}

pub(crate) fn audit(
    runs: &[(&Stopped<'_>, Continuations)],
    left_out: u64,
    min_valid: u64,
    schedules: &[WeightSchedule],
    resampler: &Resampler,
) -> Result<ContinuationAudit, Error> {
    let estimates: Vec<SuccessEstimate> =
        runs.iter().map(|(_, branches)| branches.estimate()).collect::<Result<_, _>>()?;
    let estimated: Vec<f64> = estimates.iter().map(|e| e.probability().get()).collect();
    let mut sorted: Vec<Probability> = estimates.iter().map(SuccessEstimate::probability).collect();
    sorted.sort_unstable_by(|a, b| a.get().total_cmp(&b.get()));
    let n = runs.len();
    let share = |some: &dyn Fn(f64) -> bool| {
        estimated.iter().filter(|&&q| some(q)).count() as f64 / n as f64
    };
    let mean_of = |count: &dyn Fn(&Continuations) -> u64| {
        let mut sum = CompensatedSum::default();
        runs.iter().for_each(|(_, branches)| sum.add(count(branches) as f64));
        sum.value() / n as f64
    };
    let mut comparisons = Vec::with_capacity(3 * schedules.len());
    for (name, rule) in &rules()? {
        for schedule in schedules {
            let tps = Tps::new(&**rule, schedule.clone());
            let row = compare(&tps, runs, &estimates, resampler)?;
            let (rule, schedule) = ((*name).to_owned(), schedule.name().to_owned());
            comparisons.push(ContinuationComparison { rule, schedule, ..row });
        }
    }
    Ok(ContinuationAudit {
        min_valid,
        retained: n as u64,
        left_out,
        mean_valid: mean_of(&Continuations::valid),
        mean_unresolved: mean_of(&|branches| branches.unresolved),
        mean_invalid: mean_of(&|branches| branches.invalid),
        mean: resampler.estimate(&resampler.mean(&estimated, None)?),
        median: f64::midpoint(sorted[(n - 1) / 2].get(), sorted[n / 2].get()),
        success_probabilities: sorted,
        zero_share: share(&|q| q == 0.0),
        above_half_share: share(&|q| q > 0.5),
        comparisons,
    })
}

fn compare<R: scoring_rules::ScoringRule>(
    tps: &Tps<R>,
    runs: &[(&Stopped<'_>, Continuations)],
    estimates: &[SuccessEstimate],
    resampler: &Resampler,
) -> Result<ContinuationComparison, Error> {
    let scores: Vec<RunScore> = runs
        .iter()
        .zip(estimates)
        .map(|((run, _), estimate)| RunScore::new(tps, run, estimate.probability()))
        .collect::<Result<_, _>>()?;
    let mean = |probability: &dyn Fn(&SuccessEstimate) -> Probability| {
        let values: Vec<f64> = scores
            .iter()
            .zip(estimates)
            .map(|(score, estimate)| score.expected_at(probability(estimate)))
            .collect();
        resampler.mean(&values, None)
    };
    let simple = mean(&|_| Probability::ZERO)?;
    let exact = mean(&SuccessEstimate::probability)?;
    let low = mean(&|estimate| estimate.interval().low())?;
    let high = mean(&|estimate| estimate.interval().high())?;
    let identity = scores.iter().zip(runs).map(|(score, (_, branches))| {
        let [failure, success] = score.either();
        let (failures, successes) = (branches.failures as f64, branches.successes as f64);
        let over_branches = (successes * success + failures * failure) / (successes + failures);
        (score.expected() - over_branches).abs()
    });
    Ok(ContinuationComparison {
        rule: String::new(),
        schedule: String::new(),
        simple: resampler.estimate(&simple),
        exact: resampler.estimate(&exact),
        exact_minus_simple: resampler.difference(&exact, &simple),
        unresolved_as_failure: resampler.difference(&low, &simple),
        unresolved_as_success: resampler.difference(&high, &simple),
        largest_identity_error: identity.fold(0.0, f64::max),
    })
}
