//! The stored form of what was learnt.

use crate::{
    checks::MOST_RUNS,
    error::Error,
    forest::quantile_forest::QuantileForest,
    learning::{key_effects::KeyEffects, past_rows::PastRows, stage_ends::StageEnds},
    replay::prefix_features::PrefixFeatures,
};

/// A learner before its check.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    pub(super) features: PrefixFeatures,
    pub(super) keys: KeyEffects,
    pub(super) rows: PastRows,
    pub(super) runs: u64,
    pub(super) longest: usize,
    pub(super) next_forest: u64,
    pub(super) forests: Option<[QuantileForest; 2]>,
    pub(super) ends: [StageEnds; 3],
    pub(super) share: usize,
}

impl Stored {
    pub(super) fn check(&self) -> Result<(), Error> {
        let columns = self.features.len() + KeyEffects::COLUMNS;
        let wrong = |problem| Err(Error::StoredValue { problem });
        if !self.rows.is_valid(columns) || !self.keys.is_valid() {
            return wrong("the rows must have the columns of the features and finite numbers");
        }
        if self.runs.max(self.keys.runs()) > MOST_RUNS {
            return wrong("the number of runs is too large");
        }
        if let Some([all, turns]) = &self.forests
            && !(all.columns() == columns && turns.columns() == 1 && all.has_targets_of(turns))
        {
            return wrong("the forests must have the columns of the rows and the same targets");
        }
        if self.share >= self.ends.len() || !self.ends.iter().all(|ends| ends.is_valid(self.runs)) {
            return wrong("the ends of intervals must be candidates, and past runs in order");
        }
        Ok(())
    }
}
