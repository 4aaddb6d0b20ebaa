use scoring_rules::DecimalSum;

use crate::rollouts::{decimals::MANY_PLACES, usage::Usage};

/// One resource of all rollouts.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) name: String,
    /// One a turn; a NaN where it is not known.
    pub(crate) costs: Vec<f64>,
    /// The sum of the run so far, of its costs as they are written in decimals; a NaN from the
    /// first unknown cost of the run on.
    pub(crate) cumulative: Vec<f64>,
    /// Of each whole rollout, the decimal places of its costs, or [`MANY_PLACES`]. No prefix shows
    /// them, as they tell of later turns.
    pub(crate) places: Vec<u8>,
    /// The sum of the last rollout, to which a live run adds.
    pub(crate) sum: DecimalSum,
    /// One a rollout; plus infinity where there is none.
    pub(crate) caps: Vec<f64>,
    /// The cap of rollouts to come.
    pub(crate) cap: f64,
}

impl Column {
    pub(crate) fn new(name: String) -> Self {
        let (costs, cumulative, caps) = Default::default();
        let (places, sum) = Default::default();
        Self { name, costs, cumulative, places, sum, caps, cap: f64::INFINITY }
    }

    #[inline]
    pub(crate) fn cap(&self, rollout: usize) -> Option<f64> {
        self.caps.get(rollout).copied().filter(|cap| cap.is_finite())
    }

    /// The first turns of a rollout, where all of their costs are known.
    #[inline]
    pub(crate) fn usage(&self, rollout: usize, start: usize, turns: usize) -> Option<Usage<'_>> {
        let costs = self.costs.get(start..start + turns)?;
        let cumulative = self.cumulative.get(start..start + turns)?;
        if cumulative.last().is_some_and(|total| total.is_nan()) {
            return None;
        }
        let places = self.places.get(rollout).copied().unwrap_or(MANY_PLACES);
        Some(Usage { costs, cumulative, cap: *self.caps.get(rollout)?, places })
    }

    pub(crate) fn push(&mut self, costs: impl Iterator<Item = f64>) {
        self.sum = DecimalSum::default();
        for cost in costs {
            self.sum.add(cost);
            self.costs.push(cost);
            self.cumulative.push(self.sum.value());
        }
        self.places.push(self.sum.places().unwrap_or(MANY_PLACES));
        self.caps.push(self.cap);
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
