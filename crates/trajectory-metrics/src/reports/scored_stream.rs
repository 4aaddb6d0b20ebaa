use std::ops::Range;

use scoring_rules::{BrierScore, ExactMean, Level, Probability, ScoringRule, TiedBlocks, Weight};

use crate::{
    checks::same_length,
    error::{Error, Shared},
    figures::{
        figure::Figure,
        metric::{Better, Measure},
    },
    no_interval::NoInterval,
    ranks::drawn_ranks::{DrawnMetrics, DrawnRanks},
    reports::{diagnostics::Diagnostics, stream_figure::StreamFigure},
    resampling::{bootstrap::Bootstrap, cluster_sums::ClusterSums, replicates::Replicates},
    streams::{
        summary::Summary, tps_family::TpsFamily, traces::Traces, weight_schedule::WeightSchedule,
    },
};

/// How the intervals of [`ScoredStream::estimates`] are computed: the bootstrap, its number of resamples, and the
/// confidence level.
#[derive(Clone, Copy, Debug)]
pub struct Resampling<'a> {
    /// The bootstrap, which draws traces or whole tasks ([`Bootstrap::clusters`]). Its first rows are the traces in
    /// their order; it may have further rows for runs that are drawn together with them, such as censored runs.
    pub bootstrap: &'a Bootstrap,
    /// Number of resamples.
    pub resamples: usize,
    /// Confidence level of the intervals.
    pub level: Level,
}

impl Resampling<'_> {
    /// Checks that the bootstrap has at least this number of rows.
    pub(crate) fn check_rows(&self, rows: usize) -> Result<(), Error> {
        Ok(same_length("rows of the bootstrap", rows, self.bootstrap.cluster_of().len().min(rows))?)
    }
}

/// Number of metrics of a stream.
pub(crate) const METRICS: usize = 8;

/// The places of the metrics of ranks among [`STREAM_MEASURES`]: AUROC, average precision and AURC.
pub(crate) const RANKS: Range<usize> = 3..6;

/// The description of each metric of a stream, in the order of [`ScoredStream::estimates`]: first the trajectory proper
/// scores, then the diagnostics, which are computed from one confidence per run.
///
/// ```
/// use trajectory_metrics::{Better, STREAM_MEASURES};
///
/// let aurc = STREAM_MEASURES.iter().find(|measure| measure.key == "aurc").unwrap();
/// assert_eq!(aurc.better, Better::Lower);
/// ```
pub const STREAM_MEASURES: [Measure; METRICS] = [
    Measure::new(
        "tps_log",
        "TPS, log score",
        Better::Higher,
        "Mean trajectory proper score of the log score, clipped at 1e-6, in nats.",
    )
    .within(f64::NEG_INFINITY, 0.0),
    Measure::new(
        "tps_brier",
        "TPS, Brier score",
        Better::Higher,
        "Mean trajectory proper score of the Brier score, in [-1, 0].",
    )
    .within(-1.0, 0.0),
    Measure::new(
        "tps_beta_2_4",
        "TPS, beta score",
        Better::Higher,
        "Mean trajectory proper score of the beta score with parameters 2 and 4.",
    )
    .within(f64::NEG_INFINITY, 0.0),
    Measure::new(
        "auroc",
        "AUROC",
        Better::Higher,
        "Probability that a success has a higher confidence than a failure, in [0, 1].",
    )
    .within(0.0, 1.0),
    Measure::new(
        "average_precision",
        "average precision of failures",
        Better::Higher,
        "Average precision of low confidence as a sign of failure, in [0, 1].",
    )
    .within(0.0, 1.0),
    Measure::new("aurc", "AURC", Better::Lower, "Area under the risk-coverage curve, in [0, 1].")
        .within(0.0, 1.0),
    Measure::new(
        "t_ece",
        "T-ECE",
        Better::Neither,
        "Expected calibration error over ten bins of equal weight, in [0, 1]. That of calibrated forecasts is above 0 too, the more the fewer runs there are: t_ece_calibrated.",
    )
    .within(0.0, 1.0),
    Measure::new(
        "t_brier",
        "T-Brier",
        Better::Lower,
        "Mean squared difference between confidence and outcome, in [0, 1].",
    )
    .within(0.0, 1.0),
];

