//! An honest report on traces: trajectory proper scores, diagnostics, intervals, and what was left
//! out.

use std::collections::{BTreeMap, BTreeSet};

use censoring::{TerminationAudit, simple_score};
use serde::Serialize;
use trajectory_metrics::{
    Diagnostics, EvaluationOptions, ExactMean, Level, LogScore, NamedEstimate, NoInterval,
    Probability, Resampling, Summary, Tps, TpsFamily,
};

use crate::{
    report::trace_figures::{CurveSettings, Curves, curves},
    traces::{
        sample::{Sample, constant, prepare},
        settings::{Calibration, Settings},
        trace_file::Run,
        units::{Resampled, RunsDigest},
    },
};

/// The metrics of a report, in its order, and whether a higher value is better.
pub(crate) const METRICS: [(&str, bool); 9] = [
    ("tps_log", true),
    ("tps_brier", true),
    ("tps_beta_2_4", true),
    (CENSORED, true),
    ("auroc", true),
    ("average_precision", true),
    ("aurc", false),
    ("t_ece", false),
    ("t_brier", false),
];

/// The log score over complete and censored traces, which is not of the library's report.
pub(crate) const CENSORED: &str = "tps_log_censored_simple";

/// What must hold for a metric to mean what its name says, besides what holds for all.
pub(crate) const ASSUMPTIONS: [(&str, &str); 1] = [(
    CENSORED,
    "failure-side approximation: a run that was cut off has no chance of success (q_Z = 0)",
)];

/// Share of resampled values inside an interval.
pub(crate) const LEVEL: f64 = 0.95;

/// A value and its bootstrap interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Estimate {
    /// The value on all rows.
    pub value: f64,
    /// Lower end of the 95 % interval.
    pub ci_low: Option<f64>,
    /// Upper end of the 95 % interval.
    pub ci_high: Option<f64>,
}

/// Estimates by metric name; `None` where a metric is undefined.
pub(crate) type Estimates = BTreeMap<&'static str, Option<Estimate>>;

/// The whole report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Report {
    /// Complete traces: all metrics but the censored one are over these.
    pub n: u64,
    /// Traces that a budget cut off, which the censored score takes in.
    pub n_censored: u64,
    /// Traces without an outcome that cannot be scored.
    pub n_excluded: u64,
    /// Those by reason.
    pub excluded: BTreeMap<String, u64>,
    /// Different tasks among complete and censored traces.
    pub n_tasks: usize,
    /// Share of successes among complete traces.
    pub base_rate: Option<f64>,
    /// Name of the weight schedule.
    pub schedule: &'static str,
    /// Name of the summary that the diagnostics among the metrics are computed from.
    pub summary: &'static str,
    /// Calibration before scoring.
    pub calibration: Calibration,
    /// Bootstrap replicates behind each interval.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Whether whole tasks were resampled; otherwise runs, if there are intervals.
    pub clustered_by_task: bool,
    /// The metrics.
    #[serde(flatten)]
    pub metrics: Estimates,
    /// The same metrics of a constant forecast of the base rate on the same traces.
    pub base_rate_reference: Estimates,
    /// The diagnostics by summary; the trajectory scores use no summary. `None` where a diagnostic is
    /// undefined; empty without complete traces.
    pub summaries: BTreeMap<String, BTreeMap<&'static str, Option<f64>>>,
    /// What must hold for a metric to mean what its name says, by metric.
    pub assumptions: BTreeMap<&'static str, &'static str>,
    /// What is undefined and why, and what to know before the figures are quoted.
    pub notes: Vec<String>,
    /// Which complete runs these are.
    #[serde(skip)]
    pub runs: RunsDigest,
    /// How runs ended, complete, cut-off and excluded ones alike, if curves were asked for.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stops: BTreeMap<String, u64>,
    /// Curves and bins, if they were asked for.
    #[serde(flatten)]
    pub curves: Option<Curves>,
}

