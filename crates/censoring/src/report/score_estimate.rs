use scoring_rules::{ExactMean, Level, Weight};
use trajectory_metrics::{Bootstrap, Interval, Replicates};

use crate::error::Error;

/// A mean or a difference of means, with a bootstrap interval.
///
/// ```
/// use censoring::{CensoringAnalysis, CensoringAssumption, Error, Probability, Stopped};
///
/// let forecasts = [Probability::HALF];
/// let runs = [Stopped::new(&forecasts, Some(true), None)?, Stopped::new(&forecasts, None, None)?];
/// let analysis = CensoringAnalysis::new(CensoringAssumption::None);
/// let report = analysis.report(&runs, None, None, &["a", "b"])?;
/// let simple = report.comparison("brier", "uniform").unwrap().simple;
/// // One run has a score, and one task has no spread.
/// assert_eq!((simple.value, simple.interval), (-0.25, None));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[non_exhaustive]
pub struct ScoreEstimate {
    /// The value on the sample, in the units of the score.
    pub value: f64,
    /// The percentile interval over resampled clusters; `None` with fewer than two clusters.
    pub interval: Option<Interval>,
    /// The standard deviation over resampled clusters; `None` with fewer than two clusters.
    pub standard_error: Option<f64>,
}

/// A mean on the sample and in each resample.
#[derive(Clone, Debug)]
pub(crate) struct ResampledMean {
    value: f64,
    replicates: Option<Replicates>,
}

/// Draws the same resamples for every mean, so that differences are paired.
#[derive(Clone, Debug)]
pub(crate) struct Resampler {
    bootstrap: Option<Bootstrap>,
    resamples: usize,
    level: Level,
}

impl Resampler {
    pub(crate) fn new<G: Ord>(clusters: &[G], seed: u64, resamples: usize, level: Level) -> Self {
        // With fewer than two clusters there is a mean but no interval.
        Self { bootstrap: Bootstrap::clusters(clusters, seed).ok(), resamples, level }
    }

    /// The mean of values, one per run.
    pub(crate) fn mean(
        &self,
        values: &[f64],
        weights: Option<&[Weight]>,
    ) -> Result<ResampledMean, Error> {
        let mut mean = ExactMean::default();
        for (i, &value) in values.iter().enumerate() {
            mean.update_weighted(value, weights.map_or(Weight::ONE, |weights| weights[i]))?;
        }
        let replicates = self.bootstrap.as_ref().filter(|_| self.resamples > 0);
        let replicates = replicates.and_then(|all| all.mean(values, weights, self.resamples).ok());
        Ok(ResampledMean { value: mean.finish()?, replicates })
    }

    pub(crate) fn estimate(&self, mean: &ResampledMean) -> ScoreEstimate {
        let percentiles = mean.replicates.as_ref().map(|all| all.percentile_interval(self.level));
        ScoreEstimate {
            value: mean.value,
            interval: percentiles.map(|estimate| estimate.interval),
            standard_error: percentiles.and_then(|estimate| estimate.standard_error),
        }
    }

    /// The paired difference of two means.
    pub(crate) fn difference(
        &self,
        first: &ResampledMean,
        second: &ResampledMean,
    ) -> ScoreEstimate {
        let replicates = match (&first.replicates, &second.replicates) {
            (Some(first), Some(second)) => first.minus(second).ok(),
            _ => None,
        };
        self.estimate(&ResampledMean { value: first.value - second.value, replicates })
    }
}
