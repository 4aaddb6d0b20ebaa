use std::collections::BTreeSet;

use scoring_rules::{ExactMean, Level, Weight};
use trajectory_metrics::{
    Bootstrap, Error as MetricsError, Figure, Intervals, NoInterval, Replicates,
};

use crate::error::Error;

/// A mean on the sample and in each resample.
#[derive(Clone, Debug)]
pub(crate) struct ResampledMean {
    value: f64,
    replicates: Result<Replicates, NoInterval>,
}

/// Draws the same resamples for every mean, so that differences are paired.
#[derive(Clone, Debug)]
pub(crate) struct Resampler {
    /// `None` with fewer than two clusters, where there is a mean but no interval.
    bootstrap: Option<Bootstrap>,
    runs: usize,
    resamples: usize,
    level: Level,
}

impl Resampler {
    pub(crate) fn new<G: Ord>(clusters: &[G], intervals: Intervals) -> Self {
        let Intervals { level, resamples, seed } = intervals;
        let bootstrap = Bootstrap::clusters(clusters, seed).ok();
        Self { bootstrap, runs: clusters.len(), resamples, level }
    }

    /// Returns the mean of values, one per run.
    pub(crate) fn mean(
        &self,
        values: &[f64],
        weights: Option<&[Weight]>,
    ) -> Result<ResampledMean, Error> {
        let value = ExactMean::of(values.iter().copied(), weights)?;
        let replicates = self.replicates(|all| all.mean(values, weights, self.resamples));
        Ok(ResampledMean { value, replicates })
    }

    /// Values that each resample computes from the number of times that each run is drawn; NaN is undefined.
    /// `depends` returns whether the values depend on a run.
    pub(crate) fn recomputed(
        &self,
        values: impl Fn(&[u32]) -> Vec<f64> + Sync,
        depends: impl Fn(usize) -> bool,
    ) -> Vec<Option<Figure>> {
        let found = values(&vec![1; self.runs]);
        // More resamples than there can be have no intervals.
        let drawn = self.bootstrap.as_ref().and_then(|all| all.map(self.resamples, values).ok());
        let drawn = drawn.unwrap_or_default();
        let of_run = |run: usize| Some(self.bootstrap.as_ref()?.cluster_of()[run]);
        let runs = (0..self.runs).filter(|&run| depends(run));
        let clusters: BTreeSet<u32> = runs.filter_map(of_run).collect();
        let figure = |(at, value): (usize, f64)| {
            let column = drawn.iter().map(|values| values[at]).collect();
            let replicates = self
                .replicates(|_| Ok(Replicates::new(value, column)?.with_clusters(clusters.len())));
            value.is_finite().then(|| self.estimate(&ResampledMean { value, replicates }))
        };
        found.into_iter().enumerate().map(figure).collect()
    }

    fn replicates(
        &self,
        draw: impl FnOnce(&Bootstrap) -> Result<Replicates, MetricsError>,
    ) -> Result<Replicates, NoInterval> {
        match &self.bootstrap {
            _ if self.resamples == 0 => Err(NoInterval::NotRequested),
            Some(bootstrap) => draw(bootstrap).or_else(|_| self.few()),
            None => self.few(),
        }
    }

    /// Returns the reason why a single cluster gives no interval.
    fn few(&self) -> Result<Replicates, NoInterval> {
        Err(NoInterval::too_few(1, self.level))
    }

    pub(crate) fn estimate(&self, mean: &ResampledMean) -> Figure {
        let value = mean.value;
        match &mean.replicates {
            Ok(replicates) => Figure { value, ..replicates.figure(self.level) },
            Err(why) => Figure { interval: Err(*why), ..Figure::from(value) },
        }
    }

    /// Returns the paired difference of two means.
    pub(crate) fn difference(&self, first: &ResampledMean, second: &ResampledMean) -> Figure {
        let replicates = match (&first.replicates, &second.replicates) {
            (Ok(first), Ok(second)) => first.minus(second).map_err(|_| UNDEFINED),
            (Err(why), _) | (_, Err(why)) => Err(*why),
        };
        self.estimate(&ResampledMean { value: first.value - second.value, replicates })
    }
}

/// The reason for means that are defined in no resample.
const UNDEFINED: NoInterval = NoInterval::TooFewResamples { defined: 0 };
