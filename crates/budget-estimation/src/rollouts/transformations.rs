use crate::{
    checks::MOST,
    error::Error,
    resource::Resource,
    rollouts::{
        column::Column,
        declared_column::{FeatureColumn, KeyColumn},
        rollout::Rollout,
        storage::Rollouts,
    },
};
use scoring_rules::DecimalSum;
use std::collections::BTreeMap;

impl Rollouts {
    /// Adds a resource that is the sum of other resources, such as the total tokens of a turn. It has no cap.
    ///
    /// # Errors
    ///
    /// [`Error::ResourceName`] if the name is empty or taken; [`scoring_rules::Error::Empty`] without a resource to
    /// add; [`Error::NoSuchResource`] for a handle from other rollouts; [`Error::Cost`] for a sum
    /// above 1e100.
    pub fn add_sum(&mut self, name: &str, parts: &[Resource]) -> Result<Resource, Error> {
        let mut sum = self.new_resource(name.to_owned())?;
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
        let resource = sum.resource;
        self.columns.push(sum);
        Ok(resource)
    }

    /// Copies the rollouts for which `keep` returns true, in their order.
    #[must_use]
    pub fn filter(&self, mut keep: impl FnMut(&Rollout<'_>) -> bool) -> Self {
        let empty = |from: &Column| {
            let mut empty = Column::new(from.name.clone(), from.resource);
            empty.cap = from.cap;
            empty
        };
        let mut kept = Self::with_columns(self.columns.iter().map(empty).collect());
        kept.keys = self.keys.iter().map(|key| KeyColumn::new(key.name.clone())).collect();
        let feature = |from: &FeatureColumn| FeatureColumn::new(from.name.clone());
        kept.features = self.features.iter().map(feature).collect();
        self.iter().filter(|rollout| keep(rollout)).for_each(|rollout| kept.copy(&rollout));
        kept
    }

    /// Adds copies of the rollouts of another collection, with their caps.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] unless both have the same resources, keys and features in the same order.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let mut all = Rollouts::new(["tokens"])?;
    /// all.push(&[50.0, 20.0], true)?;
    /// let one = all.clone();
    /// all.append(&one)?;
    /// assert_eq!(all.get(1)?.usage(all.resource("tokens")?)?.total(), 70.0);
    /// let other = Rollouts::new(["usd"])?;
    /// assert!(matches!(all.append(&other), Err(Error::Unlike { .. })));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn append(&mut self, other: &Self) -> Result<(), Error> {
        let resources = |all: &Self| all.columns.iter().map(|it| it.name.clone()).collect();
        let keys = |all: &Self| all.keys.iter().map(|it| it.name.clone()).collect();
        let features = |all: &Self| all.features.iter().map(|it| it.name.clone()).collect();
        let alike = |names: fn(&Self) -> Vec<String>| names(self) == names(other);
        for (what, alike) in [
            ("the resources", alike(resources)),
            ("the keys", alike(keys)),
            ("the features", alike(features)),
        ] {
            if !alike {
                return Err(Error::unlike(what));
            }
        }
        other.iter().for_each(|rollout| self.copy(&rollout));
        Ok(())
    }

    /// Adds a copy of a rollout of a collection with the same columns.
    fn copy(&mut self, rollout: &Rollout<'_>) {
        let (from, start) = (rollout.rollouts, self.ends.last().copied().unwrap_or(0));
        for (to, from) in self.columns.iter_mut().zip(&from.columns) {
            to.copy(from, rollout.index, rollout.start..rollout.end);
        }
        let index = self.len();
        self.ends.push(start + rollout.turns());
        self.successes.push(rollout.succeeded());
        self.censored.push(rollout.is_censored());
        self.ids.push(rollout.id().map(str::to_owned));
        for (to, from) in self.keys.iter_mut().zip(&from.keys) {
            if let Some(value) = from.get(rollout.index) {
                to.set(index, value.to_owned());
            }
        }
        for (to, from) in self.features.iter_mut().zip(&from.features) {
            let place = (rollout.index, rollout.first_feature());
            to.copy((index, start + index), from, place, rollout.turns());
        }
        let own = (rollout.index, 0)..=(rollout.index, usize::MAX);
        for (to, from) in
            [(&mut self.contents, &from.contents), (&mut self.observations, &from.observations)]
        {
            to.extend(from.range(own.clone()).map(|(&(_, turn), it)| ((index, turn), it.clone())));
        }
    }
}

impl Rollouts {
    /// Returns the median total cost of the rollouts in each family, including failed rollouts. These medians serve as
    /// caps in a benchmark without a natural budget.
    ///
    /// For an even number of rollouts, the median is the mean of the two middle totals. If both are whole
    /// numbers and their mean is not, it is the lower one.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] if a cost is unknown; [`Error::NoSuchResource`] for a handle from other rollouts.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// for (model, tokens) in [("a", 900.0), ("b", 70.0), ("a", 401.0), ("a", 500.0), ("b", 81.0)] {
    ///     let rollout = rollouts.push(&[tokens], true)?;
    ///     rollouts.set_key(rollout, "task", model)?;
    /// }
    /// let tokens = rollouts.resource("tokens")?;
    /// let caps = rollouts.median_caps(tokens, |rollout| rollout.key("task").unwrap_or("").to_owned())?;
    /// assert_eq!(caps.into_iter().collect::<Vec<_>>(), [("a".into(), 500.0), ("b".into(), 70.0)]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, table 2, and its code for SWE-bench.
    pub fn median_caps<G: Ord>(
        &self,
        resource: Resource,
        family: impl Fn(&Rollout<'_>) -> G,
    ) -> Result<BTreeMap<G, f64>, Error> {
        let mut totals: BTreeMap<G, Vec<f64>> = BTreeMap::new();
        self.column(resource)?;
        for rollout in self.iter() {
            let total = rollout.usage(resource)?.total();
            totals.entry(family(&rollout)).or_default().push(total);
        }
        Ok(totals.into_iter().map(|(family, totals)| (family, median(totals))).collect())
    }
}

/// Returns the median of at least one number.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let at = |index: usize| values.get(index).copied().unwrap_or(0.0);
    let (low, high) = (at(values.len().saturating_sub(1) / 2), at(values.len() / 2));
    let mean = low + (high - low) / 2.0;
    let is_whole = |value: f64| value.fract() == 0.0;
    if is_whole(low) && is_whole(high) && !is_whole(mean) { low } else { mean }
}
