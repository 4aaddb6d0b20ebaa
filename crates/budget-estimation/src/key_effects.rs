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
            effect.runs += 1;
            effect.sum += unexplained + own;
        }
    }
}
