use std::{collections::BTreeMap, ops::Range};

use scoring_rules::DecimalSum;

use crate::{
    resource::Resource,
    rollouts::{
        decimals::MANY_PLACES,
        usage::{Seen, Usage},
    },
};

/// One resource of all rollouts. What follows from the costs is not stored.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub(crate) struct Column {
    pub(crate) name: String,
    pub(crate) resource: Resource,
    /// One per turn; NaN for an unknown cost.
    #[cfg_attr(feature = "serde", serde(with = "crate::missing"))]
    pub(crate) costs: Vec<f64>,
    /// The decimal sum of the run's costs up to each turn; NaN from its first unknown cost on.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) cumulative: Vec<f64>,
    /// Summaries of the costs up to each turn, so that no prefix adds them again.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) seen: Vec<Seen>,
    /// The decimal places of the costs of each whole rollout, or [`MANY_PLACES`]. They tell about
    /// later turns, so no prefix shows them.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) places: Vec<u8>,
    /// The sums of the last rollout after each turn, to which a live run adds.
    #[cfg_attr(feature = "serde", serde(skip))]
    sums: Vec<DecimalSum>,
    /// The entries of earlier rollouts with [`MANY_PLACES`].
    #[cfg_attr(feature = "serde", serde(skip))]
    long: BTreeMap<usize, Vec<DecimalSum>>,
    /// One per rollout; plus infinity without a cap.
    #[cfg_attr(feature = "serde", serde(with = "crate::missing"))]
    pub(crate) caps: Vec<f64>,
    /// The cap of rollouts that are still to be added.
    pub(crate) cap: Option<f64>,
}

impl Column {
    pub(crate) fn new(name: String, resource: Resource) -> Self {
        let (costs, cumulative, seen, caps) = Default::default();
        let (places, sums, long) = Default::default();
        Self { name, resource, costs, cumulative, seen, places, sums, long, caps, cap: None }
    }

    #[inline]
    pub(crate) fn cap(&self, rollout: usize) -> Option<f64> {
        self.caps.get(rollout).copied().filter(|cap| cap.is_finite())
    }

    pub(crate) fn places(&self, rollout: usize) -> u8 {
        self.places.get(rollout).copied().unwrap_or(MANY_PLACES)
    }

    /// Returns the first turns of a rollout; `None` if one of their costs is unknown.
    #[inline]
    pub(crate) fn usage(&self, rollout: usize, start: usize, turns: usize) -> Option<Usage<'_>> {
        let costs = self.costs.get(start..start + turns)?;
        let cumulative = self.cumulative.get(start..start + turns)?;
        if cumulative.last().is_some_and(|total| total.is_nan()) {
            return None;
        }
        let seen = self.seen.get(start..start + turns)?;
        let sums = self.sums_of(rollout).get(..turns).unwrap_or_default();
        let (cap, places) = (*self.caps.get(rollout)?, self.places(rollout));
        Some(Usage::new(costs, cumulative, seen, sums, cap, places))
    }

    pub(crate) fn push(&mut self, costs: impl Iterator<Item = f64>) {
        self.keep_sums();
        self.places.push(0);
        self.caps.push(self.cap.unwrap_or(f64::INFINITY));
        costs.for_each(|cost| self.continue_with(cost));
    }

    /// Adds a turn to the last rollout.
    pub(crate) fn continue_with(&mut self, cost: f64) {
        let mut sum = self.sums.last().copied().unwrap_or_default();
        sum.add(cost);
        let (before, total) = (self.sums.len() as f64, sum.value());
        let seen = self.seen.last().filter(|_| before > 0.0);
        self.seen.push(seen.map_or(Seen { largest: cost, squares: 0.0 }, |seen| {
            // Youngs and Cramer (1971), Technometrics 13, 657. No mean is rounded and no term is negative, so that
            // with whole costs the relative error after k turns is at most k roundings.
            let distance = (before + 1.0) * cost - total;
            let square = distance * distance / (before * (before + 1.0));
            Seen { largest: seen.largest.max(cost), squares: seen.squares + square }
        }));
        self.costs.push(cost);
        self.cumulative.push(total);
        if let Some(places) = self.places.last_mut() {
            *places = sum.places().unwrap_or(MANY_PLACES);
        }
        self.sums.push(sum);
    }

    /// Adds the turns of a whole rollout of another collection.
    pub(crate) fn copy(&mut self, from: &Self, rollout: usize, turns: Range<usize>) {
        self.keep_sums();
        self.costs.extend(from.costs.get(turns.clone()).unwrap_or_default());
        self.cumulative.extend(from.cumulative.get(turns.clone()).unwrap_or_default());
        self.seen.extend(from.seen.get(turns).unwrap_or_default());
        self.caps.extend(from.caps.get(rollout));
        self.places.extend(from.places.get(rollout));
        self.sums = from.sums_of(rollout).to_vec();
    }

    /// Returns the sums after each turn of a rollout with [`MANY_PLACES`].
    fn sums_of(&self, rollout: usize) -> &[DecimalSum] {
        match self.places.len() {
            rollouts if rollouts == rollout + 1 => &self.sums,
            _ => self.long.get(&rollout).map_or(&[], Vec::as_slice),
        }
    }

    /// Keeps the sums of the last rollout if they are needed, before another one follows.
    fn keep_sums(&mut self) {
        let mut sums = std::mem::take(&mut self.sums);
        if self.places.last() == Some(&MANY_PLACES) {
            // No prefix with an unknown cost has a sum.
            sums.truncate(sums.partition_point(|sum| !sum.value().is_nan()));
            sums.shrink_to_fit();
            if !sums.is_empty() {
                self.long.insert(self.places.len() - 1, sums);
            }
        }
    }
}
