use std::cmp::Ordering;

use scoring_rules::Level;

#[cfg(feature = "serde")]
use crate::checks::stored;
use crate::{
    checks::least,
    checks::setting,
    error::Error,
    order_statistics::{OrderStatistics, Ranked},
};

scoring_rules::checked! {
    /// Chooses the margin by which intervals are widened, by adaptive conformal inference. The margin is a quantile of
    /// past scores, at a miss level that falls after each miss and rises after each hit.
    ///
    /// The score of an interval is the smallest margin with which it contains the remaining cost R,
    /// `s = max(low - R, R - high)` in units of the margin. It is negative if the interval could have been
    /// narrower.
    ///
    /// With a = 1 - coverage and the step g, each score moves the level by `g (a - miss)`, where a miss
    /// is 1 and a hit 0. The margin is the score of rank `(1 - level) (n + 1)`, rounded up, among all n
    /// scores so far; it is infinite for a level of at most 0, and minus infinity for a level of at
    /// least 1. The scores of a run are known only when the run has ended, so the level moves once per
    /// run, by the sum over its prefixes.
    ///
    /// **Guarantee**, for any sequence of scores, even an adversarial one: after N scores, with at most m
    /// per run, the share of misses differs from a by at most `(max(a, 1 - a) + g m) / (g N)`. With one
    /// score per run this is the published bound. See [`AdaptiveConformal::bound`].
    ///
    /// For a run of 50 prefixes, a step of 0.002 moves the level about as much as a step of 0.1 does for
    /// a single score.
    ///
    /// Takes O(n^(1/3)) per score for n scores so far, well under a microsecond for 10^6, and stores all scores.
    ///
    /// ```
    /// use budget_estimation::{AdaptiveConformal, Error, Level};
    ///
    /// let mut calibrator = AdaptiveConformal::new(Level::new(0.8)?, 0.1)?;
    /// calibrator.update(&[1.0, 2.0, 3.0, 4.0]);
    /// // An infinite margin misses nothing, so the level rose to 0.2 + 4 * 0.1 * 0.2.
    /// assert_eq!(calibrator.margin(), 4.0);
    /// calibrator.update(&[0.0; 6]);
    /// // The level is 0.4; the margin is the score of rank 7 (0.6 * 11, rounded up) among ten.
    /// assert_eq!(calibrator.margin(), 1.0);
    /// assert!((calibrator.bound() - (0.8 + 0.1 * 6.0) / (0.1 * 10.0)).abs() < 1e-12);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: Gibbs, Candès (2021), Adaptive conformal inference under distribution shift, NeurIPS,
    /// proposition 4.1.
    #[derive(Clone, Debug, PartialEq)]
    pub struct AdaptiveConformal {
        coverage: Level,
        step: f64,
        /// The current target share of misses.
        level: f64,
        scores: OrderStatistics<Score>,
        longest_run: usize,
        #[cfg_attr(feature = "serde", serde(skip))]
        margin: f64,
    }
    restore: Self::restore
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Score(#[cfg_attr(feature = "serde", serde(with = "scoring_rules::infinite"))] f64);

impl Ranked for Score {
    fn order(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl AdaptiveConformal {
    /// Creates a calibrator that has seen no run.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the step is above 0 and at most 1.
    pub fn new(coverage: Level, step: f64) -> Result<Self, Error> {
        setting("step", step, step > 0.0 && step <= 1.0, "above 0 and at most 1")?;
        let (level, scores) = (1.0 - coverage.get(), OrderStatistics::default());
        Ok(Self { coverage, step, level, scores, longest_run: 0, margin: f64::INFINITY })
    }

    /// Returns the largest possible distance between the share of misses so far and its target, 1 - coverage; infinite
    /// before the first score.
    #[must_use]
    pub fn bound(&self) -> f64 {
        let miss = 1.0 - self.coverage.get();
        let reach = miss.max(1.0 - miss) + self.step * self.longest_run as f64;
        reach / (self.step * self.scores.len() as f64)
    }

    /// Returns the quantile of all scores so far at the current level.
    fn margin_of_level(&self) -> f64 {
        let rank = least(1.0 - self.level, (self.scores.len() + 1) as f64).ceil();
        if rank < 1.0 {
            f64::NEG_INFINITY
        } else {
            self.scores.nth(rank as usize).map_or(f64::INFINITY, |score| score.0)
        }
    }

    /// Returns the current margin. Plus infinity makes intervals contain everything, and minus infinity makes
    /// them contain nothing.
    #[must_use]
    pub const fn margin(&self) -> f64 {
        self.margin
    }

    /// Learns from the scores of one finished run, in the order of its prefixes. Nothing else changes the margin, so
    /// each score counts as a hit or a miss under the margin that applied during the run. NaN counts as plus infinity,
    /// which is a miss unless the margin is plus infinity.
    pub fn update(&mut self, scores: &[f64]) {
        // An infinite margin contains every score, minus infinity none.
        let holds = |score: f64| match self.margin {
            f64::INFINITY => true,
            f64::NEG_INFINITY => false,
            margin => score <= margin,
        };
        let missed = scores.iter().filter(|&&score| !holds(score)).count() as f64;
        let expected = (1.0 - self.coverage.get()) * scores.len() as f64;
        self.level += self.step * (expected - missed);
        self.longest_run = self.longest_run.max(scores.len());
        for &score in scores {
            self.scores.insert(Score(if score.is_nan() { f64::INFINITY } else { score }));
        }
        self.margin = self.margin_of_level();
    }
}

#[cfg(feature = "serde")]
impl AdaptiveConformal {
    fn restore(&mut self) -> Result<(), Error> {
        // Before the first score the margin is infinite at every level.
        self.margin = Self::new(self.coverage, self.step)?.margin;
        stored(self.level.is_finite(), "the level must be finite")?;
        let problem = "the longest run cannot have more scores than all runs together";
        stored(self.longest_run <= self.scores.len(), problem)?;
        if self.scores.len() > 0 {
            self.margin = self.margin_of_level();
        }
        Ok(())
    }
}
