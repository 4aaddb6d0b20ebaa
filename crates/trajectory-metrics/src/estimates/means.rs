use scoring_rules::{Interval, Level, Weight};

use crate::{
    checks::{entries, setting},
    error::{Error, Shared},
    estimates::{SHARE, share_interval::exact_interval, studentized},
    figures::figure::Figure,
    no_interval::NoInterval,
    numerics::normal::cdf,
    resampling::{
        cluster_estimate::{ClusterEstimate, is_end},
        clustered_rows::ClusteredRows,
    },
};

/// Returns the (weighted) mean of values, with a confidence interval and the standard error of
/// [`ClusterEstimate::mean`]. All values must lie within `range`.
///
/// - With a least and a largest value, it is the score interval for the effective number of rows: the number of independent rows
///   whose mean has the same variance. Student's t replaces the normal quantile. The interval stays inside the range. If few
///   clusters contribute most of the distance from the least value, or from the largest one, a variance is a poor estimate,
///   unless the rows are independent outcomes. Let d be the sum over a cluster of `w (v - least)`, or of `w (largest - v)`. If
///   `(sum of d)^2 / sum of d^2` is below 10, the effective number of rows is at most
///   `(sum of w)^2 / sum over clusters of (sum of w)^2`, its value if the rows of a cluster are copies of each other, and a mean
///   in the first or last quarter of the range has the exact interval for this number. Values inside the range, such as partial
///   credit, vary little and do not show how rare the ends of the range are. The variance therefore grows by the square of the
///   distance by which half a cluster at the farther end would move the mean.
/// - Values with only one bound, such as costs, or scores that are at most 1, are often skewed, and an interval by Student's t
///   would miss mostly on the unbounded side. Their interval is computed for the logarithm of the mean distance from the bound,
///   with the quantiles of its error in standard errors over 999 resamples of the clusters (bootstrap-t). These quantiles do not
///   depend on a seed or on the order of the rows. The quantiles of Student's t are used instead with fewer than 15 clusters,
///   with fewer than 10 above 0, with more than 50,000, or if resamples rarely vary. The interval is still too short if few
///   clusters contribute much of the sum: for log-normal values with a standard deviation of 1.5 on the log scale, only 90 % of
///   the 95 % intervals of 60 clusters contain the mean.
/// - For other values, it is `mean ± t * standard error`.
///
/// The variance is CR2 with the degrees of freedom of Bell and McCaffrey, see [`ClusterEstimate::mean`]. A
/// mean of one cluster has no interval and no standard error.
///
/// Cost: one sort; for values with only one bound, also 999 draws per cluster.
///
/// Reference: Wilson (1927), Probable inference, the law of succession, and statistical inference,
/// doi:10.1080/01621459.1927.10502953; Korn and Graubard (1998), Confidence intervals for proportions with small
/// expected number of positive counts estimated from survey data, Survey Methodology 24, 193-201; Dean and Pagano
/// (2015), Evaluating confidence interval methods for binomial proportions in clustered surveys,
/// doi:10.1093/jssam/smv024; Hall (1992), The bootstrap and Edgeworth expansion, section 3.10.5,
/// doi:10.1007/978-1-4612-4384-7.
///
/// # Errors
///
/// The errors of [`ClusterEstimate::mean`], except for a single cluster; [`scoring_rules::Error::Entry`] for a value outside the
/// range; [`scoring_rules::Error::Setting`] for a range whose least value is not below its largest.
///
/// ```
/// use trajectory_metrics::{Error, Level, estimates};
///
/// let level = Level::new(0.95)?;
/// let tasks: Vec<usize> = (0..30).collect();
/// let solved = estimates::mean(&[1.0; 30], None, &tasks, estimates::SHARE, level)?;
/// let ends = solved.interval?;
/// assert_eq!((ends.low(), ends.high()), (0.025_f64.powf(1.0 / 30.0), 1.0));
/// // Tokens from 1,000 to 16,000: the interval reaches further up than down.
/// let tokens: Vec<f64> = tasks.iter().map(|task| 1_000.0 * 1.1_f64.powi(*task as i32)).collect();
/// let found = estimates::mean(&tokens, None, &tasks, [0.0, f64::INFINITY], level)?;
/// let ends = found.interval?;
/// assert!(ends.high() - found.value > 1.1 * (found.value - ends.low()));
/// # Ok::<(), Error>(())
/// ```
pub fn mean<G: Ord>(
    values: &[f64],
    weights: Option<&[Weight]>,
    clusters: &[G],
    range: [f64; 2],
    level: Level,
) -> Result<Figure, Error> {
    check_range(values, range)?;
    let found = match ClusterEstimate::within(values, weights, clusters, range) {
        Err(Error::ScoringRules(Shared::TooFew { .. })) => {
            let rows = ClusteredRows::new(values.len(), weights, clusters)?;
            return Ok(of_one(rows.mean(values, rows.total(|_| true)?, |_| true), level));
        }
        found => found?,
    };
    let figure = found.figure(level);
    // The interval of the distance from the only bound.
    let distance = |end: f64| {
        let rows = ClusteredRows::new(values.len(), weights, clusters)?;
        let sums = rows.cluster_sums(|row| (values[row] - end).abs());
        let sums = [&sums[..], &rows.cluster_sums(|_| 1.0)];
        let degrees = found.degrees_of_freedom;
        let interval = || studentized::interval(sums, false, degrees, level);
        Ok::<_, Error>(figure.interval.and_then(|_| interval()))
    };
    Ok(match range {
        [low, f64::INFINITY] if low.is_finite() => {
            let ends = distance(low)?;
            let ends = ends.map(|it| Interval::between(low + it.low(), low + it.high()));
            Figure { interval: ends, ..figure }
        }
        [f64::NEG_INFINITY, high] if high.is_finite() => {
            let ends = distance(high)?;
            let ends = ends.map(|it| Interval::between(high - it.high(), high - it.low()));
            Figure { interval: ends, ..figure }
        }
        [low, high] if low.is_finite() && high.is_finite() => {
            Figure { interval: found.ends_within(range, level), ..found.figure(level) }
        }
        _ => found.figure(level),
    })
}

