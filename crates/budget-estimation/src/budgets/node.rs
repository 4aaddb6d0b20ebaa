use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, OnceLock, atomic::AtomicU64},
};

use censoring::StopReason;
use scoring_rules::decimals::{POWERS, in_units};

use crate::{
    budgets::account::Cell,
    checks::{MOST, is_amount},
    error::Error,
};

/// A reservation keeps its amounts in place, so that it needs no memory of its own.
pub(super) const MOST_RESOURCES: usize = 8;

/// Up to here, whole units are exact as f64 and as decimals.
pub(super) const MOST_UNITS: f64 = 9e14;

/// The unit of a resource without a cap is 10^-6.
const PLACES_WITHOUT_CAP: usize = 6;

/// A budget of the tree, which its handles, its reservations and its children share.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) parent: Option<Arc<Self>>,
    pub(super) resources: Arc<[Unit]>,
    pub(super) cells: Box<[Cell]>,
    /// The spent amount at which each resource gives a notice; the largest number without a notice, or after it was
    /// given.
    pub(super) notices: Box<[AtomicU64]>,
    pub(super) stop: OnceLock<StopReason>,
    /// Its number among the children of its parent, from 1; 0 for a budget that is not a child.
    pub(super) number: u64,
    /// The number of its children so far.
    pub(super) children: AtomicU64,
    /// The number of the children that were stored with it, and which of these were adopted.
    pub(super) stored: u64,
    pub(super) adopted: Mutex<BTreeSet<u64>>,
}

/// The name of a resource, and the number of units in 1.
#[derive(Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) name: String,
    pub(super) scale: f64,
}

/// No cap, and no notice.
pub(super) const NONE: u64 = u64::MAX;

impl Unit {
    /// Chooses the smallest unit in which the cap has at most 15 digits.
    pub(super) fn of(name: String, cap: Option<f64>) -> Option<Self> {
        let places = cap.map_or(Some(PLACES_WITHOUT_CAP), |cap| {
            (0..=9).rev().find(|&places| (0.0..=MOST_UNITS).contains(&(cap * POWERS[places])))
        });
        Some(Self { name, scale: POWERS[places?] })
    }

    /// Returns a cap in units, rounded down.
    pub(super) fn cap(&self, cap: Option<f64>) -> u64 {
        cap.map_or(NONE, |cap| self.whole(cap, f64::floor))
    }

    /// Returns the largest cap of a child.
    pub(super) fn most(&self) -> f64 {
        MOST_UNITS / self.scale
    }

    /// Returns an amount in units, rounded up, and at most the largest number of units.
    pub(super) fn units(&self, amount: f64) -> Result<u64, Error> {
        if is_amount(amount) {
            return Ok(self.whole(amount, f64::ceil));
        }
        Err(Error::Amount { resource: self.name.clone(), value: amount, most: MOST })
    }

    fn whole(&self, amount: f64, round: fn(f64) -> f64) -> u64 {
        match in_units(amount, self.scale) {
            Some(units) => units as u64,
            None => {
                // A product such as 7 * 0.00001 may differ from its decimal by a rounding error.
                let (exact, nearest) = (amount * self.scale, (amount * self.scale).round());
                let is_near = (exact - nearest).abs() <= 1e-15 * exact;
                let units = if is_near { nearest } else { round(exact) };
                units as u64
            }
        }
    }

    pub(super) fn amount(&self, units: u64) -> f64 {
        units as f64 / self.scale
    }
}

impl Node {
    /// Returns the cells of this budget and of those above it.
    pub(super) fn budgets(&self) -> impl Iterator<Item = &[Cell]> + Clone {
        self.line().map(|node| &*node.cells)
    }

    pub(super) fn line(&self) -> impl Iterator<Item = &Self> + Clone {
        std::iter::successors(Some(self), |node| node.parent.as_deref())
    }

    /// Returns the position of a resource, and the amount in its units.
    pub(super) fn units(&self, name: &str, amount: f64) -> Result<(usize, u64), Error> {
        let at = self.resources.iter().position(|resource| resource.name == name);
        let at = at.ok_or_else(|| Error::NoSuchResource { name: name.to_owned() })?;
        Ok((at, self.resources[at].units(amount)?))
    }

    pub(super) fn all_units(
        &self,
        amounts: &[(&str, f64)],
    ) -> Result<[u64; MOST_RESOURCES], Error> {
        let mut all = [0_u64; MOST_RESOURCES];
        for &(name, amount) in amounts {
            let (at, units) = self.units(name, amount)?;
            all[at] = all[at].saturating_add(units);
        }
        Ok(all)
    }

    /// Returns for each cap of this line on a resource: the cap less the amount that `taken` returns, the cap, and that amount.
    fn under_caps(
        &self,
        at: usize,
        taken: impl Fn(&Cell) -> u64,
    ) -> impl Iterator<Item = (f64, f64, f64)> {
        let unit = &self.resources[at];
        let capped = self.budgets().map(move |cells| &cells[at]).filter(|it| it.cap() != NONE);
        capped.map(move |cell| {
            let taken = taken(cell);
            let sign = if taken > cell.cap() { -1.0 } else { 1.0 };
            let left = sign * unit.amount(cell.cap().abs_diff(taken));
            (left, unit.amount(cell.cap()), unit.amount(taken))
        })
    }

    /// Returns the remaining amount of a resource, negative if a cap is exceeded; the cap that leaves the least; and the amount committed
    /// under it.
    pub(super) fn left(&self, at: usize) -> Option<(f64, f64, f64)> {
        let all = self.under_caps(at, |cell| cell.amounts().committed);
        all.reduce(|least, other| if other.0 < least.0 { other } else { least })
    }

    /// Returns the unspent amount of each cap of this line on a resource, with the cap.
    pub(super) fn unspent(&self, at: usize) -> impl Iterator<Item = (f64, f64, f64)> {
        self.under_caps(at, |cell| cell.amounts().spent)
    }
}
