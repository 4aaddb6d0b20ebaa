use crate::{error::Error, resampling::bootstrap::Bootstrap};

impl Bootstrap {
    /// Returns the jackknife values of a statistic: its value after leaving out each row, or each
    /// cluster, in turn. They are in the order of the rows, or of the names of the clusters.
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
