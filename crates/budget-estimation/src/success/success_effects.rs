use std::collections::BTreeMap;

use scoring_rules::Probability;

use crate::error::Error;

/// Weight of "no effect", in runs.
const SHRINKAGE: f64 = 4.0;

/// Differences of the success rate between runs with different keys, such as model and task: additive
/// effects, each shrunk towards 0 by the number of its runs. A run with an unknown value of a key has
/// the effects of its other keys, and without any the overall rate.
///
/// An effect is learned from what the other effects, as they were before the run, leave unexplained.
/// Takes O(log n) per key of a run, for n values; memory grows with the number of values.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct SuccessEffects {
    runs: u64,
    successes: u64,
    /// By name and value of the key.
    effects: BTreeMap<String, BTreeMap<String, Effect>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Effect {
    runs: u64,
    sum: f64,
}

impl Effect {
    fn mean(self) -> f64 {
        self.sum / (self.runs as f64 + SHRINKAGE)
    }
}

impl SuccessEffects {
    /// The number of runs learned.
    pub(super) const fn runs(&self) -> u64 {
        self.runs
    }

    /// The share of feasible runs, of which one half is known before the first run.
    pub(super) fn base_rate(&self) -> f64 {
        (self.successes as f64 + 1.0) / (self.runs as f64 + 2.0)
    }

    /// The sum of the effects of a run's keys, in units of the success rate.
    pub(super) fn effect<'a>(&self, keys: impl Iterator<Item = (&'a str, &'a str)>) -> f64 {
        keys.map(|(name, value)| self.known(name, value).mean()).sum()
    }

    /// The chance of a run before its first turn, at least as far from 0 and 1 as if all runs had been
    /// alike.
    pub(super) fn chance<'a>(
        &self,
        keys: impl Iterator<Item = (&'a str, &'a str)>,
    ) -> Result<Probability, Error> {
        let least = 1.0 / (self.runs as f64 + 2.0);
        let chance = self.base_rate() + self.effect(keys);
        Ok(Probability::new(chance.clamp(least, 1.0 - least))?)
    }

    pub(super) fn learn(&mut self, keys: &[(&str, &str)], feasible: bool) {
        let outcome = if feasible { 1.0 } else { 0.0 };
        let unexplained = outcome - self.base_rate() - self.effect(keys.iter().copied());
        for &(name, value) in keys {
            let own = self.known(name, value).mean();
            if !self.effects.contains_key(name) {
                self.effects.insert(name.to_owned(), BTreeMap::new());
            }
            let Some(values) = self.effects.get_mut(name) else { continue };
            let effect = values.entry(value.to_owned()).or_default();
            effect.runs += 1;
            effect.sum += unexplained + own;
        }
        self.runs += 1;
        self.successes += u64::from(feasible);
    }

    fn known(&self, name: &str, value: &str) -> Effect {
        // A key with the same value in all runs distinguishes none of them.
        let values = self.effects.get(name).filter(|values| values.len() > 1);
        let known = values.and_then(|values| values.get(value));
        known.copied().unwrap_or_default()
    }

    /// Whether a stored value can be one of this type.
    #[cfg(feature = "serde")]
    pub(super) fn is_valid(&self) -> bool {
        let mut effects = self.effects.values().flat_map(BTreeMap::values);
        self.successes <= self.runs
            && effects.all(|effect| effect.sum.is_finite() && effect.runs <= self.runs)
    }
}
