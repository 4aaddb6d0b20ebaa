//! The rows of a report on runs that were cut off: every rule and weight schedule, and what hiding
//! known outcomes does.

use censoring::{
    CalibrationRuns, CensoringAnalysis, CensoringAssumption, ContinuationAudit, Continuations,
    Error, Figure, Folds, Interval, MeanShift, NoInterval, Observation, Probability, ScoringRule,
    Seed, Stopped, Tps, Trace, WeightSchedule, artificial_stops, cross_fit_calibration,
    hidden_outcome_shift, rank_changes,
};
use serde::Serialize;
use trajectory_metrics::{BetaScore, BrierScore, Isotonic, LogScore, Platt, TpsFamily};

use agent_scorecard::{no_interval, traces::Calibration};

/// The settings of a report.
#[derive(Clone, Debug)]
pub(crate) struct ReportSettings {
    /// The declared assumption on why runs were cut off.
    pub assumption: CensoringAssumption,
    /// Number of resamples of whole tasks.
    pub resamples: usize,
    /// Seed of resamples and of artificial stops.
    pub seed: u64,
    /// Odds ratio of the sensitivity range.
    pub odds_ratio: f64,
    /// Calibration, cross-fitted by task on complete runs.
    pub calibration: Calibration,
    /// Which outcomes of complete runs to hide for the split of the shift.
    pub hide: Option<Hide>,
    /// Outcomes that a run needs among its continuations.
    pub min_valid: u64,
}

/// Which outcomes of complete runs are hidden.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Hide {
    /// This share of runs, each after a random step.
    Rate(Probability),
    /// Every run, after this share of its steps.
    After(Probability),
}

/// The least and the most that a score can be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Bounds {
    /// The least.
    pub low: f64,
    /// The most.
    pub high: f64,
}

impl From<Interval> for Bounds {
    fn from(interval: Interval) -> Self {
        Self { low: interval.low(), high: interval.high() }
    }
}

/// A mean or a difference with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    /// The value on the sample.
    pub value: f64,
    /// Low end of the interval, if there is one.
    pub ci_low: Option<f64>,
    /// High end of the interval.
    pub ci_high: Option<f64>,
    #[serde(skip)]
    no_interval: Option<NoInterval>,
}

impl From<Figure> for Estimate {
    fn from(figure: Figure) -> Self {
        Self {
            value: figure.value,
            ci_low: figure.interval.ok().map(|it| it.low()),
            ci_high: figure.interval.ok().map(|it| it.high()),
            no_interval: figure.interval.err(),
        }
    }
}

/// One rule and one weight schedule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Comparison {
    /// The rule.
    pub rule: String,
    /// The weight schedule.
    pub schedule: String,
    /// Mean over complete runs.
    pub complete_only: Option<Estimate>,
    /// Mean with cut-off runs as failures.
    pub simple: Estimate,
    /// Mean with cut-off runs as successes.
    pub as_success: Estimate,
    /// Mean at the chances of the model.
    pub exact: Option<Estimate>,
    /// Simple minus complete-only mean.
    pub simple_shift: Option<Estimate>,
    /// Exact minus complete-only mean.
    pub exact_shift: Option<Estimate>,
    /// Exact minus simple mean.
    pub exact_minus_simple: Option<Estimate>,
    /// Simple shift over the censoring rate.
    pub simple_shift_per_rate: Option<f64>,
    /// Exact shift over the censoring rate.
    pub exact_shift_per_rate: Option<f64>,
    /// Range of the exact mean if odds are wrong by up to the odds ratio.
    pub sensitivity: Option<Bounds>,
    /// Range of the exact mean over all chances.
    pub bounds: Bounds,
}

/// How cut-off runs differ from complete ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Selection {
    /// Mean number of steps of complete runs.
    pub complete_length: Option<f64>,
    /// Mean number of steps of cut-off runs.
    pub censored_length: Option<f64>,
    /// Mean forecast of complete runs.
    pub complete_forecast: Option<f64>,
    /// Mean forecast of cut-off runs.
    pub censored_forecast: Option<f64>,
    /// Mean length of cut-off runs over that of complete ones.
    pub length_ratio: Option<f64>,
    /// Mean forecast of cut-off runs minus that of complete ones.
    pub forecast_difference: Option<f64>,
}

