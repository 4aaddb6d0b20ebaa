use scoring_rules::{ExactMean, Level, Seed, Weight};
use trajectory_metrics::{Bootstrap, Interval, NoInterval, Replicates};

use crate::error::Error;

/// A mean or a difference of means, with a bootstrap interval.
///
/// ```
/// use censoring::{CensoringAnalysis, CensoringAssumption, Error, Probability, Stopped};
///
/// let forecasts = [Probability::HALF];
/// let runs = [Stopped::new(&forecasts, Some(true), None)?, Stopped::new(&forecasts, Some(false), None)?];
/// let analysis = CensoringAnalysis::new(CensoringAssumption::None);
/// let report = analysis.report(&runs, None, None, &["a", "b"])?;
/// let simple = report.comparison("brier", "uniform").unwrap().simple;
/// // Two tasks say too little of the spread between tasks.
/// assert_eq!((simple.value, simple.interval), (-0.25, None));
/// let why = simple.no_interval.map(|why| why.to_string());
/// assert_eq!(why.as_deref(), Some("2 clusters; a 95 % interval needs at least 6"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ScoreEstimate {
    /// The value on the sample, in the units of the score.
    pub value: f64,
    /// The [confidence interval](trajectory_metrics::Replicates::confidence_interval) over resampled
    /// clusters, if there is one.
    pub interval: Option<Interval>,
    /// The reason why there is no interval; `None` if there is one.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub no_interval: Option<NoInterval>,
    /// The standard deviation over resampled clusters; `None` with fewer than two clusters, or if the
    /// value does not vary over them.
    pub standard_error: Option<f64>,
}

/// A mean on the sample and in each resample.
#[derive(Clone, Debug)]
pub(crate) struct ResampledMean {
    value: f64,
    replicates: Result<Replicates, NoInterval>,
}

/// Draws the same resamples for every mean, so that differences are paired.
#[derive(Clone, Debug)]
pub(crate) struct Resampler {
    bootstrap: Option<Bootstrap>,
    resamples: usize,
    level: Level,
}

impl Resampler {
    pub(crate) fn new<G: Ord>(clusters: &[G], seed: Seed, resamples: usize, level: Level) -> Self {
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
        let replicates = match &self.bootstrap {
            None => self.few(1),
            Some(_) if self.resamples == 0 => Err(UNDEFINED),
            Some(all) => all.mean(values, weights, self.resamples).or_else(|_| self.few(1)),
        };
        Ok(ResampledMean { value: mean.finish()?, replicates })
    }

    /// The reason why so few clusters have no interval.
    fn few(&self, clusters: usize) -> Result<Replicates, NoInterval> {
        NoInterval::check_clusters(clusters, self.level).and(Err(UNDEFINED))
    }

    pub(crate) fn estimate(&self, mean: &ResampledMean) -> ScoreEstimate {
        let replicates = mean.replicates.as_ref().map_err(|why| *why);
        let found = replicates.and_then(|all| all.confidence_interval(self.level));
        let error = replicates.ok().and_then(Replicates::standard_error);
        ScoreEstimate {
            value: mean.value,
            interval: found.ok().map(|estimate| estimate.interval),
            no_interval: found.err(),
            standard_error: error.filter(|error| *error > 0.0),
        }
    }

    /// The paired difference of two means.
    pub(crate) fn difference(
        &self,
        first: &ResampledMean,
        second: &ResampledMean,
    ) -> ScoreEstimate {
        let replicates = match (&first.replicates, &second.replicates) {
            (Ok(first), Ok(second)) => first.minus(second).map_err(|_| UNDEFINED),
            (Err(why), _) | (_, Err(why)) => Err(*why),
        };
        self.estimate(&ResampledMean { value: first.value - second.value, replicates })
    }
}

/// The reason for means that are defined in no resample.
const UNDEFINED: NoInterval = NoInterval::TooFewResamples { defined: 0 };
