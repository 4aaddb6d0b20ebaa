use crate::{error::Error, resampling::bootstrap::Bootstrap};

impl Bootstrap {
    /// The jackknife values of a statistic: its value without each row, or each cluster, in turn.
    /// They are in the order of the rows, or of the names of the clusters.
    /// [`Replicates::bca_interval`](crate::Replicates::bca_interval) needs them.
    ///
    /// Cost: one call per row or cluster.
    ///
    /// # Errors
    ///
    /// The first error of the statistic; for example, leaving out a row may leave one class only.
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error, Seed};
    ///
    /// let steps = [2.0, 3.0, 7.0];
    /// let mean = |counts: &[u32]| {
    ///     let sum: f64 = steps.iter().zip(counts).map(|(s, &n)| s * f64::from(n)).sum();
    ///     Ok(sum / f64::from(counts.iter().sum::<u32>()))
    /// };
    /// assert_eq!(Bootstrap::rows(3, Seed::new(7))?.jackknife(mean)?, [5.0, 4.5, 2.5]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn jackknife(
        &self,
        mut statistic: impl FnMut(&[u32]) -> Result<f64, Error>,
    ) -> Result<Vec<f64>, Error> {
        let mut counts = vec![0; self.cluster_of().len()];
        let mut without = |left_out: u32| {
            for (count, &cluster) in counts.iter_mut().zip(self.cluster_of()) {
                *count = u32::from(cluster != left_out);
            }
            statistic(&counts)
        };
        (0..self.cluster_count() as u32).map(&mut without).collect()
    }
}

#[cfg(test)]
mod tests {
    use scoring_rules::Seed;

    use super::*;

    #[test]
    fn the_jackknife_leaves_out_one_row_or_cluster_at_a_time() {
        let position = |counts: &[u32]| {
            Ok(counts.iter().enumerate().map(|(i, &n)| n as f64 * 10_f64.powi(i as i32)).sum())
        };
        let rows = Bootstrap::rows(3, Seed::new(1)).unwrap();
        assert_eq!(rows.jackknife(position), Ok(vec![110.0, 101.0, 11.0]));
        let clusters = Bootstrap::clusters(&["b", "a", "b"], Seed::new(1)).unwrap();
        assert_eq!(clusters.jackknife(position), Ok(vec![101.0, 10.0]));
    }
}