/// The three trajectory scores, the confidence and the outcome of each trace of a stream. They suffice for all
/// estimates, so that the forecasts can be dropped.
///
/// It is an accumulator: streams that were scored separately, such as parts of a file, can be appended to each
/// other. The result is the same as for all traces together.
///
/// ```
/// use trajectory_metrics::{Error, ScoredStream, Summary, Traces, WeightSchedule};
///
/// let schedule = WeightSchedule::LinearFront;
/// let scored = |forecasts: &[f64], outcomes: &[bool]| {
///     let traces = Traces::from_flat(forecasts, &[1, 2], outcomes)?;
///     ScoredStream::new(&traces, &schedule, &Summary::Last)
/// };
/// let mut stream = scored(&[0.9, 0.2], &[true, false])?;
/// stream.append(&scored(&[0.4, 0.6], &[false, true])?);
/// assert_eq!((stream.outcomes().len(), stream.base_rate(None)?.get()), (4, 0.5));
/// let area = &stream.estimates(None, None)?[3];
/// assert_eq!(area.measure.key, "auroc");
/// assert_eq!(area.figure.as_ref().map(|figure| figure.value), Ok(1.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredStream {
    scores: TpsFamily,
    confidence: Vec<Probability>,
    outcomes: Vec<bool>,
}

impl ScoredStream {
    /// Scores each trace under the schedule. The confidence of a trace is the summary of its forecasts.
    ///
    /// # Errors
    ///
    /// [`Error::ScheduleTooShort`] if a trace is longer than a list of custom weights.
    pub fn new(
        traces: &Traces,
        schedule: &WeightSchedule,
        summary: &Summary,
    ) -> Result<Self, Error> {
        Ok(Self {
            scores: TpsFamily::scores(traces, schedule)?,
            confidence: summary.forecasts(traces)?,
            outcomes: traces.outcomes().to_vec(),
        })
    }

    /// Returns the number of traces.
    pub(crate) const fn len(&self) -> usize {
        self.outcomes.len()
    }

    /// Returns whether there is no trace.
    pub(crate) const fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Returns the trajectory scores of each trace.
    #[must_use]
    pub const fn scores(&self) -> &TpsFamily {
        &self.scores
    }

    /// Returns the outcome of each trace.
    #[must_use]
    pub fn outcomes(&self) -> &[bool] {
        &self.outcomes
    }

    /// Returns the confidence of each trace: the summary of its forecasts.
    #[must_use]
    pub fn confidence(&self) -> &[Probability] {
        &self.confidence
    }

    /// Appends the traces of another stream that was scored in the same way.
    pub fn append(&mut self, other: &Self) {
        self.scores.log.extend_from_slice(&other.scores.log);
        self.scores.brier.extend_from_slice(&other.scores.brier);
        self.scores.beta_2_4.extend_from_slice(&other.scores.beta_2_4);
        self.confidence.extend_from_slice(&other.confidence);
        self.outcomes.extend_from_slice(&other.outcomes);
    }

    /// Returns a stream with the traces at these positions, which may be repeated.
    ///
    /// # Panics
    ///
    /// Panics if there is no trace at a position.
    #[must_use]
    pub fn select(&self, positions: &[usize]) -> Self {
        let at = |values: &[f64]| positions.iter().map(|&at| values[at]).collect();
        Self {
            scores: TpsFamily {
                log: at(&self.scores.log),
                brier: at(&self.scores.brier),
                beta_2_4: at(&self.scores.beta_2_4),
            },
            confidence: positions.iter().map(|&at| self.confidence[at]).collect(),
            outcomes: positions.iter().map(|&at| self.outcomes[at]).collect(),
        }
    }

    /// Returns the share of successes.
    ///
    /// # Errors
    ///
    /// [`Error::ScoringRules`] if no trace has positive weight.
    pub fn base_rate(&self, weights: Option<&[Weight]>) -> Result<Probability, Error> {
        let outcomes = self.outcomes.iter().map(|&outcome| f64::from(outcome));
        Ok(Probability::new(ExactMean::of(outcomes, weights)?)?)
    }

