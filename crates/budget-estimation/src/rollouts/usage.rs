use std::fmt;

use scoring_rules::DecimalSum;

use crate::rollouts::decimals::{MANY_PLACES, left_of, left_of_short};

/// The costs that one resource had in the first turns of a run, and the cap on it.
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
    /// The costs of all turns of the rollout; only the first `turns` are shown.
    costs: &'a [f64],
    /// The cumulative costs of all turns.
    cumulative: &'a [f64],
    seen: &'a [Seen],
    /// The sums after each turn, if [`Difference::Long`].
    sums: &'a [DecimalSum],
    turns: usize,
    /// Plus infinity without a cap.
    cap: f64,
    difference: Difference,
}

/// The largest of the costs up to a turn, and the sum of their squared distances from their mean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) largest: f64,
    pub(crate) squares: f64,
}

/// The way in which the difference between the cap and a sum of costs is computed. Each way gives the exact difference
/// of the decimals, rounded once, so none reveals anything about later turns.
#[derive(Clone, Copy)]
enum Difference {
    /// Whole numbers below 2^53: a plain difference is exact.
    Whole,
    /// Sums that are the shortest decimals of their f64.
    Short,
    /// All other numbers, whose sums are kept as decimals.
    Long,
}

impl<'a> Usage<'a> {
    /// All turns of a rollout; `places` are the decimal places of its costs.
    pub(crate) fn new(
        costs: &'a [f64],
        cumulative: &'a [f64],
        seen: &'a [Seen],
        sums: &'a [DecimalSum],
        cap: f64,
        places: u8,
    ) -> Self {
        let is_whole = |cap: f64| cap.fract() == 0.0 && cap < 9_007_199_254_740_992.0;
        let difference = match places {
            0 if is_whole(cap) => Difference::Whole,
            MANY_PLACES => Difference::Long,
            _ => Difference::Short,
        };
        Self { costs, cumulative, seen, sums, turns: costs.len(), cap, difference }
    }

    /// Returns the first turns of these, at most `turns`.
    #[inline]
    pub(crate) fn first(self, turns: usize) -> Self {
        Self { turns, ..self }
    }

    /// Returns the cost of each turn.
    #[must_use]
    pub fn costs(&self) -> &'a [f64] {
        self.costs.get(..self.turns).unwrap_or_default()
    }

    /// Returns the cumulative cost after each turn, `C_k = c_1 + ... + c_k`: the sum of the costs as decimals, rounded
    /// to the nearest f64. See [`Rollouts`](crate::Rollouts).
    #[must_use]
    pub fn cumulative(&self) -> &'a [f64] {
        self.cumulative.get(..self.turns).unwrap_or_default()
    }

    /// Returns the total cost of the turns so far; 0 before the first turn.
    #[must_use]
    #[inline]
    pub fn total(&self) -> f64 {
        let last = self.turns.checked_sub(1);
        last.and_then(|last| self.cumulative.get(last)).copied().unwrap_or(0.0)
    }

    /// Returns the cap, the most that the run may spend; `None` without a cap.
    #[must_use]
    #[inline]
    pub fn cap(&self) -> Option<f64> {
        self.cap.is_finite().then_some(self.cap)
    }

    /// Returns the amount left under the cap, negative if the cap is exceeded; `None` without a cap.
    #[must_use]
    #[inline]
    pub fn left(&self) -> Option<f64> {
        self.cap().map(|cap| self.left_of(cap))
    }

    /// Returns the amount left under the cap; plus infinity without a cap.
    #[inline]
    pub(crate) fn left_or_infinity(&self) -> f64 {
        if self.cap.is_finite() { self.left_of(self.cap) } else { f64::INFINITY }
    }

    #[inline]
    fn left_of(&self, cap: f64) -> f64 {
        match self.difference {
            Difference::Whole => cap - self.total(),
            Difference::Short => left_of_short(cap, self.total()),
            Difference::Long => {
                let last = self.turns.checked_sub(1).and_then(|last| self.sums.get(last));
                left_of(cap, last.copied().unwrap_or_default())
            }
        }
    }

    /// Returns the largest cost, and the sum of the squared distances of the costs from their mean.
    #[inline]
    pub(crate) fn seen(&self) -> Option<Seen> {
        self.turns.checked_sub(1).and_then(|last| self.seen.get(last)).copied()
    }

    /// Returns whether more than the cap was spent.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        let total = self.total();
        // A sum above the cap rounds to a number above the cap, or to the cap.
        total > self.cap || (total == self.cap && self.left_of(self.cap) < 0.0)
    }
}

impl PartialEq for Usage<'_> {
    fn eq(&self, other: &Self) -> bool {
        let parts = |usage: &Self| (usage.costs(), usage.cumulative(), usage.cap);
        parts(self) == parts(other)
    }
}

/// Shows the public parts.
impl fmt::Debug for Usage<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = f.debug_struct("Usage");
        parts.field("costs", &self.costs()).field("cumulative", &self.cumulative());
        parts.field("cap", &self.cap).finish()
    }
}
