//! The stored form of what was learnt.

use crate::{
    error::Error,
    forest::quantile_forest::QuantileForest,
    learning::{
        key_effects::KeyEffects,
        past_rows::PastRows,
        resource_learner::{ResourceLearner, Space},
        stage_ends::StageEnds,
    },
    replay::prefix_features::PrefixFeatures,
};

/// Missing values as `null`, which JSON has no number for.
pub(super) mod missing {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(in crate::learning) fn serialize<S: Serializer>(
        values: &[f64],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(values.iter().map(|x| x.is_finite().then_some(*x)))
    }

    pub(in crate::learning) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<f64>, D::Error> {
        let values = Vec::<Option<f64>>::deserialize(deserializer)?;
        Ok(values.into_iter().map(|x| x.unwrap_or(f64::NEG_INFINITY)).collect())
    }
}

/// A learner before its check.
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stored {
    features: PrefixFeatures,
    keys: KeyEffects,
    rows: PastRows,
    runs: u64,
    next_forest: u64,
    forests: Option<[QuantileForest; 2]>,
    ends: [StageEnds; 3],
    share: usize,
}

impl Stored {
    fn check(&self) -> Result<(), Error> {
        let columns = self.features.len() + KeyEffects::COLUMNS;
        let wrong = |problem| Err(Error::StoredValue { problem });
        if !self.rows.is_valid(columns) || !self.keys.is_valid() {
            return wrong("the rows must have the columns of the features and finite numbers");
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

impl From<ResourceLearner> for Stored {
    fn from(learner: ResourceLearner) -> Self {
        let ResourceLearner { features, keys, rows, runs, next_forest, .. } = learner;
        let forests = learner.forests.map(|forests| *forests);
        let (ends, share) = (learner.ends, learner.share);
        Self { features, keys, rows, runs, next_forest, forests, ends, share }
    }
}

impl TryFrom<Stored> for ResourceLearner {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        stored.check()?;
        let Stored { features, keys, rows, runs, next_forest, forests, ends, share } = stored;
        let (forests, space) = (forests.map(Box::new), Space::default());
        Ok(Self { features, keys, rows, runs, next_forest, forests, ends, share, space })
    }
}