/// The mean shift of some runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Shift {
    /// Number of runs.
    pub n: u64,
    /// Number of hidden outcomes.
    pub n_hidden: u64,
    /// Mean complete score.
    pub complete: f64,
    /// Mean simple score.
    pub simple: f64,
    /// Simple minus complete score.
    pub shift: f64,
    /// The part of the prefix.
    pub prefix_swap: f64,
    /// The part of the tail.
    pub tail_omission: f64,
}

impl From<MeanShift> for Shift {
    fn from(mean: MeanShift) -> Self {
        Self {
            n: mean.runs,
            n_hidden: mean.hidden,
            complete: mean.complete_score,
            simple: mean.simple_score,
            shift: mean.simple_score - mean.complete_score,
            prefix_swap: mean.shift.prefix_swap,
            tail_omission: mean.shift.tail_omission,
        }
    }
}

/// The split of the shift under one rule and one weight schedule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct HiddenRow {
    /// The rule.
    pub rule: &'static str,
    /// The weight schedule.
    pub schedule: &'static str,
    /// All runs.
    #[serde(flatten)]
    pub all: Shift,
    /// Runs that failed.
    pub failures: Option<Shift>,
    /// Runs that succeeded.
    pub successes: Option<Shift>,
    /// The largest difference of a run between the closed form and the plain difference.
    pub largest_identity_error: f64,
}

/// Outcomes hidden, and what that does.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Hidden {
    /// What was hidden.
    pub hide: Hide,
    /// Every rule and schedule.
    pub rows: Vec<HiddenRow>,
}

/// The report on one stream.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct StreamReport {
    /// The declared assumption.
    pub assumption: CensoringAssumption,
    /// Odds ratio of the sensitivity ranges.
    pub odds_ratio: f64,
    /// How cut-off runs differ from complete ones.
    pub selection: Selection,
    /// Every rule and schedule.
    pub comparisons: Vec<Comparison>,
    /// The split of the shift, if outcomes are hidden.
    pub hidden_outcomes: Option<Hidden>,
    /// The audit of continuations, if there are some.
    pub continuations: Option<ContinuationAudit>,
}

/// A change of order between two streams.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct OrderChange {
    /// The rule.
    pub rule: String,
    /// The weight schedule.
    pub schedule: String,
    /// The treatment by which the first stream is ahead.
    pub from: &'static str,
    /// The treatment by which it is behind.
    pub to: &'static str,
    /// File of the first stream.
    pub first: String,
    /// File of the second stream.
    pub second: String,
}

/// The forecasts of complete and cut-off runs, calibrated by task on complete runs; `None` without
/// calibration.
///
/// # Errors
///
/// An error of the library if there are not enough runs to fit on.
pub(crate) fn calibrated(
    runs: &[Stopped<'_>],
    tasks: &[&String],
    calibration: Calibration,
    schedule: &WeightSchedule,
) -> Result<Option<Vec<Vec<Probability>>>, Error> {
    if calibration == Calibration::None {
        return Ok(None);
    }
    let successes: Vec<bool> = runs.iter().map(|run| run.outcome() == Some(true)).collect();
    let folds = Folds::clustered(&successes, tasks, 2)?;
    let on = CalibrationRuns::Complete;
    let forecasts = match calibration {
        Calibration::Isotonic => {
            cross_fit_calibration(&Isotonic, runs, &folds, schedule, on)?.forecasts().to_vec()
        }
        _ => cross_fit_calibration(&Platt::default(), runs, &folds, schedule, on)?
            .forecasts()
            .to_vec(),
    };
    Ok(Some(forecasts))
}

/// The same runs with other forecasts, if there are some.
///
/// # Errors
///
/// None for forecasts of these runs.
pub(crate) fn with_forecasts<'f>(
    runs: &[Stopped<'f>],
    forecasts: Option<&'f Vec<Vec<Probability>>>,
) -> Result<Vec<Stopped<'f>>, Error> {
    match forecasts {
        None => Ok(runs.to_vec()),
        Some(all) => runs.iter().zip(all).map(|(run, to)| run.with_forecasts(to)).collect(),
    }
}