    /// Returns the metrics of [`STREAM_MEASURES`] in their order, as in the paper: trajectory proper scores, then diagnostics.
    ///
    /// With `resampling`, each metric has a [confidence interval](crate::Replicates::figure), or the reason why it is
    /// missing. If runs share tasks, use [`Bootstrap::clusters`]. The results have the same bits for any order of the
    /// traces; intervals do if the bootstrap has clusters with names. The paper compares them with a constant forecast
    /// of the [base rate](Self::base_rate).
    ///
    /// Reference: Raghu, Pandey and Pandey (2026), Proper scoring rules for agentic uncertainty quantification,
    /// arXiv:2605.24756, section 5.2; other summaries: table 5.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] without traces; [`scoring_rules::Error::Length`] unless the number of weights is the
    /// number of traces, or if the bootstrap has fewer rows than traces. An undefined metric is not an error of this function.
    pub fn estimates(
        &self,
        weights: Option<&[Weight]>,
        resampling: Option<Resampling<'_>>,
    ) -> Result<Vec<StreamFigure>, Error> {
        let rows = self.len();
        same_length("weights", rows, weights.map_or(rows, <[Weight]>::len))?;
        if let Some(resampling) = resampling {
            resampling.check_rows(rows)?;
        }
        if rows == 0 {
            return Err(Shared::Empty.into());
        }
        let values = self.values(weights, &mut TiedBlocks::default());
        let mut drawn = None;
        if let Some(Resampling { bootstrap, resamples, .. }) = resampling {
            let ranked = Ranked::new(self, weights, bootstrap, 0)?;
            let metrics = |scratch: &mut Scratch, drawn: &[u32]| ranked.metrics(drawn, scratch);
            let all = bootstrap.map_drawn(resamples, Scratch::default, metrics);
            let all = bootstrap.finish(values.clone(), all).into_iter();
            let clusters = ranked.clusters(bootstrap, 0);
            let of_clusters = |(all, clusters): (Result<Replicates, Error>, usize)| {
                Ok(all?.with_clusters(clusters))
            };
            drawn = Some(all.zip(clusters).map(of_clusters));
        }
        let level = resampling.map_or(Level::HALF, |resampling| resampling.level);
        let mut drawn = drawn.into_iter().flatten();
        let figures = STREAM_MEASURES.into_iter().zip(values);
        Ok(figures
            .map(|(measure, value)| StreamFigure::new(measure, value, drawn.next(), level))
            .collect())
    }

    /// The values of [`STREAM_MEASURES`].
    pub(crate) fn values(
        &self,
        weights: Option<&[Weight]>,
        blocks: &mut TiedBlocks,
    ) -> [Result<f64, Error>; METRICS] {
        let Self { scores: TpsFamily { log, brier, beta_2_4 }, confidence, outcomes } = self;
        // After an error the blocks are empty, so that each diagnostic is an error.
        let _ = blocks.rebuild(confidence, outcomes, weights);
        let [auroc, average_precision, aurc, t_ece, t_brier] =
            Diagnostics::new(blocks).by_name().map(|(_, value)| value);
        let mean = |values: &Vec<f64>| Ok(ExactMean::of(values.iter().copied(), weights)?);
        let [log, brier, beta_2_4] = [log, brier, beta_2_4].map(mean);
        [log, brier, beta_2_4, auroc, average_precision, aurc, t_ece, t_brier]
    }

    /// Returns notes on the `estimates` of this stream, and on `reference`, the estimates of a constant forecast of its
    /// base rate. Notes on the constant forecast begin with `base_rate_reference.`. If the traces belong to too few
    /// clusters for an interval, a single note reports this.
    #[must_use]
    pub fn notes(
        &self,
        estimates: &[StreamFigure],
        reference: &[StreamFigure],
        weights: Option<&[Weight]>,
        resampling: Option<Resampling<'_>>,
    ) -> Vec<String> {
        let few_clusters = resampling.and_then(|Resampling { bootstrap, level, .. }| {
            let weight = |row: &usize| weights.is_none_or(|all| all[*row] > Weight::ZERO);
            let clusters = bootstrap.clusters_of((0..self.len()).filter(weight));
            NoInterval::check_clusters(clusters, level).err()
        });
        let note = |found: &StreamFigure| {
            found.note().filter(|_| few_clusters.is_none() || found.figure.is_err())
        };
        // The AUROC of a constant forecast is 0.5 for any traces and needs no note.
        let is_noted = |found: &&StreamFigure| {
            let interval = found.figure.as_ref().map(|&Figure { interval, .. }| interval);
            let is_known =
                found.measure.key == "auroc" && interval == Ok(Err(NoInterval::Constant));
            // The note on the stream itself is sufficient.
            !is_known && interval != Ok(Err(NoInterval::Biased))
        };
        let reference = reference.iter().filter(is_noted).filter_map(note);
        let reference = reference.map(|note| format!("base_rate_reference.{note}"));
        let no_intervals = few_clusters.map(|error| format!("no intervals: {error}"));
        let notes = no_intervals.into_iter().chain(estimates.iter().filter_map(note));
        notes.chain(reference).collect()
    }
}

