//! Rollouts that are read back.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serializer};

use crate::{
    checks::{is_amount, stored},
    error::Error,
    resource::Resource,
    rollouts::{declared_column::TASK, storage::Rollouts},
};

/// Texts by rollout and turn.
type Texts = BTreeMap<(usize, usize), String>;

/// Writes a list of pairs, because keys of JSON are texts.
pub(crate) fn serialize<S: Serializer>(texts: &Texts, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(texts)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Texts, D::Error> {
    Ok(Vec::deserialize(deserializer)?.into_iter().collect())
}

impl Rollouts {
    /// Builds the rollouts anew by the methods that built them, and with their checks.
    pub(super) fn restore(&mut self) -> Result<(), Error> {
        let mut new = Self::new(self.resources().map(|(_, name)| name))?
            .with_keys(self.key_names().skip(1))?
            .with_features(self.feature_names())?;
        let handles = |all: &Self| all.resources().map(|(it, _)| it).collect::<Vec<Resource>>();
        stored(handles(self) == handles(&new), "the resources have other handles")?;
        stored(self.key_names().next() == Some(TASK), "the first key must be task")?;
        let (rollouts, turns) = (self.len(), self.ends.last().copied().unwrap_or(0));
        let columns = self.columns.iter().map(|it| (it.costs.len(), it.caps.len()));
        let fits = self.ends.is_sorted()
            && [self.successes.len(), self.censored.len(), self.ids.len()] == [rollouts; 3]
            && columns.clone().all(|lengths| lengths == (turns, rollouts))
            && self.keys.iter().all(|key| key.values.len() <= rollouts)
            && self.features.iter().all(|it| it.entries.len() <= turns + rollouts);
        stored(fits, "the parts of rollouts must be as long as their ends say")?;
        for run in self.iter() {
            new.begin();
            for at in run.start..run.end {
                let known = |cost: f64| Some(cost).filter(|&cost| cost != f64::NEG_INFINITY);
                let costs: Vec<_> = self.columns.iter().map(|it| known(it.costs[at])).collect();
                new.continue_with(&costs)?;
            }
            new.set_outcome(run.index, run.succeeded());
            if run.is_censored() {
                new.set_censored(run.index)?;
            }
            run.id().map_or(Ok(()), |id| new.set_id(run.index, id))?;
            run.keys().try_for_each(|(name, value)| new.set_key(run.index, name, value))?;
            for (feature, turn) in
                self.features.iter().flat_map(|it| (0..=run.turns()).map(move |turn| (it, turn)))
            {
                let entry = feature.entries.get(run.first_feature() + turn);
                let value = entry.and_then(|&entry| entry.into());
                value.map_or(Ok(()), |it| new.set_feature(run.index, turn, &feature.name, it))?;
            }
        }
        for (&(rollout, turn), text) in &self.contents {
            new.set_content(rollout, turn, text)?;
        }
        for (&(rollout, turn), text) in &self.observations {
            new.set_observation(rollout, turn, text)?;
        }
        for (column, from) in new.columns.iter_mut().zip(&self.columns) {
            let cap = |&cap: &f64| if cap == f64::NEG_INFINITY { f64::INFINITY } else { cap };
            column.caps = from.caps.iter().map(cap).collect();
            column.cap = from.cap;
            let mut caps = from.cap.iter().chain(&column.caps);
            let valid = caps.all(|&cap| is_amount(cap) || cap == f64::INFINITY);
            stored(valid, "a cap must be from 0 to 1e100")?;
        }
        *self = new;
        Ok(())
    }
}
