use std::collections::BTreeMap;

use scoring_rules::{TiedBlocks, Weight};

use crate::{
    error::Error,
    reports::{
        diagnostics::Diagnostics,
        scored_stream::{Resampling, ScoredStream},
        stream_figure::StreamFigure,
    },
    streams::{
        summary::Summary, tps_family::TpsFamily, traces::Traces, weight_schedule::WeightSchedule,
    },
};

/// The settings of [`Evaluation::new`]. By default: equal weights, the linear-front schedule and summary, no
/// disclosures and no intervals.
#[derive(Clone, Debug, Default)]
pub struct EvaluationOptions<'a> {
    /// The weight of each trace; `None` for equal weights.
    pub weights: Option<&'a [Weight]>,
    /// Weights of the steps in the scores of [`StreamMetrics::estimates`].
    pub schedule: WeightSchedule,
    /// The summary of each trace from which the diagnostics of [`StreamMetrics::estimates`] are
    /// computed; `None` for the weighted mean under `schedule`, as in the paper.
    pub summary: Option<Summary>,
    /// A description of the calibration of the forecasts; `None` if they are not calibrated.
    pub calibration: Option<&'a str>,
    /// Numbers of excluded runs by reason, including censored runs.
    pub exclusions: BTreeMap<String, u64>,
    /// The bootstrap of the intervals; `None` for no intervals.
    pub resampling: Option<Resampling<'a>>,
}

/// The paper's report on a stream of forecasts along complete runs, from [`Evaluation::new`].
///
/// With the feature `serde`, undefined results are written as null; the reasons are among the notes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Evaluation {
    /// Number of traces.
    pub n: usize,
    /// The (weighted) share of successes.
    pub base_rate: f64,
    /// Name of the weight schedule of the scores among the estimates.
    pub schedule: String,
    /// Name of the summary from which the diagnostics among the estimates are computed.
    pub summary: String,
    /// The calibration of the forecasts as disclosed by the caller; `None` if not calibrated.
    pub calibration: Option<String>,
    /// Numbers of excluded runs by reason, as disclosed by the caller.
    pub exclusions: BTreeMap<String, u64>,
    /// The metrics of the stream.
    pub metrics: StreamMetrics,
    /// The metrics of a constant forecast of the base rate on the same traces.
    pub base_rate_reference: StreamMetrics,
    /// The reasons for undefined results.
    pub notes: Vec<String>,
}

/// Scores and diagnostics of one stream.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StreamMetrics {
    /// The mean trajectory proper scores by the name of the weight schedule, for all of
    /// [`WeightSchedule::NAMED`].
    pub tps: BTreeMap<String, TpsFamily>,
    /// The diagnostics by the name of the summary: `last`, `mean`, `minimum`, the weighted mean under
    /// the chosen schedule, and the chosen summary. The diagnostics depend on this choice; the
    /// trajectory proper scores use no summary.
    pub diagnostics: BTreeMap<String, Diagnostics>,
    /// The three scores under the chosen schedule (`tps_log`, `tps_brier` and `tps_beta_2_4`), then
    /// the diagnostics of the chosen summary, each with its interval if intervals were requested.
    #[cfg_attr(feature = "serde", serde(serialize_with = "by_key"))]
    pub estimates: Vec<StreamFigure>,
}

impl StreamMetrics {
    /// Returns the estimate with this name; `None` for an unknown name.
    #[must_use]
    pub fn estimate(&self, metric: &str) -> Option<&StreamFigure> {
        self.estimates.iter().find(|estimate| estimate.measure.key == metric)
    }
}

