use scoring_rules::{ExactMean, Weight};

use crate::{engines::resampled::Resamples, error::Error, values::figure::Figure};

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

    /// The mean and its interval; `None` without a row of a positive weight.
    pub(crate) fn figure(&self, resamples: Resamples) -> Result<Option<Figure>, Error> {
        let rows = self.clusters.iter().zip(&self.rows);
        let rows: Vec<_> = rows.map(|(cluster, row)| (cluster.as_str(), row.0)).collect();
        let counted = |row: usize, _| self.rows[row].0 > Weight::ZERO;
        let [figure] = resamples.figures(&rows, counted, [false], |counts| [self.mean(counts)])?;
        Ok(figure)
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
