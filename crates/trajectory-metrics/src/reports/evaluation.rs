use std::collections::BTreeMap;

use scoring_rules::{ExactMean, Probability, TiedBlocks, Weight};

use crate::{
    checks::same_length,
    error::Error,
    reports::{
        diagnostics::Diagnostics,
        named_estimate::{NamedEstimate, Resampling, Scored},
    },
    streams::{
        summary::Summary, tps_family::TpsFamily, traces::Traces, weight_schedule::WeightSchedule,
    },
};

/// What [`evaluate`] needs to know beside the traces. The [default](Self::default): equal weights,
/// the linear-front summary, nothing disclosed, no intervals.
#[derive(Clone, Debug, Default)]
pub struct EvaluationOptions<'a> {
    /// A weight for each trace; `None` for equal weights.
    pub weights: Option<&'a [Weight]>,
    /// Weights of the steps in the mean forecast that the diagnostics are of, and in the scores of
    /// [`StreamMetrics::estimates`].
    pub summary: WeightSchedule,
    /// How the forecasts were calibrated, in your words; `None` for not at all.
    pub calibration: Option<&'a str>,
    /// How many runs were left out, by reason, runs that were cut off among them.
    pub exclusions: BTreeMap<String, u64>,
    /// How to make intervals; `None` for no intervals.
    pub resampling: Option<Resampling<'a>>,
}

/// The paper's report on a stream of forecasts along complete runs, made by [`evaluate`].
///
/// Stored with the feature `serde`, what is undefined is `{"undefined": "why"}`.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct Evaluation {
    /// Number of traces.
    pub n: usize,
    /// Weighted share of successes.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::share"))]
    pub base_rate: f64,
    /// Name of the schedule of the mean forecast that the diagnostics are of.
    pub summary: String,
    /// How the forecasts were calibrated, as disclosed by the caller; `None` for not at all.
    pub calibration: Option<String>,
    /// Runs left out, by reason, as disclosed by the caller.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::distinct_keys::map"))]
    pub exclusions: BTreeMap<String, u64>,
    /// What the stream reaches.
    pub metrics: StreamMetrics,
    /// What a constant forecast of the base rate reaches on the same traces.
    pub base_rate_reference: StreamMetrics,
    /// What is undefined, and why.
    pub notes: Vec<String>,
}

/// Scores and diagnostics of one stream.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct StreamMetrics {
    /// The mean trajectory proper scores by the name of the weight schedule, for all
    /// [`WeightSchedule::NAMED`].
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::distinct_keys::map"))]
    pub tps: BTreeMap<String, TpsFamily>,
    /// The diagnostics of the mean forecast of each trace.
    pub diagnostics: Diagnostics,
    /// The three scores under the schedule of the summary, as `tps_log`, `tps_brier` and
    /// `tps_beta_2_4`, then the diagnostics, each with its interval where one was asked for.
    pub estimates: Vec<NamedEstimate>,
}

impl StreamMetrics {
    /// The estimate of this name among [`Self::estimates`].
    #[must_use]
    pub fn estimate(&self, metric: &str) -> Option<&NamedEstimate> {
        self.estimates.iter().find(|estimate| estimate.metric == metric)
    }
}