/// Evaluates the runs of one or more files, each a stream of its own: calibration is fitted file by
/// file. Runs of one task are resampled together, whatever file they stand in, and so are runs of one id
/// without a task.
///
/// # Errors
///
/// An error of the library where a setting cannot be met on these runs; an
/// [`InputError`](crate::files::json_lines::InputError) for a run without a task where tasks are needed.
pub(crate) fn evaluate(
    files: &[&[Run]],
    settings: &Settings,
) -> Result<Report, Box<dyn std::error::Error>> {
    let mut audit = TerminationAudit::default();
    let mut notes = Vec::new();
    let mut sample = Sample::default();
    for &runs in files {
        sample.append(prepare(runs, settings, &mut audit, &mut notes)?)?;
    }
    let scored: Vec<&Run> = sample.runs().collect();
    let distinct = |name: fn(&Run) -> Option<&str>| -> usize {
        scored.iter().filter_map(|&run| name(run)).collect::<BTreeSet<_>>().len()
    };
    let n_tasks = distinct(|run| run.task.as_deref());
    let n_ids = distinct(|run| Some(&run.id));
    let resampled = match scored.is_empty() || settings.resamples == 0 {
        true => None,
        false => Some(Resampled::new(&scored, settings.cluster_by, settings.seed)?),
    };
    let mut resampling = None;
    if let Some(resampled) = &resampled {
        notes.extend(resampled.notes.iter().cloned());
        let (resamples, level) = (settings.resamples, Level::new(LEVEL)?);
        match &resampled.bootstrap {
            Ok(bootstrap) => resampling = Some(Resampling { bootstrap, resamples, level }),
            Err(error) => {
                // One task or id says nothing of the variation between them.
                let few = NoInterval::check_clusters(1, level).err();
                let why = few.map_or_else(|| error.to_string(), |few| few.to_string());
                notes.push(format!("no intervals: {why}"));
            }
        }
    }
    let mut digest = RunsDigest::default();
    for (run, &outcome) in sample.complete_runs.iter().zip(sample.complete.outcomes()) {
        digest.update(&run.id, outcome);
    }
    let options = EvaluationOptions {
        schedule: settings.schedule.clone(),
        summary: settings.summary.clone(),
        resampling,
        ..EvaluationOptions::default()
    };
    let complete = match sample.complete.is_empty() {
        true => None,
        false => {
            let complete = trajectory_metrics::evaluate(&sample.complete, &options)?;
            let constant = constant(&sample, Probability::new(complete.base_rate)?);
            Some(CompleteFigures {
                base_rate: complete.base_rate,
                estimates: complete.metrics.estimates,
                reference: complete.base_rate_reference.estimates,
                censored_reference: censored_score(&constant, settings, resampling)?,
                summaries: complete.metrics.diagnostics,
                notes: complete.notes,
            })
        }
    };
    let excluded = audit.exclusions();
    let figures = Figures {
        n: audit.complete(),
        n_censored: audit.censored(),
        excluded: excluded.iter().map(|(reason, &runs)| (reason.to_string(), runs)).collect(),
        n_tasks,
        n_ids,
        clustered_by_task: resampled.as_ref().is_some_and(|resampled| resampled.is_by_task),
        runs: digest,
        notes,
        complete,
        censored: censored_score(&sample, settings, resampling)?,
    };
    let mut report = figures.into_report(settings);
    if settings.with_curves {
        let weighted = Summary::Weighted(settings.schedule.clone());
        let summary = settings.summary.as_ref().unwrap_or(&weighted);
        let (resamples, seed) = (settings.resamples, settings.seed);
        report.curves = Some(curves(&sample.complete, CurveSettings { summary, resamples, seed })?);
        for (_, reason, group) in audit.rows() {
            let reason = reason.map_or_else(|| "not stated".to_owned(), ToString::to_string);
            *report.stops.entry(reason).or_insert(0) += group.runs;
        }
    }
    Ok(report)
}

/// What a report says of the runs that can be scored, however it was worked out.
pub(crate) struct Figures {
    pub(crate) n: u64,
    pub(crate) n_censored: u64,
    pub(crate) excluded: BTreeMap<String, u64>,
    pub(crate) n_tasks: usize,
    pub(crate) n_ids: usize,
    /// Whether whole tasks were resampled.
    pub(crate) clustered_by_task: bool,
    /// Which complete runs these are.
    pub(crate) runs: RunsDigest,
    /// Notes that come first.
    pub(crate) notes: Vec<String>,
    /// `None` without a complete trace.
    pub(crate) complete: Option<CompleteFigures>,
    /// The log score with censored runs.
    pub(crate) censored: NamedEstimate,
}

/// What a report says of complete traces.
pub(crate) struct CompleteFigures {
    pub(crate) base_rate: f64,
    pub(crate) estimates: Vec<NamedEstimate>,
    /// The estimates of a constant forecast of the base rate.
    pub(crate) reference: Vec<NamedEstimate>,
    pub(crate) censored_reference: NamedEstimate,
    pub(crate) summaries: BTreeMap<String, Diagnostics>,
    /// Notes on both lists of estimates.
    pub(crate) notes: Vec<String>,
}

