use std::borrow::Cow;

use scoring_rules::{
    Probability, Weight,
    checks::{same_length, setting},
};
use trajectory_metrics::{Intervals, Tps, WeightSchedule};

use crate::{
    error::Error,
    reasons::stop_class::StopClass,
    report::{
        assumption::CensoringAssumption,
        continuation_audit::{AuditedRuns, ContinuationAudit},
        resampler::Resampler,
        sample::{NamedRule, Sample, Scheme, rules},
        score_comparison::ScoreComparison,
    },
    stops::{audit::TerminationAudit, stopped::Stopped},
    success::continuations::Continuations,
};

/// The settings of a report on a sample in which some runs were cut off.
///
/// The defaults follow the paper: all four named weight schedules, and [`Intervals::default`], for which whole clusters are
/// resampled. The odds ratio of the sensitivity range is 2.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, section 6.3 and appendices H.2 and I.
///
/// ```
/// use censoring::{
///     CensoringAnalysis, CensoringAssumption, Error, Probability, StopReason, Stopped,
/// };
///
/// let forecasts = Probability::from_slice(&[0.5, 0.25])?;
/// let runs = [
///     Stopped::new(forecasts, Some(true), None)?,
///     Stopped::new(forecasts, Some(false), None)?,
///     Stopped::new(forecasts, None, Some(StopReason::MaxSteps))?,
/// ];
/// let q = [Probability::new(0.25)?; 3];
/// let analysis = CensoringAnalysis::new(CensoringAssumption::NonInformative);
/// let report = analysis.report(&runs, Some(&q), None, &["a", "b", "c"])?;
///
/// assert_eq!(report.audit.censoring_rate()?, 1.0 / 3.0);
/// let brier = report.comparison("brier", "uniform").unwrap();
/// // A success scores (-0.25 - 0.5625) / 2 and a failure (-0.25 - 0.0625) / 2.
/// assert_eq!(brier.simple.value, (-0.40625 - 0.15625 - 0.15625) / 3.0);
/// assert!(brier.sensitivity.unwrap().contains(brier.exact.unwrap().value));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CensoringAnalysis {
    assumption: CensoringAssumption,
    schedules: Vec<WeightSchedule>,
    intervals: Intervals,
    odds_ratio: f64,
    /// The number of the group of each run; `None` for one group.
    groups: Option<Vec<u32>>,
}

impl CensoringAnalysis {
    /// Creates an analysis under a declared assumption.
    #[must_use]
    pub fn new(assumption: CensoringAssumption) -> Self {
        Self {
            assumption,
            schedules: WeightSchedule::NAMED.to_vec(),
            intervals: Intervals::default(),
            odds_ratio: 2.0,
            groups: None,
        }
    }

