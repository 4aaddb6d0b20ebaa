use scoring_rules::DecimalSum;

use crate::{
    resource::Resource,
    rollouts::{decimals::MANY_PLACES, usage::Usage},
};

/// One resource of all rollouts.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) resource: Resource,
    /// One per turn; NaN for an unknown cost.
    pub(crate) costs: Vec<f64>,
    /// The decimal sum of the run's costs up to each turn; NaN from its first unknown cost on.
    pub(crate) cumulative: Vec<f64>,
    /// The decimal places of the costs of each whole rollout, or [`MANY_PLACES`]. They tell about
    /// later turns, so no prefix shows them.
    pub(crate) places: Vec<u8>,
    /// The sum of the last rollout, to which a live run adds.
    pub(crate) sum: DecimalSum,
    /// One per rollout; plus infinity without a cap.
    pub(crate) caps: Vec<f64>,
    /// The cap of rollouts that are still to be added.
    pub(crate) cap: f64,
}

impl Column {
    pub(crate) fn new(name: String, resource: Resource) -> Self {
        let (costs, cumulative, caps) = Default::default();
        let (places, sum) = Default::default();
        Self { name, resource, costs, cumulative, places, sum, caps, cap: f64::INFINITY }
    }

    #[inline]
    pub(crate) fn cap(&self, rollout: usize) -> Option<f64> {
        self.caps.get(rollout).copied().filter(|cap| cap.is_finite())
    }

    pub(crate) fn places(&self, rollout: usize) -> u8 {
        self.places.get(rollout).copied().unwrap_or(MANY_PLACES)
    }

    /// The first turns of a rollout; `None` if one of their costs is unknown.
    #[inline]
    pub(crate) fn usage(&self, rollout: usize, start: usize, turns: usize) -> Option<Usage<'_>> {
        let costs = self.costs.get(start..start + turns)?;
        let cumulative = self.cumulative.get(start..start + turns)?;
        if cumulative.last().is_some_and(|total| total.is_nan()) {
            return None;
        }
        Some(Usage::new(costs, cumulative, *self.caps.get(rollout)?, self.places(rollout)))
    }

    pub(crate) fn push(&mut self, costs: impl Iterator<Item = f64>) {
        self.sum = DecimalSum::default();
        self.places.push(0);
        self.caps.push(self.cap);
        costs.for_each(|cost| self.continue_with(cost));
    }

    /// Adds a turn to the last rollout.
    pub(crate) fn continue_with(&mut self, cost: f64) {
        self.sum.add(cost);
        self.costs.push(cost);
        self.cumulative.push(self.sum.value());
        if let Some(places) = self.places.last_mut() {
            *places = self.sum.places().unwrap_or(MANY_PLACES);
        }
    }
}
