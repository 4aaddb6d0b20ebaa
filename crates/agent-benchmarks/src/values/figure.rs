use scoring_rules::Interval;
use trajectory_metrics::NoInterval;

/// A mean or a ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Figure {
    /// The figure over all runs.
    pub value: f64,
    /// The [confidence interval](trajectory_metrics::Replicates::confidence_interval) of the bootstrap
    /// that resamples queries, pools, tasks or questions, or the reason why there is none, such as too
    /// few of them. A share of exactly 0 or 1 has an interval if each row is a query or task of its own
    /// and has weight 1.
    pub interval: Result<Interval<f64>, NoInterval>,
}
