use super::{greedy, solver};
#[cfg(feature = "serde")]
use crate::stored::{ascending, must};
use crate::{Error, stored::checked_when_read};

/// Most items of one instance: the rounding allowed for in the bounds holds up to here.
const MAX_ITEMS: usize = 1 << 22;

/// A 0-1 knapsack: choose items of largest total profit whose total weight is at most the capacity.
///
/// Profits and weights are whole numbers from 0, checked once; everything after that is exact.
///
/// ```
/// use knapsack_oracle::Knapsack;
///
/// let pool = Knapsack::new(10, &[6, 5, 5], &[6, 5, 5])?;
/// let best = pool.solve();
/// assert_eq!((best.value, best.weight, best.chosen.as_slice()), (10, 10, &[1, 2][..]));
/// assert!(best.is_optimal());
/// assert_eq!((pool.greedy().value, pool.linear_bound()), (6, 10));
/// # Ok::<(), knapsack_oracle::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knapsack<'a> {
    capacity: u64,
    profits: &'a [u64],
    weights: &'a [u64],
}

/// How it is known that no choice has a larger value.
///
/// ```
/// use knapsack_oracle::{Knapsack, Proof};
///
/// let pool = Knapsack::new(10, &[6, 5, 5], &[6, 5, 5])?;
/// assert_eq!((pool.solve().proof, pool.greedy().proof), (Proof::Bound, Proof::None));
/// # Ok::<(), knapsack_oracle::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Proof {
    /// An upper bound equals the value.
    Bound,
    /// Every choice that a bound did not rule out was looked at.
    Exhausted,
    /// It is not known: the value may be below [`Solution::upper_bound`].
    None,
}

/// A choice of items that fits. From [`Knapsack::solve`] and [`Knapsack::greedy`].
///
/// ```
/// use knapsack_oracle::Knapsack;
///
/// let choice = Knapsack::new(10, &[6, 5, 5], &[6, 5, 5])?.greedy();
/// assert_eq!((choice.value, choice.weight, choice.chosen.as_slice()), (6, 6, &[0][..]));
/// assert!(!choice.is_optimal() && choice.upper_bound == 10);
/// # Ok::<(), knapsack_oracle::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Solution {
    /// Total profit of the chosen items.
    pub value: u64,
    /// Total weight of the chosen items, at most the capacity.
    pub weight: u64,
    /// Positions of the chosen items, ascending from 0.
    pub chosen: Vec<usize>,
    /// No choice is worth more than this; equal to `value` where the choice is proved optimal.
    pub upper_bound: u64,
    /// What the upper bound rests on.
    pub proof: Proof,
    /// Number of partial choices kept on the way to the proof, 0 where none was needed.
    pub states: u64,
}

checked_when_read!(
    Solution {
        value: u64,
        weight: u64,
        chosen: Vec<usize>,
        upper_bound: u64,
        proof: Proof,
        states: u64,
    },
    |read| {
        must(ascending(&read.chosen), "`chosen` is not in ascending order")?;
        must(read.value <= read.upper_bound, "`value` is above `upper_bound`")?;
        let proved = read.value == read.upper_bound || read.proof == Proof::None;
        must(proved, "there is a proof, but `value` is below `upper_bound`")
    }
);

impl Solution {
    /// Whether the choice is proved to be the best, as its value is the upper bound.
    #[must_use]
    pub const fn is_optimal(&self) -> bool {
        self.value == self.upper_bound
    }
}

impl<'a> Knapsack<'a> {
    /// The instance with these profits and weights, item by item.
    ///
    /// No item at all is allowed: nothing is chosen, at value 0.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] where the slices differ in length, [`Error::TooLarge`] above
    /// 4,194,304 items, and [`Error::Sum`] where all profits or all weights together
    /// exceed `i64::MAX`.
    pub fn new(capacity: u64, profits: &'a [u64], weights: &'a [u64]) -> Result<Self, Error> {
        if profits.len() != weights.len() {
            return Err(Error::Length {
                what: "weights",
                expected: profits.len(),
                found: weights.len(),
            });
        }
        if profits.len() > MAX_ITEMS {
            return Err(Error::TooLarge {
                what: "choice",
                items: profits.len(),
                reason: "bounds hold for at most 4,194,304; take smaller pools",
            });
        }
        check_sum("profits", profits)?;
        check_sum("weights", weights)?;
        Ok(Self { capacity, profits, weights })
    }

