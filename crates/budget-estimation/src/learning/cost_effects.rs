use crate::key_effects::{KeyEffects, Keys};

/// Runs that only set the mean, before keys are told apart.
const FIRST: u64 = 5;

/// How much more runs with the same keys cost than other runs. Each value of a key has an additive effect on
/// the logarithm of the total and on the logarithm of the number of turns. Effects are shrunk towards 0, less
/// with more runs.
///
/// An effect is S / (N + 1) for N past runs with this value. S is the sum over these runs of the residual
/// that the mean and the run's other effects left when the run ended. Rows of a run are made from the effects
/// before it is learnt, so that no row contains its own outcome.
///
/// Reference: ordered target statistics, Prokhorenkova and others (2018), CatBoost: unbiased boosting with
/// categorical features, arXiv:1706.09516, section 3.2.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct CostEffects {
    runs: u64,
    sums: [f64; 2],
    effects: [KeyEffects<1, 1>; 2],
}

impl CostEffects {
    /// Number of columns.
    pub(super) const COLUMNS: usize = 2;

    /// Returns the sums of the effects of a run.
    pub(super) fn effects(&self, keys: &Keys) -> [f64; 2] {
        self.effects.each_ref().map(|effects| effects.sum(keys))
    }

    /// Learns the logarithm of a run's total and the logarithm of its number of turns.
    pub(super) fn learn(&mut self, keys: &Keys, logarithms: [f64; 2]) {
        let runs = self.runs as f64;
        for ((effects, sum), logarithm) in
            self.effects.iter_mut().zip(&mut self.sums).zip(logarithms)
        {
            if self.runs >= FIRST {
                effects.learn(keys, logarithm - *sum / runs - effects.sum(keys));
            }
            *sum += logarithm;
        }
        self.runs += 1;
    }
}
