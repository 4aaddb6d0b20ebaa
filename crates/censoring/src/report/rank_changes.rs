use scoring_rules::checks::{entries, same_length};

use crate::error::Error;

/// Two streams whose order by one score is the reverse of their order by another score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RankChange {
    /// The position of the stream that is ahead by the first score.
    pub ahead: usize,
    /// The position of the stream that is ahead by the second score.
    pub behind: usize,
}

impl RankChange {
    /// Returns the pairs of streams whose orders by two scores are opposite, such as scores that treat cut-off runs
    /// differently. A tie in either score is no change.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless both have one score per stream; [`scoring_rules::Error::Entry`] for a score that is
    /// NaN.
    ///
    /// ```
    /// use censoring::{Error, RankChange};
    ///
    /// // Margins over the base rate in table 14 of arXiv:2605.24756, exponential-front weights: the
    /// // stream is ahead of the base rate on complete runs and behind with cut-off runs.
    /// let changes = RankChange::between(&[0.0079, 0.0], &[-0.0025, 0.0])?;
    /// assert_eq!((changes.len(), changes[0].ahead, changes[0].behind), (1, 0, 1));
    /// // With linear-front weights it stays ahead.
    /// assert!(RankChange::between(&[0.0123, 0.0], &[0.0086, 0.0])?.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn between(first: &[f64], second: &[f64]) -> Result<Vec<RankChange>, Error> {
        same_length("scores", first.len(), second.len())?;
        for scores in [first, second] {
            entries("score of stream", scores, |score| !score.is_nan(), "a number")?;
        }
        let mut changes = Vec::new();
        for ahead in 0..first.len() {
            for behind in 0..first.len() {
                if first[ahead] > first[behind] && second[ahead] < second[behind] {
                    changes.push(Self { ahead, behind });
                }
            }
        }
        Ok(changes)
    }
}