    /// The capacity.
    #[must_use]
    pub const fn capacity(&self) -> u64 {
        self.capacity
    }

    /// Profit of each item.
    #[must_use]
    pub const fn profits(&self) -> &'a [u64] {
        self.profits
    }

    /// Weight of each item.
    #[must_use]
    pub const fn weights(&self) -> &'a [u64] {
        self.weights
    }

    /// A choice of largest value, with what proves it.
    ///
    /// Items without weight are always chosen where they have profit; items without profit never.
    /// Of several optimal choices the same one is returned every time, on every machine; which one
    /// is otherwise left open.
    ///
    /// Time and memory grow with n where bounds settle the matter, which is the usual case. In the
    /// worst case both grow with n times the capacity or the best value, whichever is smaller;
    /// `docs/performance.md` has what instances made to be hard take. It gives up only where more
    /// than 2^24 partial choices at one time, about 2 GiB, would be needed, as may happen from 45
    /// items on whose profits are their weights with 17 digits: [`Solution::proof`] is then
    /// [`Proof::None`], and `upper_bound` is above `value`.
    ///
    /// # Method
    ///
    /// Dynamic programming over the items whose choice is in doubt, after D. Pisinger (1997), A
    /// minimal algorithm for the 0-1 knapsack problem, <https://doi.org/10.1287/opre.45.5.758>, and
    /// S. Martello, D. Pisinger, P. Toth (1999), Dynamic programming and strong bounds for the 0-1
    /// knapsack problem, <https://doi.org/10.1287/mnsc.45.3.414>; from both ends of the core, met
    /// in the middle after E. Horowitz, S. Sahni (1974), Computing partitions with applications to
    /// the knapsack problem, <https://doi.org/10.1145/321812.321823>.
    #[must_use]
    pub fn solve(&self) -> Solution {
        solver::solve(self)
    }

    /// Largest whole number that the value can reach if items may be cut: the Dantzig bound.
    ///
    /// O(n log n). G. B. Dantzig (1957), Discrete-variable extremum problems,
    /// <https://doi.org/10.1287/opre.5.2.266>.
    #[must_use]
    pub fn linear_bound(&self) -> u64 {
        greedy::linear_bound(self)
    }

    /// The choice of who takes items by profit per weight, largest first and ties by position, each
    /// one that still fits.
    ///
    /// O(n log n). The upper bound is [`linear_bound`](Self::linear_bound).
    #[must_use]
    pub fn greedy(&self) -> Solution {
        greedy::greedy(self)
    }

    /// The choice with these positions, which must be ascending and fit.
    pub(super) fn solution(
        &self,
        chosen: Vec<usize>,
        upper_bound: Option<u64>,
        proof: Proof,
        states: u64,
    ) -> Solution {
        let sum = |of: &[u64]| chosen.iter().filter_map(|&item| of.get(item)).sum();
        let (value, weight) = (sum(self.profits), sum(self.weights));
        let upper_bound = upper_bound.unwrap_or(value);
        Solution { value, weight, chosen, upper_bound, proof, states }
    }
}

/// Every sum over some of the items fits in an `i64` if this one does.
fn check_sum(what: &'static str, numbers: &[u64]) -> Result<(), Error> {
    let mut sum = 0_i64;
    for (item, &number) in numbers.iter().enumerate() {
        sum = i64::try_from(number)
            .ok()
            .and_then(|number| sum.checked_add(number))
            .ok_or(Error::Sum { what, item, limit: i64::MAX.unsigned_abs() })?;
    }
    Ok(())
}
