use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Error;

/// The range in which a share `level` of the resampled values lie.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PercentileInterval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Resamples in which the statistic was undefined and which the interval leaves out.
    pub undefined: usize,
}

/// Resampling with replacement, of rows or of whole clusters of rows (tasks).
///
/// A pure function of the seed: replicate r reads stream r of a ChaCha8 generator, so replicates
/// can be computed in any order and on any number of threads.
///
/// Rows of one cluster stand or fall together; use this where rows share a task and are not
/// independent.
///
/// Reference: Efron (1979), Bootstrap methods: another look at the jackknife,
/// doi:10.1214/aos/1176344552; for clusters Field and Welsh (2007), Bootstrapping clustered data,
/// doi:10.1111/j.1467-9868.2007.00593.x.
///
/// ```
/// use trajectory_metrics::{Bootstrap, Error};
///
/// let scores = [0.1, 0.4, 0.3, 0.9];
/// let mean = |counts: &[u32]| {
///     let sum: f64 = scores.iter().zip(counts).map(|(s, &n)| s * f64::from(n)).sum();
///     Ok(sum / 4.0)
/// };
/// let rows = Bootstrap::rows(4, 7)?;
/// let [interval] = rows.percentile_intervals(1_000, 0.95, |counts| [mean(counts)]);
/// let interval = interval?;
/// assert!(interval.low < 0.425 && 0.425 < interval.high);
///
/// // With one cluster there is nothing to vary.
/// let one = Bootstrap::clusters(&["task"; 4], 7)?;
/// let [interval] = one.percentile_intervals(1_000, 0.95, |counts| [mean(counts)]);
/// let interval = interval?;
/// assert_eq!(interval.low, interval.high);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Bootstrap {
    /// The cluster of each row, from 0.
    cluster_of: Vec<u32>,
    clusters: u32,
    generator: ChaCha8Rng,
}

impl Bootstrap {
    /// Resamples `n` independent rows.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a row; [`Error::Setting`] for more than 2^32 - 1.
    pub fn rows(n: usize, seed: u64) -> Result<Self, Error> {
        let clusters = count(n)?;
        Ok(Self { cluster_of: (0..clusters).collect(), clusters, generator: generator(seed) })
    }

    /// Resamples clusters: `groups` names the cluster of each row. Clusters are numbered in the
    /// order of their names, so the order of the rows does not matter.
    ///
    /// # Errors
    ///
    /// As [`Self::rows`].
    pub fn clusters<G: Ord>(groups: &[G], seed: u64) -> Result<Self, Error> {
        count(groups.len())?;
        let mut names: Vec<&G> = groups.iter().collect();
        names.sort_unstable();
        names.dedup();
        let number = |group: &G| names.binary_search(&group).unwrap_or_default() as u32;
        let cluster_of = groups.iter().map(number).collect();
        Ok(Self { cluster_of, clusters: count(names.len())?, generator: generator(seed) })
    }

    /// How often each row stands in the given replicate.
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error};
    ///
    /// let mut counts = Vec::new();
    /// Bootstrap::rows(4, 7)?.draw(0, &mut counts);
    /// assert_eq!(counts.iter().sum::<u32>(), 4);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn draw(&self, replicate: u64, counts: &mut Vec<u32>) {
        let mut generator = self.generator.clone();
        generator.set_stream(replicate);
        let mut drawn = vec![0_u32; self.clusters as usize];
        for _ in 0..self.clusters {
            drawn[below(&mut generator, self.clusters) as usize] += 1;
        }
        counts.clear();
        counts.extend(self.cluster_of.iter().map(|&cluster| drawn[cluster as usize]));
    }

    /// Percentile intervals of several statistics over the same resamples. `statistics` gets how
    /// often each row counts; an error or a NaN marks a statistic as undefined in that replicate.
    ///
    /// Quantiles interpolate linearly between order statistics (Hyndman and Fan's type 7).
    ///
    /// # Errors
    ///
    /// For each statistic: [`Error::Setting`] unless `0 < level < 1` and for more than 10 million
    /// resamples; [`Error::NoReplicate`] where it was undefined in all of them.
    pub fn percentile_intervals<const N: usize>(
        &self,
        resamples: usize,
        level: f64,
        mut statistics: impl FnMut(&[u32]) -> [Result<f64, Error>; N],
    ) -> [Result<PercentileInterval, Error>; N] {
        let mut values: [Vec<f64>; N] = std::array::from_fn(|_| Vec::new());
        if resamples > MAX_RESAMPLES {
            return std::array::from_fn(|_| {
                let range = "at most 10 million";
                Err(Error::Setting { name: "resamples", value: resamples as f64, range })
            });
        }
        let mut counts = Vec::with_capacity(self.cluster_of.len());
        for replicate in 0..resamples {
            self.draw(replicate as u64, &mut counts);
            for (values, value) in values.iter_mut().zip(statistics(&counts)) {
                values.extend(value.ok().filter(|value| !value.is_nan()));
            }
        }
        values.map(|values| percentile_interval(values, resamples, level))
    }
}

/// More resamples say no more, and each value is kept.
const MAX_RESAMPLES: usize = 10_000_000;

