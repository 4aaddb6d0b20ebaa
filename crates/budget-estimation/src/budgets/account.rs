//! The arithmetic of shared budgets: amounts in whole units, held and spent by many threads without a lock.
//!
//! This file needs nothing but atomic integers, so that a model checker can compile it with its own.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed},
};

/// The amounts of one resource in one budget. They fill a cache line, so that resources do not slow each other down.
///
/// At every moment, `spent <= committed <= cap + excess`. Each method writes in the order that keeps this, and
/// [`Cell::amounts`] reads in the opposite order.
#[derive(Debug)]
#[repr(align(64))]
pub(super) struct Cell {
    /// The amounts spent and held.
    committed: AtomicU64,
    spent: AtomicU64,
    /// The amounts spent without having been held.
    excess: AtomicU64,
    /// The most that may be committed.
    cap: u64,
}

/// The amounts of one resource at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Amounts {
    pub(super) committed: u64,
    pub(super) spent: u64,
    pub(super) excess: u64,
}

impl Cell {
    pub(super) fn new(cap: u64, spent: u64, excess: u64) -> Self {
        let [committed, spent, excess] = [spent, spent, excess].map(AtomicU64::new);
        Self { committed, spent, excess, cap }
    }

    pub(super) const fn cap(&self) -> u64 {
        self.cap
    }

    pub(super) fn amounts(&self) -> Amounts {
        let spent = self.spent.load(Acquire);
        let committed = self.committed.load(Acquire);
        Amounts { committed, spent, excess: self.excess.load(Acquire) }
    }

    fn fits(&self, committed: u64, amount: u64) -> Option<u64> {
        committed.checked_add(amount).filter(|&sum| sum <= self.cap)
    }

    fn hold(&self, amount: u64) -> bool {
        self.committed.fetch_update(AcqRel, Acquire, |now| self.fits(now, amount)).is_ok()
    }

    fn give_back(&self, amount: u64) {
        self.committed.fetch_sub(amount, AcqRel);
    }

    /// Turns an amount held into the amount that was spent.
    fn settle(&self, held: u64, used: u64) {
        if let Some(more) = used.checked_sub(held).filter(|&more| more > 0) {
            add(&self.excess, more);
            add(&self.committed, more);
        }
        add(&self.spent, used);
        if used < held {
            self.give_back(held - used);
        }
    }
}

/// Adds, and stays at the largest number instead of beginning again at 0.
fn add(sum: &AtomicU64, amount: u64) {
    let _ = sum.fetch_update(AcqRel, Relaxed, |now| Some(now.saturating_add(amount)));
}

/// Holds the amounts in all of these budgets, or in none of them. Returns the position of the first resource that does
/// not fit, and of its budget.
pub(super) fn hold<'a>(
    budgets: impl Iterator<Item = &'a [Cell]> + Clone,
    amounts: &[u64],
) -> Result<(), usize> {
    // A call that cannot be paid is refused before it holds anything, so that it is in nobody's way.
    for cells in budgets.clone() {
        for (at, (cell, &amount)) in cells.iter().zip(amounts).enumerate() {
            if amount > 0 && cell.fits(cell.committed.load(Acquire), amount).is_none() {
                return Err(at);
            }
        }
    }
    for (level, cells) in budgets.clone().enumerate() {
        for (at, (cell, &amount)) in cells.iter().zip(amounts).enumerate() {
            if amount > 0 && !cell.hold(amount) {
                // Another call took the amount in the meantime.
                let whole = budgets.clone().take(level).flat_map(|cells| cells.iter().zip(amounts));
                let begun = cells.iter().zip(amounts).take(at);
                whole.chain(begun).for_each(|(cell, &amount)| cell.give_back(amount));
                return Err(at);
            }
        }
    }
    Ok(())
}

/// Turns the amounts held in these budgets into the amounts that were spent.
pub(super) fn settle<'a>(
    budgets: impl Iterator<Item = &'a [Cell]>,
    amounts: impl Iterator<Item = (u64, u64)> + Clone,
) {
    for cells in budgets {
        for (cell, (held, used)) in cells.iter().zip(amounts.clone()) {
            if held > 0 || used > 0 {
                cell.settle(held, used);
            }
        }
    }
}
