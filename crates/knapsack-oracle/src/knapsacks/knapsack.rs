use crate::{
    engines::{checked_sum::checked_sum, one_resource::solver::solve},
    error::Error,
    values::{choice::Choice, knapsack_item::KnapsackItem, proof::Proof},
};

/// A 0-1 knapsack: choose items with the largest total profit whose total weight is at most the
/// capacity.
///
/// Profits and weights are whole numbers of at least 0. They are checked once; everything after
/// that is exact.
///
/// ```
/// use knapsack_oracle::{Knapsack, KnapsackItem};
///
/// let items = [6, 5, 5].map(|size| KnapsackItem { profit: size, weight: size });
/// let best = Knapsack::new(10, &items)?.solve();
/// assert_eq!((best.value, best.weight, best.chosen.as_slice()), (10, 10, &[1, 2][..]));
/// assert!(best.is_optimal());
/// # Ok::<(), knapsack_oracle::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knapsack<'a> {
    capacity: u64,
    items: &'a [KnapsackItem],
}

/// The largest sum of all profits, or of all weights, that the signed integers of the solver hold.
const MAX_SUM: u64 = i64::MAX.unsigned_abs();

/// A choice of items that fits. Returned by [`Knapsack::solve`], which has an example.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Solution {
    /// The total profit of the chosen items.
    pub value: u64,
    /// The total weight of the chosen items, at most the capacity.
    pub weight: u64,
    /// The positions of the chosen items, in ascending order from 0.
    pub chosen: Vec<usize>,
    /// An upper bound on the value of every choice. It equals `value` if the choice is proved to
    /// be optimal.
    pub upper_bound: u64,
    /// What proves the upper bound.
    pub proof: Proof,
    /// The number of partial choices that the search kept, 0 if no search was needed.
    pub states: u64,
}

impl Solution {
    /// Returns whether the choice is proved to be optimal: its value equals the upper bound.
    #[must_use]
    pub const fn is_optimal(&self) -> bool {
        self.value == self.upper_bound
    }
}

impl<'a> Knapsack<'a> {
    /// Creates an instance from its capacity and items.
    ///
    /// Without items, nothing is chosen and the value is 0.
    ///
    /// # Errors
    ///
    /// Returns [`Error::TooLarge`] for more than 4,194,304 items, and [`Error::Sum`] if all profits or all weights
    /// sum to more than 2^63 - 1.
    pub fn new(capacity: u64, items: &'a [KnapsackItem]) -> Result<Self, Error> {
        // The allowance for rounding in the bounds holds up to here.
        if items.len() > 1 << 22 {
            let reason = "at most 4,194,304 items are supported; use smaller pools";
            return Err(Error::TooLarge { what: "choice", items: items.len(), reason });
        }
        checked_sum("profits", MAX_SUM, items.iter().map(|item| item.profit))?;
        checked_sum("weights", MAX_SUM, items.iter().map(|item| item.weight))?;
        Ok(Self { capacity, items })
    }

    /// Finds a choice with the largest value, and proves it.
    ///
    /// Items without weight are always chosen if they have profit; items without profit are never
    /// chosen. If several choices are optimal, the same one is returned every time and on every
    /// machine, but it is not specified which.
    ///
    /// Usually bounds settle most items, and time and memory grow with n. In the worst case both
    /// grow with n times the smaller of the capacity and the best value; `docs/performance.md`
    /// lists instances that are designed to be hard. The search stops without a proof only if it
    /// would keep more than 2^24 partial choices at one time, about 2 GiB. This can happen from 45
    /// items on if their profits equal their weights and have 17 digits. Then [`Solution::proof`]
    /// is [`Proof::None`] and `upper_bound` is above `value`.
    ///
    /// # Method
    ///
    /// Dynamic programming over the items whose choice is in doubt, after D. Pisinger
    /// (1997), A minimal algorithm for the 0-1 knapsack problem, <https://doi.org/10.1287/opre.45.5.758>, and
    /// S. Martello, D. Pisinger, P. Toth (1999), Dynamic programming and strong bounds for the 0-1
    /// knapsack problem, <https://doi.org/10.1287/mnsc.45.3.414>. It works from both ends of the
    /// core and meets in the middle, after E. Horowitz, S. Sahni (1974), Computing partitions with
    /// applications to the knapsack problem, <https://doi.org/10.1145/321812.321823>.
    #[must_use]
    pub fn solve(&self) -> Solution {
        self.solution(solve(self.capacity, self.items))
    }

    fn solution(&self, Choice { chosen, upper_bound, proof, states }: Choice) -> Solution {
        let items = || chosen.iter().map(|&position| &self.items[position]);
        let value = items().map(|item| item.profit).sum();
        let weight = items().map(|item| item.weight).sum();
        let upper_bound = upper_bound.unwrap_or(value);
        let is_bound = proof == Proof::None && value == upper_bound;
        let proof = if is_bound { Proof::Bound } else { proof };
        Solution { value, weight, chosen, upper_bound, proof, states }
    }
}
