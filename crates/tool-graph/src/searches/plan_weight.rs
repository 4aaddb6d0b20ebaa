use std::ops::{Add, Sub};

/// The cost and the number of calls of a plan as one whole number. The 64-bit version is faster.
pub(crate) trait PlanWeight:
    Copy + Default + Ord + Add<Output = Self> + Sub<Output = Self> + Into<u128> + TryFrom<u128>
{
    const ZERO: Self;
    /// A weight above the weight of every plan.
    const NEVER: Self;

    /// Converts a weight, which must fit.
    fn of(weight: u128) -> Self {
        Self::try_from(weight).unwrap_or(Self::NEVER)
    }

    fn wide(self) -> u128 {
        self.into()
    }
}

impl PlanWeight for u64 {
    const ZERO: Self = 0;
    const NEVER: Self = u64::MAX >> 1;
}

impl PlanWeight for u128 {
    const ZERO: Self = 0;
    const NEVER: Self = u128::MAX >> 1;
}
