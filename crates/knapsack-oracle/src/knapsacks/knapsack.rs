use scoring_rules::checks::setting;

use crate::{
    engines::{
        checked_sum::checked_sum, choice::Choice, one_resource::solver::solve,
        several_resources::branch_and_bound::BranchAndBound,
    },
    error::Error,
    values::{knapsack_item::KnapsackItem, proof::Proof},
};

/// A 0-1 knapsack problem: among items with profits and weights, choose those with the largest total profit whose
/// total weight is at most the capacity.
///
/// Profits and weights are whole numbers of at least 0. They are checked once; everything after
/// that is exact. [`Knapsack::several`] has R capacities at once, with weights `[u64; R]`, for instance of
/// tokens, of dollars in whole millionths, and of seconds.
///
/// ```
/// use knapsack_oracle::{Knapsack, KnapsackItem};
///
/// let items = [6, 5, 5].map(|size| KnapsackItem { profit: size, weight: size });
/// let knapsack = Knapsack::new(10, &items)?;
/// let best = knapsack.solve();
/// assert_eq!((best.value, best.weight, best.chosen.as_slice()), (10, 10, &[1, 2][..]));
/// assert_eq!(best.upper_bound, best.value);
///
/// // Tokens and dollars: the first item alone would take all the dollars.
/// let items = [(5, [4, 6]), (4, [5, 2]), (3, [3, 3]), (2, [2, 1])]
///     .map(|(profit, weight)| KnapsackItem { profit, weight });
/// let best = Knapsack::several([10, 6], &items)?.solve();
/// assert_eq!((best.value, best.weight, best.chosen), (9, [10, 6], vec![1, 2, 3]));
/// # Ok::<(), knapsack_oracle::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knapsack<'a, W = u64> {
    capacity: W,
    items: &'a [KnapsackItem<W>],
}

/// A choice of items that fits the capacity. Returned by [`Knapsack::solve`] and [`Knapsack::solve_within`].
///
/// ```
/// use knapsack_oracle::{Knapsack, KnapsackItem};
///
/// let items = [6, 5, 5].map(|size| KnapsackItem { profit: size, weight: size });
/// let choice = Knapsack::new(11, &items)?.solve();
/// assert_eq!((choice.value, choice.weight, choice.chosen.as_slice()), (11, 11, &[0, 1][..]));
/// assert_eq!(choice.upper_bound, choice.value);
/// # Ok::<(), knapsack_oracle::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Solution<W = u64> {
    /// The total profit of the chosen items.
    pub value: u64,
    /// The total weight of the chosen items, at most the capacity.
    pub weight: W,
    /// The positions of the chosen items, in ascending order from 0.
    pub chosen: Vec<usize>,
    /// An upper bound on the value of every choice. It equals `value` if the choice is proved to
    /// be optimal.
    pub upper_bound: u64,
    /// How the upper bound was proved.
    pub proof: Proof,
    /// The number of partial choices that the search kept; 0 if no search was needed. With several resources, the
    /// number of nodes of the search tree that were examined.
    pub states: u64,
}

const MAX_SUM: u64 = i64::MAX.unsigned_abs();

impl<'a> Knapsack<'a> {
    /// Creates a problem from its capacity and items.
    ///
    /// Without items, the choice is empty and the value is 0.
    ///
    /// # Errors
    ///
    /// Returns [`Error::TooLarge`] for more than 4,194,304 items, and [`Error::Sum`] if all profits or all weights sum
    /// to more than 2^63 - 1.
    pub fn new(capacity: u64, items: &'a [KnapsackItem]) -> Result<Self, Error> {
        let most = "at most 4,194,304 items are supported; use smaller pools";
        check_length(items.len(), 1 << 22, most)?;
        checked_sum("profits", MAX_SUM, items.iter().map(|item| item.profit))?;
        checked_sum("weights", MAX_SUM, items.iter().map(|item| item.weight))?;
        Ok(Self { capacity, items })
    }

    /// Finds a choice with the largest value, and proves that no choice has a larger one.
    ///
    /// Items without weight are always chosen if they have profit; items without profit are never
    /// chosen. If several choices are optimal, the same one is returned every time and on every
    /// machine, but it is not specified which.
    ///
    /// Usually bounds settle most items, and time and memory grow with n. In the worst case both grow with n times the
    /// smaller of the capacity and the best value; `docs/performance.md` lists instances that are designed to be hard.
    /// The search stops without a proof only if it would keep more than 2^24 partial choices at one time, about 2 GiB.
    /// This can happen from 45 items on if their profits equal their weights and have 17 digits. Then
    /// [`Solution::proof`] is [`Proof::None`] and `upper_bound` is above `value`. [`Self::solve_within`] sets a smaller
    /// limit on the search.
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
        self.solve_within(u64::MAX)
    }

    /// Searches for the best choice, and examines at most about `states` partial choices. After a search without a
    /// proof, [`Solution::proof`] is [`Proof::None`], and no choice has a value above [`Solution::upper_bound`].
    /// [`Pool::oracle_within`](crate::Pool::oracle_within) describes the limit.
    #[must_use]
    pub fn solve_within(&self, states: u64) -> Solution {
        self.solution(solve(self.capacity, self.items, states))
    }

    fn solution(&self, choice: Choice) -> Solution {
        let weight = choice.chosen.iter().map(|&item| self.items[item].weight).sum();
        Solution::new(choice, self.items, weight)
    }
}

