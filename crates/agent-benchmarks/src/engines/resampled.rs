use scoring_rules::{Level, Seed, Weight};
use trajectory_metrics::{Bootstrap, NoInterval};

use crate::{error::Error, values::figure::Figure};

/// How intervals are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resamples {
    pub(crate) level: Level,
    pub(crate) resamples: usize,
    pub(crate) seed: Seed,
}

/// What is resampled: for each row, its cluster and its weight.
pub(crate) type Rows<'a> = [(&'a str, Weight)];

/// A statistic over rows that occur so many times.
pub(crate) type Statistics<const N: usize> = [Result<f64, trajectory_metrics::Error>; N];

impl Resamples {
    /// Figures with the intervals of resampled clusters; `None` for a statistic that is undefined or
    /// infinite. `counted` tells whether a row is counted by a statistic, and `shares` which statistics are
    /// means of values 0 and 1.
    pub(crate) fn figures<const N: usize>(
        self,
        rows: &Rows<'_>,
        counted: impl Fn(usize, usize) -> bool,
        shares: [bool; N],
        statistics: impl Fn(&[u32]) -> Statistics<N>,
    ) -> Result<[Option<Figure>; N], Error> {
        let not_drawn = Err(NoInterval::NotRequested);
        let mut figures = statistics(&vec![1; rows.len()]).map(|value| {
            let value = value.ok().filter(|value| value.is_finite())?;
            Some(Figure { value, interval: not_drawn })
        });
        if self.resamples == 0 {
            return Ok(figures);
        }
        let mut clusters = [0; N];
        for (statistic, (figure, found)) in figures.iter_mut().zip(&mut clusters).enumerate() {
            let rows = rows.iter().enumerate().filter(|(row, _)| counted(*row, statistic));
            let mut names: Vec<&str> = rows.map(|(_, &(cluster, _))| cluster).collect();
            names.sort_unstable();
            names.dedup();
            *found = names.len();
            let few = NoInterval::check_clusters(names.len(), self.level);
            if let (Some(figure), Err(few)) = (figure, few) {
                figure.interval = Err(few);
            }
        }
        if figures.iter().flatten().all(|figure| figure.interval != not_drawn) {
            return Ok(figures);
        }
        let names: Vec<&str> = rows.iter().map(|(cluster, _)| *cluster).collect();
        let bootstrap = Bootstrap::clusters(&names, self.seed)?;
        let independent = bootstrap.cluster_count() == rows.len()
            && rows.iter().all(|(_, weight)| *weight == Weight::ONE);
        let replicates = bootstrap.replicates(self.resamples, statistics);
        let settings = clusters.into_iter().zip(shares);
        for ((figure, replicates), (clusters, share)) in
            figures.iter_mut().zip(replicates).zip(settings)
        {
            // What is undefined for all rows has no interval; an invalid setting is an error.
            let Some(figure) = figure.as_mut().filter(|it| it.interval == not_drawn) else {
                continue;
            };
            let mut replicates = replicates?.with_clusters(clusters);
            if share && independent {
                replicates = replicates.of_independent_outcomes();
            }
            figure.interval = replicates.confidence_interval(self.level).map(|it| it.interval);
        }
        Ok(figures)
    }
}
