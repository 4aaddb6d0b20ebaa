use scoring_rules::{Interval, Probability, Weight};
use trajectory_metrics::Figure;

use crate::{
    error::Error,
    report::sample::{Sample, Scheme},
    scores::{run_score::RunScore, score_bounds::mean_score_bounds},
    sensitivity::flip::tilted,
    stops::stopped::Stopped,
};

/// The mean scores of one stream under one rule and one weight schedule, for each treatment of
/// cut-off runs.
///
/// Higher scores are better. All intervals use the same resamples, so differences are paired.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, section 6.3 and tables 11 and 12.
///
/// ```
/// use censoring::{CensoringAnalysis, CensoringAssumption, Error, Probability, StopReason, Stopped};
///
/// let forecasts = [Probability::HALF, Probability::HALF];
/// let cut_off = Stopped::new(&forecasts[..1], None, Some(StopReason::MaxSteps))?.with_horizon(2)?;
/// let runs = [Stopped::new(&forecasts, Some(false), None)?, cut_off];
/// let analysis = CensoringAnalysis::new(CensoringAssumption::FailureSide);
/// let report = analysis.report(&runs, None, None, &["a", "b"])?;
/// let row = report.comparison("brier", "uniform").unwrap();
/// // Half of the weight of the second run was observed, so its score is better.
/// assert_eq!(row.complete_only.unwrap().value, -0.25);
/// assert_eq!(row.simple_shift.unwrap().value, 0.0625);
/// assert_eq!(row.simple_shift_per_rate, Some(0.125));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ScoreComparison {
    /// The name of the rule: `log` (clipped at 1e-6), `brier`, `beta_2_4`, or the name of an added rule.
    pub rule: String,
    /// The name of the weight schedule.
    pub schedule: String,
    /// The mean score of complete runs only; `None` if there are none.
    pub complete_only: Option<Figure>,
    /// The simple mean, in which cut-off runs are scored as failures on their observed steps.
    pub simple: Figure,
    /// The mean in which cut-off runs are scored as successes on their observed steps.
    pub as_success: Figure,
    /// The exact mean, in which cut-off runs succeed with the given probabilities; `None` if none were given.
    pub exact: Option<Figure>,
    /// The mean complete score of all runs, estimated from complete runs. Each of them is weighted by the inverse of
    /// its probability of not being cut off before its end ([`IpcwWeights::normalized_mean_score`]). It needs no model
    /// of success. If [`CensoringReport::ipcw_coverage`] is below 1, it is the mean over the runs that can be
    /// complete. `None` without a complete run, and for scores outside -1e100 to 1e100.
    ///
    /// [`IpcwWeights::normalized_mean_score`]: crate::IpcwWeights::normalized_mean_score
    /// [`CensoringReport::ipcw_coverage`]: crate::CensoringReport::ipcw_coverage
    pub ipcw: Option<Figure>,
    /// The simple mean minus the mean of complete runs only.
    pub simple_shift: Option<Figure>,
    /// The exact mean minus the mean of complete runs only.
    pub exact_shift: Option<Figure>,
    /// The exact mean minus the simple mean.
    pub exact_minus_simple: Option<Figure>,
    /// The field `simple_shift` divided by the censoring rate; `None` if no run was cut off.
    pub simple_shift_per_rate: Option<f64>,
    /// The field `exact_shift` divided by the censoring rate; `None` if no run was cut off.
    pub exact_shift_per_rate: Option<f64>,
    /// The range of the exact mean if, for each cut-off run separately, the odds of success are wrong by at most the
    /// odds ratio of the analysis.
    pub sensitivity: Option<Interval>,
    /// The range of the exact mean over all possible probabilities of success.
    pub bounds: Interval,
}

impl Sample<'_, '_> {
    pub(crate) fn compare(
        &self,
        scheme: &Scheme<'_>,
        ipcw: Option<Figure>,
    ) -> Result<ScoreComparison, Error> {
        let tps = &scheme.tps;
        // First, because the intervals take as much memory as the scores of the runs.
        let sensitivity = self.success_probabilities.map(|all| {
            let around = |&q: &Probability| -> Result<_, Error> {
                let end = |odds_ratio: f64| Probability::new(tilted(q.get(), odds_ratio));
                Ok(Interval::new(end(self.odds_ratio.recip())?, end(self.odds_ratio)?)?)
            };
            let intervals: Vec<_> = all.iter().map(around).collect::<Result<_, _>>()?;
            mean_score_bounds(tps, self.runs, Some(&intervals), self.weights)
        });
        let q = |run: usize| self.success_probabilities.map_or(Probability::HALF, |all| all[run]);
        let mut scores = Vec::with_capacity(self.runs.len());
        for run in self.runs {
            scores.push(RunScore::new(tps, run, Probability::HALF)?.either());
        }
        let score = |run: usize, success_probability| match (self.runs[run].outcome(), scores[run])
        {
            (Some(_), [score, _]) => score,
            (None, [if_failure, if_success]) => {
                RunScore::Censored { success_probability, if_success, if_failure }.expected()
            }
        };
        let mean = |q: &dyn Fn(usize) -> Probability, weights: Option<&[Weight]>| {
            let values: Vec<f64> = (0..scores.len()).map(|run| score(run, q(run))).collect();
            self.resampler.mean(&values, weights)
        };
        let mean_at = |q: Probability| mean(&|_| q, self.weights);
        let simple = mean_at(Probability::ZERO)?;
        let exact = self.success_probabilities.map(|_| mean(&q, self.weights));
        let exact = exact.transpose()?;
        let if_complete = |(position, run): (usize, &Stopped<'_>)| match run.outcome() {
            Some(_) => self.weight(position),
            None => Weight::ZERO,
        };
        let weights: Vec<Weight> = self.runs.iter().enumerate().map(if_complete).collect();
        let is_any_complete = weights.iter().any(|&weight| weight > Weight::ZERO);
        let complete = is_any_complete.then(|| mean(&q, Some(&weights)));
        let complete = complete.transpose()?;
        let estimate = |mean| self.resampler.estimate(mean);
        let pair = |first, second| self.resampler.difference(first, second);
        let simple_shift = complete.as_ref().map(|complete| pair(&simple, complete));
        let both = exact.as_ref().zip(complete.as_ref());
        let exact_shift = both.map(|(exact, complete)| pair(exact, complete));
        let per_rate = |shift: Option<Figure>| {
            shift.filter(|_| self.censoring_rate > 0.0).map(|s| s.value / self.censoring_rate)
        };
        Ok(ScoreComparison {
            rule: scheme.rule.to_owned(),
            schedule: tps.schedule.name().to_owned(),
            complete_only: complete.as_ref().map(estimate),
            simple: estimate(&simple),
            as_success: estimate(&mean_at(Probability::ONE)?),
            exact: exact.as_ref().map(estimate),
            ipcw,
            simple_shift,
            exact_shift,
            exact_minus_simple: exact.as_ref().map(|exact| pair(exact, &simple)),
            simple_shift_per_rate: per_rate(simple_shift),
            exact_shift_per_rate: per_rate(exact_shift),
            sensitivity: sensitivity.transpose()?,
            bounds: mean_score_bounds(tps, self.runs, None, self.weights)?,
        })
    }
}
