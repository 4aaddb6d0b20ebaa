use scoring_rules::Level;

use crate::{
    figures::figure::Figure, no_interval::NoInterval, resampling::cluster_error::ClusterEstimate,
};

impl ClusterEstimate {
    /// Returns the estimate with its [interval](Self::interval) and standard error.
    ///
    /// There is no interval with too few clusters, see [`NoInterval::check_clusters`], nor if the standard error is 0.
    #[must_use]
    pub fn figure(&self, level: Level) -> Figure {
        let enough = NoInterval::check_clusters(self.fewest, level);
        let interval = enough.and_then(|()| self.interval(level).map_err(|_| NoInterval::Constant));
        let standard_error = Some(self.standard_error).filter(|error| *error > 0.0);
        Figure { value: self.estimate, interval, standard_error }
    }
}