impl Evaluation {
    /// Evaluates traces as in the paper: trajectory proper scores under all weight schedules, diagnostics
    /// of all summaries, and the same metrics of a constant forecast of the base rate.
    ///
    /// With [`EvaluationOptions::resampling`], each estimate has a [confidence
    /// interval](crate::Replicates::confidence_interval), or the reason why there is none. Intervals of the
    /// reference use the same resamples and the base rate of all traces. If runs share tasks, use
    /// [`Bootstrap::clusters`](crate::Bootstrap::clusters). If the traces of positive weight belong to too
    /// few rows or clusters of the bootstrap, all intervals are errors, and one note gives the reason.
    ///
    /// The results have the same bits for any order of the traces; intervals do if the bootstrap has
    /// clusters with names.
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty
    /// quantification, arXiv:2605.24756, section 5.2; other summaries: table 5.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without traces; [`Error::ScoringRules`] if no trace has positive
    /// weight; [`scoring_rules::Error::Length`] unless the number of weights is the number of traces, or if
    /// the bootstrap has fewer rows than traces; [`Error::ScheduleTooShort`] if a trace is longer than a
    /// list of custom weights. An undefined metric is not an error of this function.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Evaluation, EvaluationOptions, Seed, Traces};
    ///
    /// let traces = Traces::from_flat(&[0.7, 0.9, 0.6, 0.2], &[2, 4], &[true, false])?;
    /// let report = Evaluation::new(&traces, &EvaluationOptions::default())?;
    /// assert_eq!((report.n, report.base_rate), (2, 0.5));
    /// // The last forecast ranks the two runs like the mean does; the diagnostics name their summary.
    /// assert_eq!(report.metrics.diagnostics["last"].auroc, Ok(1.0));
    /// assert_eq!(report.metrics.diagnostics["linear-front"].auroc, Ok(1.0));
    /// let (stream, constant) = (&report.metrics.tps, &report.base_rate_reference.tps);
    /// assert!(stream["linear-front"].log > constant["linear-front"].log);
    ///
    /// use trajectory_metrics::{Bootstrap, Level, Resampling};
    ///
    /// let bootstrap = Bootstrap::clusters(&["task a", "task b"], Seed::new(7))?;
    /// let resampling = Resampling { bootstrap: &bootstrap, resamples: 200, level: Level::HALF };
    /// let options = EvaluationOptions { resampling: Some(resampling), ..EvaluationOptions::default() };
    /// let report = Evaluation::new(&traces, &options)?;
    /// let log = report.metrics.estimate("tps_log").and_then(|log| log.figure.clone().ok());
    /// assert!(log.unwrap().interval?.low() < -0.2);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn new(traces: &Traces, options: &EvaluationOptions<'_>) -> Result<Self, Error> {
        if let Some(resampling) = options.resampling {
            resampling.check_rows(traces.len())?;
        }
        let (scored, metrics) = stream_metrics(traces, options)?;
        let base_rate = scored.base_rate(options.weights)?;
        let constant = traces.map_forecasts(|_, _| base_rate);
        let (_, base_rate_reference) = stream_metrics(&constant, options)?;
        let (estimates, reference) = (&metrics.estimates, &base_rate_reference.estimates);
        let notes = scored.notes(estimates, reference, options.weights, options.resampling);
        Ok(Self {
            n: traces.len(),
            base_rate: base_rate.get(),
            schedule: options.schedule.name().to_owned(),
            summary: options.chosen_summary().name().to_owned(),
            calibration: options.calibration.map(str::to_owned),
            exclusions: options.exclusions.clone(),
            notes,
            metrics,
            base_rate_reference,
        })
    }
}

impl EvaluationOptions<'_> {
    /// The requested summary, or the weighted mean under the schedule.
    pub(crate) fn chosen_summary(&self) -> Summary {
        self.summary.clone().unwrap_or_else(|| Summary::Weighted(self.schedule.clone()))
    }
}

/// Writes figures as an object by their keys; an undefined one is null.
#[cfg(feature = "serde")]
fn by_key<S: serde::Serializer>(figures: &[StreamFigure], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(figures.iter().map(|found| (found.measure.key, found.figure.as_ref().ok())))
}

fn stream_metrics(
    traces: &Traces,
    options: &EvaluationOptions<'_>,
) -> Result<(ScoredStream, StreamMetrics), Error> {
    let family = |schedule: &WeightSchedule| {
        Ok((schedule.name().to_owned(), TpsFamily::means(traces, options.weights, schedule)?))
    };
    let diagnostics = |summary: Summary| {
        let forecasts = summary.forecasts(traces)?;
        let blocks = TiedBlocks::new(&forecasts, traces.outcomes(), options.weights)?;
        Ok((summary.name().to_owned(), Diagnostics::new(&blocks)))
    };
    let chosen = options.chosen_summary();
    let scored = ScoredStream::new(traces, &options.schedule, &chosen)?;
    let weighted = Summary::Weighted(options.schedule.clone());
    let summaries = Summary::UNWEIGHTED.into_iter().chain([weighted, chosen]);
    let metrics = StreamMetrics {
        tps: WeightSchedule::NAMED.iter().map(family).collect::<Result<_, Error>>()?,
        diagnostics: summaries.map(diagnostics).collect::<Result<_, Error>>()?,
        estimates: scored.estimates(options.weights, options.resampling)?,
    };
    Ok((scored, metrics))
}
