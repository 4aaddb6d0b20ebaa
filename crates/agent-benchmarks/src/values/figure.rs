use scoring_rules::Interval;

/// A mean or a ratio with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Figure {
    /// The figure over all runs.
    pub value: f64,
    /// The percentile interval of the bootstrap that resamples queries, pools, tasks or questions;
    /// `None` for fewer than two of them or without resamples.
    pub interval: Option<Interval<f64>>,
}
