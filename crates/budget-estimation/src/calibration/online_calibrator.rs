/// A rule that sets the margin by which intervals are widened, and learns from the margins that
/// would have been needed.
///
/// The score of an interval is the smallest margin under which it holds what remained,
/// `s = max(low - R, R - high)` in units of the margin: negative where it could have been narrower.
/// Anything that sees one finished run after the other can be calibrated by it, not only estimates.
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
    /// The margin for now: infinite where every interval is to hold everything, minus infinity
    /// where it is to hold nothing.
    fn margin(&self) -> f64;

    /// Takes in the scores of one finished run, in the order of its prefixes. All of them were
    /// given under the margin of now, which changes only here. A NaN counts as plus infinity, a
    /// miss.
    fn update(&mut self, scores: &[f64]);
}

/// How many of these scores the margin missed.
pub(super) fn misses(scores: &[f64], margin: f64) -> usize {
    scores.iter().filter(|&&score| !holds(margin, score)).count()
}

/// Whether a margin is enough. Everything is more than any score, nothing less than any.
fn holds(margin: f64, score: f64) -> bool {
    margin == f64::INFINITY || (margin > f64::NEG_INFINITY && score <= margin)
}
