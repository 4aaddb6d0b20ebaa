use scoring_rules::Level;

use super::{online_calibrator::misses, sorted_scores::SortedScores};
use crate::{calibration::online_calibrator::OnlineCalibrator, error::Error, rank::least};

/// Adaptive conformal inference: split conformal prediction at a level that moves, down where too
/// many scores were missed and up where too few.
///
/// With a = 1 - coverage and the step g, each score moves the level by `g (a - miss)`, a miss
/// counting 1; the margin is the quantile of all scores so far at `1 - level`, infinite for a level
/// of at most 0 and minus infinity for one of at least 1: that of rank `(1 - level) (n + 1)`,
/// rounded up, among n. Scores of one run are only known when it has ended, so the level moves once
/// a run, by the sum over its prefixes.
///
/// **Guarantee**, for any sequence of scores, chosen by whomever: after N scores, of at most m a
/// run, the share of misses differs from a by at most `(max(a, 1 - a) + g m) / (g N)`. With one
/// score a run this is the published bound. See [`AdaptiveConformal::bound`].
///
/// A step of 0.002 is one of 0.1 for a run of 50 prefixes.
///
/// Takes O(n) a run for n scores so far, and keeps them all.
///
/// ```
/// use budget_estimation::{AdaptiveConformal, Error, Level, OnlineCalibrator};
///
/// let mut calibrator = AdaptiveConformal::new(Level::new(0.8)?, 0.1)?;
/// calibrator.update(&[1.0, 2.0, 3.0, 4.0]);
/// // Nothing was missed under an infinite margin, so the level rose to 0.2 + 4 * 0.1 * 0.2.
/// assert_eq!(calibrator.margin(), 4.0);
/// calibrator.update(&[0.0; 6]);
/// // Now 0.4: of ten scores the one of rank 0.6 * 11, rounded up.
/// assert_eq!(calibrator.margin(), 1.0);
/// assert!((calibrator.bound() - (0.8 + 0.1 * 6.0) / (0.1 * 10.0)).abs() < 1e-12);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Gibbs, Candès (2021), Adaptive conformal inference under distribution shift, NeurIPS,
/// proposition 4.1.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct AdaptiveConformal {
    coverage: Level,
    step: f64,
    /// The level of misses that is aimed at now.
    level: f64,
    scores: SortedScores,
    longest: usize,
    margin: f64,
}

impl AdaptiveConformal {
    /// Before the first run.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless the step is above 0 and at most 1.
    pub fn new(coverage: Level, step: f64) -> Result<Self, Error> {
        if !(step > 0.0 && step <= 1.0) {
            let (name, range) = ("step", "above 0 and at most 1");
            return Err(Error::Setting { name, value: step, range });
        }
        let (level, scores) = (1.0 - coverage.get(), SortedScores::default());
        Ok(Self { coverage, step, level, scores, longest: 0, margin: f64::INFINITY })
    }

    /// By how much the share of misses so far can differ from what was claimed; infinite before the
    /// first run.
    #[must_use]
    pub fn bound(&self) -> f64 {
        let miss = 1.0 - self.coverage.get();
        let reach = miss.max(1.0 - miss) + self.step * self.longest as f64;
        reach / (self.step * self.scores.len() as f64)
    }

    /// The quantile of all scores so far at the level of now.
    fn margin_of_level(&self) -> f64 {
        let rank = least(1.0 - self.level, (self.scores.len() + 1) as f64).ceil();
        if rank < 1.0 {
            f64::NEG_INFINITY
        } else {
            self.scores.nth(rank as usize).unwrap_or(f64::INFINITY)
        }
    }
}

impl OnlineCalibrator for AdaptiveConformal {
    fn margin(&self) -> f64 {
        self.margin
    }

    fn update(&mut self, scores: &[f64]) {
        let missed = misses(scores, self.margin) as f64;
        let expected = (1.0 - self.coverage.get()) * scores.len() as f64;
        self.level += self.step * (expected - missed);
        self.longest = self.longest.max(scores.len());
        self.scores.add(scores, 1.0);
        self.margin = self.margin_of_level();
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    coverage: Level,
    step: f64,
    level: f64,
    scores: SortedScores,
    longest_run: usize,
}

#[cfg(feature = "serde")]
impl From<AdaptiveConformal> for Stored {
    fn from(state: AdaptiveConformal) -> Self {
        let AdaptiveConformal { coverage, step, level, scores, longest, .. } = state;
        Self { coverage, step, level, scores, longest_run: longest }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for AdaptiveConformal {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let Stored { coverage, step, level, scores, longest_run: longest } = stored;
        if !level.is_finite() {
            return Err(Error::StoredState { problem: "the level must be finite" });
        }
        if longest > scores.len() {
            return Err(Error::StoredState {
                problem: "the longest run has at most as many scores as all",
            });
        }
        let mut state = Self { level, scores, longest, ..Self::new(coverage, step)? };
        // Before the first score it is infinite, whatever the level.
        if state.scores.len() > 0 {
            state.margin = state.margin_of_level();
        }
        Ok(state)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// In whole units of 1e-6, where the level and the rank are exact.
        #[test]
        fn the_margin_is_the_score_of_the_exact_rank(
            // Few numbers, so that ranks are often whole.
            coverage in (1_i64..10).prop_map(|tenths| 10 * tenths),
            step in prop::sample::select(vec![50_i64, 100, 250, 500]),
            runs in prop::collection::vec(prop::collection::vec(0_i64..50, 0..6), 1..60),
        ) {
            let level = Level::new(coverage as f64 / 100.0).unwrap();
            let mut calibrator = AdaptiveConformal::new(level, step as f64 / 1000.0).unwrap();
            let mut level = 10_000 * (100 - coverage);
            let (mut all, mut margin) = (Vec::new(), f64::INFINITY);
            for run in &runs {
                let scores: Vec<f64> = run.iter().map(|&score| score as f64).collect();
                let missed = scores.iter().filter(|&&score| score > margin).count() as i64;
                level += step * (10 * (100 - coverage) * run.len() as i64 - 1000 * missed);
                all.extend_from_slice(&scores);
                all.sort_by(f64::total_cmp);
                margin = match level {
                    ..=0 => f64::INFINITY,
                    1_000_000.. => f64::NEG_INFINITY,
                    _ => {
                        let parts = (1_000_000 - level) * (all.len() as i64 + 1);
                        all.get((parts as usize).div_ceil(1_000_000) - 1).copied().unwrap_or(f64::INFINITY)
                    }
                };
                calibrator.update(&scores);
                prop_assert_eq!(calibrator.margin(), margin);
            }
        }
    }
}