/// A stream with everything that is computed once for all resamples.
pub(crate) struct Ranked<'a> {
    stream: &'a ScoredStream,
    /// The cluster of each trace.
    cluster_of: &'a [u32],
    /// With weights, nothing is computed in advance.
    sums: Result<Sums, &'a [Weight]>,
}

/// What the metrics of traces with equal weights need.
struct Sums {
    ranks: DrawnRanks,
    /// The log, Brier and beta scores, and the Brier loss of the summaries.
    scores: [ClusterSums; 4],
}

/// Memory that the resamples of one thread share.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(crate) counts: Vec<u32>,
    weights: Vec<Weight>,
    blocks: TiedBlocks,
}

impl<'a> Ranked<'a> {
    /// The row `from` of the bootstrap is the first trace.
    pub(crate) fn new(
        stream: &'a ScoredStream,
        weights: Option<&'a [Weight]>,
        bootstrap: &'a Bootstrap,
        from: usize,
    ) -> Result<Self, Error> {
        let cluster_of = &bootstrap.cluster_of()[from..from + stream.len()];
        let ScoredStream { scores, confidence, outcomes } = stream;
        let equal = || {
            let loss = |(p, y): (&Probability, &bool)| -BrierScore.score(*p, *y);
            let losses: Vec<f64> = confidence.iter().zip(outcomes).map(loss).collect();
            let scores = [&scores.log, &scores.brier, &scores.beta_2_4, &losses];
            let clusters = bootstrap.cluster_count();
            Ok::<_, Error>(Sums {
                ranks: DrawnRanks::new(confidence, outcomes, |row| cluster_of[row])?,
                scores: scores.map(|values| {
                    let values = cluster_of.iter().copied().zip(values.iter().copied());
                    ClusterSums::new(values, clusters)
                }),
            })
        };
        let sums = weights.map_or_else(|| equal().map(Ok), |weights| Ok(Err(weights)))?;
        Ok(Self { stream, cluster_of, sums })
    }

    /// All metrics of a resample in which cluster g occurs `drawn[g]` times; NaN if undefined.
    pub(crate) fn metrics(&self, drawn: &[u32], scratch: &mut Scratch) -> [f64; METRICS] {
        match &self.sums {
            Ok(Sums { ranks, scores }) => {
                let [log, brier, beta_2_4, t_brier] =
                    scores.each_ref().map(|sums| sums.mean(drawn));
                let DrawnMetrics { auroc, average_precision, aurc, t_ece } =
                    ranks.metrics(drawn, &mut scratch.counts);
                [log, brier, beta_2_4, auroc, average_precision, aurc, t_ece, t_brier]
            }
            Err(weights) => {
                let Scratch { weights: drawn_weights, blocks, .. } = scratch;
                drawn_weights.clear();
                for (weight, &cluster) in weights.iter().zip(self.cluster_of) {
                    let weight = weight.get() * f64::from(drawn[cluster as usize]);
                    let Ok(weight) = Weight::new(weight) else { return [f64::NAN; METRICS] };
                    drawn_weights.push(weight);
                }
                let values = self.stream.values(Some(drawn_weights), blocks);
                values.map(|value| value.unwrap_or(f64::NAN))
            }
        }
    }

    /// The number of clusters on which each metric depends, where the row `from` of the bootstrap is the first
    /// trace.
    pub(crate) fn clusters(&self, bootstrap: &Bootstrap, from: usize) -> [usize; METRICS] {
        let counted =
            |row: usize| self.sums.as_ref().err().is_none_or(|all| all[row] > Weight::ZERO);
        let outcome = |row: usize| {
            let row = row.checked_sub(from)?;
            self.stream.outcomes.get(row).copied().filter(|_| counted(row))
        };
        let rows = (0..self.stream.len()).filter(|&row| counted(row));
        let all = bootstrap.clusters_of(rows.map(|row| from + row));
        let rarer = bootstrap.clusters_of_rarer(outcome);
        let is_rank = |key| matches!(key, "auroc" | "average_precision");
        STREAM_MEASURES.map(|measure| if is_rank(measure.key) { rarer } else { all })
    }
}
