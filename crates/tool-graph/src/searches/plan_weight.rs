use std::ops::{Add, Sub};

/// Cost and number of calls as one whole number; the narrow kind is for speed alone.
pub(crate) trait PlanWeight: Copy + Ord + Add<Output = Self> + Sub<Output = Self> {
    const ZERO: Self;
    /// More than any plan weighs.
    const NEVER: Self;

    /// Only for what fits.
    fn of(weight: u128) -> Self;

    fn wide(self) -> u128;
}

impl PlanWeight for u64 {
    const ZERO: Self = 0;
    const NEVER: Self = u64::MAX >> 1;

    fn of(weight: u128) -> Self {
        weight as u64
    }

    fn wide(self) -> u128 {
        self.into()
    }
}

impl PlanWeight for u128 {
    const ZERO: Self = 0;
    const NEVER: Self = u128::MAX >> 1;

    fn of(weight: u128) -> Self {
        weight
    }

    fn wide(self) -> u128 {
        self
    }
}
