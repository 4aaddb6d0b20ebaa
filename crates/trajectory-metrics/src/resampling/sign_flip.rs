use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use scoring_rules::{Seed, Weight};

use crate::{
    checks::{bounded, setting},
    error::Error,
    resampling::{
        bootstrap::check_resamples, clustered_rows::ClusteredRows, replicate_loop::in_order,
    },
};

/// The result of the paired permutation test that [`SignFlipTest::new`] runs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SignFlipTest {
    /// The (weighted) mean difference.
    pub mean: f64,
    /// Two-sided p-value, in (0, 1].
    pub p_value: f64,
    /// Whether every assignment of signs was tried; if not, the p-value is a random estimate.
    pub exact: bool,
    /// Number of clusters with a row of positive weight.
    pub clusters: usize,
}

impl SignFlipTest {
    /// Runs the paired permutation test of the hypothesis that a mean difference is 0. The p-value is the probability
    /// that the mean is at least as far from 0 if the difference of each cluster has either sign with equal
    /// probability.
    ///
    /// With up to 20 clusters all `2^G` assignments of signs are tried, and p is the share of
    /// assignments whose mean is at least as far from 0 as the observed mean. With more clusters,
    /// `flips` random assignments are tried, and `p = (b + 1) / (flips + 1)` if the means of b
    /// assignments are at least as far from 0; the result is a pure function of the seed. To ignore
    /// rounding, means that differ by less than 1e-12 of the mean size count as equal.
    ///
    /// A difference is the score of one stream minus the score of the other on the same row. All rows of
    /// a cluster change sign together. Independent rows are clusters of one: pass `0..n` as their
    /// clusters.
    ///
    /// The test is exact if swapping the two streams within a cluster leaves the distribution of the
    /// data unchanged.
    ///
    /// Cost: one sort, then G additions per flip; at most 2^20 assignments if all are tried.
    ///
    /// Reference: Canay, Romano and Shaikh (2017), Randomization tests under an approximate symmetry
    /// assumption, doi:10.3982/ECTA13081; Phipson and Smyth (2010), Permutation p-values should never
    /// be zero, doi:10.2202/1544-6115.1585.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless clusters, and weights if given, have one entry per row;
    /// [`scoring_rules::Error::Entry`] for a difference outside [-1e100, 1e100];
    /// [`scoring_rules::Error::Empty`] if no row has positive weight; [`scoring_rules::Error::Setting`]
    /// for more than 10 million flips, or for 0 flips with more than 20 clusters.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Seed, SignFlipTest};
    ///
    /// // All five tasks improve: 2 of 32 assignments of signs are as far from 0.
    /// let gains = [0.1, 0.3, 0.2, 0.4, 0.1, 0.2];
    /// let test = SignFlipTest::new(&gains, None, &["a", "b", "c", "d", "e", "e"], 0, Seed(0))?;
    /// assert_eq!((test.p_value, test.exact, test.clusters), (2.0 / 32.0, true, 5));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// A seed instead of the number of flips does not compile:
    ///
    /// ```compile_fail
    /// use trajectory_metrics::{Seed, SignFlipTest};
    ///
    /// let test = SignFlipTest::new(&[0.1, 0.3], None, &["a", "b"], Seed(7), 10_000);
    /// ```
    pub fn new<G: Ord>(
        differences: &[f64],
        weights: Option<&[Weight]>,
        clusters: &[G],
        flips: usize,
        seed: Seed,
    ) -> Result<Self, Error> {
        let rows = ClusteredRows::new(differences.len(), weights, clusters)?;
        bounded("difference", differences)?;
        check_resamples(flips)?;
        let total = rows.total(|_| true)?;
        let sums = rows.cluster_sums(|row| differences[row]);
        let (found, size) =
            sums.iter().fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
        let bar = found.abs() - TIE * size;
        let exact = sums.len() <= MOST_EXACT;
        setting("flips", flips as f64, exact || flips > 0, "at least 1")?;
        let p_value =
            if exact { share_of_all(&sums, bar) } else { share_of(&sums, bar, flips, seed.0) };
        let mean = rows.mean(differences, total, |_| true);
        Ok(Self { mean, p_value, exact, clusters: sums.len() })
    }
}

/// The largest number of clusters for which every assignment of signs is tried.
const MOST_EXACT: usize = 20;

/// Sums that differ by less than this share of the sum of absolute values count as equal.
const TIE: f64 = 1e-12;

/// The share of all assignments of signs whose sum is at least `bar` away from 0.
fn share_of_all(sums: &[f64], bar: f64) -> f64 {
    // Every sum over the first half of the clusters is combined with every sum over the second.
    let (left, right) = sums.split_at(sums.len() / 2);
    let (left, right) = (all_sums(left), all_sums(right));
    let far = |a: f64| right.iter().filter(|&b| (a + b).abs() >= bar).count();
    let found: usize = left.iter().map(|&a| far(a)).sum();
    found as f64 / (left.len() * right.len()) as f64
}

fn all_sums(terms: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0];
    for term in terms {
        sums = sums.iter().flat_map(|sum| [sum + term, sum - term]).collect();
    }
    sums
}

/// `(b + 1) / (m + 1)`, where b of m random assignments have a sum at least `bar` away from 0.
fn share_of(sums: &[f64], bar: f64, flips: usize, seed: u64) -> f64 {
    let start = ChaCha8Rng::seed_from_u64(seed);
    let is_far = |(): &mut (), flip: u64| {
        let mut generator = start.clone();
        generator.set_stream(flip);
        let signed = |sums: &[f64]| {
            let bits = generator.next_u64();
            let signs = sums.iter().enumerate();
            signs.map(|(i, x)| f64::from_bits(x.to_bits() ^ (bits >> i << 63))).sum::<f64>()
        };
        sums.chunks(64).map(signed).sum::<f64>().abs() >= bar
    };
    let far = in_order(flips, || (), is_far).into_iter().filter(|&is_far| is_far).count();
    (far + 1) as f64 / (flips + 1) as f64
}