    /// Sets the group of each run for the weighted means. Each group has its own curve of the probability of not being
    /// cut off ([`CensoringCurves`](crate::CensoringCurves)). Without groups, all runs have one curve, which leaves a
    /// bias if cut-offs are more frequent among runs with higher or lower scores.
    ///
    /// ```
    /// use censoring::{CensoringAnalysis, CensoringAssumption, Error, Probability, StopReason, Stopped};
    ///
    /// // Hard runs fail, and half of them are cut off; easy runs succeed.
    /// let forecasts = [Probability::HALF, Probability::ONE];
    /// let cut_off = Stopped::new(&forecasts[..1], None, Some(StopReason::MaxTime))?;
    /// let ended = |outcome| Stopped::new(&forecasts, Some(outcome), None);
    /// let runs = [cut_off, ended(false)?, ended(true)?, ended(true)?];
    /// let mean = |analysis: CensoringAnalysis| {
    ///     let report = analysis.with_intervals(None).report(&runs, None, None, &[0, 1, 2, 3])?;
    ///     let brier = report.comparison("brier", "uniform").and_then(|row| row.ipcw);
    ///     Ok::<_, Error>(brier.map(|mean| mean.value))
    /// };
    /// let analysis = CensoringAnalysis::new(CensoringAssumption::NonInformative);
    /// // A failure scores -5/8 and a success -1/8.
    /// let one_curve = mean(analysis.clone())?;
    /// assert!(one_curve.is_some_and(|mean| (mean + 0.875 / 3.0).abs() < 1e-15));
    /// let by_group = mean(analysis.with_curve_groups(&["hard", "hard", "easy", "easy"]))?;
    /// assert_eq!(by_group, Some(-(2.0 * 0.625 + 0.125 + 0.125) / 4.0));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn with_curve_groups<G: Ord>(mut self, groups: &[G]) -> Self {
        let mut names: Vec<&G> = groups.iter().collect();
        names.sort_unstable();
        names.dedup();
        let number = |group: &G| names.partition_point(|name| *name < group) as u32;
        self.groups = Some(groups.iter().map(number).collect());
        self
    }

    /// Sets the weight schedules.
    #[must_use]
    pub fn with_schedules(mut self, schedules: &[WeightSchedule]) -> Self {
        self.schedules = schedules.to_vec();
        self
    }

    /// Sets the confidence intervals; `None` means no intervals.
    #[must_use]
    pub fn with_intervals(mut self, intervals: Option<Intervals>) -> Self {
        self.intervals = intervals.unwrap_or(Intervals { resamples: 0, ..Intervals::default() });
        self
    }

    /// Sets the odds ratio of the sensitivity range: the largest factor by which the true odds of success after a stop
    /// may differ from the given odds, in either direction.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the odds ratio is at least 1 and finite.
    pub fn with_odds_ratio(mut self, odds_ratio: f64) -> Result<Self, Error> {
        let is_valid = (1.0..=f64::MAX).contains(&odds_ratio);
        setting("odds_ratio", odds_ratio, is_valid, "at least 1 and finite")?;
        self.odds_ratio = odds_ratio;
        Ok(self)
    }

    /// Compares the mean scores under each treatment of cut-off runs.
    ///
    /// `success_probabilities` has one entry per run, the probability of success after the stop;
    /// entries of complete and of excluded runs are ignored. `clusters` has the task of each run.
    /// Excluded runs are counted and have no score.
    ///
    /// A run of weight 2 counts as two equal runs of the same task, also in the resamples, which draw
    /// whole tasks with the weights of their runs. A run of weight 0 is left out, and its task with it
    /// if no other run is left. Numbers of runs in the audit do not use the weights.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one entry per run in each argument; [`scoring_rules::Error::Empty`] if all
    /// runs are excluded or have weight 0; the errors of a weight schedule that is shorter than a run and of
    /// the model of success.
    pub fn report<G: Ord>(
        &self,
        runs: &[Stopped<'_>],
        success_probabilities: Option<&[Probability]>,
        weights: Option<&[Weight]>,
        clusters: &[G],
    ) -> Result<CensoringReport, Error> {
        same_length("clusters", runs.len(), clusters.len())?;
        same_length("weights", runs.len(), weights.map_or(runs.len(), <[Weight]>::len))?;
        same_length(
            "success_probabilities",
            runs.len(),
            success_probabilities.map_or(runs.len(), <[_]>::len),
        )?;
        let groups = self.groups.as_deref();
        same_length("curve groups", runs.len(), groups.map_or(runs.len(), <[_]>::len))?;
        let weight = |run: usize| weights.map_or(Weight::ONE, |weights| weights[run]);
        let mut audit = TerminationAudit::default();
        runs.iter().enumerate().for_each(|(i, run)| audit.update(run, weight(i)));
        let counts =
            |&i: &usize| runs[i].class() != StopClass::Excluded && weight(i) > Weight::ZERO;
        let places: Vec<usize> = (0..runs.len()).filter(counts).collect();
        if places.is_empty() {
            return Err(scoring_rules::Error::Empty.into());
        }
        let clusters: Vec<&G> = places.iter().map(|&i| &clusters[i]).collect();
        let clusters = Resampler::new(&clusters, self.intervals);
        let probabilities = success_probabilities.map(|all| chosen(all, &places));
        let weights = weights.map(|all| chosen(all, &places));
        let groups =
            groups.map_or_else(|| vec![0; places.len()].into(), |all| chosen(all, &places));
        let kept = chosen(runs, &places);
        drop(places);
        let sample = Sample {
            runs: &kept,
            success_probabilities: probabilities.as_deref(),
            weights: weights.as_deref(),
            groups: &groups,
            resampler: &clusters,
            odds_ratio: self.odds_ratio,
            censoring_rate: audit.censoring_rate()?,
        };
        let paper = rules()?;
        let schemes = self.schemes(&paper);
        let (ipcw_coverage, weighted) = sample.weighted_means(&schemes)?;
        let comparisons = schemes.iter().zip(weighted);
        let comparisons = comparisons.map(|(scheme, ipcw)| sample.compare(scheme, ipcw));
        let comparisons = comparisons.collect::<Result<_, Error>>()?;
        Ok(CensoringReport { assumption: self.assumption, audit, ipcw_coverage, comparisons })
    }

    /// Audits the success probabilities of cut-off runs, estimated from their continuations if at least `min_valid` of
    /// them have an outcome.
    ///
    /// `continuations` has one entry per run. Runs that were not cut off are ignored. A run whose continuations have fewer
    /// than `min_valid` outcomes is left out; the paper uses 5. Weights and clusters have the same meaning as in
    /// [`CensoringAnalysis::report`]. The weight of a run does not change the estimate from its own continuations.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one entry per run in each argument; [`scoring_rules::Error::Setting`] for a
    /// `min_valid` of 0; [`scoring_rules::Error::Empty`] if every run is left out or has weight 0; the errors of a
    /// weight schedule that is shorter than a run.
    pub fn audit_continuations<G: Ord>(
        &self,
        runs: &[Stopped<'_>],
        continuations: &[Continuations],
        weights: Option<&[Weight]>,
        clusters: &[G],
        min_valid: u64,
    ) -> Result<ContinuationAudit, Error> {
        same_length("clusters", runs.len(), clusters.len())?;
        same_length("weights", runs.len(), weights.map_or(runs.len(), <[Weight]>::len))?;
        same_length("continuations", runs.len(), continuations.len())?;
        setting("min_valid", min_valid as f64, min_valid > 0, "at least 1")?;
        let counts = |&i: &usize| {
            runs[i].class() == StopClass::Censored
                && weights.is_none_or(|weights| weights[i] > Weight::ZERO)
        };
        let cut_off: Vec<usize> = (0..runs.len()).filter(counts).collect();
        let kept: Vec<usize> =
            cut_off.iter().copied().filter(|&i| continuations[i].valid() >= min_valid).collect();
        if kept.is_empty() {
            return Err(scoring_rules::Error::Empty.into());
        }
        let clusters: Vec<&G> = kept.iter().map(|&i| &clusters[i]).collect();
        let resampler = Resampler::new(&clusters, self.intervals);
        let pairs: Vec<(&Stopped<'_>, Continuations)> =
            kept.iter().map(|&i| (&runs[i], continuations[i])).collect();
        let weights: Option<Vec<Weight>> =
            weights.map(|all| kept.iter().map(|&i| all[i]).collect());
        let left_out = (cut_off.len() - kept.len()) as u64;
        let sample =
            AuditedRuns { runs: &pairs, weights: weights.as_deref(), resampler: &resampler };
        sample.audit(left_out, min_valid, &self.schemes(&rules()?))
    }

    /// Every rule under every weight schedule.
    fn schemes<'r>(&'r self, rules: &'r [NamedRule]) -> Vec<Scheme<'r>> {
        let under_each = |(rule, score): &'r NamedRule| {
            let schedules = self.schedules.iter();
            schedules
                .map(move |schedule| Scheme { rule, tps: Tps::new(&**score, schedule.clone()) })
        };
        rules.iter().flat_map(under_each).collect()
    }
}

/// Returns the entries at these positions, without a copy if they are all.
fn chosen<'a, T: Clone>(all: &'a [T], positions: &[usize]) -> Cow<'a, [T]> {
    match positions.len() == all.len() {
        true => all.into(),
        false => positions.iter().map(|&at| all[at].clone()).collect(),
    }
}

