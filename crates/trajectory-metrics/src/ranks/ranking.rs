use std::fmt;

use scoring_rules::{OrderedScore, Probability, TiedBlocks};

use crate::{
    checks::{all_finite, same_length},
    error::{Error, Shared},
};

/// Rows sorted by confidence. The tied blocks of any resample are then computed in linear time without allocation.
///
/// ```
/// use trajectory_metrics::{Error, Probability, Ranking, TiedBlocks};
///
/// let confidence = Probability::from_slice(&[0.9, 0.2, 0.4])?;
/// let ranking = Ranking::new(confidence, &[true, false, true])?;
/// let mut blocks = TiedBlocks::default();
/// ranking.resample(&[2, 0, 1], &mut blocks)?;
/// assert_eq!((blocks.failures(), blocks.successes()), (0.0, 3.0));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranking<S = Probability> {
    /// Confidence, outcome and original position.
    rows: Vec<(S, bool, usize)>,
}

impl Ranking {
    /// Sorts rows by confidence.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one outcome per row;
    /// [`scoring_rules::Error::Empty`] without rows.
    pub fn new(confidence: &[Probability], outcomes: &[bool]) -> Result<Self, Error> {
        Self::sorted(confidence.iter().copied(), outcomes)
    }
}

impl Ranking<OrderedScore> {
    /// Sorts rows by scores that need not be probabilities, see [`TiedBlocks::from_scores`].
    ///
    /// # Errors
    ///
    /// The errors of [`Ranking::new`]; [`Error::ScoringRules`] for a score that is NaN or infinite.
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error, Ranking, Seed};
    ///
    /// let logits = [41.0, -2.5, 40.0, 3.0];
    /// let ranking = Ranking::from_scores(&logits, &[true, false, false, true])?;
    /// assert_eq!(Bootstrap::rows(4, Seed(7))?.auroc(&ranking, 100)?.estimate(), 0.75);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn from_scores(scores: &[f64], outcomes: &[bool]) -> Result<Self, Error> {
        all_finite("scores", scores)?;
        let scores = scores.iter().map(|&score| OrderedScore::new(score));
        let scores: Vec<_> = scores.collect::<Result<_, _>>()?;
        Self::sorted(scores.into_iter(), outcomes)
    }
}

impl<S: Copy + Ord + fmt::Display> Ranking<S> {
    fn sorted(
        confidence: impl ExactSizeIterator<Item = S>,
        outcomes: &[bool],
    ) -> Result<Self, Error> {
        same_length("outcomes", confidence.len(), outcomes.len())?;
        if outcomes.is_empty() {
            return Err(Shared::Empty.into());
        }
        let mut rows: Vec<_> =
            confidence.zip(outcomes).enumerate().map(|(i, (p, &y))| (p, y, i)).collect();
        rows.sort_unstable();
        Ok(Self { rows })
    }

    /// Fills `blocks` with the tied blocks of a resample in which row i occurs `counts[i]` times.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Length`] unless there is one count per row; [`Error::ScoringRules`]
    /// if all are zero.
    pub fn resample(&self, counts: &[u32], blocks: &mut TiedBlocks<S>) -> Result<(), Error> {
        same_length("counts", self.rows.len(), counts.len())?;
        let rows = self.rows.iter().map(|&(p, outcome, i)| (p, outcome, counts[i].into()));
        Ok(blocks.refill(rows)?)
    }

    /// The place of each row in its original order: `2 b` for a failure in tied block b, `2 b + 1` for
    /// a success.
    pub(crate) fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.rows.len()];
        let blocks = self.rows.chunk_by(|a, b| a.0 == b.0);
        for (block, rows) in blocks.enumerate() {
            for &(_, outcome, i) in rows {
                places[i] = 2 * block as u32 + u32::from(outcome);
            }
        }
        places
    }
}
