use scoring_rules::{ExactMean, Level, TiedBlocks, Weight};

use crate::{
    checks::at_least_two,
    error::Error,
    ranks::resample::Ranking,
    reports::diagnostics::Diagnostics,
    resampling::{
        bootstrap::Bootstrap,
        replicates::{BootstrapEstimate, Replicates},
    },
    streams::{
        summary::Summary, tps_family::TpsFamily, traces::Traces, weight_schedule::WeightSchedule,
    },
};

/// How the intervals of [`evaluate`](crate::evaluate()) are made.
#[derive(Clone, Copy, Debug)]
pub struct Resampling<'a> {
    /// Draws traces, or whole tasks ([`Bootstrap::clusters`]), from a seed. Its first rows are the
    /// traces in their order; further rows, if any, are of runs that are drawn along with them, such
    /// as those that a budget cut off.
    pub bootstrap: &'a Bootstrap,
    /// Number of resamples.
    pub resamples: usize,
    /// Share of the resampled values inside an interval.
    pub level: Level,
}

/// A metric by its name: its value or why it is undefined, and its percentile interval.
///
/// ```
/// use trajectory_metrics::{Bootstrap, Error, Level, NamedEstimate};
///
/// let scores = [-0.1, -0.4, -0.3, -0.9];
/// let replicates = Bootstrap::rows(4, 7)?.mean(&scores, None, 1_000);
/// let estimate = NamedEstimate::new("tps_log", Ok(-0.425), Some(replicates), Level::new(0.95)?);
/// let interval = estimate.interval.clone().unwrap()?.interval;
/// assert!(interval.low() < -0.425 && -0.425 < interval.high());
/// assert!(estimate.notes().is_empty());
///
/// let undefined = NamedEstimate::new("auroc", Err(Error::Empty), None, Level::HALF);
/// assert_eq!(undefined.notes(), [format!("auroc: {}", Error::Empty)]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct NamedEstimate {
    /// The metric's name: `tps_log`, `tps_brier`, `tps_beta_2_4`, or that of a diagnostic.
    pub metric: String,
    /// The value on all rows.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_result"))]
    pub value: Result<f64, Error>,
    /// The percentile interval; `None` where none was asked for.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored_result::interval"))]
    pub interval: Option<Result<BootstrapEstimate, Error>>,
}

impl NamedEstimate {
    /// An estimate, and the percentile interval of its replicates where there are any. Fewer than
    /// two defined replicates have no interval, which would be a single point, but
    /// [`Error::ScoringRules`].
    #[must_use]
    pub fn new(
        metric: impl Into<String>,
        value: Result<f64, Error>,
        replicates: Option<Result<Replicates, Error>>,
        level: Level,
    ) -> Self {
        let interval = replicates.map(|of| {
            let of = of?;
            let defined = of.values().len() - of.undefined();
            at_least_two("resamples in which the statistic is defined", defined)?;
            Ok(of.percentile(level))
        });
        Self { metric: metric.into(), value, interval }
    }

    /// What a reader should know before quoting the estimate: why it is undefined or infinite, why
    /// it has no interval, and in how many resamples it was undefined.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let metric = &self.metric;
        match (&self.value, &self.interval) {
            (Err(error), _) => vec![format!("{metric}: {error}")],
            (Ok(value), _) if !value.is_finite() => vec![format!("{metric}: {value}")],
            (_, Some(Err(error))) => vec![format!("{metric}: no interval: {error}")],
            (_, Some(Ok(interval))) if interval.undefined > 0 => {
                let (undefined, all) = (interval.undefined, interval.resamples);
                vec![format!("{metric}: undefined in {undefined} of {all} resamples")]
            }
            _ => vec![],
        }
    }
}

/// Number of metrics.
pub(crate) const METRICS: usize = 8;

/// The trajectory proper scores of one schedule, then the diagnostics.
pub(crate) const NAMES: [&str; METRICS] = [
    "tps_log",
    "tps_brier",
    "tps_beta_2_4",
    "auroc",
    "average_precision",
    "aurc",
    "t_ece",
    "t_brier",
];

