#[cfg(feature = "serde")]
use crate::stored::{ascending, must};
use crate::{Error, several::search::Search};

/// Items under budgets of R resources at once, as tokens, dollars in whole millionths and seconds:
/// the multidimensional 0-1 knapsack. R is from 1 to 8.
///
/// Give the items that can be earned, that is the solved ones of a pool, with whole profits.
///
/// ```
/// use knapsack_oracle::{Error, MultidimensionalKnapsack};
///
/// // Tokens and dollars: the first item alone would take all the dollars.
/// let knapsack =
///     MultidimensionalKnapsack::new([10, 6], &[5, 4, 3, 2], &[[4, 6], [5, 2], [3, 3], [2, 1]])?;
/// let solution = knapsack.solve();
/// assert_eq!((solution.value, solution.chosen), (9, vec![1, 2, 3]));
/// assert_eq!(solution.weights, [10, 6]);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MultidimensionalKnapsack<'a, const R: usize> {
    capacities: [u64; R],
    profits: &'a [u64],
    weights: &'a [[u64; R]],
}

/// A choice of items that fits. From [`MultidimensionalKnapsack::solve`] and its neighbours.
///
/// ```
/// use knapsack_oracle::{Error, MultidimensionalKnapsack};
///
/// let choice = MultidimensionalKnapsack::new([10, 6], &[5, 4], &[[4, 6], [5, 2]])?.greedy();
/// assert_eq!((choice.value, choice.weights, choice.chosen.as_slice()), (5, [4, 6], &[0][..]));
/// assert!(choice.upper_bound >= 5 && choice.nodes == 1);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored<R>"))]
#[non_exhaustive]
pub struct MultidimensionalSolution<const R: usize> {
    /// Total profit of the chosen items.
    pub value: u64,
    /// Total weight of the chosen items in each resource, at most its capacity.
    #[cfg_attr(feature = "serde", serde(serialize_with = "crate::stored::as_list"))]
    pub weights: [u64; R],
    /// Positions of the chosen items, ascending from 0.
    pub chosen: Vec<usize>,
    /// No choice is worth more than this; equal to `value` where the choice is proved optimal.
    pub upper_bound: u64,
    /// Number of parts of the search that were looked at.
    pub nodes: u64,
}

impl<const R: usize> MultidimensionalSolution<R> {
    /// Whether the choice is proved to be the best, as its value is the upper bound.
    #[must_use]
    pub const fn is_optimal(&self) -> bool {
        self.value == self.upper_bound
    }
}

/// The choice as it is stored.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
struct Stored<const R: usize> {
    value: u64,
    #[serde(deserialize_with = "crate::stored::from_list")]
    weights: [u64; R],
    chosen: Vec<usize>,
    upper_bound: u64,
    nodes: u64,
}

#[cfg(feature = "serde")]
impl<const R: usize> TryFrom<Stored<R>> for MultidimensionalSolution<R> {
    type Error = &'static str;

    fn try_from(stored: Stored<R>) -> Result<Self, &'static str> {
        let Stored { value, weights, chosen, upper_bound, nodes } = stored;
        must(ascending(&chosen), "`chosen` is not in ascending order")?;
        must(value <= upper_bound, "`value` is above `upper_bound`")?;
        Ok(Self { value, weights, chosen, upper_bound, nodes })
    }
}

/// With more items a search has no hope of an end.
const MOST_ITEMS: usize = 1_000;
const MOST_RESOURCES: usize = 8;
/// Where no other number is given.
pub(crate) const MOST_NODES: u64 = 1 << 22;

impl<'a, const R: usize> MultidimensionalKnapsack<'a, R> {
    /// A knapsack with the given capacity of each resource; profits and weights may be 0.
    ///
    /// # Errors
    ///
    /// [`Error::Setting`] unless there are 1 to 8 resources; [`Error::Length`] where the lists
    /// differ in length; [`Error::Sum`] where profits sum to 2^64 or more; [`Error::TooLarge`]
    /// above 1,000 items.
    pub fn new(
        capacities: [u64; R],
        profits: &'a [u64],
        weights: &'a [[u64; R]],
    ) -> Result<Self, Error> {
        if !(1..=MOST_RESOURCES).contains(&R) {
            let (name, range) = ("number of resources", "from 1 to 8");
            return Err(Error::Setting { name, value: R as f64, range });
        }
        if profits.len() != weights.len() {
            return Err(Error::Length {
                what: "weights",
                expected: profits.len(),
                found: weights.len(),
            });
        }
        if profits.len() > MOST_ITEMS {
            return Err(Error::TooLarge {
                what: "choice under several budgets",
                items: profits.len(),
                reason: "more than 1,000 are not searched; take smaller pools",
            });
        }
        profits.iter().enumerate().try_fold(0_u64, |sum, (item, &profit)| {
            sum.checked_add(profit).ok_or(Error::Sum { what: "profits", item, limit: u64::MAX })
        })?;
        Ok(Self { capacities, profits, weights })
    }

    /// A choice without a search, found greedily from the linear program, in which parts of items
    /// may be taken. The upper bound is the value of that, rounded down.
    ///
    /// O(R n) for each step of the simplex method, of which there are about as many as items that
    /// the linear program leaves out.
    #[must_use]
    pub fn greedy(&self) -> MultidimensionalSolution<R> {
        self.solve_within(1)
    }

    /// The best choice, by branch and bound; one of them where there are several.
    ///
    /// Each part of the search is bounded by the dual of its linear program, re-solved from that of
    /// the part before; the bound is evaluated on the items themselves with its rounding added on,
    /// so that no rounding can cut off the best choice. Items that no better choice can do with, or
    /// without, are fixed.
    ///
    /// Exponential in the worst case, so it ends after 2^22 parts at the latest;
    /// [`MultidimensionalSolution::is_optimal`] says whether the choice is proved to be the best.
    /// Pools of 60 items are quick where profits are random or follow the weights loosely
    /// (`docs/performance.md`). Where each profit is the mean of three or more weights, with a
    /// constant or without, it may end without a proof. [`solve_within`](Self::solve_within) goes
    /// on for longer.
    ///
    /// Reference: Kellerer, Pferschy, Pisinger (2004), Knapsack problems, chapter 9,
    /// doi:10.1007/978-3-540-24777-7.
    #[must_use]
    pub fn solve(&self) -> MultidimensionalSolution<R> {
        self.solve_within(MOST_NODES)
    }

    /// The best choice that is found in at most so many parts of the search, and a bound on the
    /// best there is; [`MultidimensionalSolution::is_optimal`] says whether they agree.
    #[must_use]
    pub fn solve_within(&self, nodes: u64) -> MultidimensionalSolution<R> {
        let (mut chosen, upper_bound, nodes) =
            Search::new(&self.capacities, self.profits, self.weights).run(nodes);
        chosen.sort_unstable();
        let mut weights = [0; R];
        for &item in &chosen {
            for (sum, &weight) in weights.iter_mut().zip(&self.weights[item]) {
                *sum += weight;
            }
        }
        let value = chosen.iter().map(|&item| self.profits[item]).sum();
        MultidimensionalSolution { value, weights, chosen, upper_bound, nodes }
    }
}
