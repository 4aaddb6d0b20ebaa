use scoring_rules::checks::{entries, same_length};

use crate::error::Error;

/// Two streams that are in one order by one score and in the opposite order by another score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RankChange {
    /// The position of the stream that has the higher first score.
    pub ahead: usize,
    /// The position of the stream that has the higher second score.
    pub behind: usize,
}

impl RankChange {
    /// Returns the pairs of streams that two scores put in opposite orders, such as scores that treat cut-off runs
    /// differently. A pair with a tie in either score is not returned.
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
