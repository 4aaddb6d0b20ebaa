use std::collections::BTreeMap;

use scoring_rules::{ExactMean, Probability, TiedBlocks};

use crate::{Diagnostics, Error, Summary, TpsFamily, Traces, Weight, WeightSchedule};

/// What [`evaluate`] needs to know beside the traces. The [default](Self::default): equal weights,
/// the linear-front summary, nothing disclosed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluationOptions<'a> {
    /// A weight for each trace; `None` for equal weights.
    pub weights: Option<&'a [Weight]>,
    /// Weights of the steps in the mean forecast that the diagnostics are of.
    pub summary: WeightSchedule,
    /// How the forecasts were calibrated, in your words; `None` for not at all.
    pub calibration: Option<&'a str>,
    /// How many runs were left out, by reason, runs that were cut off among them.
    pub exclusions: BTreeMap<String, u64>,
}

/// The paper's report on a stream of forecasts along complete runs, made by [`evaluate`].
///
/// Written with the feature `serde`, what is undefined is null, and the notes say why.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Evaluation {
    /// Number of traces.
    pub n: usize,
    /// Weighted share of successes.
    pub base_rate: f64,
    /// Name of the schedule of the mean forecast that the diagnostics are of.
    pub summary: &'static str,
    /// How the forecasts were calibrated, as disclosed by the caller; `None` for not at all.
    pub calibration: Option<String>,
    /// Runs left out, by reason, as disclosed by the caller.
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
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StreamMetrics {
    /// The mean trajectory proper scores by the name of the weight schedule, for all
    /// [`WeightSchedule::NAMED`].
    pub tps: BTreeMap<&'static str, TpsFamily>,
    /// The diagnostics of the mean forecast of each trace.
    pub diagnostics: Diagnostics,
}

/// Reports on traces as the paper does: trajectory proper scores under all weight schedules,
/// diagnostics beside them, and the same of a constant forecast of the base rate.
///
/// Without intervals: see [`Bootstrap`](crate::Bootstrap). The same bits in whatever order the
/// traces come.
///
/// Reference: Evaluator failure modes in agentic uncertainty quantification, section 5.2.
///
/// # Errors
///
/// [`Error::Empty`] without a trace of positive weight; [`Error::Length`] unless weights, where
/// given, are as many as traces;
/// [`Error::ScheduleTooShort`] where custom weights of the summary do not reach a trace's end. A
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
/// # Ok::<(), Error>(())
/// ```
pub fn evaluate(traces: &Traces, options: &EvaluationOptions<'_>) -> Result<Evaluation, Error> {
    let metrics = stream_metrics(traces, options)?;
    let mut base_rate = ExactMean::default();
    for (row, &outcome) in traces.outcomes().iter().enumerate() {
        let weight = options.weights.map_or(Weight::ONE, |weights| weights[row]);
        base_rate.update_weighted(f64::from(u8::from(outcome)), weight);
    }
    let base_rate = Probability::new(base_rate.finish()?)?;
    let constant = traces.map_forecasts(|_, _| base_rate);
    let base_rate_reference = stream_metrics(&constant, options)?;
    let notes = [("", &metrics), ("base_rate_reference.", &base_rate_reference)];
    let notes = notes.into_iter().flat_map(|(prefix, stream)| {
        let diagnostics = stream.diagnostics.clone().by_name().into_iter();
        diagnostics
            .filter_map(move |(name, value)| Some(format!("{prefix}{name}: {}", value.err()?)))
    });
    Ok(Evaluation {
        n: traces.len(),
        base_rate: base_rate.get(),
        summary: options.summary.name(),
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
        Ok((schedule.name(), TpsFamily::means(traces, options.weights, schedule)?))
    };
    Ok(StreamMetrics {
        tps: WeightSchedule::NAMED.iter().map(family).collect::<Result<_, Error>>()?,
        diagnostics: Diagnostics::new(&blocks),
    })
}
