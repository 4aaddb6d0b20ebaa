use scoring_rules::Seed;

use crate::{
    checks::{at_least_two, setting},
    error::{Error, Shared},
    resampling::{draws::Draws, replicate_loop::in_order, replicates::Replicates},
};

/// The bootstrap: rows, or whole clusters of rows such as tasks, are resampled with replacement.
///
/// If rows share a task and are not independent, resample clusters: the rows of one cluster are then
/// drawn together.
///
/// A statistic is a closure that receives how often each row occurs in the resample. Two statistics,
/// or two streams, on the same draws are compared with [`Replicates::minus`].
///
/// Draws are a pure function of the seed: replicate r reads stream r of a ChaCha8 generator, so
/// replicates can be computed in any order and on any number of threads. With the feature `rayon` they are computed on
/// all threads of the current pool of rayon, and have the same bits.
///
/// Reference: Efron (1979), Bootstrap methods: another look at the jackknife,
/// doi:10.1214/aos/1176344552; for clusters Field and Welsh (2007), Bootstrapping clustered data,
/// doi:10.1111/j.1467-9868.2007.00593.x.
///
/// ```
/// use trajectory_metrics::{Bootstrap, Error, Level, Seed};
///
/// let scores = [0.1, 0.4, 0.3, 0.9];
/// let mean = |counts: &[u32]| {
///     let sum: f64 = scores.iter().zip(counts).map(|(s, &n)| s * f64::from(n)).sum();
///     Ok(sum / f64::from(counts.iter().sum::<u32>()))
/// };
/// let [replicates] = Bootstrap::rows(4, Seed(7))?.replicates(1_000, |counts| [mean(counts)]);
/// let replicates = replicates?;
/// assert!((replicates.estimate() - 0.425).abs() < 1e-15);
/// assert!(replicates.figure(Level::HALF).interval?.contains(0.425));
///
/// // A single cluster says nothing about the variation between clusters.
/// let error = Bootstrap::clusters(&["task"; 4], Seed(7)).unwrap_err();
/// assert_eq!(error.to_string(), "clusters: 1 given, at least 2 needed");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bootstrap {
    /// The cluster of each row, from 0.
    cluster_of: Vec<u32>,
    clusters: u32,
    seed: Seed,
    pub(crate) draws: Draws,
    /// A digest of the clusters and the seed, which identifies the draws of replicates.
    digest: u64,
}

impl Bootstrap {
    /// The default number of resamples.
    pub const RESAMPLES: usize = 1_000;

    /// Creates a bootstrap of `n` independent rows. They are drawn by position, so that the replicates depend on the
    /// order of the rows. To avoid this, use [`Self::clusters`] with a name for each row.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Empty`] for 0 rows; [`Error::ScoringRules`] for a single row, whose
    /// resamples are all equal; [`scoring_rules::Error::Setting`] for more than 2^31 - 1 rows.
    pub fn rows(n: usize, seed: Seed) -> Result<Self, Error> {
        let rows = count(n)?;
        at_least_two("rows", n)?;
        Ok(Self::new((0..rows).collect(), rows, seed))
    }

    /// Creates a bootstrap of whole clusters. `clusters` contains the cluster of each row. Clusters are numbered in the
    /// order of their names, so that the order of the rows does not matter.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::rows`]; [`Error::ScoringRules`] for a single cluster, however many rows
    /// it has.
    pub fn clusters<G: Ord>(clusters: &[G], seed: Seed) -> Result<Self, Error> {
        count(clusters.len())?;
        let mut names: Vec<&G> = clusters.iter().collect();
        names.sort_unstable();
        names.dedup();
        at_least_two("clusters", names.len())?;
        let number = |cluster: &G| names.binary_search(&cluster).unwrap_or_default() as u32;
        let cluster_of = clusters.iter().map(number).collect();
        Ok(Self::new(cluster_of, count(names.len())?, seed))
    }

    fn new(cluster_of: Vec<u32>, clusters: u32, seed: Seed) -> Self {
        let mix =
            |digest: u64, &x: &u32| (digest.rotate_left(5) ^ u64::from(x)).wrapping_mul(PRIME);
        let digest = cluster_of.iter().fold(seed.0 ^ PRIME, mix);
        Self { cluster_of, clusters, seed, draws: Draws::new(clusters, seed.0), digest }
    }

