//! Differences of sums of decimals, fast enough for every prefix of a replay.

use scoring_rules::{
    DecimalSum,
    decimals::{POWERS, in_units},
};

/// Marks a sum with more than 15 decimal places or digits; see [`DecimalSum::places`].
pub(crate) const MANY_PLACES: u8 = u8::MAX;

/// The total cost of a finished run, from which earlier sums of the same run are subtracted.
///
/// With up to 15 digits the difference is exact in units of the last decimal place, and is then
/// rounded once; with more digits it is a plain difference.
#[derive(Clone, Copy)]
pub(crate) struct RunTotal {
    pub(crate) total: f64,
    /// Units per 1, a power of ten; 0 for a plain difference.
    scale: f64,
}

impl RunTotal {
    pub(crate) fn new(total: f64, places: u8) -> Self {
        // A plain difference of whole numbers is exact.
        let scale = if places == 0 { None } else { POWERS.get(usize::from(places)) };
        Self { total, scale: scale.copied().unwrap_or(0.0) }
    }

    #[inline]
    pub(crate) fn remaining_after(self, used: f64) -> f64 {
        if self.scale == 0.0 {
            return self.total - used;
        }
        // Below 1e15 units, so that the rounding error of the product is less than 0.25.
        let units = |sum: f64| (sum * self.scale + 0.5) as i64;
        (units(self.total) - units(used)) as f64 / self.scale
    }
}

/// Returns a cap minus the amount spent, computed from the exact sum of the decimals and rounded once. The
/// result is negative exactly if the cap is exceeded, even if the sum rounds to the cap.
pub(crate) fn left_of(cap: f64, mut spent: DecimalSum) -> f64 {
    spent.add(-cap);
    -spent.value()
}

/// [`left_of`] for a sum that is the shortest decimal of its f64. Kept out of line, so that callers with whole
/// numbers are inlined.
#[inline(never)]
pub(crate) fn left_of_short(cap: f64, spent: f64) -> f64 {
    for scale in [1e2, 1e4, 1e6, 1e9, 1e12, 1e15] {
        if let (Some(cap), Some(spent)) = (in_units(cap, scale), in_units(spent, scale)) {
            return (cap - spent) as f64 / scale;
        }
    }
    left_of(cap, [spent].into_iter().collect())
}
