use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering::Relaxed},
};

use censoring::StopReason;
use scoring_rules::decimals::POWERS;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::{
    budgets::{
        account::Cell,
        budget::Budget,
        node::{MOST_RESOURCES, NONE, Unit},
    },
    checks::stored,
    error::Error,
};

/// A budget without those above it.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    resources: Vec<StoredResource>,
    stop: Option<StopReason>,
    /// Its number among the children of its parent, and the number of its own children.
    number: u64,
    children: u64,
}

/// The amounts of a resource in units of 10^-places. They are integers, so that none is rounded.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct StoredResource {
    name: String,
    places: u8,
    cap: Option<u64>,
    spent: u64,
    held: u64,
    excess: u64,
    /// The amount at which there is a notice, if it was not given yet.
    notice: Option<u64>,
}

fn some(units: u64) -> Option<u64> {
    (units != NONE).then_some(units)
}

impl Serialize for Budget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cells = self.node.resources.iter().zip(&self.node.cells).zip(&self.node.notices);
        let resources = cells.map(|((unit, cell), notice)| {
            let amounts = cell.amounts();
            StoredResource {
                name: unit.name.clone(),
                places: POWERS.iter().position(|&scale| scale == unit.scale).unwrap_or(0) as u8,
                cap: some(cell.cap()),
                spent: amounts.spent,
                held: amounts.committed.saturating_sub(amounts.spent),
                // An excess is counted first, and only then as committed.
                excess: amounts.excess.min(amounts.committed),
                notice: some(notice.load(Relaxed)),
            }
        });
        let (number, children) = (self.node.number, self.node.children.load(Relaxed));
        let (resources, stop) = (resources.collect(), self.node.stop.get().cloned());
        Stored { resources, stop, number, children }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Budget {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let stored = Stored::deserialize(deserializer)?;
        Self::restored(stored).map_err(de::Error::custom)
    }
}

impl Budget {
    fn restored(from: Stored) -> Result<Self, Error> {
        stored(from.resources.len() <= MOST_RESOURCES, "a budget has at most 8 resources")?;
        let names = from.resources.iter().map(|resource| (resource.name.as_str(), None));
        // Checks the names and their number.
        drop(Self::new(names)?);
        let (mut units, mut cells) = (Vec::with_capacity(MOST_RESOURCES), Vec::new());
        for resource in &from.resources {
            let scale = POWERS.get(usize::from(resource.places)).filter(|_| resource.places <= 9);
            let problem = "places must be at most 9";
            let scale = *scale.ok_or(scoring_rules::checks::stored_value(problem))?;
            let valid = resource.cap.is_none_or(|cap| cap <= 900_000_000_000_000);
            stored(valid, "a cap must be at most 9e14 units")?;
            units.push(Unit { name: resource.name.clone(), scale });
            let spent = resource.spent.saturating_add(resource.held);
            let unheld =
                resource.cap.is_none_or(|cap| spent <= cap.saturating_add(resource.excess));
            stored(unheld, "more is spent than the cap and the excess")?;
            stored(resource.excess <= spent, "the excess is a part of the amount spent")?;
            cells.push(Cell::new(resource.cap.unwrap_or(NONE), spent, resource.excess));
        }
        stored(from.children < u64::MAX / 2, "there are too many children")?;
        let mut budget = Self::of(None, units.into(), cells);
        if let Some(node) = Arc::get_mut(&mut budget.node) {
            (node.number, node.stored) = (from.number, from.children);
            node.children = AtomicU64::new(from.children);
        }
        for (notice, resource) in budget.node.notices.iter().zip(&from.resources) {
            notice.store(resource.notice.unwrap_or(NONE), Relaxed);
        }
        from.stop.into_iter().for_each(|reason| budget.stop(reason));
        Ok(budget)
    }
}
