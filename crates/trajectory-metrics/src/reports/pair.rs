use std::ops::Range;

use scoring_rules::{TiedBlocks, checks::undefined};

use crate::{
    error::{Error, Shared},
    ranks::{
        areas::{auroc, average_precision},
        positive_class::PositiveClass,
        ranking::Ranking,
        selective_risk::aurc,
    },
    reports::scored_stream::{METRICS, RANKS, Ranked, STREAM_MEASURES, ScoredStream},
    resampling::{bootstrap::Bootstrap, replicates::Replicates},
};

/// Checks that two values of this metric can be subtracted.
pub(crate) fn has_difference(metric: usize) -> Result<(), Error> {
    if STREAM_MEASURES[metric].key != "t_ece" {
        return Ok(());
    }
    let name = "a difference of T-ECEs";
    let reason = "each is biased upwards, the more the fewer runs there are; compare how far each is above \
                  that of calibrated forecasts (t_ece_excess of traces)";
    Err(undefined(name, reason).into())
}

/// Two streams that are resampled together.
pub(crate) struct Pair<'a> {
    pub(crate) streams: [Ranked<'a>; 2],
    /// The rows of a bootstrap that are the traces of each stream.
    pub(crate) rows: [Range<usize>; 2],
    /// The folds within which ranks are compared, if both streams have the same traces. If the list is empty, all
    /// traces are compared.
    pub(crate) folds: Vec<RankedFold>,
}

/// The traces of one fold, which one map has calibrated, with their ranks in each stream.
pub(crate) struct RankedFold {
    traces: Vec<usize>,
    rankings: [Ranking; 2],
}

impl RankedFold {
    pub(crate) fn new(traces: Vec<usize>, streams: [&ScoredStream; 2]) -> Result<Self, Error> {
        let [first, second] = streams.map(|stream| {
            let own = stream.select(&traces);
            Ranking::new(own.confidence(), own.outcomes())
        });
        Ok(Self { rankings: [first?, second?], traces })
    }

    /// The metrics of [`RANKS`] of one stream, in a resample in which trace i of all occurs `counts[i]` times.
    fn metrics(
        &self,
        stream: usize,
        counts: &[u32],
        blocks: &mut TiedBlocks,
    ) -> Result<[Result<f64, Error>; RANKS.end - RANKS.start], Error> {
        let own: Vec<u32> = self.traces.iter().map(|&trace| counts[trace]).collect();
        self.rankings[stream].resample(&own, blocks)?;
        let precision = average_precision(blocks, PositiveClass::Failure);
        Ok([auroc(blocks), precision, aurc(blocks)])
    }
}

impl Pair<'_> {
    /// The metrics of the first stream, then of the second stream, in a resample with these counts.
    pub(crate) fn metrics(
        &self,
        counts: &[u32],
        blocks: &mut TiedBlocks,
    ) -> [Result<f64, Error>; 2 * METRICS] {
        let pairs = self.streams.iter().zip(&self.rows);
        let mut both = pairs.flat_map(|(of, rows)| of.metrics(&counts[rows.clone()], blocks));
        let mut both: [_; 2 * METRICS] =
            std::array::from_fn(|_| both.next().unwrap_or(Err(Shared::Empty.into())));
        if self.folds.is_empty() {
            return both;
        }
        for stream in 0..2 {
            let mut within = RANKS.map(|_| Ok(0.0)).collect::<Vec<Result<f64, Error>>>();
            for fold in &self.folds {
                let share = 1.0 / self.folds.len() as f64;
                match fold.metrics(stream, counts, blocks) {
                    Ok(found) => {
                        for (sum, found) in within.iter_mut().zip(found) {
                            *sum = sum.clone().and_then(|sum| Ok(sum + share * found?));
                        }
                    }
                    Err(error) => within.fill(Err(error)),
                }
            }
            let place = stream * METRICS;
            both[place + RANKS.start..place + RANKS.end].clone_from_slice(&within);
        }
        both
    }

    /// Each metric of the second stream minus the same metric of the first stream. Each stream varies over its own
    /// clusters, and the difference takes the number of clusters of the smaller stream.
    pub(crate) fn differences(
        &self,
        bootstrap: &Bootstrap,
        resamples: usize,
    ) -> [Result<Replicates, Error>; METRICS] {
        let mut blocks = TiedBlocks::default();
        let both = bootstrap.replicates(resamples, |counts| self.metrics(counts, &mut blocks));
        let both: [_; 2 * METRICS] = both;
        let [of_first, of_second] =
            [0, 1].map(|at| self.streams[at].clusters(bootstrap, self.rows[at].start));
        let of = |at: usize, clusters: usize| {
            both[at].clone().map(|replicates| replicates.with_clusters(clusters))
        };
        std::array::from_fn(|metric| {
            has_difference(metric)?;
            let first = of(metric, of_first[metric])?;
            of(metric + METRICS, of_second[metric])?.minus(&first)
        })
    }
}