impl Figures {
    /// The report with all its notes.
    pub(crate) fn into_report(self, settings: &Settings) -> Report {
        let Self { n, n_censored, excluded, n_tasks, n_ids, clustered_by_task, runs, .. } = self;
        let Self { mut notes, complete, censored, .. } = self;
        let scored = n + n_censored;
        let share_tasks = n_tasks > 0 && (n_tasks as u64) < scored;
        if settings.calibration != Calibration::None && share_tasks {
            notes.push("calibration: traces of one task may be in different halves".to_owned());
        }
        if (n_ids as u64) < scored && !clustered_by_task {
            notes.push(format!(
                "{scored} traces have {n_ids} different ids; those of one id are resampled together",
            ));
        }
        if n_censored > 0 {
            notes.extend(ASSUMPTIONS.map(|(metric, assumption)| {
                format!(
                    "{metric}: {assumption}; it favours low forecasts on such runs, so no column is marked best"
                )
            }));
        }
        if settings.resamples == 0 {
            notes.push("no intervals: no resamples were asked for".to_owned());
        } else {
            notes.push(
                "t_ece is biased upwards; its interval tends to lie above its value".to_owned(),
            );
        }
        let censored_notes = censored.notes();
        let base_rate = complete.as_ref().map(|complete| complete.base_rate);
        let (mut metrics, mut base_rate_reference) = (vec![censored], vec![]);
        let mut summaries = BTreeMap::new();
        if let Some(complete) = complete {
            summaries.extend(complete.summaries.into_iter().map(|(summary, diagnostics)| {
                let values = diagnostics.by_name().map(|(name, value)| (name, value.ok()));
                (summary, BTreeMap::from(values))
            }));
            notes.extend(complete.notes);
            notes.extend(censored_notes);
            let constant_notes = complete.censored_reference.notes();
            notes.extend(constant_notes.iter().map(|note| format!("base_rate_reference.{note}")));
            metrics.extend(complete.estimates);
            base_rate_reference = complete.reference;
            base_rate_reference.push(complete.censored_reference);
        } else {
            notes.extend(censored_notes);
        }
        let [metrics, base_rate_reference] = [metrics, base_rate_reference].map(figures);
        if base_rate.is_none() {
            notes.push("base_rate: undefined without a complete trace".to_owned());
        }
        Report {
            n,
            n_censored,
            n_excluded: excluded.values().sum(),
            excluded,
            n_tasks,
            base_rate,
            schedule: settings.schedule.name(),
            summary: settings.summary.as_ref().map_or(settings.schedule.name(), Summary::name),
            calibration: settings.calibration,
            resamples: settings.resamples,
            seed: settings.seed,
            clustered_by_task,
            metrics,
            base_rate_reference,
            summaries,
            assumptions: ASSUMPTIONS.into(),
            notes,
            runs,
            stops: BTreeMap::new(),
            curves: None,
        }
    }
}

/// The log scores of complete traces, then those of censored ones.
pub(crate) fn simple_scores(
    sample: &Sample<'_>,
    settings: &Settings,
) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let log = Tps::new(LogScore::clipped(TpsFamily::CLIP)?, settings.schedule.clone());
    let mut scores = log.scores(&sample.complete)?;
    for run in &sample.censored {
        scores.push(simple_score(&log, &run.stopped()?)?);
    }
    Ok(scores)
}

/// The log score with censored runs, over complete and censored traces.
fn censored_score(
    sample: &Sample<'_>,
    settings: &Settings,
    resampling: Option<Resampling<'_>>,
) -> Result<NamedEstimate, Box<dyn std::error::Error>> {
    let scores = simple_scores(sample, settings)?;
    let mean = |counts: &[u32]| {
        let mut mean = ExactMean::default();
        for (&value, &count) in scores.iter().zip(counts) {
            mean.update_weighted(value, count.into())?;
        }
        Ok(mean.finish()?)
    };
    let replicates = resampling.map(|Resampling { bootstrap, resamples, .. }| {
        let [replicates] = bootstrap.replicates(resamples, |counts| [mean(counts)]);
        replicates
    });
    let value = mean(&vec![1; scores.len()]);
    Ok(NamedEstimate::new(CENSORED, value, replicates, Level::new(LEVEL)?))
}

/// The figures of a report, in its order.
fn figures(estimates: Vec<NamedEstimate>) -> Estimates {
    let named = METRICS.into_iter().map(|(name, _)| {
        let Some(of) = estimates.iter().find(|estimate| estimate.metric == name) else {
            return (name, None);
        };
        let interval = of.interval.as_ref().and_then(|interval| interval.as_ref().ok());
        // What is not finite cannot be written as a number.
        let value = of.value.as_ref().ok().filter(|value| value.is_finite());
        let estimate = value.map(|&value| Estimate {
            value,
            ci_low: interval.map(|interval| interval.interval.low()),
            ci_high: interval.map(|interval| interval.interval.high()),
        });
        (name, estimate)
    });
    named.collect()
}