/// Reports on traces as the paper does: trajectory proper scores under all weight schedules,
/// diagnostics beside them, and the same of a constant forecast of the base rate.
///
/// With [`EvaluationOptions::resampling`] each estimate has a percentile interval, and those of the
/// reference are made on the same resamples. Rows that share a task need
/// [`Bootstrap::clusters`](crate::Bootstrap::clusters). The base rate of the reference stays that of
/// all traces. Where the traces of positive weight are of a single row or cluster of the bootstrap,
/// the intervals are errors, and so is one of fewer than two defined resamples. The same bits in whatever order the traces come; for intervals, where the clusters
/// of the bootstrap have names of their own.
///
/// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
/// quantification, arXiv:2605.24756, section 5.2.
///
/// # Errors
///
/// [`Error::Empty`] without a trace of positive weight; [`Error::Length`] unless weights, where
/// given, are as many as traces;
/// [`Error::ScheduleTooShort`] where custom weights of the summary do not reach a trace's end;
/// [`Error::Length`] where the bootstrap has fewer rows than there are traces. A
/// diagnostic that is undefined is no error of the whole.
///
/// ```
/// use trajectory_metrics::{Error, EvaluationOptions, Traces, evaluate};
///
/// let traces = Traces::from_flat(&[0.7, 0.9, 0.6, 0.2], &[2, 4], &[true, false])?;
/// let report = evaluate(&traces, &EvaluationOptions::default())?;
/// assert_eq!((report.n, report.base_rate), (2, 0.5));
/// assert_eq!(report.metrics.diagnostics.auroc, Ok(1.0));
/// let (stream, constant) = (&report.metrics.tps, &report.base_rate_reference.tps);
/// assert!(stream["linear-front"].log > constant["linear-front"].log);
///
/// use trajectory_metrics::{Bootstrap, Level, Resampling};
///
/// let bootstrap = Bootstrap::clusters(&["task a", "task b"], 7)?;
/// let resampling = Resampling { bootstrap: &bootstrap, resamples: 200, level: Level::new(0.95)? };
/// let options = EvaluationOptions { resampling: Some(resampling), ..EvaluationOptions::default() };
/// let report = evaluate(&traces, &options)?;
/// let log = report.metrics.estimate("tps_log").and_then(|log| log.interval.clone());
/// assert!(log.unwrap()?.interval.low() < -0.2);
/// # Ok::<(), Error>(())
/// ```
pub fn evaluate(traces: &Traces, options: &EvaluationOptions<'_>) -> Result<Evaluation, Error> {
    if let Some(resampling) = options.resampling {
        let rows = resampling.bootstrap.row_count();
        if rows < traces.len() {
            same_length("rows of the bootstrap", traces.len(), rows)?;
        }
    }
    let metrics = stream_metrics(traces, options)?;
    let mut base_rate = ExactMean::default();
    for (row, &outcome) in traces.outcomes().iter().enumerate() {
        let weight = options.weights.map_or(Weight::ONE, |weights| weights[row]);
        base_rate.update_weighted(f64::from(u8::from(outcome)), weight)?;
    }
    let base_rate = Probability::new(base_rate.finish()?)?;
    let constant = traces.map_forecasts(|_, _| base_rate);
    let base_rate_reference = stream_metrics(&constant, options)?;
    let notes = [("", &metrics), ("base_rate_reference.", &base_rate_reference)];
    let notes = notes.into_iter().flat_map(|(prefix, stream)| {
        let notes = stream.estimates.iter().flat_map(NamedEstimate::notes);
        notes.map(move |note| format!("{prefix}{note}"))
    });
    Ok(Evaluation {
        n: traces.len(),
        base_rate: base_rate.get(),
        summary: options.summary.name().to_owned(),
        calibration: options.calibration.map(str::to_owned),
        exclusions: options.exclusions.clone(),
        notes: notes.collect(),
        metrics,
        base_rate_reference,
    })
}

fn stream_metrics(
    traces: &Traces,
    options: &EvaluationOptions<'_>,
) -> Result<StreamMetrics, Error> {
    let summary = Summary::Weighted(options.summary.clone()).of_each(traces)?;
    let blocks = TiedBlocks::new(&summary, traces.outcomes(), options.weights)?;
    let family = |schedule: &WeightSchedule| {
        Ok((schedule.name().to_owned(), TpsFamily::means(traces, options.weights, schedule)?))
    };
    Ok(StreamMetrics {
        tps: WeightSchedule::NAMED.iter().map(family).collect::<Result<_, Error>>()?,
        diagnostics: Diagnostics::new(&blocks),
        estimates: Scored::new(traces, options.weights, &options.summary)?
            .estimates(traces.len(), options.resampling),
    })
}
