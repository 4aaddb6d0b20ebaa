use std::collections::BTreeMap;

/// Runs that only set the mean, before keys are told apart.
const FIRST: u64 = 5;

/// How much more runs with the same keys cost than other runs: additive effects of the values of all keys on
/// the logarithms of the total and of the number of turns, shrunk towards 0 by the number of runs.
///
/// An effect is S / (N + 1) for N past runs with this value, where S sums what the mean and the run's other
/// effects left unexplained when each run ended. Rows of a run are made from the effects before it is learnt,
/// so that no row contains its own outcome.
///
/// Reference: ordered target statistics, Prokhorenkova and others (2018), CatBoost: unbiased boosting with
/// categorical features, arXiv:1706.09516, section 3.2.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(super) struct CostEffects {
    runs: u64,
    sums: [f64; 2],
    by_name: BTreeMap<u64, Effect>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
struct Effect {
    runs: u64,
    sums: [f64; 2],
}

impl Effect {
    fn mean(&self) -> [f64; 2] {
        self.sums.map(|sum| sum / (self.runs as f64 + 1.0))
    }
}

/// The names of the effects of one run: hashes of its keys, so that no text is kept.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct KeyNames(Vec<u64>);

impl KeyNames {
    pub(super) fn set<'k>(&mut self, keys: impl Iterator<Item = (&'k str, &'k str)>) {
        self.0.clear();
        for (name, value) in keys {
            let hash = hash(hash(START, name.as_bytes()), value.as_bytes());
            self.0.push(hash);
        }
    }
}

/// The first value of a hash.
const START: u64 = 0xcbf2_9ce4_8422_2325;

/// The Fowler-Noll-Vo hash (FNV-1a, 64 bits) of some bytes and their number, after what was hashed before.
fn hash(before: u64, bytes: &[u8]) -> u64 {
    let length = (bytes.len() as u64).to_le_bytes();
    bytes
        .iter()
        .chain(&length)
        .fold(before, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl CostEffects {
    /// Number of columns.
    pub(super) const COLUMNS: usize = 2;

    /// The sums of the effects of a run.
    pub(super) fn effects(&self, names: &KeyNames) -> [f64; 2] {
        names.0.iter().fold([0.0; 2], |[total, turns], name| {
            let [more, longer] = self.by_name.get(name).map_or([0.0; 2], Effect::mean);
            [total + more, turns + longer]
        })
    }

    /// The number of runs.
    #[cfg(feature = "serde")]
    pub(super) const fn runs(&self) -> u64 {
        self.runs
    }

    /// Whether a stored value can be one of this type.
    #[cfg(feature = "serde")]
    pub(super) fn is_valid(&self) -> bool {
        let valid = |effect: &Effect| {
            effect.runs <= self.runs && effect.sums.iter().all(|sum| sum.is_finite())
        };
        self.sums.iter().all(|sum| sum.is_finite()) && self.by_name.values().all(valid)
    }

    /// Learns the logarithms of the total and of the number of turns of a run.
    pub(super) fn learn(&mut self, names: &KeyNames, logarithms: [f64; 2]) {
        if self.runs >= FIRST {
            let (runs, effects) = (self.runs as f64, self.effects(names));
            let rest = [0, 1].map(|i: usize| logarithms[i] - self.sums[i] / runs - effects[i]);
            for &name in &names.0 {
                let effect = self.by_name.entry(name).or_default();
                let mean = effect.mean();
                effect.runs += 1;
                effect.sums[0] += rest[0] + mean[0];
                effect.sums[1] += rest[1] + mean[1];
            }
        }
        self.runs += 1;
        self.sums = [self.sums[0] + logarithms[0], self.sums[1] + logarithms[1]];
    }
}