/// Returns the sum of `numerators` divided by the sum of `denominators`, with the standard error of
/// [`ClusterEstimate::ratio`]. No entry may be negative. `range` decides the kind of interval. An unbounded ratio, such
/// as tokens per success, has that of a [`mean`] of values that are at least 0. For a ratio in [`SHARE`](super::SHARE),
/// such as the saved share of all tokens, the same method is applied to the log odds. A share of exactly 0 or 1 has the
/// exact binomial interval for `(sum of d)^2 / sum of d^2` rows, where d is the sum of the denominators of a cluster.
///
/// # Errors
///
/// The errors of [`ClusterEstimate::ratio`], except for a single cluster; [`scoring_rules::Error::Entry`] for a value below 0;
/// [`scoring_rules::Error::Setting`] for another range.
///
/// ```
/// use trajectory_metrics::{Error, Level, estimates};
///
/// let tokens = [900.0, 1_200.0, 4_000.0, 1_500.0, 800.0, 2_600.0, 1_000.0];
/// let successes = [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
/// let tasks = [0, 1, 2, 3, 4, 5, 6];
/// let found =
///     estimates::ratio(&tokens, &successes, &tasks, [0.0, f64::INFINITY], Level::new(0.9)?)?;
/// assert_eq!(found.value, 2_400.0);
/// assert!(found.interval?.low() > 850.0);
/// # Ok::<(), Error>(())
/// ```
pub fn ratio<G: Ord>(
    numerators: &[f64],
    denominators: &[f64],
    clusters: &[G],
    range: [f64; 2],
    level: Level,
) -> Result<Figure, Error> {
    let [least, largest] = range;
    setting("least value of the range", least, least == 0.0, "0")?;
    let is_share = largest == 1.0;
    setting(
        "largest value of the range",
        largest,
        is_share || largest == f64::INFINITY,
        "1 or infinite",
    )?;
    check_range(numerators, [0.0, f64::INFINITY])?;
    check_range(denominators, [0.0, f64::INFINITY])?;
    match ClusterEstimate::ratio(numerators, denominators, None, clusters) {
        Err(Error::ScoringRules(Shared::TooFew { .. })) => {
            let rows = ClusteredRows::new(numerators.len(), None, clusters)?;
            Ok(of_one(rows.sum(|row| numerators[row]) / rows.sum(|row| denominators[row]), level))
        }
        found => {
            let rows = ClusteredRows::new(numerators.len(), None, clusters)?;
            let sums = [numerators, denominators].map(|of| rows.cluster_sums(|row| of[row]));
            let (found, sums) = (found?, [&sums[0][..], &sums[1]]);
            let figure = found.figure(level);
            if is_share && is_end(figure.value, SHARE) {
                let counted = NoInterval::check_clusters(found.clusters, level);
                let squares: f64 = sums[1].iter().map(|sum| sum * sum).sum();
                let rows = sums[1].iter().sum::<f64>().powi(2) / squares;
                let interval = counted.map(|()| exact_interval(figure.value * rows, rows, level));
                return Ok(Figure { interval, ..figure });
            }
            let degrees = found.degrees_of_freedom;
            let interval = || studentized::interval(sums, is_share, degrees, level);
            Ok(Figure { interval: figure.interval.and_then(|_| interval()), ..figure })
        }
    }
}

