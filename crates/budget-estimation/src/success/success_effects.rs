use scoring_rules::Probability;

use crate::{
    error::Error,
    key_effects::{KeyEffects, Keys},
};

/// Differences of the success rate between runs with different keys, such as model and task: additive
/// effects, each shrunk towards 0 by the number of its runs. A run with an unknown value of a key has
/// the effects of its other keys, and without any the overall rate.
///
/// An effect is learned from the residuals of the other effects as they were before the run. Takes O(log n)
/// per key of a run, for n values; memory grows with the number of values.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct SuccessEffects {
    runs: u64,
    successes: u64,
    effects: KeyEffects<4, 2>,
}

impl SuccessEffects {
    /// Returns the number of runs learned.
    pub(super) const fn runs(&self) -> u64 {
        self.runs
    }

    /// Returns the share of feasible runs, of which one half is known before the first run.
    pub(super) fn base_rate(&self) -> f64 {
        (self.successes as f64 + 1.0) / (self.runs as f64 + 2.0)
    }

    /// Returns the sum of the effects of a run's keys, in units of the success rate.
    pub(super) fn effect(&self, keys: &Keys) -> f64 {
        self.effects.sum(keys)
    }

    /// Returns the probability for a run before its first turn, at least as far from 0 and 1 as if all runs
    /// had been alike.
    pub(super) fn chance(&self, keys: &Keys) -> Result<Probability, Error> {
        let least = 1.0 / (self.runs as f64 + 2.0);
        let chance = self.base_rate() + self.effect(keys);
        Ok(Probability::new(chance.clamp(least, 1.0 - least))?)
    }

    pub(super) fn learn(&mut self, keys: &Keys, feasible: bool) {
        let outcome = if feasible { 1.0 } else { 0.0 };
        let unexplained = outcome - self.base_rate() - self.effect(keys);
        self.effects.learn(keys, unexplained);
        self.runs += 1;
        self.successes += u64::from(feasible);
    }
}
