use scoring_rules::DecimalSum;

use crate::{
    checks::MOST,
    error::Error,
    resource::Resource,
    rollouts::{
        column::Column, feature_column::FeatureColumn, key_column::KeyColumn, rollout::Rollout,
        storage::Rollouts,
    },
};

impl Rollouts {
    /// Adds a resource that is the sum of others, such as the total tokens of a turn. It has no cap.
    ///
    /// # Errors
    ///
    /// [`Error::ResourceName`] if the name is empty or taken; [`scoring_rules::Error::Empty`] without a resource to
    /// add; [`Error::NoSuchResource`] for a handle from other rollouts; [`Error::Cost`] for a sum
    /// above 1e100.
    pub fn add_sum(&mut self, name: &str, parts: &[Resource]) -> Result<Resource, Error> {
        let mut sum = Column::new(self.new_name(name.to_owned())?);
        let parts = parts.iter().map(|&part| self.column(part)).collect::<Result<Vec<_>, _>>()?;
        if parts.is_empty() {
            return Err(scoring_rules::Error::Empty.into());
        }
        for rollout in self.iter() {
            for at in rollout.start..rollout.end {
                let cost = |column: &&Column| column.costs.get(at).copied().unwrap_or(f64::NAN);
                let value = parts.iter().map(cost).collect::<DecimalSum>().value();
                if value > MOST {
                    let (turn, resource) = (1 + at - rollout.start, sum.name);
                    return Err(Error::Cost { rollout: rollout.index, turn, resource, value });
                }
                sum.costs.push(value);
            }
        }
        let costs = std::mem::take(&mut sum.costs);
        for rollout in self.iter() {
            sum.push(costs.iter().skip(rollout.start).take(rollout.turns()).copied());
        }
        self.columns.push(sum);
        Ok(Resource { index: self.columns.len() - 1 })
    }

    /// Copies the rollouts for which `keep` returns true, in their order.
    #[must_use]
    pub fn filter(&self, mut keep: impl FnMut(&Rollout<'_>) -> bool) -> Self {
        let empty =
            |column: &Column| Column { cap: column.cap, ..Column::new(column.name.clone()) };
        let mut kept = Self::with_columns(self.columns.iter().map(empty).collect());
        kept.keys = self.keys.iter().map(|key| KeyColumn::new(key.name.clone())).collect();
        let feature = |from: &FeatureColumn| FeatureColumn::new(from.name.clone());
        kept.features = self.features.iter().map(feature).collect();
        for rollout in self.iter().filter(|rollout| keep(rollout)) {
            for (to, from) in kept.columns.iter_mut().zip(&self.columns) {
                let turns = rollout.start..rollout.end;
                to.costs.extend(from.costs.get(turns.clone()).unwrap_or_default());
                to.cumulative.extend(from.cumulative.get(turns).unwrap_or_default());
                to.caps.extend(from.caps.get(rollout.index));
                to.places.extend(from.places.get(rollout.index));
            }
            let start = kept.ends.last().copied().unwrap_or(0);
            kept.ends.push(start + rollout.turns());
            kept.successes.push(rollout.succeeded());
            kept.censored.push(rollout.is_censored());
            kept.ids.push(rollout.id().map(str::to_owned));
            let contents = self.contents.range((rollout.index, 0)..=(rollout.index, usize::MAX));
            let index = kept.ends.len() - 1;
            for (to, from) in kept.keys.iter_mut().zip(&self.keys) {
                if let Some(value) = from.get(rollout.index) {
                    to.set(index, value.to_owned());
                }
            }
            for (to, from) in kept.features.iter_mut().zip(&self.features) {
                let place = (rollout.index, rollout.first_feature());
                to.copy((index, start + index), from, place, rollout.turns());
            }
            let contents = contents.map(|(&(_, turn), content)| ((index, turn), content.clone()));
            kept.contents.extend(contents);
        }
        kept
    }
}