/// Returns an interval for a quantity that lies between two estimates, such as the success rate if some runs have no
/// grade. It extends from the lower bound of `low` to the upper bound of `high`. The level of these bounds is chosen so
/// that the interval covers each value between the two quantities with probability `level`. The bounds therefore lie
/// between those of a one-sided and those of a two-sided interval at `level`.
///
/// Errors are assumed to be normally distributed only for the computation of this level.
///
/// Reference: Imbens and Manski (2004), Confidence intervals for partially identified parameters, Econometrica 72,
/// 1845-1857, doi:10.1111/j.1468-0262.2004.00555.x, equation 7.
///
/// # Errors
///
/// The reason why one of the two has no interval.
///
/// ```
/// use trajectory_metrics::{Error, Figure, Level, NoInterval, estimates};
///
/// let tasks: Vec<usize> = (0..40).collect();
/// let of = |solved: usize| {
///     let outcomes: Vec<f64> = (0..40).map(|task| f64::from(task < solved)).collect();
///     move |level| {
///         let clusters: Vec<usize> = (0..outcomes.len()).collect();
///         estimates::mean(&outcomes, None, &clusters, estimates::SHARE, level)
///     }
/// };
/// // 20 of 40 succeeded, and 6 have no outcome.
/// let level = Level::new(0.95)?;
/// let ends = estimates::between(of(20), of(26), level)??;
/// let (low, high) = (of(20)(level)?.interval?.low(), of(26)(level)?.interval?.high());
/// assert!(ends.low() > low && ends.high() < high && ends.contains(0.5) && ends.contains(0.65));
/// # Ok::<(), Error>(())
/// ```
pub fn between<E>(
    low: impl Fn(Level) -> Result<Figure, E>,
    high: impl Fn(Level) -> Result<Figure, E>,
    level: Level,
) -> Result<Result<Interval, NoInterval>, E> {
    let both = [low(level)?, high(level)?];
    let width = (both[1].value - both[0].value).max(0.0);
    let error = both.iter().filter_map(|it| it.standard_error).fold(0.0, f64::max);
    let apart = if width > 0.0 { width / error } else { 0.0 };
    // The critical value, by bisection: the coverage grows with it.
    let (mut least, mut most) = (0.0, 40.0);
    for _ in 0..100 {
        let middle = 0.5 * (least + most);
        if cdf(middle + apart) - cdf(-middle) < level.get() {
            least = middle;
        } else {
            most = middle;
        }
    }
    let level = Level::new(2.0 * cdf(most) - 1.0).unwrap_or(level);
    // With too few clusters for the requested level, there is no interval at a lower level either.
    let wide = both[0].interval.and(both[1].interval);
    let [low, high] = [low(level)?, high(level)?];
    Ok(wide.and_then(|_| Ok(Interval::between(low.interval?.low(), high.interval?.high()))))
}

/// A value of a single cluster.
pub(super) fn of_one(value: f64, level: Level) -> Figure {
    Figure { interval: Err(NoInterval::too_few(1, level)), ..Figure::from(value) }
}

pub(super) fn check_range(values: &[f64], [low, high]: [f64; 2]) -> Result<(), Error> {
    setting("least value of the range", low, low < high, "below the largest")?;
    Ok(entries("value", values, |value| (low..=high).contains(value), "within its range")?)
}