impl<'a, const R: usize> Knapsack<'a, [u64; R]> {
    /// Creates a problem with several resources, each with its own capacity.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Setting`] unless there are 1 to 8 capacities, [`Error::TooLarge`] for more
    /// than 1,000 items, and [`Error::Sum`] if the profits sum to 2^64 or more.
    pub fn several(capacity: [u64; R], items: &'a [KnapsackItem<[u64; R]>]) -> Result<Self, Error> {
        setting("number of resources", R as f64, (1..=8).contains(&R), "from 1 to 8")?;
        check_length(items.len(), 1_000, "at most 1,000 items are supported; use smaller pools")?;
        checked_sum("profits", u64::MAX, items.iter().map(|item| item.profit))?;
        Ok(Self { capacity, items })
    }

    /// Finds a choice with the largest value, and proves that no choice has a larger one.
    ///
    /// The worst case is exponential, and the search ends after at most 2^22 nodes
    /// of the search tree. Pools of 60 items are quick if profits are random or correlate weakly with the
    /// weights (`docs/performance.md`). If each profit is the mean of three or more weights, possibly plus
    /// a constant, the search may end without a proof. [`solve_within`](Self::solve_within) can
    /// search for longer.
    ///
    /// # Method
    ///
    /// Branch and bound. Each node of the search tree is bounded by the dual of its
    /// linear program. The dual starts from the solution of the parent node. The bound is evaluated on the items
    /// themselves, and its rounding error is added to it, so rounding never cuts off an optimal choice. Items
    /// are fixed if every better choice contains them, or if none does. Reference: Kellerer, Pferschy, Pisinger
    /// (2004), Knapsack problems, chapter 9, doi:10.1007/978-3-540-24777-7.
    #[must_use]
    pub fn solve(&self) -> Solution<[u64; R]> {
        self.solve_within(1 << 22)
    }

    /// Searches for the best choice with a tree of at most `nodes` nodes, and computes an upper bound on the value of
    /// every choice. The choice is proved to be the best if its value equals the upper bound.
    ///
    /// A search of one node solves the linear program in which items may be divided, and rounds its solution to a
    /// choice. The value of the unrounded solution is the upper bound.
    ///
    /// Each step of the simplex method takes O(R n). At the first node, the number of steps is about the number of
    /// items that the linear program leaves out; at the others it is usually small. The result does not depend on the
    /// speed of the machine.
    ///
    /// ```
    /// use knapsack_oracle::{Knapsack, KnapsackItem};
    ///
    /// let items: Vec<_> = (0..40)
    ///     .map(|i| [1_000 + 617 * i % 1_000, 1_000 + 359 * i % 1_000])
    ///     .map(|weight| KnapsackItem { profit: weight[0] + weight[1] + 100, weight })
    ///     .collect();
    /// let some = Knapsack::several([29_000, 29_000], &items)?.solve_within(1_000);
    /// assert!(some.states <= 1_000 && some.value <= some.upper_bound);
    /// assert!((some.upper_bound - some.value) as f64 <= 0.01 * some.value as f64);
    /// # Ok::<(), knapsack_oracle::Error>(())
    /// ```
    #[must_use]
    pub fn solve_within(&self, nodes: u64) -> Solution<[u64; R]> {
        let choice = BranchAndBound::new(&self.capacity, self.items).run(nodes);
        let of = |r: usize| choice.chosen.iter().map(|&item| self.items[item].weight[r]).sum();
        let weight = std::array::from_fn(of);
        Solution::new(choice, self.items, weight)
    }
}

impl<W> Solution<W> {
    fn new(choice: Choice, items: &[KnapsackItem<W>], weight: W) -> Self {
        let Choice { chosen, upper_bound, proof, states } = choice;
        let value = chosen.iter().map(|&position| items[position].profit).sum();
        let upper_bound = upper_bound.unwrap_or(value);
        let is_bound = proof == Proof::None && value == upper_bound;
        let proof = if is_bound { Proof::Bound } else { proof };
        Self { value, weight, chosen, upper_bound, proof, states }
    }
}

fn check_length(items: usize, most: usize, reason: &'static str) -> Result<(), Error> {
    if items <= most { Ok(()) } else { Err(Error::TooLarge { what: "choice", items, reason }) }
}
