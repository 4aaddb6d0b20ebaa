//! Differences of sums of decimals, fast enough for every prefix of a replay.

use scoring_rules::{
    DecimalSum,
    decimals::{POWERS, in_units},
};

/// Stands for more decimal places, or digits, than whole numbers of the last place can hold.
pub(crate) const MANY_PLACES: u8 = u8::MAX;

/// A sum of decimals less an earlier sum of the same run, both with so many decimal places.
///
/// Exact in units of the last place, then rounded once; with [`MANY_PLACES`] a plain difference.
#[inline]
fn difference(total: f64, used: f64, places: u8) -> f64 {
    match POWERS.get(usize::from(places)) {
        Some(&scale) if places > 0 => {
            // Below 1e15 units, so that the rounding error of a product is less than 0.25.
            let units = |sum: f64| (sum * scale + 0.5) as i64;
            (units(total) - units(used)) as f64 / scale
        }
        _ => total - used,
    }
}

/// A cap less the sum of what was spent, both as they are written in decimals: exact as that sum is,
/// then rounded once. Below 0 just where the cap is exceeded, also where the sum rounds to the cap.
#[inline]
pub(crate) fn left_of(cap: f64, mut spent: DecimalSum) -> f64 {
    spent.add(-cap);
    -spent.value()
}

/// The same of a sum that is the shortest decimal of its f64.
#[inline]
pub(crate) fn left_of_short(cap: f64, spent: f64) -> f64 {
    // Tokens and other whole numbers, without a division.
    let whole = |value: f64| {
        let units = value as i64;
        (units as f64 == value && units.unsigned_abs() < 1 << 53).then_some(units)
    };
    if let (Some(cap), Some(spent)) = (whole(cap), whole(spent)) {
        return (cap - spent) as f64;
    }
    for scale in [1e2, 1e4, 1e6, 1e9, 1e12, 1e15] {
        if let (Some(cap), Some(spent)) = (in_units(cap, scale), in_units(spent, scale)) {
            return (cap - spent) as f64 / scale;
        }
    }
    left_of(cap, [spent].into_iter().collect())
}

/// What earlier turns of a finished run leave of what it spent in all.
#[derive(Clone, Copy)]
pub(crate) struct Whole {
    pub(crate) total: f64,
    pub(crate) places: u8,
    /// Plus infinity where there is none.
    pub(crate) cap: f64,
}

impl Whole {
    #[inline]
    pub(crate) fn remaining_after(self, used: f64) -> f64 {
        difference(self.total, used, self.places)
    }
}