/// A report on a sample in which some runs were cut off, made by [`CensoringAnalysis::report`].
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct CensoringReport {
    /// The declared assumption.
    pub assumption: CensoringAssumption,
    /// The counts of complete, cut-off and excluded runs, with their lengths and forecasts.
    pub audit: TerminationAudit,
    /// The share of all runs that complete runs can represent if they are weighted by inverse probabilities
    /// ([`IpcwWeights::coverage`](crate::IpcwWeights::coverage)). If it is below 1, as with one budget for all runs,
    /// no weights can fully correct for the runs that were cut off.
    pub ipcw_coverage: f64,
    /// One comparison per rule and weight schedule.
    pub comparisons: Vec<ScoreComparison>,
}

impl CensoringReport {
    /// Returns the comparison for the rule and the weight schedule with these names.
    #[must_use]
    pub fn comparison(&self, rule: &str, schedule: &str) -> Option<&ScoreComparison> {
        self.comparisons.iter().find(|row| row.rule == rule && row.schedule == schedule)
    }

    /// Returns a diagnostic of selection: the mean length of cut-off runs divided by the mean length of complete runs.
    /// `None` if there are no cut-off or no complete runs.
    #[must_use]
    pub fn length_ratio(&self) -> Option<f64> {
        let [complete, censored] = self.groups()?;
        Some(censored.mean_length / complete.mean_length)
    }

    /// Returns a diagnostic of selection: the mean forecast of cut-off runs minus the mean forecast of complete runs.
    /// `None` if there are no cut-off or no complete runs.
    #[must_use]
    pub fn forecast_difference(&self) -> Option<f64> {
        let [complete, censored] = self.groups()?;
        Some(censored.mean_forecast - complete.mean_forecast)
    }

    fn groups(&self) -> Option<[crate::stops::audit::RunGroup; 2]> {
        let group = |class| self.audit.group(class);
        Some([group(StopClass::Complete)?, group(StopClass::Censored)?])
    }
}
