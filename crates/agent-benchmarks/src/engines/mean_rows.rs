use scoring_rules::{ExactMean, Level, Weight};
use trajectory_metrics::Bootstrap;

use crate::{error::Error, values::figure::Figure};

/// The rows of a weighted mean whose interval resamples whole clusters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MeanRows {
    clusters: Vec<String>,
    rows: Vec<(Weight, f64)>,
}

impl MeanRows {
    /// Adds a finite value.
    pub(crate) fn push(&mut self, cluster: &str, weight: Weight, value: f64) {
        self.clusters.push(cluster.to_owned());
        self.rows.push((weight, value));
    }

    /// Adds the rows of another mean.
    pub(crate) fn merge(&mut self, other: &Self) {
        self.clusters.extend_from_slice(&other.clusters);
        self.rows.extend_from_slice(&other.rows);
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The mean and its percentile interval; `None` without a row of a positive weight.
    pub(crate) fn figure(
        &self,
        level: Level,
        resamples: usize,
        seed: u64,
    ) -> Result<Option<Figure>, Error> {
        let Ok(value) = self.mean(&vec![1; self.rows.len()]) else { return Ok(None) };
        let several = self.clusters.windows(2).any(|pair| pair[0] != pair[1]);
        if !several || resamples == 0 {
            return Ok(Some(Figure { value, interval: None }));
        }
        let bootstrap = Bootstrap::clusters(&self.clusters, seed)?;
        let [replicates] = bootstrap.replicates(resamples, |counts| [self.mean(counts)]);
        let interval = Some(replicates?.percentile_interval(level).interval);
        Ok(Some(Figure { value, interval }))
    }

    fn mean(&self, counts: &[u32]) -> Result<f64, trajectory_metrics::Error> {
        let mut mean = ExactMean::default();
        for ((weight, value), &count) in self.rows.iter().zip(counts) {
            if count > 0 {
                let weight = Weight::new(weight.get() * f64::from(count))?;
                mean.update_weighted(*value, weight)?;
            }
        }
        Ok(mean.finish()?)
    }
}
