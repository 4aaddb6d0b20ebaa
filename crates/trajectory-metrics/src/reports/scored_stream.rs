use scoring_rules::{ExactMean, Level, Probability, TiedBlocks, Weight};

use crate::{
    error::Error,
    figures::metric::{Better, Measure},
    ranks::ranking::Ranking,
    reports::{diagnostics::Diagnostics, named_estimate::NamedEstimate},
    resampling::{bootstrap::Bootstrap, replicates::Replicates},
    streams::{
        summary::Summary, tps_family::TpsFamily, traces::Traces, weight_schedule::WeightSchedule,
    },
};

/// The bootstrap of the intervals of [`evaluate`](crate::evaluate()).
#[derive(Clone, Copy, Debug)]
pub struct Resampling<'a> {
    /// Draws traces, or whole tasks ([`Bootstrap::clusters`]). Its first rows are the traces in their
    /// order; it may have further rows for runs that are drawn together with them, such as censored
    /// runs.
    pub bootstrap: &'a Bootstrap,
    /// Number of resamples.
    pub resamples: usize,
    /// Confidence level of the intervals.
    pub level: Level,
}

/// Number of metrics of a stream.
pub(crate) const METRICS: usize = 8;

/// What the metrics of a stream measure: the trajectory proper scores, then the diagnostics of one summary.
/// They are the metrics of [`StreamMetrics::estimates`](crate::StreamMetrics::estimates), in this order.
///
/// ```
/// use trajectory_metrics::{Better, STREAM_MEASURES};
///
/// let aurc = STREAM_MEASURES.iter().find(|measure| measure.key == "aurc").unwrap();
/// assert_eq!(aurc.better, Better::Lower);
/// ```
pub const STREAM_MEASURES: [Measure; METRICS] = [
    Measure {
        key: "tps_log",
        label: "TPS, log score",
        better: Better::Higher,
        help: "Mean trajectory proper score of the log score, clipped at 1e-6, in nats.",
    },
    Measure {
        key: "tps_brier",
        label: "TPS, Brier score",
        better: Better::Higher,
        help: "Mean trajectory proper score of the Brier score, in [-1, 0].",
    },
    Measure {
        key: "tps_beta_2_4",
        label: "TPS, beta score",
        better: Better::Higher,
        help: "Mean trajectory proper score of the beta score with parameters 2 and 4.",
    },
    Measure {
        key: "auroc",
        label: "AUROC",
        better: Better::Higher,
        help: "Probability that a success has a higher confidence than a failure, in [0, 1].",
    },
    Measure {
        key: "average_precision",
        label: "average precision of failures",
        better: Better::Higher,
        help: "Average precision of low confidence as a sign of failure, in [0, 1].",
    },
    Measure {
        key: "aurc",
        label: "AURC",
        better: Better::Lower,
        help: "Area under the risk-coverage curve, in [0, 1].",
    },
    Measure {
        key: "t_ece",
        label: "T-ECE",
        better: Better::Lower,
        help: "Expected calibration error over ten bins of equal weight, in [0, 1].",
    },
    Measure {
        key: "t_brier",
        label: "T-Brier",
        better: Better::Lower,
        help: "Mean squared difference between confidence and outcome, in [0, 1].",
    },
];

/// A stream with everything that is computed once for all resamples.
pub(crate) struct ScoredStream<'a> {
    scores: TpsFamily<Vec<f64>>,
    ranking: Ranking,
    outcomes: &'a [bool],
    weighted: Option<Weighted<'a>>,
}

/// Rows with weights, for which the ranking cannot be reused.
struct Weighted<'a> {
    weights: &'a [Weight],
    summary: Vec<Probability>,
}

impl<'a> ScoredStream<'a> {
    pub(crate) fn new(
        traces: &'a Traces,
        weights: Option<&'a [Weight]>,
        schedule: &WeightSchedule,
        summary: &Summary,
    ) -> Result<Self, Error> {
        let summary = summary.forecasts(traces)?;
        let ranking = Ranking::new(&summary, traces.outcomes())?;
        let outcomes = traces.outcomes();
        Ok(Self {
            scores: TpsFamily::scores(traces, schedule)?,
            ranking,
            outcomes,
            weighted: weights.map(|weights| Weighted { weights, summary }),
        })
    }

    /// All metrics of a resample in which trace i occurs `counts[i]` times.
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
                    .and_then(|weights| {
                        blocks.rebuild(&rows.summary, self.outcomes, Some(&weights))
                    })
                    .map_err(Error::from)
            }
        };
        // Empty blocks make every diagnostic an error.
        if filled.is_err() {
            *blocks = TiedBlocks::default();
        }
        let TpsFamily { log, brier, beta_2_4 } = &self.scores;
        let [auroc, average_precision, aurc, t_ece, t_brier] =
            Diagnostics::new(blocks).by_name().map(|(_, value)| value);
        let [log, brier, beta_2_4] = [log, brier, beta_2_4].map(|values| mean(values));
        [log, brier, beta_2_4, auroc, average_precision, aurc, t_ece, t_brier]
    }

    /// The number of clusters on which each metric depends, where the row `from` of the bootstrap is the first
    /// trace.
    pub(crate) fn clusters(&self, bootstrap: &Bootstrap, from: usize) -> [usize; METRICS] {
        let counted = |row: usize| {
            let weights = self.weighted.as_ref().map(|rows| rows.weights);
            weights.is_none_or(|weights| weights[row] > Weight::ZERO)
        };
        let outcome = |row: usize| {
            let row = row.checked_sub(from)?;
            self.outcomes.get(row).copied().filter(|_| counted(row))
        };
        let rows = (0..self.outcomes.len()).filter(|&row| counted(row));
        let all = bootstrap.clusters_of(rows.map(|row| from + row));
        let rarer = bootstrap.clusters_of_rarer(outcome);
        let is_rank = |key| matches!(key, "auroc" | "average_precision");
        STREAM_MEASURES.map(|measure| if is_rank(measure.key) { rarer } else { all })
    }

    /// The metrics by name, with intervals if requested.
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
            let statistics = |counts: &[u32]| self.metrics(&counts[..rows], &mut blocks);
            let all = resampling.bootstrap.replicates(resampling.resamples, statistics);
            let clusters = self.clusters(resampling.bootstrap, 0);
            let of_metric = |(replicates, clusters): (Result<Replicates, Error>, usize)| {
                replicates.map(|replicates| replicates.with_clusters(clusters))
            };
            let mut counted = all.into_iter().zip(clusters).map(of_metric);
            replicates = replicates.map(|_| counted.next());
        }
        let names = STREAM_MEASURES.map(|measure| measure.key);
        let named = names.into_iter().zip(values).zip(replicates);
        named
            .map(|((name, value), replicates)| NamedEstimate::new(name, value, replicates, level))
            .collect()
    }
}
