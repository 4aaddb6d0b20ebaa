use scoring_rules::{Interval, Level};
use trajectory_metrics::Bootstrap;

use crate::error::Error;

/// A mean or a ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Figure {
    /// The figure over all runs.
    pub value: f64,
    /// The percentile interval of the bootstrap that resamples queries or pools; `None` for fewer
    /// than two of them or without resamples.
    pub interval: Option<Interval<f64>>,
}

/// The statistics of all rows, each with an interval; `None` for a statistic that is undefined.
///
/// `clusters` has the name of the query or pool of each row, and `statistics` computes the statistics
/// of rows that occur so many times.
pub(crate) fn figures<const N: usize>(
    clusters: &[&str],
    statistics: impl Fn(&[u32]) -> [Result<f64, trajectory_metrics::Error>; N],
    level: Level,
    resamples: usize,
    seed: u64,
) -> Result<[Option<Figure>; N], Error> {
    let all = vec![1; clusters.len()];
    let mut figures = statistics(&all).map(|value| {
        let value = value.ok().filter(|value| value.is_finite())?;
        Some(Figure { value, interval: None })
    });
    let several = clusters.windows(2).any(|pair| pair[0] != pair[1]);
    if several && resamples > 0 {
        let bootstrap = Bootstrap::clusters(clusters, seed)?;
        // What is undefined for all rows has no interval; an invalid setting is an error.
        for (figure, replicates) in
            figures.iter_mut().zip(bootstrap.replicates(resamples, statistics))
        {
            match (figure, replicates) {
                (Some(figure), Ok(replicates)) => {
                    figure.interval = Some(replicates.percentile_interval(level).interval);
                }
                (Some(_), Err(error)) => return Err(error.into()),
                (None, _) => {}
            }
        }
    }
    Ok(figures)
}