/// Reports on one stream, its forecasts calibrated under the weights of each schedule.
///
/// # Errors
///
/// An error of the library.
pub(crate) fn report(
    runs: &[Stopped<'_>],
    ids: &[&String],
    tasks: &[&String],
    chances: Option<&[Probability]>,
    branches: Option<&[Continuations]>,
    settings: &ReportSettings,
) -> Result<StreamReport, Error> {
    let (mut comparisons, mut rows, mut audits) = (Vec::new(), Vec::new(), Vec::new());
    let mut selection = None;
    for schedule in WeightSchedule::NAMED {
        let forecasts = calibrated(runs, tasks, settings.calibration, &schedule)?;
        let scored = with_forecasts(runs, forecasts.as_ref())?;
        let analysis = CensoringAnalysis::new(settings.assumption)
            .with_schedules(std::slice::from_ref(&schedule))
            .with_resamples(settings.resamples)
            .with_seed(Seed::new(settings.seed))
            .with_odds_ratio(settings.odds_ratio)?;
        let report = analysis.report(&scored, chances, None, tasks)?;
        let group = |class| report.audit.group(class);
        let complete = group(censoring::StopClass::Complete);
        let censored = group(censoring::StopClass::Censored);
        selection.get_or_insert(Selection {
            complete_length: complete.map(|group| group.mean_length),
            censored_length: censored.map(|group| group.mean_length),
            complete_forecast: complete.map(|group| group.mean_forecast),
            censored_forecast: censored.map(|group| group.mean_forecast),
            length_ratio: report.length_ratio(),
            forecast_difference: report.forecast_difference(),
        });
        comparisons.extend(report.comparisons.into_iter().map(|row| Comparison {
            rule: row.rule,
            schedule: row.schedule,
            complete_only: row.complete_only.map(Estimate::from),
            simple: row.simple.into(),
            as_success: row.as_success.into(),
            exact: row.exact.map(Estimate::from),
            simple_shift: row.simple_shift.map(Estimate::from),
            exact_shift: row.exact_shift.map(Estimate::from),
            exact_minus_simple: row.exact_minus_simple.map(Estimate::from),
            simple_shift_per_rate: row.simple_shift_per_rate,
            exact_shift_per_rate: row.exact_shift_per_rate,
            sensitivity: row.sensitivity.map(Bounds::from),
            bounds: row.bounds.into(),
        }));
        if let Some(hide) = settings.hide {
            rows.extend(hidden_rows(&scored, ids, &schedule, hide, settings.seed)?);
        }
        if let Some(branches) = branches {
            match analysis.audit_continuations(&scored, branches, None, tasks, settings.min_valid) {
                Ok(audit) => audits.push(audit),
                // No run has enough outcomes.
                Err(Error::ScoringRules(censoring::scoring_rules::Error::Empty)) => {}
                Err(error) => return Err(error),
            }
        }
    }
    // One audit; only its comparisons differ between schedules.
    let mut audits = audits.into_iter();
    let continuations = audits.next().map(|mut first| {
        audits.for_each(|other| first.comparisons.extend(other.comparisons));
        first
    });
    let selection = selection.ok_or(Error::ScoringRules(censoring::scoring_rules::Error::Empty))?;
    Ok(StreamReport {
        assumption: settings.assumption,
        odds_ratio: settings.odds_ratio,
        selection,
        comparisons,
        hidden_outcomes: settings.hide.map(|hide| Hidden { hide, rows }),
        continuations,
    })
}

impl StreamReport {
    /// Why means and differences have no interval.
    pub(crate) fn missing_intervals(&self, place: &str) -> Vec<String> {
        let named = self.comparisons.iter().flat_map(|row| {
            [
                ("complete_only", row.complete_only),
                ("simple", Some(row.simple)),
                ("as_success", Some(row.as_success)),
                ("exact", row.exact),
                ("simple_shift", row.simple_shift),
                ("exact_shift", row.exact_shift),
                ("exact_minus_simple", row.exact_minus_simple),
            ]
        });
        let mut missing: Vec<(&str, String)> = Vec::new();
        for (name, estimate) in named {
            let Some(why) = estimate.and_then(|it| it.no_interval) else { continue };
            // Rules and schedules share their reasons.
            let entry = (name, why.to_string());
            if !missing.contains(&entry) {
                missing.push(entry);
            }
        }
        no_interval::notes(place, missing)
    }
}

fn hidden_rows(
    runs: &[Stopped<'_>],
    ids: &[&String],
    schedule: &WeightSchedule,
    hide: Hide,
    seed: u64,
) -> Result<Vec<HiddenRow>, Error> {
    let (mut traces, mut complete_ids): (Vec<Trace<'_>>, Vec<&String>) = (Vec::new(), Vec::new());
    for (run, id) in runs.iter().zip(ids) {
        if let Observation::Complete(trace) = run.observation() {
            traces.push(trace);
            complete_ids.push(id);
        }
    }
    let lengths: Vec<usize> = traces.iter().map(|trace| trace.forecasts().len()).collect();
    let stops = match hide {
        Hide::Rate(rate) => artificial_stops(&lengths, &complete_ids, |_| rate, Seed::new(seed))?,
        Hide::After(share) => lengths
            .iter()
            .map(|&steps| Some(((share.get() * steps as f64) as usize).clamp(1, steps)))
            .collect(),
    };
    let rules: [(&str, Box<dyn ScoringRule>); 3] = [
        ("log", Box::new(LogScore::clipped(TpsFamily::CLIP)?)),
        ("brier", Box::new(BrierScore)),
        ("beta_2_4", Box::new(BetaScore::new(2.0, 4.0)?)),
    ];
    let row = |(rule, score): (&'static str, Box<dyn ScoringRule>)| {
        let shift =
            hidden_outcome_shift(&Tps::new(score, schedule.clone()), &traces, &stops, None)?;
        Ok(HiddenRow {
            rule,
            schedule: schedule.name(),
            all: shift.all.into(),
            failures: shift.failures.map(Shift::from),
            successes: shift.successes.map(Shift::from),
            largest_identity_error: shift.largest_identity_error,
        })
    };
    rules.into_iter().map(row).collect()
}

/// The pairs of streams whose order changes from one treatment of cut-off runs to the next.
///
/// # Errors
///
/// None for reports of [`report`].
pub(crate) fn order_changes(
    streams: &[(&String, &StreamReport)],
) -> Result<Vec<OrderChange>, Error> {
    type Value = fn(&Comparison) -> Option<f64>;
    let ways: [(&str, Value); 3] = [
        ("complete_only", |row| row.complete_only.map(|estimate| estimate.value)),
        ("simple", |row| Some(row.simple.value)),
        ("exact", |row| row.exact.map(|estimate| estimate.value)),
    ];
    let mut changes = Vec::new();
    let cells = streams.first().map_or(0, |(_, report)| report.comparisons.len());
    for cell in 0..cells {
        for (from, to) in [(0, 1), (1, 2)] {
            let values = |(_, value): (&str, Value)| -> Option<Vec<f64>> {
                streams.iter().map(|(_, report)| value(&report.comparisons[cell])).collect()
            };
            let (Some(before), Some(after)) = (values(ways[from]), values(ways[to])) else {
                continue;
            };
            let row = &streams[0].1.comparisons[cell];
            changes.extend(rank_changes(&before, &after)?.into_iter().map(|change| OrderChange {
                rule: row.rule.clone(),
                schedule: row.schedule.clone(),
                from: ways[from].0,
                to: ways[to].0,
                first: streams[change.ahead].0.clone(),
                second: streams[change.behind].0.clone(),
            }));
        }
    }
    Ok(changes)
}
