//! Intervals of ratios of sums that are at least 0 by the bootstrap-t, on the scale of the logarithm or of the log odds.

use std::ops::RangeInclusive;

use scoring_rules::{Interval, Level};

use crate::{
    no_interval::NoInterval,
    numerics::{
        quantiles::{quantile, tail},
        students_t::two_sided_quantile,
    },
    resampling::draws::Draws,
};

const RESAMPLES: u64 = 999;
/// One stream of draws for all data, so that equal sums have the same interval everywhere.
const SEED: u64 = 0;
/// The supported numbers of clusters. Resamples of fewer clusters, or of fewer with a sum above 0, have unbounded distances. With
/// more clusters, the quantiles agree with Student's t but take long to compute.
const CLUSTERS: RangeInclusive<usize> = 15..=50_000;
const LEAST_ABOVE_0: usize = 10;
/// The least share of resamples in which both sums are above 0 and the clusters differ.
const LEAST_DEFINED: f64 = 0.95;

/// The interval of the ratio of the sums over these clusters. `degrees` are the degrees of freedom of the standard error.
pub(super) fn interval(
    [numerators, denominators]: [&[f64]; 2],
    is_share: bool,
    degrees: f64,
    level: Level,
) -> Result<Interval, NoInterval> {
    let [above, below] = [numerators, denominators].map(|sums| sums.iter().sum::<f64>());
    let ratio = above / below;
    // On the logarithmic scale, which has no upper bound, the ratio is not a share.
    let share = if is_share { ratio } else { 0.0 };
    if share >= 1.0 {
        return Err(NoInterval::Constant);
    }
    let clusters = numerators.iter().zip(denominators);
    let mut clusters: Vec<Part> =
        clusters.map(|(a, b)| Part { beyond: a / above - b / below, share: b / below }).collect();
    // Sorted by value, so that neither the order of the rows nor the names of the clusters matter.
    clusters
        .sort_unstable_by(|a, b| a.beyond.total_cmp(&b.beyond).then(a.share.total_cmp(&b.share)));
    let squares: f64 = clusters.iter().map(|part| part.beyond * part.beyond).sum();
    let error = (factor(clusters.len()) * squares).sqrt();
    let with = |sums: &[f64]| sums.iter().filter(|sum| **sum > 0.0).count();
    let is_enough = CLUSTERS.contains(&clusters.len())
        && with(numerators).min(with(denominators)) >= LEAST_ABOVE_0;
    let drawn = if is_enough { drawn(&clusters, share, level) } else { None };
    let quantiles = drawn.unwrap_or_else(|| {
        let t = two_sided_quantile(level.get(), degrees.max(1.0));
        [-t, t]
    });
    let [high, low] = quantiles.map(|t| {
        let factor = (-t * error / (1.0 - share)).exp();
        ratio * factor / (1.0 + share * (factor - 1.0))
    });
    Ok(Interval::between(low, high))
}

/// The quantiles of the distance over resamples.
fn drawn(clusters: &[Part], share: f64, level: Level) -> Option<[f64; 2]> {
    let draws = Draws::new(clusters.len() as u32, SEED);
    let mut counts = vec![0_u32; clusters.len()];
    let mut distances = Vec::with_capacity(RESAMPLES as usize);
    for replicate in 0..RESAMPLES {
        counts.fill(0);
        draws.each(replicate, |_, cluster| counts[cluster] += 1);
        let distance = distance(counts.iter().zip(clusters), share) / factor(clusters.len()).sqrt();
        distances.extend(Some(distance).filter(|it| it.is_finite()));
    }
    distances.sort_unstable_by(f64::total_cmp);
    let is_enough = distances.len() as f64 >= LEAST_DEFINED * RESAMPLES as f64;
    is_enough.then(|| [tail(level), 1.0 - tail(level)].map(|share| quantile(&distances, share)))
}

/// The factor that corrects the sum of squared deviations over n clusters: deviations from their mean are smaller than deviations
/// from the true value.
fn factor(n: usize) -> f64 {
    n as f64 / (n as f64 - 1.0)
}

/// The shares of one cluster in the sums over all clusters.
struct Part {
    /// The share of the cluster in the sum of the denominators.
    share: f64,
    /// The share of the cluster in the sum of the numerators minus its share in the sum of the denominators.
    beyond: f64,
}

/// The distance of a resample in its standard errors: the logarithm of its ratio divided by the ratio of all clusters. Let v be
/// the share of a cluster in the denominators, r its share in the numerators minus v, and R and V the sums of r and v over the
/// drawn clusters, with repetition. The distance is `ln(1 + R / V)` divided by the root of the sum of `(r - v R / V)^2` over
/// `R + V`. For a share, log odds replace the logarithm.
fn distance<'a>(clusters: impl Iterator<Item = (&'a u32, &'a Part)>, share: f64) -> f64 {
    let [mut v, mut r, mut vv, mut vr, mut rr] = [0.0; 5];
    for (count, Part { share, beyond }) in clusters.filter(|(count, _)| **count > 0) {
        let count = f64::from(*count);
        v += count * share;
        r += count * beyond;
        vv += count * share * share;
        vr += count * share * beyond;
        rr += count * beyond * beyond;
    }
    let more = r / v;
    let squares = rr - 2.0 * more * vr + more * more * vv;
    let error = squares.sqrt() / (v + r);
    if share == 0.0 {
        return more.ln_1p() / error;
    }
    let left = -more * share / (1.0 - share);
    (more.ln_1p() - left.ln_1p()) * (1.0 - share * (1.0 + more)) / error
}
