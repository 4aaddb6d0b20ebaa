use std::fmt;

use crate::rollouts::decimals::{MANY_PLACES, left_of, left_of_short};

/// What was spent of one resource over some first turns of a run, and the cap on it.
///
/// ```
/// use budget_estimation::{Error, Rollouts};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// rollouts.set_cap(tokens, 200.0)?;
/// let rollout = rollouts.get(0)?;
/// let usage = rollout.usage(tokens)?;
/// assert_eq!((usage.costs()[1], usage.cumulative()[1], usage.left()), (20.0, 70.0, Some(50.0)));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Usage<'a> {
    pub(crate) costs: &'a [f64],
    /// As many.
    pub(crate) cumulative: &'a [f64],
    /// Plus infinity where there is none.
    pub(crate) cap: f64,
    /// Decimal places of the costs of the whole rollout, or [`MANY_PLACES`]: no more than whether the
    /// sums are short decimals, as they tell of later turns.
    pub(crate) places: u8,
}

impl<'a> Usage<'a> {
    /// The cost of each turn.
    #[must_use]
    pub const fn costs(&self) -> &'a [f64] {
        self.costs
    }

    /// What had been spent after each turn, `C_k = c_1 + ... + c_k`: the sum of the costs as they
    /// are written in decimals, rounded to the nearest f64. See [`Rollouts`](crate::Rollouts).
    #[must_use]
    pub const fn cumulative(&self) -> &'a [f64] {
        self.cumulative
    }

    /// What was spent over all of these turns; 0 before the first.
    #[must_use]
    #[inline]
    pub fn total(&self) -> f64 {
        self.cumulative.last().copied().unwrap_or(0.0)
    }

    /// The most that the run may spend, where there is a cap.
    #[must_use]
    #[inline]
    pub fn cap(&self) -> Option<f64> {
        self.cap.is_finite().then_some(self.cap)
    }

    /// What is left under the cap, where there is one; negative where it is exceeded.
    #[must_use]
    #[inline]
    pub fn left(&self) -> Option<f64> {
        self.cap().map(|cap| self.left_of(cap))
    }

    #[inline]
    fn left_of(&self, cap: f64) -> f64 {
        if self.places == MANY_PLACES {
            left_of(cap, self.costs.iter().copied().collect())
        } else {
            left_of_short(cap, self.total())
        }
    }

    /// Whether more than the cap was spent.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        let total = self.total();
        // A sum that is above or below the cap is so when rounded, or rounds to the cap.
        total > self.cap || (total == self.cap && self.left_of(self.cap) < 0.0)
    }
}

impl PartialEq for Usage<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.costs, self.cumulative, self.cap) == (other.costs, other.cumulative, other.cap)
    }
}

/// Shows what can be asked of it.
impl fmt::Debug for Usage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = f.debug_struct("Usage");
        parts.field("costs", &self.costs).field("cumulative", &self.cumulative);
        parts.field("cap", &self.cap).finish()
    }
}
