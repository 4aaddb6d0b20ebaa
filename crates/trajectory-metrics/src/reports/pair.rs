use std::ops::Range;

use scoring_rules::TiedBlocks;

use crate::{
    error::{Error, Shared},
    reports::scored_stream::{METRICS, Ranked, STREAM_MEASURES},
    resampling::{bootstrap::Bootstrap, replicates::Replicates},
};

/// Whether two values of this metric can be subtracted.
pub(crate) fn has_difference(metric: usize) -> Result<(), Error> {
    if STREAM_MEASURES[metric].key != "t_ece" {
        return Ok(());
    }
    let name = "a difference of T-ECEs";
    let reason = "each is biased upwards, the more the fewer runs there are; compare how far each is above \
                  that of calibrated forecasts (t_ece_excess)";
    Err(Shared::Undefined { name, reason }.into())
}

/// Two streams that are resampled together.
pub(crate) struct Pair<'a> {
    pub(crate) streams: [Ranked<'a>; 2],
    /// The rows of a bootstrap that are the traces of each stream.
    pub(crate) rows: [Range<usize>; 2],
}

impl Pair<'_> {
    /// The metrics of the first stream, then those of the second, in a resample of these counts.
    pub(crate) fn metrics(
        &self,
        counts: &[u32],
        blocks: &mut TiedBlocks,
    ) -> [Result<f64, Error>; 2 * METRICS] {
        let pairs = self.streams.iter().zip(&self.rows);
        let mut both = pairs.flat_map(|(of, rows)| of.metrics(&counts[rows.clone()], blocks));
        std::array::from_fn(|_| both.next().unwrap_or(Err(Shared::Empty.into())))
    }

    /// Each metric of the second stream minus that of the first. Each stream varies over its own clusters,
    /// and the difference is as rough as the rougher one.
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