    /// Fills `counts` with the number of times that each row occurs in the given replicate.
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error, Seed};
    ///
    /// let mut counts = Vec::new();
    /// Bootstrap::rows(4, Seed(7))?.draw(0, &mut counts);
    /// assert_eq!(counts.iter().sum::<u32>(), 4);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn draw(&self, replicate: u64, counts: &mut Vec<u32>) {
        let mut drawn = Vec::new();
        self.drawn(replicate, &mut drawn);
        counts.clear();
        counts.extend(self.cluster_of.iter().map(|&cluster| drawn[cluster as usize]));
    }

    /// Returns the result of a function in each resample, in order. The function receives the number of times that
    /// each row occurs.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] for more than 10 million resamples.
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error, Seed};
    ///
    /// let sizes = Bootstrap::rows(4, Seed(7))?.map(3, |counts| counts.iter().sum::<u32>())?;
    /// assert_eq!(sizes, [4, 4, 4]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn map<V: Send>(
        &self,
        resamples: usize,
        value: impl Fn(&[u32]) -> V + Sync,
    ) -> Result<Vec<V>, Error> {
        let rows = self.cluster_of.len();
        self.map_drawn(
            resamples,
            || Vec::with_capacity(rows),
            |counts: &mut Vec<u32>, drawn| {
                counts.clear();
                counts.extend(self.cluster_of.iter().map(|&cluster| drawn[cluster as usize]));
                value(counts)
            },
        )
    }

    /// As [`Self::map`] of a function that receives memory which replicates of a thread share, and the number of times
    /// that each cluster occurs.
    pub(crate) fn map_drawn<S, V: Send>(
        &self,
        resamples: usize,
        scratch: impl Fn() -> S + Sync,
        value: impl Fn(&mut S, &[u32]) -> V + Sync,
    ) -> Result<Vec<V>, Error> {
        let scratch = || (Vec::with_capacity(self.cluster_count()), scratch());
        run(resamples, scratch, |(drawn, scratch), replicate| {
            self.drawn(replicate, drawn);
            value(scratch, drawn)
        })
    }

    /// Computes several statistics from all rows and from resamples that they share. `statistics` receives the number
    /// of times that each row occurs; an error or NaN marks a statistic as undefined in that resample.
    ///
    /// Cost: `resamples + 1` calls, and 1 to 2 ns per row for each draw if the rows fit in the cache.
    /// [`Self::mean`] and [`Self::auroc`] are faster for these two statistics.
    ///
    /// # Errors
    ///
    /// For each statistic: its error on all rows; [`scoring_rules::Error::Setting`] for more than
    /// 10 million resamples; [`scoring_rules::Error::Undefined`] if it was undefined in all
    /// resamples.
    pub fn replicates<const N: usize>(
        &self,
        resamples: usize,
        statistics: impl Fn(&[u32]) -> [Result<f64, Error>; N] + Sync,
    ) -> [Result<Replicates, Error>; N] {
        let estimates = statistics(&vec![1; self.cluster_of.len()]);
        // NaN marks a replicate as undefined.
        let once = |counts: &[u32]| statistics(counts).map(|value| value.unwrap_or(f64::NAN));
        self.finish(estimates, self.map(resamples, once))
    }

    /// Fills `drawn` with the number of times that each cluster occurs in the given replicate.
    fn drawn(&self, replicate: u64, drawn: &mut Vec<u32>) {
        drawn.clear();
        drawn.resize(self.cluster_count(), 0);
        self.draws.each(replicate, |_, cluster| drawn[cluster] += 1);
    }

    /// Returns the cluster of each row, as a number from 0.
    #[must_use]
    pub fn cluster_of(&self) -> &[u32] {
        &self.cluster_of
    }

    /// Returns the number of clusters, or of rows if rows are resampled; at least two.
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error, Seed};
    ///
    /// let bootstrap = Bootstrap::clusters(&["a", "b", "a"], Seed(7))?;
    /// assert_eq!((bootstrap.cluster_of(), bootstrap.cluster_count()), (&[0, 1, 0][..], 2));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn cluster_count(&self) -> usize {
        self.clusters as usize
    }

    /// Number of different clusters of the rows at these positions.
    pub(crate) fn clusters_of(&self, rows: impl Iterator<Item = usize>) -> usize {
        let mut seen = vec![false; self.cluster_count()];
        rows.for_each(|row| seen[self.cluster_of[row] as usize] = true);
        seen.into_iter().filter(|&seen| seen).count()
    }

    /// Number of clusters for a statistic that compares successes with failures: the number of
    /// clusters with the rarer outcome, the one that fewer clusters contain.
    pub(crate) fn clusters_of_rarer(&self, outcomes: impl Fn(usize) -> Option<bool>) -> usize {
        let rows = || 0..self.cluster_of.len();
        let with = |outcome| self.clusters_of(rows().filter(|&row| outcomes(row) == Some(outcome)));
        with(false).min(with(true))
    }

    /// Combines estimates with the values of their replicates.
    pub(crate) fn finish<const N: usize>(
        &self,
        estimates: [Result<f64, Error>; N],
        values: Result<Vec<[f64; N]>, Error>,
    ) -> [Result<Replicates, Error>; N] {
        let mut statistic = 0..;
        estimates.map(|estimate| {
            let (k, estimate) = (statistic.next().unwrap_or_default(), estimate?);
            let column = values.as_ref().map_err(Clone::clone)?.iter().map(|row| row[k]).collect();
            self.replicates_of(estimate, column)
        })
    }

    /// The replicates of a statistic, of its values in these draws.
    pub(crate) fn replicates_of(
        &self,
        estimate: f64,
        values: Vec<f64>,
    ) -> Result<Replicates, Error> {
        let replicates = Replicates::of_draws(estimate, values, Some(self.digest))?;
        Ok(replicates.with_clusters(self.cluster_count()))
    }
}

/// An odd number with irregular bits, for the digest.
const PRIME: u64 = 0x9e37_79b9_7f4a_7c15;

/// The largest number of resamples. Every value is kept in memory.
const MAX_RESAMPLES: usize = 10_000_000;

pub(crate) fn check_resamples(resamples: usize) -> Result<(), Error> {
    let is_valid = resamples <= MAX_RESAMPLES;
    Ok(setting("resamples", resamples as f64, is_valid, "at most 10 million")?)
}

/// The value of each replicate, with memory that the replicates of a thread share.
pub(crate) fn run<S, V: Send>(
    resamples: usize,
    scratch: impl Fn() -> S + Sync,
    once: impl Fn(&mut S, u64) -> V + Sync,
) -> Result<Vec<V>, Error> {
    check_resamples(resamples)?;
    Ok(in_order(resamples, scratch, once))
}

fn count(n: usize) -> Result<u32, Error> {
    setting("rows", n as f64, n <= i32::MAX as usize, "at most 2^31 - 1")?;
    if n == 0 { Err(Shared::Empty.into()) } else { Ok(n as u32) }
}
