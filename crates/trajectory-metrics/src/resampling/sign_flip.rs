use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use scoring_rules::Weight;

use crate::{
    checks::in_range,
    error::Error,
    numerics::powers_of_two::times_power_of_two,
    resampling::{bootstrap::check_resamples, cluster_error::Rows},
};

/// The outcome of a [`sign_flip_test`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[non_exhaustive]
pub struct SignFlipTest {
    /// The (weighted) mean difference.
    pub mean: f64,
    /// Two-sided p-value, in (0, 1].
    #[cfg_attr(feature = "serde", serde(deserialize_with = "crate::stored_number::share"))]
    pub p_value: f64,
    /// Whether every assignment of signs was tried, so that no chance is left in the p-value.
    pub exact: bool,
    /// Number of clusters with a row of positive weight.
    pub clusters: usize,
}

/// The paired permutation test of a mean difference: how often would it be as far from 0 if each
/// cluster's difference had come with either sign as likely?
///
/// Up to 20 clusters all `2^G` assignments of signs are tried, and p is the share whose mean is as
/// far from 0 as the one found or farther. With more, `flips` random ones are, and
/// `p = (b + 1) / (flips + 1)` where b of them are; a pure function of the seed. Means that differ
/// by less than 1e-12 of the mean size count as equal, so that rounding makes no difference.
///
/// Differences are one a row: what one stream scored minus what the other did. All rows of a
/// cluster change sign together. Rows that are independent are clusters of one: give `0..n` as
/// their names.
///
/// Exact where the two streams could be swapped within a cluster without changing how likely the
/// data are.
///
/// Cost: one sort, then G a flip; 2^G at most a million in all when exact.
///
/// Reference: Canay, Romano and Shaikh (2017), Randomization tests under an approximate symmetry
/// assumption, doi:10.3982/ECTA13081; Phipson and Smyth (2010), Permutation p-values should never
/// be zero, doi:10.2202/1544-6115.1585.
///
/// # Errors
///
/// [`Error::Length`] unless weights, where given, and clusters have one entry a row;
/// [`Error::ScoringRules`] for a difference that is not finite; [`Error::Empty`] without a row of
/// positive weight;
/// [`Error::Setting`] for more than 10 million flips, or none where they are needed.
///
/// ```
/// use trajectory_metrics::{Error, sign_flip_test};
///
/// // Five tasks, all better: 2 of 32 assignments of signs are as far from 0.
/// let gains = [0.1, 0.3, 0.2, 0.4, 0.1, 0.2];
/// let test = sign_flip_test(&gains, None, &["a", "b", "c", "d", "e", "e"], 0, 0)?;
/// assert_eq!((test.p_value, test.exact, test.clusters), (2.0 / 32.0, true, 5));
/// # Ok::<(), Error>(())
/// ```
pub fn sign_flip_test<G: Ord>(
    differences: &[f64],
    weights: Option<&[Weight]>,
    clusters: &[G],
    flips: usize,
    seed: u64,
) -> Result<SignFlipTest, Error> {
    let rows = Rows::new(differences.len(), weights, clusters)?;
    let (differences, exponent) = rows.scaled("differences", differences)?;
    check_resamples(flips)?;
    let total = rows.total(|_| true);
    if total == 0.0 {
        return Err(Error::Empty);
    }
    let sums = rows.cluster_sums(|row| differences[row]);
    let (found, size) = sums.iter().fold((0.0, 0.0), |(sum, size), x| (sum + x, size + x.abs()));
    let bar = found.abs() - TIE * size;
    let exact = sums.len() <= MOST_EXACT;
    if !exact && flips == 0 {
        return Err(Error::Setting { name: "flips", value: 0.0, range: "at least 1" });
    }
    let p_value = if exact { share_of_all(&sums, bar) } else { share_of(&sums, bar, flips, seed) };
    let mean = times_power_of_two(rows.mean(&differences, total, |_| true), exponent);
    let mean = in_range("the mean", mean)?;
    Ok(SignFlipTest { mean, p_value, exact, clusters: sums.len() })
}

/// Up to so many clusters every assignment is tried.
const MOST_EXACT: usize = 20;

/// Sums closer than this share of the sum of sizes count as equal.
const TIE: f64 = 1e-12;

/// The share of all assignments of signs whose sum is at least `bar` away from 0.
fn share_of_all(sums: &[f64], bar: f64) -> f64 {
    // All sums of either half of the clusters; each of the one goes with each of the other.
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

/// `(b + 1) / (m + 1)` for b of m random assignments at least `bar` away from 0.
fn share_of(sums: &[f64], bar: f64, flips: usize, seed: u64) -> f64 {
    let start = ChaCha8Rng::seed_from_u64(seed);
    let far = |flip: &u64| {
        let mut generator = start.clone();
        generator.set_stream(*flip);
        let signed = |sums: &[f64]| {
            let bits = generator.next_u64();
            let signs = sums.iter().enumerate();
            signs.map(|(i, x)| f64::from_bits(x.to_bits() ^ (bits >> i << 63))).sum::<f64>()
        };
        sums.chunks(64).map(signed).sum::<f64>().abs() >= bar
    };
    ((0..flips as u64).filter(far).count() + 1) as f64 / (flips + 1) as f64
}
