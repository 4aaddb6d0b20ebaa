use crate::{
    error::Error,
    knapsacks::{knapsack::Knapsack, most_solved::most_solved_items},
    pools::pool::Pool,
    values::{knapsack_item::KnapsackItem, proof::Proof},
};

/// The items that a planner chooses if it knows every cost and outcome. Returned by [`Pool::oracle`] and
/// [`Pool::oracle_within`].
///
/// ```
/// use knapsack_oracle::{Error, Item, Pool, Proof};
///
/// let pool = Pool::new(vec![
///     Item::new("a", 1.5, 500, true)?,
///     Item::new("b", 9.0, 300, false)?,
///     Item::new("c", 1.0, 200, true)?,
/// ])?;
/// let oracle = pool.oracle(700)?;
/// assert_eq!((oracle.value, oracle.chosen), (2.5, vec![0, 2]));
/// assert_eq!((oracle.upper_bound, oracle.proof), (2.5, Proof::Bound));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Oracle {
    /// The value that the oracle earns.
    pub value: f64,
    /// The positions of the items that the oracle attempts, in ascending order. All of them are
    /// solvable.
    pub chosen: Vec<usize>,
    /// An upper bound on the value of every choice. It equals `value` if `chosen` is proved to be the best choice.
    pub upper_bound: f64,
    /// How it is proved that no choice earns more. [`Proof::None`] only after a search that reached its limit.
    pub proof: Proof,
}

impl Pool {
    /// Finds the best value that a budget allows, and a set of items that earns it.
    ///
    /// The value is the maximum of `sum of value * solved` over the sets of items that cost at most
    /// the budget: an exact 0-1 knapsack over the solvable items.
    ///
    /// For equal values, the cheapest items are best, and one sort finds them. Otherwise the pool is solved by
    /// [`Knapsack::solve`], whose documentation describes its time and memory. [`Pool::oracle_within`] sets a limit on
    /// the work, and returns bounds if the search reaches it.
    ///
    /// Reference: TRIAGE (2026), equations 1 and 3, arXiv:2605.13414.
    ///
    /// # Errors
    ///
    /// For values that differ: [`Error::TooLarge`] if the search would need more than 2 GiB, and for more than
    /// 4,194,304 solvable items; [`Error::Sum`] if the costs of solvable items sum to more than 2^63 - 1.
    pub fn oracle(&self, budget: u64) -> Result<Oracle, Error> {
        let oracle = self.oracle_within(budget, u64::MAX)?;
        if oracle.proof == Proof::None {
            let items = self.items().iter().filter(|item| item.is_solved()).count();
            let reason = "the search would need too much memory; use Pool::oracle_within for bounds, coarser costs \
                          or values, or smaller pools";
            return Err(Error::TooLarge { what: "oracle", items, reason });
        }
        Ok(oracle)
    }

    /// Searches for the best value, and a set of items that earns it, and examines at most about `states` partial
    /// choices. If the search ends without a proof, [`Oracle::proof`] is [`Proof::None`], `value` is the best value
    /// found, and no set earns more than `upper_bound`.
    ///
    /// A search adds one item at a time, so it may exceed the limit by a small multiple. The result does not depend
    /// on the speed of the machine. About ten million partial choices are examined in a second. Two parts of the work
    /// are not limited: the time before the search, which is O(n log n), and the searches for second limits, at most 32
    /// of about 2^14 partial choices each. The latter run at most once, after a search that examined 2^18 partial
    /// choices.
    ///
    /// ```
    /// use knapsack_oracle::{Error, Item, Pool, Proof};
    ///
    /// // Values equal costs, and the best choice is hard to find.
    /// let cost = |i: u64| 100_000_007 * (i * i % 61 + 1) + i * i * i;
    /// let item = |i| Item::new(format!("{i}"), cost(i) as f64, cost(i), true);
    /// let pool = Pool::new((0..60).map(item).collect::<Result<_, _>>()?)?;
    /// let some = pool.oracle_within(50_000_000_001, 1_000)?;
    /// assert!(some.proof == Proof::None && some.value < some.upper_bound);
    /// assert!(some.upper_bound - some.value < 0.01 * some.value, "{some:?}");
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Pool::oracle`] for more than 4,194,304 solvable items and for costs with too large a sum.
    pub fn oracle_within(&self, budget: u64, states: u64) -> Result<Oracle, Error> {
        let solvable: Vec<usize> =
            (0..self.items().len()).filter(|&i| self.items()[i].is_solved()).collect();
        let item = |&i: &usize| KnapsackItem {
            profit: self.points().each[i],
            weight: self.items()[i].cost(),
        };
        let items: Vec<KnapsackItem> = solvable.iter().map(item).collect();
        let (chosen, upper_bound, proof) = if self.points().equal {
            let costs = items.iter().map(|item| (item.weight, true));
            (most_solved_items(costs, budget), None, Proof::Bound)
        } else {
            let best = Knapsack::new(budget, &items)?.solve_within(states);
            (best.chosen, Some(best.upper_bound), best.proof)
        };
        let mut chosen: Vec<usize> = chosen.iter().map(|&k| solvable[k]).collect();
        chosen.sort_unstable();
        let points = chosen.iter().map(|&i| self.points().each[i]).sum();
        let value = |points| self.points().value(points);
        let upper_bound = value(upper_bound.unwrap_or(points));
        Ok(Oracle { value: value(points), chosen, upper_bound, proof })
    }
}