/// The interval of the values that were defined, out of so many resamples.
fn percentile_interval(
    mut values: Vec<f64>,
    resamples: usize,
    level: f64,
) -> Result<PercentileInterval, Error> {
    if !(level > 0.0 && level < 1.0) {
        let range = "above 0 and below 1";
        return Err(Error::Setting { name: "level", value: level, range });
    }
    if values.is_empty() {
        return Err(Error::NoReplicate { resamples });
    }
    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - level) / 2.0;
    Ok(PercentileInterval {
        low: quantile(&values, tail),
        high: quantile(&values, 1.0 - tail),
        undefined: resamples - values.len(),
    })
}

fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn count(n: usize) -> Result<u32, Error> {
    match u32::try_from(n) {
        Ok(0) => Err(Error::Empty),
        Ok(n) => Ok(n),
        Err(_) => {
            let range = "at most 2^32 - 1";
            Err(Error::Setting { name: "rows", value: n as f64, range })
        }
    }
}

/// A uniform number below `n`, without bias (Lemire 2019, doi:10.1145/3230636). Written out so
/// that its stream does not change with a library's version.
fn below(generator: &mut impl Rng, n: u32) -> u32 {
    loop {
        let product = u64::from(generator.next_u32()) * u64::from(n);
        // Rejects the few values that would make the first numbers more frequent.
        if product as u32 >= n.wrapping_neg() % n {
            return (product >> 32) as u32;
        }
    }
}

/// The quantile of sorted values, by linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let (low, rest) = (position.floor(), position.fract());
    let (a, b) = (sorted[low as usize], sorted[position.ceil() as usize]);
    // Between equal or infinite values there is nothing to interpolate.
    if a == b || rest == 0.0 || a.is_infinite() { a } else { a + rest * (b - a) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_a_seed_does_not_change_with_versions() {
        let mut counts = Vec::new();
        Bootstrap::rows(10, 42).unwrap().draw(3, &mut counts);
        assert_eq!(counts, [0, 0, 1, 1, 1, 4, 0, 2, 0, 1]);
    }

    #[test]
    fn a_replicate_is_the_same_whatever_was_drawn_before() {
        let rows = Bootstrap::rows(50, 1).unwrap();
        let (mut first, mut again) = (Vec::new(), Vec::new());
        rows.draw(9, &mut first);
        rows.draw(2, &mut again);
        rows.draw(9, &mut again);
        assert_eq!(first, again);
        assert_eq!(first.iter().sum::<u32>(), 50);
    }

    #[test]
    fn rows_of_a_cluster_come_together_and_row_order_does_not_matter() {
        let groups = ["b", "a", "b", "c", "a"];
        let clusters = Bootstrap::clusters(&groups, 5).unwrap();
        let reversed: Vec<_> = groups.iter().rev().collect();
        let mirrored = Bootstrap::clusters(&reversed, 5).unwrap();
        let (mut counts, mut mirror) = (Vec::new(), Vec::new());
        for replicate in 0..50 {
            clusters.draw(replicate, &mut counts);
            mirrored.draw(replicate, &mut mirror);
            mirror.reverse();
            assert_eq!(counts, mirror);
            assert_eq!((counts[0], counts[1]), (counts[2], counts[4]));
            assert_eq!(counts[0] + counts[1] + counts[3], 3);
        }
    }

    #[test]
    fn each_row_is_drawn_as_often_as_any_other() {
        let rows = Bootstrap::rows(7, 11).unwrap();
        let (mut counts, mut totals) = (Vec::new(), [0_u32; 7]);
        for replicate in 0..20_000 {
            rows.draw(replicate, &mut counts);
            totals.iter_mut().zip(&counts).for_each(|(total, count)| *total += count);
        }
        // A binomial count of mean 20,000 and standard deviation 131.
        assert!(totals.iter().all(|total| total.abs_diff(20_000) < 600), "{totals:?}");
    }

    #[test]
    fn undefined_replicates_are_counted_and_all_undefined_is_an_error() {
        let rows = Bootstrap::rows(2, 1).unwrap();
        let needs_both = |counts: &[u32]| {
            if counts.contains(&0) { Err(Error::Empty) } else { Ok(1.0) }
        };
        let [some, none] =
            rows.percentile_intervals(1_000, 0.9, |counts| [needs_both(counts), Ok(f64::NAN)]);
        let undefined = some.unwrap().undefined;
        assert!((400..600).contains(&undefined), "{undefined}");
        assert_eq!(none, Err(Error::NoReplicate { resamples: 1_000 }));
        let [many] = rows.percentile_intervals(usize::MAX, 0.9, |_| [Ok(0.0)]);
        assert!(matches!(many, Err(Error::Setting { name: "resamples", .. })));
        let [level] = rows.percentile_intervals(5, 1.0, |_| [Ok(0.0)]);
        assert!(matches!(level, Err(Error::Setting { name: "level", .. })));
    }

    #[test]
    fn quantiles_interpolate_between_order_statistics() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        assert_eq!(quantile(&sorted, 0.0), 1.0);
        assert_eq!(quantile(&sorted, 0.5), 3.0);
        assert_eq!(quantile(&sorted, 1.0), 8.0);
        assert_eq!(quantile(&[f64::NEG_INFINITY, 0.0], 0.5), f64::NEG_INFINITY);
    }
}
