use crate::error::Error;
use scoring_rules::Probability;
use std::collections::BTreeMap;
use trajectory_metrics::random::fnv1a;

/// Additive effects of the values of keys, such as the task or the model, on a number of a run. Each effect is
/// learned from the residuals of the others, and shrunk towards 0 as if `SHRINKAGE` more runs had no effect.
///
/// A key is used once it has had `LEAST_VALUES` different values: a key with the same value in all runs
/// distinguishes none of them.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub(crate) struct KeyEffects<const SHRINKAGE: u32, const LEAST_VALUES: usize> {
    by_name: BTreeMap<u64, BTreeMap<u64, Effect>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct Effect {
    runs: u64,
    sum: f64,
}

/// Hashes of the key names and key values of a run. Two names or values are compared only by their hashes,
/// which is enough for estimates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys(Vec<(u64, u64)>);

impl Keys {
    pub(crate) fn set<'k>(&mut self, keys: impl Iterator<Item = (&'k str, &'k str)>) {
        self.0.clear();
        // With its length, so that the border of two texts matters.
        let whole = |text: &'k str| text.bytes().chain((text.len() as u64).to_le_bytes());
        let hashes = |name, value| (fnv1a(whole(name)), fnv1a(whole(name).chain(whole(value))));
        self.0.extend(keys.map(|(name, value)| hashes(name, value)));
    }
}

impl<const SHRINKAGE: u32, const LEAST_VALUES: usize> KeyEffects<SHRINKAGE, LEAST_VALUES> {
    fn own(&self, (name, value): (u64, u64)) -> f64 {
        let values = self.by_name.get(&name).filter(|values| values.len() >= LEAST_VALUES);
        let effect = values.and_then(|values| values.get(&value));
        effect.map_or(0.0, |effect| effect.sum / (effect.runs as f64 + f64::from(SHRINKAGE)))
    }

    /// Returns the sum of the effects of all keys.
    pub(crate) fn sum(&self, keys: &Keys) -> f64 {
        keys.0.iter().fold(0.0, |sum, &key| sum + self.own(key))
    }

    /// Learns from a run, given the residual after the effects of its keys.
    pub(crate) fn learn(&mut self, keys: &Keys, unexplained: f64) {
        for &key in &keys.0 {
            let own = self.own(key);
            let effect = self.by_name.entry(key.0).or_default().entry(key.1).or_default();
            effect.runs = effect.runs.saturating_add(1);
            effect.sum += unexplained + own;
        }
    }
}

/// Runs that only set the mean, before keys are told apart.
const FIRST: u64 = 5;

/// The additional cost of runs with the same keys, compared with other runs. Each value of a key has an additive effect
/// on the logarithm of the total and on the logarithm of the number of turns. Effects are shrunk towards 0, less with
/// more runs.
///
/// An effect is S / (N + 1) for N past runs with this value. S is the sum over these runs of the residual
/// that the mean and the run's other effects left when the run ended. Rows of a run are made from the effects
/// before it is learnt, so that no row contains its own outcome.
///
/// Reference: ordered target statistics, Prokhorenkova and others (2018), CatBoost: unbiased boosting with
/// categorical features, arXiv:1706.09516, section 3.2.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct CostEffects {
    runs: u64,
    sums: [f64; 2],
    effects: [KeyEffects<1, 1>; 2],
}

impl CostEffects {
    /// Number of columns.
    pub(crate) const COLUMNS: usize = 2;

    /// Returns the sums of the effects of a run.
    pub(crate) fn effects(&self, keys: &Keys) -> [f64; 2] {
        self.effects.each_ref().map(|effects| effects.sum(keys))
    }

    /// Learns the logarithm of a run's total and the logarithm of its number of turns.
    pub(crate) fn learn(&mut self, keys: &Keys, logarithms: [f64; 2]) {
        let runs = self.runs as f64;
        for ((effects, sum), logarithm) in
            self.effects.iter_mut().zip(&mut self.sums).zip(logarithms)
        {
            if self.runs >= FIRST {
                effects.learn(keys, logarithm - *sum / runs - effects.sum(keys));
            }
            *sum += logarithm;
        }
        self.runs = self.runs.saturating_add(1);
    }
}

/// Differences of the success rate between runs with different keys, such as model and task: additive
/// effects, each shrunk towards 0 by the number of its runs. A run with an unknown value of a key has
/// the effects of its other keys, and without any the overall rate.
///
/// An effect is learned from the residuals of the other effects as they were before the run. Takes O(log n)
/// per key of a run, for n values; memory grows with the number of values.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(crate) struct SuccessEffects {
    runs: u64,
    successes: u64,
    effects: KeyEffects<4, 2>,
}

impl SuccessEffects {
    /// Returns the number of runs learned.
    pub(crate) const fn runs(&self) -> u64 {
        self.runs
    }

    /// Returns the share of feasible runs, of which one half is known before the first run.
    pub(crate) fn base_rate(&self) -> f64 {
        (self.successes as f64 + 1.0) / (self.runs as f64 + 2.0)
    }

    /// Returns the sum of the effects of a run's keys, in units of the success rate.
    pub(crate) fn effect(&self, keys: &Keys) -> f64 {
        self.effects.sum(keys)
    }

    /// Returns the probability for a run before its first turn, at least as far from 0 and 1 as if all runs
    /// had been alike.
    pub(crate) fn chance(&self, keys: &Keys) -> Result<Probability, Error> {
        let least = 1.0 / (self.runs as f64 + 2.0);
        let chance = self.base_rate() + self.effect(keys);
        Ok(Probability::new(chance.clamp(least, 1.0 - least))?)
    }

    pub(crate) fn learn(&mut self, keys: &Keys, feasible: bool) {
        let outcome = if feasible { 1.0 } else { 0.0 };
        let unexplained = outcome - self.base_rate() - self.effect(keys);
        self.effects.learn(keys, unexplained);
        self.runs = self.runs.saturating_add(1);
        self.successes = self.successes.saturating_add(u64::from(feasible));
    }
}
