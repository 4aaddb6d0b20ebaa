//! Differences of sums of decimals, fast enough for every prefix of a replay.

use scoring_rules::decimals::in_units;

/// Stands for more decimal places, or digits, than whole numbers of the last place can hold.
pub(crate) const MANY_PLACES: u8 = u8::MAX;

const POWERS: [f64; 16] =
    [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

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

/// A cap less what was spent, where nothing else is known of the two: exact if both have at most 15
/// digits and places, otherwise a plain difference.
#[inline]
pub(crate) fn left_of(cap: f64, spent: f64) -> f64 {
    for scale in [1e0, 1e2, 1e4, 1e6, 1e9, 1e12, 1e15] {
        if let (Some(cap), Some(spent)) = (in_units(cap, scale), in_units(spent, scale)) {
            return (cap - spent) as f64 / scale;
        }
    }
    cap - spent
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
