//! Estimates from clustered rows, such as the runs of tasks. Each estimate is a [`Figure`]: a value with its interval.
//!
//! Every mean, share, ratio and difference of a report is computed here, so that the same quantity of the same rows has the
//! same interval everywhere. The range of the [`Measure`](crate::Measure) determines the method of the interval:
//!
//! | range | a mean, a ratio of sums | a [`Difference`] |
//! |---|---|---|
//! | a least and a largest value | score interval, [`mean`] | from the intervals of both sides |
//! | one of both, as tokens, at least 0 | bootstrap-t on the logarithm, [`mean`] | Student's t |
//! | any | Student's t | Student's t |
//!
//! The value of a single cluster has no interval, and neither has a value of too few clusters for the level
//! ([`NoInterval::TooFewClusters`](crate::NoInterval::TooFewClusters)).

mod difference;
mod means;
mod overconfidence;
mod share_interval;
mod studentized;

pub use self::{
    difference::Difference,
    means::{between, mean, ratio},
    overconfidence::overconfidence,
};
use scoring_rules::Interval;

use crate::figures::figure::Figure;

/// The range of values that are shares, from 0 to 1.
pub const SHARE: [f64; 2] = [0.0, 1.0];
/// The range of unbounded values, such as logarithms.
pub const ANY: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

impl Figure {
    /// Converts a mean of logarithms into a geometric mean, or a difference of two such means into a ratio. The value
    /// and the bounds are exponentiated; the standard error is a first-order approximation.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Level, estimates};
    ///
    /// let logs = [1.0_f64, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].map(f64::ln);
    /// let tasks = [0, 1, 2, 3, 4, 5, 6];
    /// let found = estimates::mean(&logs, None, &tasks, estimates::ANY, Level::new(0.95)?)?.exp();
    /// let ends = found.interval?;
    /// assert!((found.value - 8.0).abs() < 1e-12 && (ends.low() * ends.high() - 64.0).abs() < 1e-9);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn exp(self) -> Self {
        let value = self.value.exp();
        Self {
            value,
            interval: self.interval.map(|it| Interval::between(it.low().exp(), it.high().exp())),
            standard_error: self.standard_error.map(|error| error * value),
        }
    }
}
