use scoring_rules::checks::setting;

use crate::{
    engines::checked_sum::checked_sum,
    engines::several_resources::branch_and_bound::BranchAndBound, error::Error,
    values::knapsack_item::KnapsackItem,
};

/// A 0-1 knapsack with R capacities at once, for instance of tokens, of dollars in whole
/// millionths, and of seconds. R is from 1 to 8.
///
/// To find what a pool can earn, give its solved items.
///
/// ```
/// use knapsack_oracle::{Error, KnapsackItem, MultidimensionalKnapsack};
///
/// // Tokens and dollars: the first item alone would take all the dollars.
/// let items = [(5, [4, 6]), (4, [5, 2]), (3, [3, 3]), (2, [2, 1])]
///     .map(|(profit, weight)| KnapsackItem { profit, weight });
/// let solution = MultidimensionalKnapsack::new([10, 6], &items)?.solve();
/// assert_eq!((solution.value, solution.chosen), (9, vec![1, 2, 3]));
/// assert_eq!(solution.weights, [10, 6]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultidimensionalKnapsack<'a, const R: usize> {
    capacities: [u64; R],
    items: &'a [KnapsackItem<[u64; R]>],
}

/// A choice of items that fits. Returned by [`MultidimensionalKnapsack::solve`],
/// [`solve_within`](MultidimensionalKnapsack::solve_within) and
/// [`greedy`](MultidimensionalKnapsack::greedy).
///
/// ```
/// use knapsack_oracle::{Error, KnapsackItem, MultidimensionalKnapsack};
///
/// let items =
///     [KnapsackItem { profit: 5, weight: [4, 6] }, KnapsackItem { profit: 4, weight: [5, 2] }];
/// let choice = MultidimensionalKnapsack::new([10, 6], &items)?.greedy();
/// assert_eq!((choice.value, choice.weights, choice.chosen.as_slice()), (5, [4, 6], &[0][..]));
/// assert!(choice.upper_bound >= 5 && choice.nodes == 1);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MultidimensionalSolution<const R: usize> {
    /// The total profit of the chosen items.
    pub value: u64,
    /// The total weight of the chosen items in each resource, at most its capacity.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::stored::as_list"))]
    pub weights: [u64; R],
    /// The positions of the chosen items, in ascending order from 0.
    pub chosen: Vec<usize>,
    /// An upper bound on the value of every choice. It equals `value` if the choice is proved to
    /// be optimal.
    pub upper_bound: u64,
    /// The number of nodes of the search tree that were examined.
    pub nodes: u64,
}

impl<const R: usize> MultidimensionalSolution<R> {
    /// Returns whether the choice is proved to be optimal: its value equals the upper bound.
    #[must_use]
    pub const fn is_optimal(&self) -> bool {
        self.value == self.upper_bound
    }
}

/// A search over more items is unlikely to finish.
const MOST_ITEMS: usize = 1_000;
const MOST_RESOURCES: usize = 8;
/// The number of nodes that [`MultidimensionalKnapsack::solve`] examines at most.
pub(crate) const MOST_NODES: u64 = 1 << 22;

impl<'a, const R: usize> MultidimensionalKnapsack<'a, R> {
    /// Creates an instance from the capacity of each resource and the items. Profits and weights
    /// may be 0.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Setting`] unless there are 1 to 8 resources, [`Error::TooLarge`] for more
    /// than 1,000 items, and [`Error::Sum`] if the profits sum to 2^64 or more.
    pub fn new(capacities: [u64; R], items: &'a [KnapsackItem<[u64; R]>]) -> Result<Self, Error> {
        let is_valid = (1..=MOST_RESOURCES).contains(&R);
        setting("number of resources", R as f64, is_valid, "from 1 to 8")?;
        if items.len() > MOST_ITEMS {
            return Err(Error::TooLarge {
                what: "choice under several budgets",
                items: items.len(),
                reason: "at most 1,000 items are supported; use smaller pools",
            });
        }
        checked_sum("profits", u64::MAX, items.iter().map(|item| item.profit))?;
        Ok(Self { capacities, items })
    }

    /// Returns a good choice without a search, rounded from the linear program in which items may
    /// be divided. The upper bound is the value of the linear program, rounded down.
    ///
    /// Each step of the simplex method takes O(R n). There are about as many steps as items that
    /// the linear program leaves out.
    #[must_use]
    pub fn greedy(&self) -> MultidimensionalSolution<R> {
        self.solve_within(1)
    }

    /// Finds a choice with the largest value by branch and bound.
    ///
    /// Each node of the search tree is bounded by the dual of its linear program, which starts from
    /// that of its parent. The bound is evaluated on the items themselves, and its rounding error
    /// is added to it, so rounding never cuts off an optimal choice. Items that every better choice
    /// contains, or that none contains, are fixed.
    ///
    /// The worst case is exponential, so the search ends after at most 2^22 nodes;
    /// [`MultidimensionalSolution::is_optimal`] says whether the choice is proved to be optimal.
    /// Pools of 60 items are quick if profits are random or correlate weakly with the weights
    /// (`docs/performance.md`). If each profit is the mean of three or more weights, possibly plus
    /// a constant, the search may end without a proof. [`solve_within`](Self::solve_within) can
    /// search for longer.
    ///
    /// Reference: Kellerer, Pferschy, Pisinger (2004), Knapsack problems, chapter 9,
    /// doi:10.1007/978-3-540-24777-7.
    #[must_use]
    pub fn solve(&self) -> MultidimensionalSolution<R> {
        self.solve_within(MOST_NODES)
    }

    /// Finds the best choice within a given number of nodes of the search tree, and an upper bound
    /// on the value of every choice.
    #[must_use]
    pub fn solve_within(&self, nodes: u64) -> MultidimensionalSolution<R> {
        let (mut chosen, upper_bound, nodes) =
            BranchAndBound::new(&self.capacities, self.items).run(nodes);
        chosen.sort_unstable();
        let (mut value, mut weights) = (0, [0; R]);
        for &position in &chosen {
            let item = &self.items[position];
            value += item.profit;
            weights.iter_mut().zip(&item.weight).for_each(|(sum, weight)| *sum += weight);
        }
        MultidimensionalSolution { value, weights, chosen, upper_bound, nodes }
    }
}
