use scoring_rules::{TiedBlocks, Weight, checks::undefined};

use crate::{
    error::{Error, Shared},
    ranks::drawn_ranks::{DrawnMetrics, DrawnRanks},
    reports::scored_stream::{METRICS, RANKS, Ranked, STREAM_MEASURES, ScoredStream, Scratch},
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
    pub(crate) streams: [&'a ScoredStream; 2],
    pub(crate) weights: [Option<&'a [Weight]>; 2],
    /// The row of a bootstrap that is the first trace of each stream.
    pub(crate) first_rows: [usize; 2],
    /// The traces of each fold, which one map has calibrated, if both streams have the same traces. Ranks are compared
    /// within folds; without folds, all traces are compared.
    pub(crate) folds: Vec<Vec<usize>>,
}

impl Pair<'_> {
    /// The metrics of the first stream, then of the second stream.
    pub(crate) fn values(&self) -> [Result<f64, Error>; 2 * METRICS] {
        let mut blocks = TiedBlocks::default();
        let mut both = [const { Err(Error::ScoringRules(Shared::Empty)) }; 2 * METRICS];
        for ((of, weights), own) in
            self.streams.iter().zip(self.weights).zip(both.as_chunks_mut::<METRICS>().0)
        {
            *own = of.values(weights, &mut blocks);
            if self.folds.is_empty() {
                continue;
            }
            let folds: Vec<_> =
                self.folds.iter().map(|fold| of.select(fold).values(None, &mut blocks)).collect();
            for metric in RANKS {
                let share = 1.0 / self.folds.len() as f64;
                let add = |sum, fold: &[Result<f64, Error>; METRICS]| {
                    Ok(sum + share * fold[metric].clone()?)
                };
                own[metric] = folds.iter().try_fold(0.0, add);
            }
        }
        both
    }

    /// Each metric of the second stream minus the same metric of the first stream. Each stream varies over its own
    /// clusters, and the difference takes the number of clusters of the smaller stream.
    ///
    /// `values` are those of [`Self::values`].
    pub(crate) fn differences(
        &self,
        values: [Result<f64, Error>; 2 * METRICS],
        bootstrap: &Bootstrap,
        resamples: usize,
    ) -> Result<[Result<Replicates, Error>; METRICS], Error> {
        let ranked = |at: usize| {
            Ranked::new(self.streams[at], self.weights[at], bootstrap, self.first_rows[at])
        };
        let streams = [ranked(0)?, ranked(1)?];
        let of_folds = |stream: &&ScoredStream| {
            let of_fold = |fold: &Vec<usize>| {
                let own = stream.select(fold);
                let cluster_of = |row| bootstrap.cluster_of()[fold[row]];
                DrawnRanks::new(own.confidence(), own.outcomes(), cluster_of)
            };
            self.folds.iter().map(of_fold).collect::<Result<Vec<_>, Error>>()
        };
        let folds = self.streams.iter().map(of_folds).collect::<Result<Vec<_>, Error>>()?;
        let metrics = |scratch: &mut Scratch, drawn: &[u32]| {
            let mut both = [f64::NAN; 2 * METRICS];
            let own = both.as_chunks_mut::<METRICS>().0.iter_mut();
            for ((own, of), folds) in own.zip(&streams).zip(&folds) {
                *own = of.metrics(drawn, scratch);
                if folds.is_empty() {
                    continue;
                }
                own[RANKS].fill(0.0);
                let share = 1.0 / folds.len() as f64;
                for fold in folds {
                    let DrawnMetrics { auroc, average_precision, aurc, .. } =
                        fold.metrics(drawn, &mut scratch.counts);
                    let found = [auroc, average_precision, aurc];
                    own[RANKS].iter_mut().zip(found).for_each(|(sum, found)| *sum += share * found);
                }
            }
            both
        };
        let both = bootstrap.map_drawn(resamples, Scratch::default, metrics);
        let both = bootstrap.finish(values, both);
        let [of_first, of_second] =
            [0, 1].map(|at| streams[at].clusters(bootstrap, self.first_rows[at]));
        let of = |at: usize, clusters: usize| {
            both[at].clone().map(|replicates| replicates.with_clusters(clusters))
        };
        Ok(std::array::from_fn(|metric| {
            has_difference(metric)?;
            let first = of(metric, of_first[metric])?;
            of(metric + METRICS, of_second[metric])?.minus(&first)
        }))
    }
}
