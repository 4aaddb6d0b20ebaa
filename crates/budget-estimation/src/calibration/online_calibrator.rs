/// Chooses the margin by which intervals are widened. Learns from the margins that past intervals would have
/// needed.
///
/// The score of an interval is the smallest margin with which it contains the remaining cost R,
/// `s = max(low - R, R - high)` in units of the margin. It is negative if the interval could have been
/// narrower. A calibrator works for any sequence of finished runs.
///
/// ```
/// use budget_estimation::{AdaptiveConformal, Error, Level, OnlineCalibrator};
///
/// let mut calibrator = AdaptiveConformal::new(Level::new(0.8)?, 0.05)?;
/// assert_eq!(calibrator.margin(), f64::INFINITY);
/// for _ in 0..20 {
///     calibrator.update(&[3.0, 5.0]);
/// }
/// assert_eq!(calibrator.margin(), 5.0);
/// # Ok::<(), Error>(())
/// ```
pub trait OnlineCalibrator {
    /// Returns the current margin. Plus infinity makes intervals contain everything, and minus infinity makes
    /// them contain nothing.
    fn margin(&self) -> f64;

    /// Learns from the scores of one finished run, in the order of its prefixes. The margin changes
    /// only here, so all of them belong to the current margin. NaN counts as plus infinity, a miss.
    fn update(&mut self, scores: &[f64]);
}

impl<C: OnlineCalibrator + ?Sized> OnlineCalibrator for &mut C {
    fn margin(&self) -> f64 {
        (**self).margin()
    }

    fn update(&mut self, scores: &[f64]) {
        (**self).update(scores);
    }
}

impl<C: OnlineCalibrator + ?Sized> OnlineCalibrator for Box<C> {
    fn margin(&self) -> f64 {
        (**self).margin()
    }

    fn update(&mut self, scores: &[f64]) {
        (**self).update(scores);
    }
}

/// Returns the number of scores that the margin misses.
pub(super) fn misses(scores: &[f64], margin: f64) -> usize {
    scores.iter().filter(|&&score| !holds(margin, score)).count()
}

/// Returns whether a margin is at least the score. An infinite margin contains every score, minus infinity
/// none.
fn holds(margin: f64, score: f64) -> bool {
    margin == f64::INFINITY || (margin > f64::NEG_INFINITY && score <= margin)
}
