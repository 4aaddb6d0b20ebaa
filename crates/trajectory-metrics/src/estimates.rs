//! Rows that belong to clusters, such as the runs of tasks, become a [`Figure`]: a value with its interval.
//!
//! Every mean, share, ratio and difference of a report is made here, so that the same quantity of the same rows has the same
//! interval everywhere. How an interval is made follows from the range that values can have, which is
//! that of their [`Measure`](crate::Measure):
//!
//! | range | a mean, a ratio of sums | a [`Difference`] |
//! |---|---|---|
//! | a least and a largest value | score interval, [`mean`] | from the intervals of both sides |
//! | one of both, as tokens, at least 0 | bootstrap-t on the logarithm, [`mean`] | Student's t |
//! | any | Student's t | Student's t |
//!
//! A value of one cluster is known and has no interval; nor has one of too few for the level
//! ([`NoInterval::check_clusters`](crate::NoInterval::check_clusters)).

mod difference;
mod means;
mod overconfidence;
mod studentized;

pub use difference::Difference;
pub use means::{between, mean, ratio};
pub use overconfidence::overconfidence;
use scoring_rules::Interval;

use crate::figures::figure::Figure;

/// The range of shares.
pub const SHARE: [f64; 2] = [0.0, 1.0];
/// The range of values of which no interval needs to know an end, as those of a logarithm.
pub const ANY: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

impl Figure {
    /// The figure of a geometric mean, or of a ratio of two, from that of the mean of logarithms, or the difference of two:
    /// e to the power of the value and of the ends, with the standard error to first order.
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