/// What does not change from resample to resample.
pub(crate) struct Scored<'a> {
    scores: TpsFamily<Vec<f64>>,
    ranking: Ranking,
    weighted: Option<Weighted<'a>>,
}

/// Rows that are not all of one weight.
struct Weighted<'a> {
    weights: &'a [Weight],
    summary: Vec<scoring_rules::Probability>,
    outcomes: &'a [bool],
}

impl<'a> Scored<'a> {
    pub(crate) fn new(
        traces: &'a Traces,
        weights: Option<&'a [Weight]>,
        schedule: &WeightSchedule,
    ) -> Result<Self, Error> {
        let summary = Summary::Weighted(schedule.clone()).of_each(traces)?;
        let ranking = Ranking::new(&summary, traces.outcomes())?;
        let outcomes = traces.outcomes();
        Ok(Self {
            scores: TpsFamily::scores(traces, schedule)?,
            ranking,
            weighted: weights.map(|weights| Weighted { weights, summary, outcomes }),
        })
    }

    /// All metrics where trace i stands `counts[i]` times.
    pub(crate) fn metrics(
        &self,
        counts: &[u32],
        blocks: &mut TiedBlocks,
    ) -> [Result<f64, Error>; METRICS] {
        let weight = |row: usize| {
            let weight = self.weighted.as_ref().map_or(Weight::ONE, |rows| rows.weights[row]);
            Weight::new(weight.get() * f64::from(counts[row]))
        };
        let mean = |values: &[f64]| {
            let mut mean = ExactMean::default();
            for (row, &value) in values.iter().enumerate() {
                mean.update_weighted(value, weight(row)?)?;
            }
            Ok(mean.finish()?)
        };
        let filled = match &self.weighted {
            None => self.ranking.resample(counts, blocks),
            Some(rows) => {
                let weights: Result<Vec<Weight>, _> = (0..counts.len()).map(weight).collect();
                weights
                    .and_then(|of| blocks.rebuild(&rows.summary, rows.outcomes, Some(&of)))
                    .map_err(Error::from)
            }
        };
        // Without a row of positive weight there are no blocks, and the diagnostics are errors.
        if filled.is_err() {
            *blocks = TiedBlocks::default();
        }
        let TpsFamily { log, brier, beta_2_4 } = &self.scores;
        let [auroc, average_precision, aurc, t_ece, t_brier] =
            Diagnostics::new(blocks).by_name().map(|(_, value)| value);
        let [log, brier, beta_2_4] = [log, brier, beta_2_4].map(|values| mean(values));
        [log, brier, beta_2_4, auroc, average_precision, aurc, t_ece, t_brier]
    }

    /// The metrics by name, with intervals where asked for.
    pub(crate) fn estimates(
        &self,
        rows: usize,
        resampling: Option<Resampling<'_>>,
    ) -> Vec<NamedEstimate> {
        let mut blocks = TiedBlocks::default();
        let values = self.metrics(&vec![1; rows], &mut blocks);
        let mut replicates = [const { None }; METRICS];
        let mut level = Level::HALF;
        if let Some(resampling) = resampling {
            level = resampling.level;
            let Resampling { bootstrap, resamples, .. } = resampling;
            let weights = self.weighted.as_ref().map(|rows| rows.weights);
            replicates = match bootstrap.check_clusters(rows, weights) {
                Err(error) => std::array::from_fn(|_| Some(Err(error.clone()))),
                Ok(()) => {
                    let of = bootstrap
                        .replicates(resamples, |counts| self.metrics(&counts[..rows], &mut blocks));
                    of.map(Some)
                }
            };
        }
        let named = NAMES.into_iter().zip(values).zip(replicates);
        named
            .map(|((name, value), replicates)| NamedEstimate::new(name, value, replicates, level))
            .collect()
    }
}
